import { z } from 'zod';
import { BEHAVIOURS } from '../behaviours';
import type { PartnerContext } from './partner-context';
import { printOrderSchema } from './print-order';
import { describeResponse, sendResponse } from './responses';
import type { SignatureCheck } from './signature-check';
import { signedMessage } from './signed-message';

const orderUpdateSchema = printOrderSchema.extend({ revision: z.number().int().min(2) });

/** Returns the handler of order updates: whole print orders with a changed address or method. */
export function orderUpdateHandler({ state, enter, log }: PartnerContext, signature: SignatureCheck) {
  return signedMessage({ log }, signature, orderUpdateSchema, ({ revision, ...order }, response, request) => {
    const record = state.printOrders.get(order.id);
    if (record === undefined || record.state === 'not-taken') {
      response.status(404).json({ error: `There is no print order ${order.id}` });
      return;
    }
    const { name, amount } = record.behaviour;
    const how = BEHAVIOURS[name].updateResponse?.(amount);
    const delivery = order.shipping.address.find(({ type }) => type === 'delivery')!;
    enter({
      type: 'order-update',
      printOrderId: order.id,
      update: {
        revision,
        webhookId: String(request.headers['webhook-id']),
        addressLine1: delivery.addressLine1,
        shipmentMethodUid: order.shipping.shipmentMethodUid,
        counts: order.items.flatMap((item) => ('count' in item ? [item.count] : item.parts.map(({ count }) => count))),
        response: describeResponse(how),
      },
    });
    log.info({ printOrderId: order.id, revision, behaviour: name }, 'order update arrived');
    sendResponse(response, how, 'Order update accepted');
  });
}
