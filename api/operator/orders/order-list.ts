import { z } from 'zod';
import { ORDER_STATUSES } from '../../../src/orders/domain/lifecycle/statuses';
import type { OperatorOrderSummary } from '../../../src/orders/reading/operator-order-list';
import type { CsvExport } from '../../http/lists/csv';
import { attention } from './order-schemas';

/** Orders in operators' lists: schemas, views and the columns of exports. */

const orderListItem = z.object({
  id: z.string(),
  orderReferenceId: z.string(),
  clientId: z.string(),
  clientName: z.string(),
  fulfillmentStatus: z.enum(ORDER_STATUSES),
  country: z.string(),
  attention,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  methodUids: z.array(z.string()),
  partners: z.array(z.object({ id: z.string(), uid: z.string() })),
  attentionSince: z.iso.datetime().nullable().describe('When the order got the oldest of its reasons.'),
});

export const orderPageSchema = z
  .object({
    orders: z.array(orderListItem),
    nextCursor: z.string().nullable().describe('Pass it as `cursor` to get the next page. Null on the last page.'),
  })
  .meta({ id: 'OperatorOrderPage' });

/** Returns an order of a list without its position. */
export function orderListItemView(order: OperatorOrderSummary): z.input<typeof orderListItem> {
  const { id, orderReferenceId, clientId, clientName, fulfillmentStatus, country } = order;
  return {
    ...{ id, orderReferenceId, clientId, clientName, fulfillmentStatus, country },
    attention: [...(order.attention ?? [])],
    createdAt: order.createdAt.toISOString(),
    updatedAt: order.updatedAt.toISOString(),
    methodUids: [...(order.methodUids ?? [])],
    partners: [...(order.partners ?? [])],
    attentionSince: order.attentionSince?.toISOString() ?? null,
  };
}

/** Columns of an exported list. They hold no personal data. */
export const ORDER_LIST_COLUMNS: CsvExport<OperatorOrderSummary>['columns'] = {
  id: ({ id }) => id,
  orderReferenceId: ({ orderReferenceId }) => orderReferenceId,
  fulfillmentStatus: ({ fulfillmentStatus }) => fulfillmentStatus,
  clientId: ({ clientId }) => clientId,
  clientName: ({ clientName }) => clientName,
  country: ({ country }) => country,
  attention: ({ attention }) => attention?.join(' '),
  createdAt: ({ createdAt }) => createdAt.toISOString(),
  updatedAt: ({ updatedAt }) => updatedAt.toISOString(),
  attentionSince: ({ attentionSince }) => attentionSince?.toISOString(),
  partners: ({ partners }) => partners?.map(({ uid }) => uid).join(' '),
  methodUids: ({ methodUids }) => methodUids?.join(' '),
};
