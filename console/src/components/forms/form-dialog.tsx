import { Modal } from '@mantine/core';
import { DialogForm, type DialogFormProps } from './dialog-form';

/** What a dialog says about a change, and how the change is made. */
export interface FormDialogContent extends DialogFormProps<unknown> {
  readonly title: string;
  readonly size?: 'md' | 'xl';
}

/** A dialog with a form. It is open while it has content. */
export function FormDialog(props: { readonly content: FormDialogContent | null; readonly onClose: () => void }) {
  const { content, onClose } = props;
  return (
    <Modal
      opened={content !== null}
      onClose={onClose}
      title={content?.title}
      size={content?.size ?? 'md'}
      withCloseButton={false}
    >
      {content === null ? null : <DialogForm {...content} onClose={onClose} />}
    </Modal>
  );
}
