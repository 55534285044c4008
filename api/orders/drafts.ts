import { z } from 'zod';
import type { Account } from '../../src/accounts/account';
import { deleteDraft, hasSubmitted, type NoDraft, patched, readDraft, saveDraft } from '../../src/orders/intake/drafts';
import { giveRetailPrices } from '../../src/orders/intake/retail-prices';
import {
  type PatchOrder,
  patchOrderSchema,
  type SubmitOrder,
  submitOrderSchema,
} from '../../src/orders/planning/order-schemas';
import { type OrderRecord, readOrders } from '../../src/orders/reading/order-reader';
import { orderView, retrievedOrderSchema } from '../../src/orders/reading/retrieved-order';
import { type FieldError, Refusal } from '../../src/platform/errors';
import type { ApiDeps } from '../deps';
import { fieldErrors } from '../http/field-errors';
import { type CallContext, type Route, route } from '../http/route';
import { productsOfOrder } from './order-products';
import {
  CLIENTS,
  changedOrderId,
  orderAddress,
  READERS,
  requesterOf,
  visibleOrder,
  visibleOrderId,
} from './visible-order';

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
    : new Refusal('CONFLICT', { message: 'Only a draft can be edited or deleted. An order takes retail prices only.' });
}

/**
 * Gives an order its retail prices.
 * @returns `restarted` for an order that was refused without them
 * @throws Refusal `CONFLICT` when the patch has other fields or the order takes no prices, `VALIDATION_ERROR` for items that the
 *   order does not have and for prices that a refused order still lacks
 */
async function givePrices(
  { sql, runSettings, wake }: ApiDeps,
  account: Account,
  order: OrderRecord,
  { retailCurrency, retailShippingPriceInclVat, items = [], ...rest }: PatchOrder,
  requestId: string,
): Promise<'stored' | 'restarted'> {
  const prices = {
    retailCurrency,
    retailShippingPriceInclVat,
    items: items.map(({ itemReferenceId, retailPriceInclVat }) => ({ itemReferenceId, retailPriceInclVat })),
  };
  const others = items.map(({ itemReferenceId: _reference, retailPriceInclVat: _price, ...other }) => other);
  const isGiven = (fields: object) => Object.values(fields).some((value) => value !== undefined);
  const hasPrices = items.length > 0 || retailCurrency != null || retailShippingPriceInclVat != null;
  if (!hasPrices || [rest, ...others].some(isGiven)) throw noDraft('not-draft');
  const references = new Set(order.items.map(({ itemReferenceId }) => itemReferenceId));
  refuseFields(
    items.flatMap(({ itemReferenceId }, index) =>
      references.has(itemReferenceId) ? [] : [`items[${index}].itemReferenceId`],
    ),
    'No item of the order has this itemReferenceId.',
  );
  const result = await giveRetailPrices(
    sql,
    { orderId: order.id, by: requesterOf(account), requestId, prices },
    runSettings,
  );
  switch (result.outcome) {
    case 'ended':
      throw new Refusal('CONFLICT', { message: `The order takes no retail prices. Its status is ${result.status}.` });
    case 'priced':
      throw new Refusal('CONFLICT', { message: 'The order is planned with the retail prices that it has.' });
    case 'replaced':
      throw new Refusal('CONFLICT', { message: 'Another order replaces this one.' });
    case 'missing':
      refuseFields(result.fields, 'The refused order needs this retail price.', 'MISSING_FIELD_ERROR');
      return 'stored';
    case 'restarted':
      wake('start_workflow');
      return 'restarted';
    case 'stored':
      return 'stored';
  }
}

/** @throws Refusal `VALIDATION_ERROR` with an error for each field, unless there is none */
function refuseFields(references: readonly string[], message: string, code: FieldError['code'] = 'VALIDATION_ERROR') {
  if (references.length === 0) return;
  throw new Refusal('VALIDATION_ERROR', { errors: references.map((reference) => ({ code, message, reference })) });
}

/**
 * Applies a patch to a draft and returns the draft, or the order that it has become, also when the request is repeated.
 * @throws Refusal `FORBIDDEN` for operators, `VALIDATION_ERROR`, `NOT_FOUND`, `CONFLICT` when it is no draft,
 *   `QUOTA_EXCEEDED`
 */
export async function editDraft(
  { sql, wake, metrics, runSettings }: ApiDeps,
  account: Account,
  id: string,
  patch: PatchOrder,
  { requestId, log, quotas }: Pick<CallContext, 'requestId' | 'log' | 'quotas'>,
): Promise<OrderRecord> {
  if (account.role === 'operator') throw new Refusal('FORBIDDEN', { message: 'Only its client edits a draft.' });
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const draft = await readDraft(sql, id);
    const [submitted] = draft === 'not-draft' ? await readOrders(sql, [id]) : [];
    if (submitted !== undefined && hasSubmitted(submitted, patch)) return submitted;
    if (typeof draft === 'string') throw noDraft(draft);
    const checked = checkedOrder(patched(draft, patch));
    // The stored address was understood when it was sent.
    const order = { ...checked, shippingAddress: patch.shippingAddress ?? draft.order.shippingAddress };
    const becomesOrder = order.orderType === 'order';
    const customer = { clientId: account.id, customerReferenceId: order.customerReferenceId };
    const isPriced = becomesOrder || patch.items !== undefined;
    const products = isPriced ? await productsOfOrder(sql, customer, order) : null;
    const client = { clientId: account.id, clientName: account.name, requestId };
    const edit = { draft, patch, order, products, ...client };
    const outcome = await quotas.using(account.id, becomesOrder ? ['ordersUnderWay', 'fileBytes'] : [], () =>
      saveDraft(sql, edit, runSettings),
    );
    if (outcome === 'overtaken' || outcome === 'not-draft') continue;
    if (outcome !== 'saved') throw noDraft(outcome);
    if (becomesOrder) {
      metrics.count('pressline_orders_accepted_total', {});
      wake('start_workflow');
      log.info({ orderId: id }, 'draft became an order');
    }
    const [saved] = await readOrders(sql, [id]);
    if (saved === undefined) throw new Refusal('NOT_FOUND');
    return saved;
  }
  throw new Refusal('CONFLICT', { message: 'Other requests are editing this draft. Try again.' });
}

/** Routes for drafts: stored orders that have no workflow until they become orders. */
export function draftRoutes(deps: ApiDeps): Route[] {
  const { sql, links } = deps;
  const common = { ...CLIENTS, params: orderAddress } as const;

  return [
    route('PATCH /v1/orders/{orderId}', {
      ...common,
      operationId: 'patchOrder',
      refuses: ['AMBIGUOUS_REFERENCE', 'CONFLICT', 'QUOTA_EXCEEDED', 'TOO_MANY_PARCELS'],
      summary: 'Edit a draft, turn it into an order, or give an order its retail prices',
      description:
        'Each given field of a draft replaces the stored one. Null removes an optional field. `orderType: order` submits the ' +
        'draft with the current catalog; repeated, it returns the order. An order that is not planned, or was refused without retail prices, takes ' +
        '`retailCurrency`, `retailShippingPriceInclVat` and `items` with their `retailPriceInclVat`; a refused one starts ' +
        'again. Operators give them too. 409: the order takes no change.',
      access: { ...READERS.access, operatorRole: 'operator' },
      audits: ['order.give_retail_prices'],
      body: patchOrderSchema,
      response: retrievedOrderSchema,
      handler: async ({ account, params, body, requestId, log, quotas, audit, intend, unaudited }) => {
        const id = await changedOrderId(sql, account, params.orderId);
        const draftOrOrder = await visibleOrder(deps, account, id);
        if (draftOrOrder.orderType === 'order' && !hasSubmitted(draftOrOrder, body)) {
          await intend({ action: 'order.give_retail_prices', objectId: id });
          const outcome = await givePrices(deps, account, draftOrOrder, body, requestId);
          await audit(sql, { action: 'order.give_retail_prices', objectId: id, before: null, after: { outcome } });
          return orderView(await visibleOrder(deps, account, id), links);
        }
        unaudited();
        return orderView(await editDraft(deps, account, id, body, { requestId, log, quotas }), links);
      },
    }),

    route('DELETE /v1/orders/{orderId}', {
      ...common,
      operationId: 'deleteDraft',
      refuses: ['CONFLICT'],
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
