import { CarrierUnavailable } from '../../carriers/carrier';
import { partnerByAccount } from '../../partners/partner-rows';
import { type Fragment, inTransaction, json, type Queryable, type Transaction } from '../../platform/postgres';
import type { Packing } from '../domain/packing';
import { type PlannedParcel, plannedParcels, pricesOfRest, sumOf } from '../domain/planned-parcel';
import { consignmentOf, packForPartner } from './consignments';
import type { PreparationDeps } from './prepare-order';
import { type RunOrder, runOrder } from './run-order';
import { settleShipping } from './shipping-receipts';

type RestDeps = Pick<PreparationDeps, 'sql' | 'carriers'>;

/** The parcels of a print order that has lost units: those that it had, and those that it has now. */
interface ShipmentRest {
  readonly printOrderId: string;
  readonly before: readonly PlannedParcel[];
  readonly after: readonly PlannedParcel[];
}

/** Plans the shipments of print orders again, for the units that they have left. Refunds what shipping then costs less. */
export async function replanShipments(
  deps: RestDeps,
  { orderId, printOrderIds }: { readonly orderId: string; readonly printOrderIds: readonly string[] },
): Promise<void> {
  const order = await runOrder(deps.sql, orderId);
  const rests = await restsOf(deps, order, printOrderIds);
  await inTransaction(deps.sql, async (tx) => {
    // Records of the run refund units under the same lock.
    await tx`SELECT FROM orders WHERE id = ${orderId} FOR NO KEY UPDATE`;
    await storeRests(tx, rests);
    await settleShipping(tx, orderId);
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

/** Returns the statement that reads plans of print orders whose labels were not bought. */
const plannedRows = (sql: Queryable, orderId: string, printOrderIds: Fragment) => sql<PlannedRow[]>`
  SELECT p.id, p.partner_id, s.shipment_method_uid AS method_uid, s.packing, s.parcels, jsonb_agg(jsonb_build_object(
    'id', j.id::text, 'itemId', j.order_item_id::text, 'quantity', j.quantity) ORDER BY j.id) AS jobs
  FROM print_orders p JOIN planned_shipments s ON s.print_order_id = p.id
    JOIN print_jobs j ON j.print_order_id = p.id AND j.status NOT IN ('cancelled', 'superseded') AND j.departed_method_uid IS NULL
  WHERE p.order_id = ${orderId} AND p.id IN (${printOrderIds}) AND ${hasNoLabels(sql, sql`p.id`)}
  GROUP BY p.id, s.id`;

/** Packs and prices units of a print order, with the method and the packing of its plan. They cost at most what is planned. */
async function parcelsOf(
  deps: RestDeps,
  order: RunOrder,
  { partnerId, methodUid, packing, parcels }: PlannedRow,
  jobs: readonly { readonly itemId: string; readonly quantity: number }[],
): Promise<PlannedParcel[]> {
  const partner = (await partnerByAccount(deps.sql, partnerId))!;
  const packages = packForPartner(order, partner, jobs, packing);
  if (packages.length === 0) return [];
  const consignment = consignmentOf(order, partner, packages, order.clientName);
  const quotes = await deps.carriers.quote(consignment, methodUid).catch((error: unknown) => {
    if (error instanceof CarrierUnavailable) return [];
    throw error;
  });
  const quoted = quotes.find((method) => method.methodUid === methodUid)?.packagesMinor;
  return plannedParcels(packages, pricesOfRest(parcels, packages, quoted));
}

/**
 * Plans what is left of print orders. A print order whose labels were bought keeps its plan, and so does a part that left before
 * a change of address or method.
 */
async function restsOf(deps: RestDeps, order: RunOrder, printOrderIds: readonly string[]): Promise<ShipmentRest[]> {
  const rows = await plannedRows(deps.sql, order.id, deps.sql`SELECT unnest(${[...printOrderIds]}::bigint[])`);
  return await Promise.all(
    rows.map(async (row) => ({
      printOrderId: row.id,
      before: row.parcels,
      after: await parcelsOf(deps, order, row, row.jobs),
    })),
  );
}

/**
 * Returns by how much shipping of print orders gets cheaper, in minor units, when they lose units. It counts the units that the
 * plans are for, so that units which are cancelled at the same time are refunded by their cancel. 0 after labels were bought.
 */
export async function priceOfUnits(
  deps: RestDeps,
  order: RunOrder,
  units: readonly { readonly jobId: string; readonly quantity: number }[],
): Promise<number> {
  const { sql } = deps;
  const jobIds = units.map(({ jobId }) => jobId);
  const makers = sql`SELECT print_order_id FROM print_jobs WHERE id = ANY(${jobIds}::bigint[])`;
  const savings = (await plannedRows(sql, order.id, makers)).map(async (row) => {
    const planned = Map.groupBy(
      row.parcels.flatMap(({ items }) => items),
      ({ itemReferenceId }) => itemReferenceId,
    );
    const left = order.items.map(({ id: itemId, itemReferenceId }) => {
      const job = row.jobs.find((each) => each.itemId === itemId);
      const lost = units.find(({ jobId }) => jobId === job?.id)?.quantity ?? 0;
      return { itemId, quantity: Math.max(0, sumOf(planned.get(itemReferenceId) ?? [], 'quantity') - lost) };
    });
    return sumOf(row.parcels, 'priceMinor') - sumOf(await parcelsOf(deps, order, row, left), 'priceMinor');
  });
  return (await Promise.all(savings)).reduce((sum, saved) => sum + saved, 0);
}

/** @throws Error when a plan has changed since its rest was priced; the activity retries */
async function storeRests(tx: Transaction, rests: readonly ShipmentRest[]): Promise<void> {
  const rows = rests.map(({ printOrderId: id, before, after }) => {
    const change = (key: 'grossWeightGrams' | 'priceMinor') => sumOf(after, key) - sumOf(before, key);
    const packages = after.length - before.length;
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
