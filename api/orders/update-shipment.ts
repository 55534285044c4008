import type { z } from 'zod';
import type { Account } from '../../src/accounts/account';
import { whyStatusForbids } from '../../src/orders/domain/lifecycle/rules/guards';
import type { Receipt } from '../../src/orders/domain/receipt';
import type { UpdateShipment } from '../../src/orders/planning/order-schemas';
import { expectedShipment } from '../../src/orders/production/expected-shipment';
import {
  changedReceipts,
  dropShippingChange,
  isUnchanged,
  storeShippingChange,
  tryShippingChange,
} from '../../src/orders/production/shipping-changes';
import { type OrderRecord, readOrders } from '../../src/orders/reading/order-reader';
import { addressView, updatedShipmentSchema } from '../../src/orders/reading/retrieved-order';
import { expectedShipmentView, replannedShipmentView, shipmentView } from '../../src/orders/reading/shipment-view';
import { refuseWith } from '../../src/orders/run/gateway';
import { fromMinor } from '../../src/platform/domain/money';
import { invalidField, Refusal } from '../../src/platform/errors';
import { json } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import type { CallContext } from '../http/route';
import { editDraft } from './drafts';
import { withCarriers } from './quote';
import { reasonOf } from './visible-order';

/**
 * Changes the address or the method of an order or draft and returns both as they are afterwards, with the price
 * (operation `updateShipment`). Before the order is planned, shipment and price are the expected ones. A dry run changes
 * nothing, and neither does a request for what the order has already.
 * @throws Refusal `FORBIDDEN` for a draft of another account, `CONFLICT` when the order can no longer be changed,
 *   `VALIDATION_ERROR` when it cannot be shipped with the change, or an operator gives no reason, `UNAVAILABLE` when a
 *   worker or every carrier is unavailable
 */
export async function updateShipment(
  deps: ApiDeps,
  before: OrderRecord,
  {
    reason,
    dryRun = false,
    ...change
  }: UpdateShipment & { readonly reason?: string | undefined; readonly dryRun?: boolean | undefined },
  call: Pick<CallContext, 'audit' | 'intend' | 'unaudited' | 'requestId' | 'log' | 'quotas'> & {
    readonly account: Account;
  },
): Promise<z.input<typeof updatedShipmentSchema>> {
  const { account, audit, unaudited } = call;
  const operator = account.role === 'operator' ? account.name : null;
  const isDraft = before.orderType === 'draft';
  reasonOf(account, reason);
  if (!isDraft) refuseWith(whyStatusForbids(before.fulfillmentStatus, 'changed'));
  const changesNothing = dryRun || isUnchanged(before, change);
  const expected = await expectation(deps, before, change, changesNothing);
  if (changesNothing) {
    unaudited();
    const { id } = before.shippingAddress;
    const shippingAddress = change.shippingAddress ? { id, ...change.shippingAddress } : before.shippingAddress;
    return updatedShipmentSchema.parse({
      shippingAddress: addressView({ ...before, shippingAddress }),
      shipment: expected!.shipment,
      price: priceView(before.currency, expected!),
    });
  }
  if (isDraft) {
    const draft = await editDraft(deps, account, before.id, change, call);
    unaudited();
    return updatedShipmentSchema.parse({
      shippingAddress: addressView(draft),
      shipment: expected!.shipment,
      price: priceView(draft.currency, expected!),
    });
  }
  await call.intend({ action: 'order.change_shipping', objectId: before.id });
  const changeId = await apply(deps, before.id, change);
  if (operator !== null) {
    await deps.sql`
      INSERT INTO order_events (order_id, type, data)
      VALUES (${before.id}, 'change_shipping', ${json(deps.sql, { by: operator, reason, requestId: call.requestId })})`;
  }
  const [order] = await readOrders(deps.sql, [before.id]);
  await audit(deps.sql, {
    action: 'order.change_shipping',
    objectId: before.id,
    before: shippingSummary(before),
    after: { ...shippingSummary(order!), changedFields: changedFields(before, order!) },
  });
  // Parsing drops the fields that a retrieved order's shipment has in addition.
  return updatedShipmentSchema.parse({
    shippingAddress: addressView(order!),
    shipment: shipmentView(order!) ?? expected?.shipment,
    price: priceView(order!.currency, expected ?? (await changedReceipts(deps.sql, order!.id, changeId))),
  });
}

/** What an order costs without a change and with it. */
interface Priced {
  readonly before: readonly Receipt[] | null;
  readonly after: readonly Receipt[];
}

function priceView(currency: string, { before, after }: Priced): z.input<typeof updatedShipmentSchema>['price'] {
  const sum = (receipts: readonly Receipt[], name: 'total' | 'totalVat' | 'totalInclVat') =>
    receipts.reduce((minor, { totals }) => minor + totals[name], 0);
  const total = (name: Parameters<typeof sum>[1]) => fromMinor(sum(after, name), currency);
  const difference = (name: Parameters<typeof sum>[1]) =>
    before === null ? null : fromMinor(sum(after, name) - sum(before, name), currency);
  return {
    currency,
    total: total('total'),
    totalVat: total('totalVat'),
    totalInclVat: total('totalInclVat'),
    difference: difference('total'),
    differenceVat: difference('totalVat'),
    differenceInclVat: difference('totalInclVat'),
  };
}

/**
 * Returns the shipment and the price that an order is expected to have after a change. Null for a planned order, which
 * has both after the change, unless the request changes nothing.
 * @throws Refusal `VALIDATION_ERROR` when the order cannot be shipped with the change
 */
async function expectation(
  { sql, candidates, carriers, routingWeights }: ApiDeps,
  order: OrderRecord,
  change: UpdateShipment,
  changesNothing: boolean,
): Promise<(Priced & { readonly shipment: object }) | null> {
  const deps = { sql, candidates, carriers, routingWeights, now: () => new Date() };
  const shipment = shipmentView(order);
  if (shipment === null) {
    const expected = await withCarriers(() => expectedShipment(deps, order.id, change));
    if (!expected.ok) throw new Refusal('VALIDATION_ERROR', { errors: expected.errors });
    return { ...expected, shipment: expectedShipmentView(expected.plans) };
  }
  if (!changesNothing) return null;
  const receipts = order.receipts.map(({ body }) => body);
  if (isUnchanged(order, change)) return { shipment, before: receipts, after: receipts };
  const tried = await withCarriers(() => tryShippingChange(deps, order.id, change));
  if ('outcome' in tried) {
    throw invalidField(tried.reference, tried.message);
  }
  const replanned = replannedShipmentView(order, tried.plans)!;
  return { shipment: replanned, before: receipts, after: [...receipts, ...tried.receipts] };
}

/** Returns what the audit log shows of an order's shipping. The address is left out: the log is never erased. */
function shippingSummary({ shipmentMethodUid, shippingAddress }: OrderRecord) {
  return { shipmentMethodUid, country: shippingAddress.country };
}

/** Returns the names of the fields of the address that a change has given other values, without the values. */
function changedFields(before: OrderRecord, after: OrderRecord): string[] {
  const [old, fresh] = [before.shippingAddress, after.shippingAddress] as object[] as Record<string, unknown>[];
  const names = new Set([...Object.keys(old!), ...Object.keys(fresh!)]);
  return [...names].filter((name) => name !== 'id' && (old![name] ?? null) !== (fresh![name] ?? null)).sort();
}

async function apply({ sql, runs }: ApiDeps, orderId: string, change: UpdateShipment): Promise<string> {
  // Nothing is written for an order that cannot be changed, nor while Temporal is unavailable.
  await runs.checkRunning(orderId);
  const changeId = await storeShippingChange(sql, orderId, change);
  try {
    await runs.changeShipping(orderId, changeId);
    return changeId;
  } catch (error) {
    // After UNAVAILABLE the change may still be applied. A refused address is not kept.
    if (error instanceof Refusal && error.code !== 'UNAVAILABLE') await dropShippingChange(sql, changeId);
    throw error;
  }
}
