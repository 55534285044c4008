import { change } from '../../../api/changes';
import { DialogButton } from '../../../components/forms/dialog-button';
import { LongTextField } from '../../../components/forms/field-faults';
import { textOf } from '../../../components/forms/form-values';
import * as texts from '../../../texts';
import type { OrderStatus } from '../../../texts/names';
import type { OperatorOrder } from '../types';
import { FileField } from './file-field';

const t = texts.order.replaceFile;

const UNPRINTED: readonly OrderStatus[] = ['created', 'uploading', 'on_hold', 'passed', 'in_production'];

/** Returns true until the order is printed. A partner that has it may refuse a new file. */
export const canReplaceFiles = ({ fulfillmentStatus }: OperatorOrder): boolean => UNPRINTED.includes(fulfillmentStatus);

interface FileProps {
  readonly order: OperatorOrder;
  readonly itemReferenceId: string;
  readonly type: string;
}

/** The button that gives a print file another address. */
export function ReplaceFile(props: FileProps) {
  const { order, itemReferenceId, type } = props;
  return (
    <DialogButton
      name={t.name}
      label={t.label(type, itemReferenceId)}
      explanation={t.explanation}
      button={t.button}
      size="compact-xs"
      withReason
      fields={<FileField orderId={order.id} itemReferenceId={itemReferenceId} type={type} name="url" label={t.url} />}
      changeOf={({ form, reason }) =>
        change('replaceFile', {
          params: { orderId: order.id, itemReferenceId, type },
          body: { url: textOf(form, 'url') ?? '', reason },
        })
      }
    />
  );
}

/** The button that asks the client for another print file. */
export function RequestFile(props: FileProps) {
  const { order, itemReferenceId, type } = props;
  const request = texts.order.requestFile;
  return (
    <DialogButton
      name={request.name}
      label={request.label(type, itemReferenceId)}
      explanation={request.explanation}
      button={request.button}
      size="compact-xs"
      fields={<LongTextField name="message" label={request.message} required maxLength={500} />}
      changeOf={({ form }) =>
        change('requestFile', {
          params: { orderId: order.id, itemReferenceId, type },
          body: { message: textOf(form, 'message') ?? '' },
        })
      }
      result={({ notified }) => request.notified(notified)}
    />
  );
}
