import { z } from 'zod';
import { deleteDraft, type NoDraft, patched, readDraft, saveDraft } from '../../src/orders/intake/drafts';
import { patchDraftSchema, type SubmitOrder, submitOrderSchema } from '../../src/orders/intake/order-schemas';
import { readOrders } from '../../src/orders/reading/order-reader';
import { orderView } from '../../src/orders/reading/order-view';
import { Refusal } from '../../src/platform/errors';
import type { ApiDeps } from '../deps';
import { fieldErrors } from '../http/errors/field-errors';
import { type Route, route } from '../http/route';
import { productsOfOrder } from './order-products';
import { retrievedOrderSchema } from './order-schemas';
import { orderAddress } from './routes';
import { CLIENTS, visibleOrderId } from './visible-order';

/** Attempts at an edit, each of which a concurrent edit of the same draft can make obsolete. */
const ATTEMPTS = 10;

/** Validates a patched draft as a submitted order. @throws Refusal `VALIDATION_ERROR` with every offending field */
function checkedOrder(order: object): SubmitOrder {
  const result = submitOrderSchema.safeParse(order);
  if (result.success) return result.data;
  throw new Refusal('VALIDATION_ERROR', { errors: fieldErrors(result.error, order) });
}

function noDraft(reason: NoDraft): Refusal {
  return reason === 'not-found'
    ? new Refusal('NOT_FOUND')
    : new Refusal('CONFLICT', { message: 'Only a draft can be edited or deleted. This is an order.' });
}

/** Routes for drafts: stored orders that have no workflow until they become orders. */
export function draftRoutes(deps: ApiDeps): Route[] {
  const { sql, links, wake, metrics, runSettings } = deps;
  const common = { ...CLIENTS, path: '/v1/orders/{orderId}', params: orderAddress } as const;

  return [
    route({
      ...common,
      method: 'patch',
      operationId: 'patchDraft',
      summary: 'Edit a draft, or turn it into an order',
      description:
        'Each given field replaces the stored one. Null removes an optional field. `orderType: order` submits the draft ' +
        'with the current catalog. 409: the order is not a draft.',
      body: patchDraftSchema,
      response: retrievedOrderSchema,
      handler: async ({ account, params, body, requestId, log, quotas }) => {
        const id = await visibleOrderId(sql, account, params.orderId);
        for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
          const draft = await readDraft(sql, id);
          if (typeof draft === 'string') throw noDraft(draft);
          const order = checkedOrder(patched(draft, body));
          const becomesOrder = order.orderType === 'order';
          const customer = { clientId: account.id, customerReferenceId: order.customerReferenceId };
          const isPriced = becomesOrder || body.items !== undefined;
          const products = isPriced ? await productsOfOrder(sql, customer, order.items) : null;
          const client = { clientId: account.id, clientName: account.name, requestId };
          const edit = { draft, patch: body, order, products, ...client };
          const outcome = await quotas.using(account.id, becomesOrder ? ['ordersUnderWay', 'fileBytes'] : [], () =>
            saveDraft(sql, edit, runSettings),
          );
          if (outcome === 'overtaken') continue;
          if (outcome !== 'saved') throw noDraft(outcome);
          if (becomesOrder) {
            metrics.count('pressline_orders_accepted_total', {});
            wake('start_workflow');
            log.info({ orderId: id }, 'draft became an order');
          }
          const [saved] = await readOrders(sql, [id]);
          if (saved === undefined) throw new Refusal('NOT_FOUND');
          return orderView(saved, links);
        }
        throw new Refusal('CONFLICT', { message: 'Other requests are editing this draft. Try again.' });
      },
    }),

    route({
      ...common,
      method: 'delete',
      operationId: 'deleteDraft',
      summary: 'Delete a draft',
      description: '409: the order is not a draft. Cancel it instead.',
      response: z.object({ id: z.string(), deleted: z.literal(true) }),
      handler: async ({ account, params }) => {
        const id = await visibleOrderId(sql, account, params.orderId);
        const outcome = await deleteDraft(sql, id);
        if (outcome !== 'deleted') throw noDraft(outcome);
        return { id, deleted: true as const };
      },
    }),
  ];
}
