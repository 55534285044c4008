import { Modal } from '@mantine/core';
import { ActForm, type ActFormProps } from './act-form';

/** What a dialog says about an act, and how the act is carried out. */
export interface ActDescription extends ActFormProps<unknown> {
  readonly title: string;
}

/** The dialog of an act. It is open while there is an act. */
export function ActDialog({
  act,
  onClose,
}: {
  readonly act: ActDescription | null;
  readonly onClose: () => void;
}) {
  return (
    <Modal opened={act !== null} onClose={onClose} title={act?.title} withCloseButton={false}>
      {act === null ? null : <ActForm {...act} onClose={onClose} />}
    </Modal>
  );
}
