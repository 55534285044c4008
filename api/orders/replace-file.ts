import { z } from 'zod';
import { orderFileSchema } from '../../src/orders/planning/order-schemas';
import { replaceFile } from '../../src/orders/production/replace-file';
import { readOrders } from '../../src/orders/reading/order-reader';
import { orderView, retrievedOrderSchema } from '../../src/orders/reading/retrieved-order';
import { text } from '../../src/platform/domain/fields';
import { Refusal } from '../../src/platform/errors';
import type { ApiDeps } from '../deps';
import { type Route, route } from '../http/route';
import { tooManyPreflights } from './preflight';
import { changedOrderId, orderAddress, READERS, reasonOf, requesterOf } from './visible-order';

export function replaceFileRoute({ sql, links, wake }: ApiDeps): Route {
  return route('PUT /v1/orders/{orderId}/items/{itemReferenceId}/files/{type}', {
    operationId: 'replaceFile',
    refuses: ['AMBIGUOUS_REFERENCE', 'CONFLICT', 'QUOTA_EXCEEDED'],
    summary: 'Replace a print file',
    description:
      'Fetches the file from another URL, checks it again, and goes on with the order. When a print partner has the item, the ' +
      'checked file is sent to it as an order update (`items[].files[].replacement`); 409 when the partner takes no updates or ' +
      'has printed the item. Drafts are changed with PATCH. Operators change the order of any client, and name a `reason`.',
    tag: 'Orders',
    access: { ...READERS.access, operatorRole: 'operator' },
    audits: ['order.replace_file'],
    params: orderAddress.extend({
      itemReferenceId: z.string().min(1).max(100),
      type: orderFileSchema.shape.type.describe('Type of the file, as ordered.'),
    }),
    body: z
      .object({
        url: orderFileSchema.shape.url,
        reason: text(500).nullish().describe('Required of operators. It is in the event log that operators see.'),
      })
      .meta({ id: 'ReplaceFile' }),
    response: retrievedOrderSchema,
    handler: async ({ account, params, body, requestId, audit, unaudited, quotas }) => {
      const { itemReferenceId, type } = params;
      const reason = reasonOf(account, body.reason);
      const orderId = await changedOrderId(sql, account, params.orderId);
      const replacement = {
        orderId,
        itemReferenceId,
        type,
        url: body.url,
        accountId: account.id,
        by: requesterOf(account),
        reason,
        requestId,
      };
      const replace = () =>
        replaceFile(sql, replacement, (tx) =>
          // A URL can contain credentials.
          audit(tx, {
            action: 'order.replace_file',
            objectId: orderId,
            before: null,
            after: { itemReferenceId, type },
          }),
        );
      const result =
        account.role === 'client' ? await quotas.using(account.id, ['fileBytes'], replace) : await replace();
      switch (result.outcome) {
        case 'not-found':
          throw new Refusal('NOT_FOUND', { message: `The order has no file ${type} of an item ${itemReferenceId}.` });
        case 'draft':
          throw new Refusal('CONFLICT', { message: 'A draft is changed with PATCH.' });
        case 'ended':
          throw new Refusal('CONFLICT', { message: `The order has ended. Its status is ${result.status}.` });
        case 'refused':
          throw new Refusal('CONFLICT', { message: result.message });
        case 'busy':
          throw tooManyPreflights();
        case 'unchanged':
          unaudited();
          break;
        case 'replaced':
          wake('signal_workflow');
          break;
        case 'requested':
          wake('start_workflow');
      }
      const [order] = await readOrders(sql, [orderId]);
      return orderView(order!, links);
    },
  });
}
