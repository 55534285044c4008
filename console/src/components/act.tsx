import { Button, type ButtonProps, Modal } from '@mantine/core';
import { useState } from 'react';
import { ActForm, type ActFormProps } from './act-form';

interface ActProps<Result> extends ActFormProps<Result> {
  /** The text of the button that opens the dialog, and the title of the dialog. */
  readonly name: string;
  /** Names the button to a screen reader where several have the same text. */
  readonly label?: string;
  readonly variant?: NonNullable<ButtonProps['variant']>;
  readonly size?: NonNullable<ButtonProps['size']>;
  readonly dialogSize?: 'md' | 'lg' | 'xl';
}

/** A button that opens a dialog, in which an act is explained and carried out. */
export function Act<Result>(props: ActProps<Result>) {
  const { name, label, variant = 'default', size = 'xs', dialogSize = 'md' } = props;
  const [opened, setOpened] = useState(false);
  const close = () => setOpened(false);
  return (
    <>
      <Button variant={variant} size={size} aria-label={label} onClick={() => setOpened(true)}>
        {name}
      </Button>
      <Modal opened={opened} onClose={close} title={name} withCloseButton={false} size={dialogSize}>
        <ActForm {...props} onClose={close} />
      </Modal>
    </>
  );
}
