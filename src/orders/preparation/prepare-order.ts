import type { CandidateReader } from '../../partners/candidates';
import {
  groupIntoPrintOrders,
  type RoutingDecision,
  routeOrder,
  stockNeeds,
} from '../../partners/domain/routing';
import { recordRoutingDecision } from '../../partners/routing-decisions';
import { handoffOf, listPartners } from '../../partners/store';
import { orderWorkflowId } from '../../platform/domain/workflows';
import { inTransaction, json, type Queryable, type Sql, type Transaction } from '../../platform/postgres';
import { dispatchKey } from '../dispatch/dispatch';
import type { PlannedPrintOrder } from '../domain/lifecycle/run-events';
import { priceOrder } from '../domain/pricing';
import {
  insertPrintOrders,
  type PrintOrderDraft,
  printOrdersOfSteps,
  reserveForJobs,
} from '../print-orders/rows';
import { invoiceOf, storeReceipts } from '../receipts/receipts';
import { type RunOrder, runOrder } from '../run/run-order';
import {
  crossBorderRefusal,
  methodRefusal,
  type PreparationPlan,
  priceRefusal,
  unroutable,
} from './plan-refusals';
import { planShipment, type Quoter, type ShipmentPlan, storeShipmentPlans } from './shipment-plan';

export interface PreparationDeps {
  readonly sql: Sql;
  readonly candidates: CandidateReader;
  readonly quote: Quoter;
  readonly now: () => Date;
}

const STEP = 'handoff';

/** Attempts at a plan. Stock or the address may change between routing and the transaction that commits the plan. */
const ATTEMPTS = 5;

/**
 * Plans an order whose files are stored. Routes it to partners, checks the cross-border rule, chooses shipment methods
 * and prices it, then writes the plan and reserves stock in one transaction. A repeated call returns the stored plan.
 */
export async function prepareOrder(deps: PreparationDeps, orderId: string): Promise<PreparationPlan> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const before = await printOrdersOfSteps(deps.sql, orderId, { prefix: `${STEP}:` });
    if (before.length > 0) return await storedPlan(deps.sql, orderId, before);
    const draft = await draftPlan(deps, orderId);
    if (draft.outcome !== 'drafted') return draft;
    const printOrders = await commitPlan(deps.sql, draft);
    if (printOrders !== null) return { outcome: 'planned', printOrders };
  }
  return {
    outcome: 'parked',
    reason: 'no_partner',
    message: 'the stock that it needs is no longer available',
  };
}

/**
 * Returns a plan that is stored already. After a reset, the order run asks for it again: the order may have labels and
 * changes of address or method by then.
 */
async function storedPlan(
  sql: Queryable,
  orderId: string,
  planned: readonly PlannedPrintOrder[],
): Promise<PreparationPlan> {
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

/** Makes a plan from reads alone, so that no transaction is open during requests to carriers. */
async function draftPlan(deps: PreparationDeps, orderId: string): Promise<DraftedPlan | PreparationPlan> {
  const order = await runOrder(deps.sql, orderId);
  const decision = await route(deps, order);
  if (!decision.ok) {
    await recordRoutingDecision(deps.sql, { orderId, step: STEP, decision });
    return unroutable(order, decision);
  }
  const partners = new Map((await listPartners(deps.sql)).map((partner) => [partner.partnerId, partner]));
  const groups = groupIntoPrintOrders(decision.assignments);
  const refused =
    crossBorderRefusal(
      order,
      groups.map(({ partnerId }) => partners.get(partnerId)!),
    ) ?? priceRefusal(order);
  if (refused !== null) return refused;

  const now = deps.now();
  const planned = await Promise.all(
    groups.map(({ partnerId, items: jobs, dispatchDate }) =>
      planShipment(deps.quote, { order, partner: partners.get(partnerId)!, jobs, dispatchDate, now }),
    ),
  );
  const shipments: ShipmentPlan[] = [];
  for (const shipment of planned) {
    if (!shipment.ok) return methodRefusal(order, shipment.reason);
    shipments.push(shipment.plan);
  }
  const drafts = groups.map(
    (group, index): PrintOrderDraft => ({
      step: `${STEP}:${index}`,
      partnerId: group.partnerId,
      kind: group.kind,
      version: handoffOf(partners.get(group.partnerId)!, group.kind)?.version ?? '1.1',
      dispatchDate: group.dispatchDate,
      reproducesId: null,
      jobs: group.items,
    }),
  );
  return { outcome: 'drafted', order, decision, drafts, shipments };
}

/** Commits a plan. Returns null when stock or the address has changed since the plan was made. */
async function commitPlan(sql: Sql, draft: DraftedPlan): Promise<PlannedPrintOrder[] | null> {
  const { order, decision, drafts, shipments } = draft;
  const orderId = order.id;
  try {
    return await inTransaction(sql, async (tx) => {
      const [current] = await tx<{ shippingRevision: number }[]>`
        SELECT shipping_revision FROM orders WHERE id = ${orderId} FOR UPDATE`;
      if (current?.shippingRevision !== order.shippingRevision) throw new DraftOutdated();
      const printOrders = await insertPrintOrders(tx, orderId, drafts);
      const product = (itemId: string) => order.items.find((item) => item.id === itemId)!.product;
      const reserved = await reserveForJobs(
        tx,
        `${orderWorkflowId(orderId)}:reserve:0`,
        printOrders,
        product,
      );
      if (!reserved.ok) throw new DraftOutdated();
      const plans = shipments.map((plan, index) => ({ printOrderId: printOrders[index]!.id, plan }));
      const receipts = drafts.map(({ step, jobs }, index) => ({
        step,
        printOrderId: printOrders[index]!.id,
        type: 'invoice' as const,
        receipt: invoiceOf(order, jobs, shipments[index]!),
      }));
      await Promise.all([
        recordRoutingDecision(tx, { orderId, step: STEP, decision }),
        storeShipmentPlans(tx, orderId, plans),
        storeReceipts(tx, orderId, receipts),
        storeItemPrices(tx, order),
      ]);
      return printOrders;
    });
  } catch (error) {
    if (error instanceof DraftOutdated) return null;
    throw error;
  }
}

/** Rolls back a plan whose stock or address has changed. */
class DraftOutdated extends Error {}

async function route(deps: PreparationDeps, order: RunOrder): Promise<RoutingDecision> {
  const skus = order.items.flatMap(({ product, quantity }) => [...stockNeeds(product, quantity).keys()]);
  return routeOrder({
    items: order.items.map(({ id, product, quantity }) => ({ itemId: id, product, quantity })),
    destinationCountry: order.shippingAddress.country,
    partners: await deps.candidates(skus),
    at: deps.now(),
    rates: order.rates,
  });
}

async function storeItemPrices(tx: Transaction, order: RunOrder): Promise<void> {
  const price = priceOrder(order);
  if (!price.ok) return;
  const rows = order.items.map(({ id }, index) => ({ id, price: price.lines[index]!.lineMinor }));
  await tx`
    UPDATE order_items SET price_minor = p.price
    FROM jsonb_to_recordset(${json(tx, rows)}) AS p (id bigint, price bigint) WHERE order_items.id = p.id`;
}
