import { CarrierUnavailable } from '../../carriers/carrier';
import { countOf, totalOf } from '../../consignments/domain/consignment';
import { partnerByAccount } from '../../partners/partner-rows';
import { type Fragment, inTransaction, json, type Queryable, type Transaction } from '../../platform/postgres';
import type { Packing } from '../domain/packing';
import { type PlannedParcel, parcelsOfRest } from '../domain/planned-parcel';
import { consignmentOf, packedGroups } from './consignments';
import type { PreparationDeps } from './prepare-order';
import { refundShipping } from './receipts';
import { type RunOrder, runOrder } from './run-order';

type RestDeps = Pick<PreparationDeps, 'sql' | 'carriers'>;

/** The parcels of a print order that has lost units: those that it had, and those that it has now. */
export interface ShipmentRest {
  readonly printOrderId: string;
  /** Units in them. */
  readonly units: number;
  readonly before: readonly PlannedParcel[];
  readonly after: readonly PlannedParcel[];
}

/**
 * Plans the shipments of print orders again, for the units that they have left.
 * @param request.refunds true when the units were cancelled: the client gets back what shipping costs less
 */
export async function replanShipments(
  deps: RestDeps,
  request: { readonly orderId: string; readonly printOrderIds: readonly string[]; readonly refunds?: true },
): Promise<void> {
  const { orderId, printOrderIds, refunds } = request;
  const order = await runOrder(deps.sql, orderId);
  const rests = await restsOf(deps, order, deps.sql`SELECT unnest(${[...printOrderIds]}::bigint[])`, new Map());
  await inTransaction(deps.sql, async (tx) => {
    // Records of the run refund units under the same lock.
    await tx`SELECT FROM orders WHERE id = ${orderId} FOR NO KEY UPDATE`;
    await storeRests(tx, rests);
    if (refunds !== true) return;
    for (const { printOrderId, units } of rests)
      await refundShipping(tx, orderId, printOrderId, `rest:${printOrderId}:${units}`);
  });
}

interface PlannedRow {
  readonly id: string;
  readonly partnerId: string;
  readonly methodUid: string;
  readonly packing: Packing;
  readonly parcels: readonly PlannedParcel[];
  readonly jobs: readonly { readonly id: string; readonly itemId: string; readonly quantity: number }[];
}

/** Returns the condition that no labels were bought for what has not left of the print order `p`. */
const hasNoLabels = (sql: Queryable, printOrderId: Fragment): Fragment => sql`
  NOT EXISTS (SELECT FROM shipments h WHERE h.print_order_id = ${printOrderId} AND h.status = 'bought' AND NOT EXISTS (
    SELECT FROM print_jobs d WHERE d.print_order_id = h.print_order_id AND d.departed_shipment_id = h.id))`;

/**
 * Packs and prices what is left of print orders, with the method and the packing of their plans. A print order whose labels
 * were bought keeps its plan, and so does a part that left before a change of address or method.
 * @param printOrderIds query of their ids
 * @param leaving units that leave them, by job id
 */
export async function restsOf(
  deps: RestDeps,
  order: RunOrder,
  printOrderIds: Fragment,
  leaving: ReadonlyMap<string, number>,
): Promise<ShipmentRest[]> {
  const { sql } = deps;
  const rows = await sql<PlannedRow[]>`
    SELECT p.id, p.partner_id, s.shipment_method_uid AS method_uid, s.packing, s.parcels, jsonb_agg(jsonb_build_object(
      'id', j.id::text, 'itemId', j.order_item_id::text, 'quantity', j.quantity) ORDER BY j.id) AS jobs
    FROM print_orders p JOIN planned_shipments s ON s.print_order_id = p.id
      JOIN print_jobs j ON j.print_order_id = p.id AND j.status NOT IN ('cancelled', 'superseded') AND j.departed_method_uid IS NULL
    WHERE p.order_id = ${order.id} AND p.id IN (${printOrderIds}) AND ${hasNoLabels(sql, sql`p.id`)}
    GROUP BY p.id, s.id`;
  const rests = await Promise.all(
    rows.map(async ({ id: printOrderId, partnerId, methodUid, packing, parcels: before, jobs }) => {
      const left = jobs.map(({ id, itemId, quantity }) => ({ itemId, quantity: quantity - (leaving.get(id) ?? 0) }));
      const units = left.reduce((sum, { quantity }) => sum + quantity, 0);
      if (units === 0) return [];
      const partner = (await partnerByAccount(sql, partnerId))!;
      const packages = packedGroups(order, partner, left, packing);
      const consignment = consignmentOf(order, partner, packages, order.clientName);
      const quotes = await deps.carriers.quote(consignment, methodUid).catch((error: unknown) => {
        if (error instanceof CarrierUnavailable) return [];
        throw error;
      });
      const quoted = quotes.find((method) => method.methodUid === methodUid)?.packagesMinor;
      const after = parcelsOfRest(before, packages, quoted);
      return [{ printOrderId, units, before, after }];
    }),
  );
  return rests.flat();
}

/** @throws Error when a plan has changed since its rest was priced; the activity retries */
export async function storeRests(tx: Transaction, rests: readonly ShipmentRest[]): Promise<void> {
  const rows = rests.map(({ printOrderId: id, before, after }) => {
    const change = (key: 'grossWeightGrams' | 'priceMinor') => totalOf(after, key) - totalOf(before, key);
    const packages = countOf(after) - countOf(before);
    return { id, before, after, packages, grams: change('grossWeightGrams'), price: change('priceMinor') };
  });
  const stored = await tx`
    UPDATE planned_shipments s SET parcels = r.after, package_count = s.package_count + r.packages,
      total_weight_grams = s.total_weight_grams + r.grams, price_minor = s.price_minor + r.price
    FROM jsonb_to_recordset(${json(tx, rows)}) AS r (
      id bigint, before jsonb, after jsonb, packages int, grams bigint, price bigint)
    WHERE s.print_order_id = r.id AND s.parcels = r.before AND ${hasNoLabels(tx, tx`r.id`)}`;
  if (stored.count < rests.length)
    throw new Error('a plan has changed since its rest was priced; the activity retries');
}
