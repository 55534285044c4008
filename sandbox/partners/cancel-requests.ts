import { z } from 'zod';
import { BEHAVIOURS } from '../behaviours';
import type { PartnerContext } from './partner-context';
import { hasReported, type PrintOrderRecord } from './partner-record';
import type { SignatureCheck } from './signature-check';
import { signedMessage } from './signed-message';

const cancelOrderSchema = z.object({
  version: z.string(),
  orderId: z.string(),
  canceledPrintJobIdList: z.array(z.union([z.string(), z.number()]).transform(String)),
  reason: z.string().nullish(),
});

/** Returns the handler of cancel requests. A partner refuses one with 409 after dispatch, or when its behaviour says so. */
export function cancelRequestHandler(
  { state, enter, log }: PartnerContext,
  signature: SignatureCheck,
  work: (record: PrintOrderRecord) => void,
) {
  return signedMessage({ log }, signature, cancelOrderSchema, (message, response) => {
    const { orderId, canceledPrintJobIdList: listed } = message;
    const record = state.printOrders.get(orderId);
    if (record === undefined || record.state === 'not-taken') {
      response.status(404).json({ error: `There is no print order ${orderId}` });
      return;
    }
    const unknown = listed.filter((id) => !record.itemIds.includes(id));
    if (unknown.length > 0) {
      response.status(400).json({ error: `Print order ${orderId} has no item ${unknown.join(', ')}` });
      return;
    }
    // A parcel of its own has left although Pressline may not have taken the postback yet.
    const packed = record.trackingCodes.size > 0 || record.ownParcel !== undefined || hasReported(record, 'shipped');
    const { name, amount } = record.behaviour;
    const refusal = BEHAVIOURS[name].refusesCancel?.(amount) ?? (packed ? 'The order is packed already' : undefined);
    enter({
      type: 'cancel-order',
      printOrderId: orderId,
      // An empty list means the whole print order.
      itemIds: [...(listed.length > 0 ? listed : record.itemIds)],
      accepted: refusal === undefined,
      postbackDue: record.behaviour.name !== 'no-postbacks',
    });
    log.info({ printOrderId: orderId, refusal }, 'cancel request arrived');
    if (refusal === undefined) response.json({ message: 'Cancelled' });
    else response.status(409).json({ error: refusal });
    work(record);
  });
}
