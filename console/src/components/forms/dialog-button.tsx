import { Button, type ButtonProps, Modal } from '@mantine/core';
import { useState } from 'react';
import { DialogForm, type DialogFormProps } from './dialog-form';

interface DialogButtonProps<Result> extends DialogFormProps<Result> {
  /** The text of the button that opens the dialog, and the title of the dialog. */
  readonly name: string;
  /** Names the button to a screen reader where several have the same text. */
  readonly label?: string;
  readonly variant?: NonNullable<ButtonProps['variant']>;
  readonly size?: NonNullable<ButtonProps['size']>;
  readonly dialogSize?: 'md' | 'lg' | 'xl';
  /** True: only the button Close closes the dialog once it shows the result, such as a secret. */
  readonly keepsResult?: boolean;
  readonly disabled?: boolean;
  /** Follows the change, when the dialog has closed. */
  readonly onDone?: () => void;
}

/** A button that opens a dialog, in which a change is explained and made. */
export function DialogButton<Result>(props: DialogButtonProps<Result>) {
  const { name, label, variant = 'default', size = 'xs', dialogSize = 'md', keepsResult = false, disabled } = props;
  const [isKept, setKept] = useState(false);
  const [opened, setOpened] = useState(false);
  const close = () => {
    setOpened(false);
    setKept(false);
  };
  return (
    <>
      <Button
        variant={variant}
        size={size}
        aria-label={label}
        disabled={disabled === true}
        onClick={() => setOpened(true)}
      >
        {name}
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={name}
        withCloseButton={false}
        size={dialogSize}
        closeOnEscape={!isKept}
        closeOnClickOutside={!isKept}
      >
        <DialogForm
          {...props}
          onClose={close}
          onDone={() => {
            close();
            props.onDone?.();
          }}
          onResult={() => setKept(keepsResult)}
        />
      </Modal>
    </>
  );
}
