import { isDeepStrictEqual } from 'node:util';
import { enqueueOrderNotifications } from '../../notifications/enqueue';
import { listPartners, type Partner } from '../../partners/partner-rows';
import { SIZES } from '../../platform/domain/sizes';
import { uuidv7 } from '../../platform/ids';
import { inTransaction, json, type Queryable, type Sql, type Transaction } from '../../platform/postgres';
import { whyStatusForbids } from '../domain/lifecycle/rules/guards';
import { DEPARTED, type OrderStatus } from '../domain/lifecycle/statuses';
import type { Receipt } from '../domain/receipt';
import { addressFindings, stoppingFindings } from '../planning/address-checks';
import { type Charges, openLines } from '../planning/charges';
import type { StoredFields } from '../planning/order-fields';
import type { ShippingAddress, UpdateShipment } from '../planning/order-schemas';
import { addressRefusal, fieldAtFault, methodRefusal, type PlanRefusal } from '../planning/plan-refusals';
import { readCharges } from '../planning/receipts';
import type { RoutingDeps } from '../planning/routing';
import { type RunOrder, runOrder } from '../planning/run-order';
import {
  type PlannedJobs,
  type PrintOrderPlan,
  planShipment,
  type ShipmentPlan,
  storeShipmentPlans,
} from '../planning/shipment-plan';
import { type ReplannedRest, shippingReceipts, storeShippingReceipts } from '../planning/shipping-receipts';
import { addressFields } from '../reading/retrieved-order';
import { removeEndedUnits } from './parcel-contents';

/** A requested change as the table stores it. Null: as before. */
interface StoredChange {
  readonly shippingAddress: (ShippingAddress & { readonly id: string }) | null;
  readonly shipmentMethodUid: string | null;
}

const storedChange = ({ shippingAddress, shipmentMethodUid }: UpdateShipment): StoredChange => ({
  shippingAddress: shippingAddress === undefined ? null : { id: uuidv7(), ...shippingAddress },
  shipmentMethodUid: shipmentMethodUid ?? null,
});

/** Returns true when an order has the address and the method of a change already. */
export function isUnchanged(
  order: Pick<StoredFields, 'shippingAddress' | 'shipmentMethodUid'> & { readonly id: string },
  { shippingAddress, shipmentMethodUid }: UpdateShipment | StoredChange,
): boolean {
  const { id } = order.shippingAddress;
  const isSameAddress =
    shippingAddress == null ||
    isDeepStrictEqual(
      addressFields({ id: order.id, shippingAddress: { ...shippingAddress, id } }),
      addressFields(order),
    );
  return isSameAddress && (shipmentMethodUid ?? order.shipmentMethodUid) === order.shipmentMethodUid;
}

const receiptStep = (changeId: string) => `shipping:${changeId}`;

/** Stores a requested change and returns its id. The order workflow receives only the id, so that Temporal stores no address. */
export async function storeShippingChange(sql: Queryable, orderId: string, change: UpdateShipment): Promise<string> {
  const id = uuidv7();
  const { shippingAddress, shipmentMethodUid } = storedChange(change);
  await sql`
    INSERT INTO shipping_changes (id, order_id, shipping_address, shipment_method_uid)
    VALUES (${id}, ${orderId}, ${shippingAddress && json(sql, shippingAddress)}, ${shipmentMethodUid})`;
  return id;
}

/** Deletes a change that the order workflow refused. An applied change stays. */
export async function dropShippingChange(sql: Queryable, changeId: string): Promise<void> {
  await sql`DELETE FROM shipping_changes WHERE id = ${changeId} AND revision IS NULL`;
}

/** `reference` is the path of the field at fault. Absent when the order can no longer be changed. */
type RefusedChange = { readonly outcome: 'refused'; readonly message: string; readonly reference?: string };

export type AppliedChange = { readonly outcome: 'applied'; readonly revision: number } | RefusedChange;

/** The order changed after it was read. The change is planned again. */
class OutdatedPlan extends Error {}

interface ChangeDeps extends Pick<RoutingDeps, 'carriers'> {
  readonly sql: Sql;
  readonly now: () => Date;
}

/**
 * Applies a change of address or method. Everything that has not shipped gets a new plan, and the order gets the next
 * shipping revision. Print jobs that have shipped keep their method and tracking code. A change with which a submission
 * would be refused is refused with the same words. A change is applied once, however often the call is repeated.
 */
export async function applyShippingChange(
  deps: ChangeDeps,
  { orderId, changeId }: { readonly orderId: string; readonly changeId: string },
): Promise<AppliedChange> {
  for (;;) {
    const [change] = await deps.sql<
      (StoredChange & {
        readonly revision: number | null;
        readonly fulfillmentStatus: OrderStatus;
        readonly shippingRevision: number;
      })[]
    >`
      SELECT c.revision, c.shipping_address, c.shipment_method_uid, o.fulfillment_status, o.shipping_revision
      FROM shipping_changes c JOIN orders o ON o.id = c.order_id WHERE c.id = ${changeId} AND o.id = ${orderId}`;
    if (change === undefined) throw new Error(`shipping change ${changeId} does not exist`);
    if (change.revision !== null) return { outcome: 'applied', revision: change.revision };
    // The order can ship or end while the change is planned.
    const forbidden = whyStatusForbids(change.fulfillmentStatus, 'changed');
    if (forbidden !== null) return { outcome: 'refused', message: forbidden.message };
    const { most } = SIZES.shippingChanges;
    if (change.shippingRevision >= most)
      return {
        outcome: 'refused',
        message: `The address or method was changed ${most} times, and cannot change again.`,
      };
    const planned = await planChange(deps, orderId, change);
    if ('outcome' in planned) return planned;
    const { before, order, unshipped, plans } = planned;
    // An equal change was applied at the same time.
    if (isUnchanged(before, change)) return { outcome: 'applied', revision: before.shippingRevision };
    try {
      return await inTransaction(deps.sql, async (tx) => {
        const revision = before.shippingRevision + 1;
        const updated = await tx`
          UPDATE orders SET shipping_address = ${json(tx, order.shippingAddress)}, shipping_revision = ${revision},
            shipment_method_uid = ${order.shipmentMethodUid}, updated_at = now()
          WHERE id = ${orderId} AND shipping_revision = ${before.shippingRevision}`;
        // Postbacks and other plans lock the order's row too.
        if (updated.count === 0 || !isDeepStrictEqual(await unshippedRows(tx, orderId), unshipped))
          throw new OutdatedPlan();
        await storeShippingReceipts(tx, { orderId, step: receiptStep(changeId), before, after: order, plans });
        await keepDepartedParcels(tx, plans);
        await storeShipmentPlans(tx, orderId, plans);
        const replacedEmail = change.shippingAddress === null ? null : before.shippingAddress.email;
        await tx`
          UPDATE shipping_changes SET revision = ${revision}, replaced_email = ${replacedEmail} WHERE id = ${changeId}`;
        await enqueueOrderNotifications(tx, { orderId });
        return { outcome: 'applied', revision } as const;
      });
    } catch (error) {
      if (!(error instanceof OutdatedPlan)) throw error;
    }
  }
}

/** Returns the receipts of an order without and with those of an applied change. */
export async function changedReceipts(
  sql: Queryable,
  orderId: string,
  changeId: string,
): Promise<{ readonly before: readonly Receipt[]; readonly after: readonly Receipt[] }> {
  const rows = await sql<{ body: Receipt; ofChange: boolean }[]>`
    SELECT body, starts_with(step, ${`${receiptStep(changeId)}:`}) AS of_change FROM receipts
    WHERE order_id = ${orderId}`;
  return {
    before: rows.filter(({ ofChange }) => !ofChange).map(({ body }) => body),
    after: rows.map(({ body }) => body),
  };
}

/** Returns the new plans and the further receipts that a planned order would have after a change. Stores nothing. */
export async function tryShippingChange(
  deps: ChangeDeps,
  orderId: string,
  change: UpdateShipment,
): Promise<
  { readonly plans: readonly PrintOrderPlan[]; readonly receipts: readonly Receipt[] } | Required<RefusedChange>
> {
  const planned = await planChange(deps, orderId, storedChange(change));
  if ('outcome' in planned) return planned;
  const { before, order: after, plans } = planned;
  const receipts = await shippingReceipts(deps.sql, { orderId, before, after, plans });
  return { plans, receipts: receipts.map(({ receipt }) => receipt) };
}

async function planChange(
  deps: ChangeDeps,
  orderId: string,
  change: StoredChange,
): Promise<
  | { before: RunOrder; order: RunOrder; unshipped: readonly UnshippedRow[]; plans: readonly Replanned[] }
  | Required<RefusedChange>
> {
  const before = await runOrder(deps.sql, orderId);
  // Partners make the order. It cannot wait for a better address.
  const isMoved = !isUnchanged(before, { ...change, shipmentMethodUid: null });
  const findings = before.isPlanned && isMoved ? addressFindings(change.shippingAddress!) : [];
  const finding = stoppingFindings(findings, before.addressChecks)?.findings[0];
  if (finding !== undefined) {
    return { outcome: 'refused', message: finding.message, reference: `shippingAddress.${finding.field}` };
  }
  const order: RunOrder = {
    ...before,
    shippingAddress: change.shippingAddress ?? before.shippingAddress,
    shipmentMethodUid: change.shipmentMethodUid ?? before.shipmentMethodUid,
  };
  const unshipped = await unshippedRows(deps.sql, orderId);
  const plans = await replan(deps, before, order, unshipped);
  if (!isRefusal(plans)) return { before, order, unshipped, plans };
  return { outcome: 'refused', message: plans.reason, reference: fieldAtFault(plans, change) };
}

type Replanned = ReplannedRest & { readonly isPartlyShipped: boolean };

interface UnshippedRow {
  readonly id: string;
  readonly partnerId: string;
  readonly dispatchDate: string;
  readonly jobs: PlannedJobs['jobs'];
  /** The jobs that have left. */
  readonly departed: PlannedJobs['jobs'];
  /** True for a reroute that waits for another partner's response. Its shipment is planned when it gets the units. */
  readonly isWaiting: boolean;
  readonly plannedMethodUid: string;
  readonly plannedPriceMinor: string;
  readonly plannedPackages: number;
  readonly plannedWeight: string;
}

async function unshippedRows(sql: Queryable, orderId: string): Promise<UnshippedRow[]> {
  return await sql<UnshippedRow[]>`
    SELECT p.id, p.partner_id, p.dispatch_date::text, j.jobs, j.departed, p.status = 'waiting' AS is_waiting,
      s.shipment_method_uid AS planned_method_uid, s.price_minor AS planned_price_minor, s.package_count AS planned_packages, s.total_weight_grams AS planned_weight
    FROM print_orders p JOIN planned_shipments s ON s.print_order_id = p.id, LATERAL (
      SELECT jsonb_agg(k.job) FILTER (WHERE NOT k.left) AS jobs, coalesce(jsonb_agg(k.job) FILTER (WHERE k.left), '[]') AS departed
      FROM (
        SELECT jsonb_build_object('itemId', order_item_id::text, 'quantity', quantity) AS job, status = ANY(${[...DEPARTED]}) AS left
        FROM print_jobs WHERE print_order_id = p.id AND status NOT IN ('cancelled', 'superseded') ORDER BY id) k) j
    WHERE p.order_id = ${orderId} AND p.status <> 'cancelled' AND j.jobs IS NOT NULL
    ORDER BY p.id`;
}

/** Plans what has not shipped again, and checks the partners of waiting reroutes as if they had the units. */
async function replan(
  deps: ChangeDeps,
  before: RunOrder,
  order: RunOrder,
  rows: readonly UnshippedRow[],
): Promise<Replanned[] | PlanRefusal> {
  if (rows.length === 0) return [];
  const partners = new Map((await listPartners(deps.sql)).map((partner) => [partner.partnerId, partner]));
  const printOrders = rows.map((row) => ({ row, jobs: row.jobs, partner: partners.get(row.partnerId)! }));
  const isMoved = order.shippingAddress !== before.shippingAddress;
  const refused = isMoved ? addressRefusal(order, printOrders) : null;
  if (refused !== null) return refused;
  const charges = await readCharges(deps.sql, order.id);
  const plans = await Promise.all(
    printOrders.map(({ row, partner }) =>
      replanPrintOrder(deps, { before, order, row, partner, charge: charges.of(row.id) }),
    ),
  );
  return (
    plans.find(isRefusal) ?? plans.flatMap((plan, index) => (isRefusal(plan) || rows[index]!.isWaiting ? [] : [plan]))
  );
}

const isRefusal = (plan: Replanned | readonly Replanned[] | PlanRefusal): plan is PlanRefusal => 'code' in plan;

async function replanPrintOrder(
  deps: Omit<ChangeDeps, 'sql'>,
  change: { before: RunOrder; order: RunOrder; row: UnshippedRow; partner: Partner; charge: Charges | undefined },
): Promise<Replanned | PlanRefusal> {
  const { before, order, row, partner, charge } = change;
  const { id: printOrderId, jobs, dispatchDate } = row;
  const isPartlyShipped = row.departed.length > 0;
  const request = { partner, jobs, dispatchDate, now: deps.now() };
  // What left before an earlier change of the VAT country has charges of its own.
  const open = charge === undefined ? [] : openLines(charge).filter(({ amount }) => amount > 0);
  const departed = row.departed.filter(({ itemId }) => {
    const item = order.items.find(({ id }) => id === itemId);
    return open.some(({ line }) => line.referenceId === item?.itemReferenceId);
  });
  const asPlanned = { ...before, shipmentMethodUid: row.plannedMethodUid };
  const alone = (jobs: PlannedJobs['jobs']) =>
    isPartlyShipped && jobs.length > 0
      ? planShipment(deps.carriers.quote, { ...request, order: asPlanned, jobs })
      : null;
  const [planned, restBefore, departedBefore] = await Promise.all([
    planShipment(deps.carriers.quote, { ...request, order }),
    alone(jobs),
    alone(departed),
  ]);
  if (!planned.ok) return methodRefusal(order, planned.reason);
  const { plan } = planned;
  const priceAfter = plan.method.price.minor;
  const whole = { jobs, priceBefore: Number(row.plannedPriceMinor), priceAfter, departedPrice: 0 };
  if (restBefore === null) return { printOrderId, isPartlyShipped, plan, rest: whole };
  const planBefore = restBefore.ok ? restBefore.plan : plan;
  const departedPrice = departedBefore?.ok ? departedBefore.plan.method.price.minor : 0;
  return {
    printOrderId,
    isPartlyShipped,
    plan: withDepartedParcels(row, planBefore, plan),
    rest: { ...whole, priceBefore: planBefore.method.price.minor, departedPrice },
  };
}

/**
 * Returns the plan of a print order of which a part has left: its price, packages and weight change by the difference
 * that the change makes for the rest.
 */
function withDepartedParcels(row: UnshippedRow, restBefore: ShipmentPlan, restAfter: ShipmentPlan): ShipmentPlan {
  const { price } = restAfter.method;
  const difference = price.minor - restBefore.method.price.minor;
  return {
    ...restAfter,
    method: { ...restAfter.method, price: { ...price, minor: Number(row.plannedPriceMinor) + difference } },
    packageCount: row.plannedPackages + restAfter.packageCount - restBefore.packageCount,
    totalWeightGrams: Number(row.plannedWeight) + restAfter.totalWeightGrams - restBefore.totalWeightGrams,
  };
}

/**
 * Keeps label, method and own parcels of the print jobs that left before the change. The labels of the old shipment
 * that none of them uses are voided.
 */
async function keepDepartedParcels(
  tx: Transaction,
  plans: readonly { readonly printOrderId: string; readonly isPartlyShipped: boolean }[],
): Promise<void> {
  const ids = plans.flatMap(({ printOrderId, isPartlyShipped }) => (isPartlyShipped ? [printOrderId] : []));
  if (ids.length === 0) return;
  // The partner named these codes for what had left. Labels of ours take precedence, as in `parcelsOf`.
  await tx`
    UPDATE partner_parcels w SET job_ids = l.job_ids FROM (
      SELECT j.print_order_id, array_agg(j.id ORDER BY j.id) AS job_ids FROM print_jobs j
      WHERE j.print_order_id = ANY(${ids}::bigint[]) AND j.status = ANY(${[...DEPARTED]}) AND j.departed_method_uid IS NULL
        AND NOT EXISTS (SELECT FROM partner_parcels n WHERE n.print_order_id = j.print_order_id AND j.id = ANY(n.job_ids))
        AND NOT EXISTS (SELECT FROM shipments h WHERE h.print_order_id = j.print_order_id AND h.status = 'bought')
      GROUP BY j.print_order_id) l
    WHERE w.print_order_id = l.print_order_id AND w.job_ids IS NULL`;
  await tx`
    UPDATE print_jobs j SET departed_method_uid = s.shipment_method_uid, departed_method_name = s.shipment_method_name,
      departed_shipment_id = (SELECT id FROM shipments h
        WHERE h.print_order_id = j.print_order_id AND h.status = 'bought' ORDER BY h.bought_at DESC LIMIT 1)
    FROM planned_shipments s
    WHERE s.print_order_id = j.print_order_id AND j.print_order_id = ANY(${ids}::bigint[])
      AND j.status = ANY(${[...DEPARTED]}) AND j.departed_method_uid IS NULL`;
  await removeEndedUnits(tx, ids);
}
