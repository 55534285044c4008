import type { CarrierRefusal } from '../../src/carriers/carrier';
import { Refusal } from '../../src/platform/errors';
import { consignmentFrom } from '../../src/shipping/consignment';
import { requestedMethod } from '../../src/shipping/method-request';
import { shippingOrderRequestSchema, shippingOrderSchema } from '../../src/shipping/schemas';
import { ANSWER_SECONDS, runShippingOrder } from '../../src/shipping/shipping-order-gateway';
import { endWait, placeShippingOrder, shippingOrderAnswer } from '../../src/shipping/shipping-orders';
import type { ApiDeps } from '../deps';
import { type Route, route } from '../http/route';

/** Returns a carrier's refusal as an API error (interface "Error codes seen"). */
function refusalAnswer({ code, message, detail, missing }: CarrierRefusal): Refusal {
  if (missing !== undefined && missing.length > 0) {
    return new Refusal('VALIDATION_ERROR', {
      errors: missing.map((reference) => ({ code: 'MISSING_FIELD_ERROR', message, reference })),
    });
  }
  return new Refusal('PUBLIC_API_ERROR', {
    message,
    detail: { code: 'CARRIER_API_ERROR', message: { code, description: message, ...detail } },
  });
}

/** `POST /v1/shipping-orders`: buys labels and tracking numbers for packages (interface "Shipping"). */
export function shippingOrderRoute({ sql, links, temporal, config, carriers }: ApiDeps): Route {
  return route({
    method: 'post',
    path: '/v1/shipping-orders',
    operationId: 'createShippingOrder',
    summary: 'Buy shipping labels for packages',
    description:
      'Buys the labels of all packages, or of none. Answers 409 when the orderReferenceId was used before. After a 503, ' +
      'send the same request again to get the labels that were bought meanwhile.',
    tag: 'Shipping',
    access: { credentials: 'key', roles: ['client', 'partner', 'operator'] },
    errors: 'shipping',
    idempotent: true,
    body: shippingOrderRequestSchema,
    response: shippingOrderSchema,
    handler: async ({ account, body, requestId, log }) => {
      const consignment = consignmentFrom(body);
      const method = await requestedMethod(carriers, consignment, body.shippingMethod);
      const shippingOrderId = await placeShippingOrder(sql, {
        accountId: account.id,
        request: body,
        consignment,
        methodUid: method.methodUid,
        waitSeconds: ANSWER_SECONDS + 5,
      });
      if (shippingOrderId === null) {
        throw new Refusal('DUPLICATE_ORDER_REFERENCE', {
          message: 'A shipping order with this orderReferenceId already exists.',
          errors: [
            {
              code: 'VALIDATION_ERROR',
              message: 'This reference was used before.',
              reference: 'orderReferenceId',
            },
          ],
        });
      }
      let answered = false;
      try {
        const run = await runShippingOrder(temporal, config, { shippingOrderId, requestId });
        if (run.outcome === 'refused') throw refusalAnswer(run.refusal);
        const { shipmentId } = run;
        const answer = await shippingOrderAnswer(
          { sql, links },
          { shippingOrderId, shipmentId, orderReferenceId: body.orderReferenceId },
        );
        answered = true;
        log.info({ shippingOrderId, shipmentId }, 'shipping order answered');
        return answer;
      } finally {
        await endWait(sql, shippingOrderId, answered);
      }
    },
  });
}
