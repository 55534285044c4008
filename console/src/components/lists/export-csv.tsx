import { Button } from '@mantine/core';
import { addressOf } from '../../api/address';
import type { Input, OperationId } from '../../api/types';
import * as texts from '../../texts';
import { ExportIcon } from '../layout/icons';

/** Downloads a list as CSV: every row that matches its filters, on all pages. */
export function ExportCsv<K extends OperationId>(props: {
  readonly operation: K;
  /** With `format: 'csv'`. */
  readonly input: Input<K>;
  readonly label?: string;
}) {
  const download = () => {
    const link = document.createElement('a');
    link.href = addressOf(props.operation, props.input);
    // The API names the file.
    link.download = '';
    link.click();
  };
  return (
    <Button size="xs" variant="default" leftSection={<ExportIcon size={14} />} onClick={download}>
      {props.label ?? texts.common.exportCsv}
    </Button>
  );
}
