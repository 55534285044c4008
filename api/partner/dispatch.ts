import { z } from 'zod';
import { currentShipmentId } from '../../src/orders/dispatch/dispatch';
import { printOrderOfPartner } from '../../src/partners/print-orders';
import { partnerByAccount } from '../../src/partners/store';
import { text } from '../../src/platform/domain/fields';
import { Refusal } from '../../src/platform/errors';
import { dispatchAnswer } from '../../src/shipping/shipments';
import type { ApiDeps } from '../deps';
import { type Route, route } from '../http/route';

/** Attempts of one request. An attempt fails when address or method change while its labels are bought. */
const MAX_ATTEMPTS = 4;

/** `POST /v2/order/dispatch`: returns the shipping documents of a print order (interface "Partner interaction"). */
export function dispatchRoutes({ sql, links, runs }: ApiDeps): Route[] {
  return [
    route({
      method: 'post',
      path: '/v2/order/dispatch',
      operationId: 'dispatchOrder',
      summary: 'Get the shipping documents of a print order',
      description:
        'The answer is sent when labels and documents exist. A repeated request returns the same shipment with new ' +
        'links, unless address or method have changed: then a new label replaces the old one. 409 while the print ' +
        'order is not confirmed, and after it was cancelled.',
      tag: 'Partner interaction',
      access: { credentials: 'key', roles: ['partner'] },
      errors: 'plain',
      body: z.object({ orderId: text(64) }).meta({ id: 'DispatchRequest' }),
      response: z
        .object({
          documents: z.array(
            z.object({
              type: z
                .enum(['label', 'invoice', 'packing_slip', 'customs_form'])
                .describe(
                  'packing_slip and customs_form only for partners that subscribed with documentTypes all. Others get customs forms ' +
                    'and the client’s packing slips as label or invoice.',
                ),
              contentType: z.string(),
              format: z.string(),
              url: z.url().describe('Valid for seven days.'),
            }),
          ),
          trackingCode: z.string().optional(),
          trackingLink: z.string().optional(),
        })
        .meta({ id: 'DispatchAnswer' }),
      handler: async ({ account, body, log }) => {
        const printOrder = await printOrderOfPartner(sql, account.id, body.orderId);
        if (printOrder === null)
          throw new Refusal('NOT_FOUND', { message: `There is no print order ${body.orderId}.` });
        if (printOrder.status === 'cancelled')
          throw new Refusal('CONFLICT', { message: `Print order ${printOrder.id} is cancelled.` });
        const ids = { orderId: printOrder.orderId, printOrderId: printOrder.id };
        for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
          const shipmentId = await currentShipmentId(sql, ids);
          if (shipmentId !== null) {
            log.info({ ...ids, shipmentId }, 'dispatch answered');
            const { documentTypes } = (await partnerByAccount(sql, account.id))!;
            return await dispatchAnswer({ sql, links }, shipmentId, documentTypes ?? null);
          }
          await runs.dispatch(ids.orderId, ids.printOrderId);
        }
        throw new Refusal('CONFLICT', { message: 'The address changed during the request; send it again.' });
      },
    }),
  ];
}
