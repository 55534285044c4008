import { z } from 'zod';
import { recordPayment } from '../../../src/orders/receipts/receipts';
import { text } from '../../../src/platform/domain/fields';
import { Refusal } from '../../../src/platform/errors';
import { inTransaction } from '../../../src/platform/postgres';
import type { ApiDeps } from '../../deps';
import { operatorsOnly, type Route, route } from '../../http/route';
import { changedOrderId, visibleOrder } from '../../orders/visible-order';
import { OPERATOR_ORDER_ROUTE, operatorOrderSchema } from './order-schemas';

const paymentSchema = z
  .object({
    status: z.enum(['paid', 'refused']),
    reference: text(200).nullish().describe('Reference of the payment provider or the bank.'),
  })
  .meta({ id: 'Payment', examples: [{ status: 'paid', reference: 'bank-2026-11-22-0042' }] });

/** The route with which operators record the payment of an order. */
export function orderPaymentRoute({ sql, objects }: Pick<ApiDeps, 'sql' | 'objects'>): Route {
  return route({
    ...OPERATOR_ORDER_ROUTE,
    method: 'post',
    access: operatorsOnly('operator'),
    path: '/v1/operator/orders/{orderId}/payment',
    operationId: 'recordPayment',
    summary: 'Record the payment of an order',
    description:
      'Sets `financialStatus` and adds an entry to the event log. 409: the order is not invoiced yet, is refused or ' +
      'cancelled, or is completely refunded. A later invoice or refund changes the status again.',
    audits: ['order.record_payment'],
    idempotent: true,
    body: paymentSchema,
    response: operatorOrderSchema
      .pick({ id: true, orderReferenceId: true, financialStatus: true })
      .meta({ id: 'RecordedPayment' }),
    handler: async ({ params, body, account, requestId, log, audit }) => {
      const id = await changedOrderId(sql, account, params.orderId);
      const payment = { status: body.status, reference: body.reference ?? null, by: account.name, requestId };
      await inTransaction(sql, async (tx) => {
        const before = await recordPayment(tx, id, payment);
        if (before === undefined) {
          throw new Refusal('CONFLICT', { message: 'The order has no invoice that could be paid.' });
        }
        const change = { before: { financialStatus: before }, after: { financialStatus: body.status } };
        await audit(tx, { action: 'order.record_payment', objectId: id, ...change });
      });
      log.info({ orderId: id, status: body.status, by: account.name }, 'payment recorded');
      const { orderReferenceId, financialStatus } = await visibleOrder({ sql, objects }, account, id);
      return { id, orderReferenceId, financialStatus };
    },
  });
}
