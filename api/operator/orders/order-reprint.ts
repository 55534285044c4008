import { z } from 'zod';
import { orderFileSchema, shippingAddressSchema, submittedOrderSchema } from '../../../src/orders/intake/order-schemas';
import { reprintOf } from '../../../src/orders/intake/reprint';
import { submitWith } from '../../../src/orders/intake/submit';
import { text } from '../../../src/platform/domain/fields';
import { inTransaction, json } from '../../../src/platform/postgres';
import type { ApiDeps } from '../../deps';
import { operatorsOnly, type Route, route } from '../../http/route';
import { changedOrderId, visibleOrder } from '../../orders/visible-order';
import { OPERATOR_ORDER_ROUTE } from './order-schemas';

const reprintSchema = z
  .strictObject({
    items: z
      .array(
        z.strictObject({
          itemReferenceId: z.string(),
          quantity: z.int().min(1).nullish().describe('Default: all units of the item that were not cancelled.'),
          files: z.array(orderFileSchema).min(1).max(100).optional().describe('Default: the files of the item.'),
        }),
      )
      .min(1)
      .max(500)
      .optional()
      .describe('Default: all items that were not cancelled.'),
    shippingAddress: shippingAddressSchema.optional().describe('Default: the address of the order.'),
    charge: z.boolean().default(false).describe('False: the new order costs its client nothing.'),
    reason: text(500).describe('Recorded with the operator’s name in the event logs of both orders.'),
  })
  .meta({ id: 'Reprint' });

/** The route with which operators have an order made and shipped again. */
export function orderReprintRoute({
  sql,
  objects,
  runSettings,
  wake,
}: Pick<ApiDeps, 'sql' | 'objects' | 'runSettings' | 'wake'>): Route {
  return route({
    ...OPERATOR_ORDER_ROUTE,
    method: 'post',
    access: operatorsOnly('operator'),
    path: '/v1/operator/orders/{orderId}/reprint',
    operationId: 'reprintOrder',
    summary: 'Make and ship an order again',
    description:
      'Submits a new order of the same client, reference, products and files. It is linked to the first by `reprintOf`. ' +
      '409: the order was not delivered or returned and has not failed; `reproduce` makes units of other orders again.',
    audits: ['order.reprint'],
    idempotent: true,
    body: reprintSchema,
    response: submittedOrderSchema.extend({ reprintOf: z.string() }).meta({ id: 'ReprintedOrder' }),
    handler: async ({ params, body, account, requestId, log, audit }) => {
      const order = await visibleOrder({ sql, objects }, account, await changedOrderId(sql, account, params.orderId));
      const { reason, charge } = body;
      const [client] = await sql<{ name: string }[]>`SELECT name FROM accounts WHERE id = ${order.clientId}`;
      const submission = {
        ...reprintOf(order, body),
        clientId: order.clientId,
        clientName: client!.name,
        requestId,
        claim: null,
      };
      const submitted = await inTransaction(sql, async (tx) => {
        const stored = await submitWith(tx, submission, runSettings);
        if (typeof stored === 'string') throw new Error(`a submission without a key was not stored: ${stored}`);
        const by = { by: account.name, reason, requestId, charged: charge };
        await tx`
          INSERT INTO order_events (order_id, type, data)
          VALUES (${order.id}, 'reprint', ${json(tx, { ...by, orderId: stored.id })}),
            (${stored.id}, 'reprint_of', ${json(tx, { ...by, orderId: order.id })})`;
        await audit(tx, {
          action: 'order.reprint',
          objectId: order.id,
          before: null,
          after: { orderId: stored.id, charged: charge },
        });
        return stored;
      });
      wake('start_workflow');
      log.info({ orderId: submitted.id, reprintOf: order.id, by: account.name }, 'order reprinted');
      return { ...submitted, reprintOf: order.id };
    },
  });
}
