import { REJECTIONS, type RoutingDecision } from '../../partners/domain/routing-decision';
import { deliveryTargetOf } from '../../partners/partner-rows';
import { recordRoutingDecision } from '../../partners/routing-rows';
import { orderWorkflowId } from '../../platform/domain/workflows';
import {
  inTransaction,
  json,
  type Queryable,
  type Sql,
  type Statement,
  type Transaction,
} from '../../platform/postgres';
import { ENDED_ORDERS } from '../domain/lifecycle/statuses';
import { priceOrder } from '../domain/pricing';
import { addressStop, withCarrierDoubts, withTerritoryFinding } from './address-checks';
import { type CheckedFiles, checkedFiles, fileRefusal } from './file-checks';
import {
  crossBorderRefusal,
  methodRefusal,
  type NoPlan,
  type PreparationPlan,
  priceRefusal,
  unroutable,
} from './plan-refusals';
import {
  dispatchKey,
  insertPrintOrders,
  type PrintOrderDraft,
  printOrdersOfSteps,
  reserveForJobs,
} from './print-order-rows';
import { invoiceOf, storeReceipts } from './receipts';
import { candidatesFor, type RoutingDeps, routeItems, withoutObstacles } from './routing';
import { type RunOrder, runOrderWith } from './run-order';
import { planQuoted, type ShipmentPlan, storeShipmentPlans } from './shipment-plan';
import { type VatCheckDeps, withVatCheck } from './vat-check';

export interface PreparationDeps extends RoutingDeps {
  readonly sql: Sql;
  readonly now: () => Date;
}

const STEP = 'handoff';

/** Attempts at a plan. Stock or the address may change between routing and the transaction that commits the plan. */
const ATTEMPTS = 5;

/**
 * Plans an order whose files are stored and fit their products, and whose address has no finding. Routes it to partners, checks the cross-border rule,
 * chooses shipment methods and prices it, then writes the plan and reserves stock in one transaction. A repeated call
 * returns the stored plan.
 */
export async function prepareOrder(deps: PreparationDeps & VatCheckDeps, orderId: string): Promise<PreparationPlan> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const found = await runOrderWith<CheckedFiles>(deps.sql, deps.sql`${orderId}`, checkedFiles(deps.sql));
    if (found === undefined) throw new Error(`order ${orderId} does not exist`);
    const { related: files } = found;
    let { order } = found;
    const stored = order.isPlanned ? await storedPlan(deps.sql, orderId) : null;
    if (stored !== null) return stored;
    // All items are cancelled.
    if (order.items.length === 0) return { outcome: 'ended' };
    const unfit = fileRefusal(files);
    if (unfit !== null) return unfit;
    order = await withCarrierDoubts(deps, order);
    const stopped = addressStop(order);
    if (stopped !== null) return stopped;
    const draft = await draftPlan(deps, await withVatCheck(deps, order));
    if (draft.outcome !== 'drafted') {
      const { decision } = draft;
      if (decision !== null) await recordRoutingDecision(deps.sql, { orderId, step: STEP, decision });
      const isUnserved = draft.plan.outcome === 'refused' && draft.plan.code === 'no_shipment_method';
      const found = isUnserved ? await withTerritoryFinding(deps.sql, order) : null;
      return (found && addressStop(found)) ?? draft.plan;
    }
    const plan = await commitPlan(deps.sql, draft);
    if (plan !== null) return plan;
  }
  return NO_STOCK;
}

const NO_STOCK: PreparationPlan = {
  outcome: 'parked',
  reason: 'no_partner',
  message: 'the stock that it needs is no longer available',
};

type StoredPlan = Extract<PreparationPlan, { outcome: 'planned' }>;

/**
 * Returns the stored plan, or null. A reset order run reads it again, when the order may already have labels and changes of
 * address or method.
 */
export async function storedPlan(sql: Queryable, orderId: string): Promise<StoredPlan | null> {
  const planned = await printOrdersOfSteps(sql, orderId, { prefix: `${STEP}:` });
  if (planned.length === 0) return null;
  const [order] = await sql<{ shippingRevision: number; bought: Record<string, string> | null }[]>`
    SELECT shipping_revision, (SELECT jsonb_object_agg(s.idempotency_key, s.id) FROM shipments s
      WHERE s.order_id = o.id AND s.status = 'bought') AS bought
    FROM orders o WHERE id = ${orderId}`;
  const { shippingRevision, bought } = order!;
  const printOrders = planned.map((printOrder) => {
    const boughtShipmentId = bought?.[dispatchKey(orderId, printOrder.id, shippingRevision)];
    return boughtShipmentId === undefined ? printOrder : { ...printOrder, boughtShipmentId };
  });
  return { outcome: 'planned', printOrders, shippingRevision };
}

interface DraftedPlan {
  readonly outcome: 'drafted';
  readonly order: RunOrder;
  readonly decision: RoutingDecision;
  readonly drafts: readonly PrintOrderDraft[];
  readonly shipments: readonly ShipmentPlan[];
}

interface NoDraft {
  readonly outcome: 'undrafted';
  readonly plan: NoPlan;
  /** The decision for which there is no plan; null for other reasons. */
  readonly decision: RoutingDecision | null;
}

/**
 * Makes a plan from reads alone, so that no transaction is open during requests to carriers. An order waits when partners
 * that cannot make it now could send it, and the others cannot: these would refuse it for a border or its method.
 * @throws CarrierUnavailable when no carrier returns prices
 */
export async function draftPlan(deps: Omit<PreparationDeps, 'sql'>, order: RunOrder): Promise<DraftedPlan | NoDraft> {
  const draft = await draftNow(deps, order);
  if (draft.outcome === 'drafted' || draft.plan.outcome !== 'refused' || draft.decision?.ok !== true) return draft;
  const waiting = draft.decision.explanation.flatMap(({ alternatives }) =>
    alternatives.flatMap((each) => (each.verdict === 'rejected' && REJECTIONS[each.reason].passing ? [each] : [])),
  );
  if (waiting.length === 0) return draft;
  const later = await draftNow({ ...deps, candidates: withoutObstacles(deps.candidates) }, order);
  if (later.outcome !== 'drafted') return draft;
  const reasons = [...new Set(waiting.map(({ partnerUid, detail }) => `${partnerUid} ${detail}`))];
  const message = `${reasons.join('; ')}. Without these partners: ${draft.plan.reason}`;
  return { ...draft, plan: { outcome: 'parked', reason: 'no_partner', message } };
}

async function draftNow(deps: Omit<PreparationDeps, 'sql'>, order: RunOrder): Promise<DraftedPlan | NoDraft> {
  const without = (plan: NoPlan, decision: RoutingDecision | null = null): NoDraft => ({
    outcome: 'undrafted',
    plan,
    decision,
  });
  const unpriced = priceRefusal(order);
  if (unpriced !== null) return without(unpriced);
  const partners = await candidatesFor(deps.candidates, order.items);
  const now = deps.now();
  const { decision, printOrders } = await routeItems(deps, { order, items: order.items, partners, at: now });
  if (!decision.ok) return without(unroutable(order, decision), decision);
  const refused = crossBorderRefusal(
    order,
    printOrders.map(({ partner }) => partner),
  );
  if (refused !== null) return without(refused, decision);

  const shipments: ShipmentPlan[] = [];
  for (const printOrder of printOrders) {
    const shipment = planQuoted(printOrder, { ...printOrder, order, now });
    if (!shipment.ok) return without(methodRefusal(order, shipment.reason), decision);
    shipments.push(shipment.plan);
  }
  const drafts = printOrders.map(
    (group, index): PrintOrderDraft => ({
      step: `${STEP}:${index}`,
      partnerId: group.partnerId,
      kind: group.kind,
      version: deliveryTargetOf(group.partner, group.kind)?.version ?? '1.1',
      dispatchDate: group.dispatchDate,
      production: group.production,
      reproducesId: null,
      jobs: group.items,
    }),
  );
  return { outcome: 'drafted', order, decision, drafts, shipments };
}

/**
 * Commits a plan. Returns null when stock, the address or a file has changed since the plan was made. Stores nothing for an order
 * that has ended meanwhile: its run does not wait for the plan.
 */
async function commitPlan(sql: Sql, draft: DraftedPlan): Promise<PreparationPlan | null> {
  const { order, decision, drafts, shipments } = draft;
  const orderId = order.id;
  try {
    return await inTransaction(sql, async (tx) => {
      const isCurrent = tx`shipping_revision = ${order.shippingRevision} AND files_revision = ${order.filesRevision}`;
      const hasEnded = tx`fulfillment_status = ANY(${[...ENDED_ORDERS]})`;
      const printOrders = await insertPrintOrders(tx, orderId, drafts, tx`${isCurrent} AND NOT ${hasEnded}`);
      if (printOrders.length === 0) {
        const [ended] = await tx`SELECT id FROM orders WHERE id = ${orderId} AND ${hasEnded}`;
        if (ended === undefined) throw new DraftOutdated();
        return { outcome: 'ended' };
      }
      const product = (itemId: string) => order.items.find((item) => item.id === itemId)!.product;
      const reserved = await reserveForJobs(tx, `${orderWorkflowId(orderId)}:reserve:0`, printOrders, product);
      if (!reserved.ok) throw new DraftOutdated();
      const plans = shipments.map((plan, index) => ({ printOrderId: printOrders[index]!.id, plan }));
      const receipts = drafts.map(({ step, jobs }, index) => ({
        step,
        printOrderId: printOrders[index]!.id,
        type: 'invoice' as const,
        receipt: invoiceOf(order, jobs, shipments[index]!),
      }));
      await tx`
        WITH routed AS (${recordRoutingDecision(tx, { orderId, step: STEP, decision })}),
          planned AS (${storeShipmentPlans(tx, orderId, plans)}),
          invoiced AS (${storeReceipts(tx, orderId, receipts)})
        ${storeItemPrices(tx, order)}`;
      return { outcome: 'planned', printOrders };
    });
  } catch (error) {
    if (error instanceof DraftOutdated) return null;
    throw error;
  }
}

class DraftOutdated extends Error {}

function storeItemPrices(tx: Transaction, order: RunOrder): Statement {
  const price = priceOrder(order);
  const rows = price.ok ? order.items.map(({ id }, index) => ({ id, price: price.lines[index]!.lineMinor })) : [];
  return tx`
    UPDATE order_items SET price_minor = p.price
    FROM jsonb_to_recordset(${json(tx, rows)}) AS p (id bigint, price bigint)
    WHERE order_items.id = p.id AND order_items.order_id = ${order.id}`;
}
