import { z } from 'zod';
import { deleteDraft, patched, readDraft, saveDraft } from '../../src/orders/intake/drafts';
import { patchDraftSchema, type SubmitOrder, submitOrderSchema } from '../../src/orders/intake/schemas';
import { readOrders } from '../../src/orders/reading/order-reader';
import { orderView } from '../../src/orders/reading/order-view';
import { Refusal } from '../../src/platform/errors';
import type { ApiDeps } from '../deps';
import { fieldErrors } from '../http/field-errors';
import { type Route, route } from '../http/route';
import { productsOfOrder } from './order-products';
import { orderAddress } from './routes';
import { retrievedOrderSchema } from './schemas';
import { visibleOrderId } from './visible-order';

/** Edits of one draft that overtake each other are tried again; so many at once are nobody's editing. */
const RACES = 10;

/** @throws Refusal `VALIDATION_ERROR` with every offending field of the whole */
function checkedWhole(whole: object): SubmitOrder {
  const result = submitOrderSchema.safeParse(whole);
  if (result.success) return result.data;
  throw new Refusal('VALIDATION_ERROR', { errors: fieldErrors(result.error, whole) });
}

/** Drafts: orders that are kept, edited and shown, and do nothing until they are confirmed. */
export function draftRoutes(deps: ApiDeps): Route[] {
  const { sql, links, wake, runSettings } = deps;
  const common = {
    path: '/v1/orders/{orderId}',
    tag: 'Orders',
    access: { credentials: 'key:secret', roles: ['client'] },
    errors: 'coded',
    params: orderAddress,
  } as const;

  return [
    route({
      ...common,
      method: 'patch',
      operationId: 'patchDraft',
      summary: 'Edit a draft, or make it an order',
      description:
        'Fields that are given replace the draft’s, each as a whole; null takes an optional one away. With ' +
        '`orderType: order` the draft is ordered as if it were submitted now. 409 for what is not a draft.',
      body: patchDraftSchema,
      response: retrievedOrderSchema,
      handler: async ({ account, params, body, requestId, log }) => {
        const id = await visibleOrderId(sql, account, params.orderId);
        for (let race = 0; race < RACES; race += 1) {
          const draft = await readDraft(sql, id);
          const order = checkedWhole(patched(draft, body));
          const becomesOrder = order.orderType === 'order';
          const products =
            becomesOrder || body.items !== undefined
              ? await productsOfOrder(sql, account.id, order.items)
              : null;
          const client = { clientId: account.id, clientName: account.name, requestId };
          if (!(await saveDraft(sql, { draft, patch: body, order, products, ...client }, runSettings)))
            continue;
          if (becomesOrder) {
            wake('start_workflow');
            log.info({ orderId: id }, 'draft became an order');
          }
          const [saved] = await readOrders(sql, [id]);
          if (saved === undefined) throw new Refusal('NOT_FOUND');
          return orderView(saved, links);
        }
        throw new Refusal('CONFLICT', { message: 'Other requests keep editing this draft.' });
      },
    }),

    route({
      ...common,
      method: 'delete',
      operationId: 'deleteDraft',
      summary: 'Delete a draft',
      description: 'An order is cancelled instead: 409.',
      response: z.object({ id: z.string(), deleted: z.literal(true) }),
      handler: async ({ account, params }) => {
        const id = await visibleOrderId(sql, account, params.orderId);
        await deleteDraft(sql, id);
        return { id, deleted: true as const };
      },
    }),
  ];
}
