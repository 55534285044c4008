import type { NotifiedOrder } from '../../notifications/domain/event-schemas';
import { enqueueEvent } from '../../notifications/enqueue';
import { notifiedOrder } from '../../notifications/order-view';
import { Refusal } from '../../platform/errors';
import { sha256, uuidv7 } from '../../platform/ids';
import { inTransaction, json, type Sql, type Transaction } from '../../platform/postgres';
import type { ClaimDecision, NewClaim } from '../domain/claim';
import type { RequestedBy } from '../domain/lifecycle/requests';
import { END_REASONS } from '../domain/lifecycle/rules/attention';
import { DEPARTED } from '../domain/lifecycle/statuses';
import { reprintOf } from '../intake/reprint';
import { submitLinked } from '../intake/submit-linked';
import { refundOpenUnits } from '../planning/ended-refunds';
import { type Claim, type ClaimedItem, claimColumns, claimView } from '../reading/claims';
import { readOrders } from '../reading/order-reader';
import { clearFlag, flagOrderIn, hasRun, signal } from '../run/flags';
import type { RunGateway } from '../run/gateway';
import type { RunSettings } from '../run/settings';

/** Claims of an order that are kept. */
const MOST_CLAIMS = 100;

const conflict = (message: string) => new Refusal('CONFLICT', { message });

async function lockOrder(tx: Transaction, orderId: string): Promise<void> {
  await tx`SELECT FROM orders WHERE id = ${orderId} FOR UPDATE`;
}

interface ShippedItem {
  readonly itemId: string;
  readonly itemReferenceId: string;
  /** Units that have shipped, and are in no open or refunded claim. */
  readonly left: number;
  readonly partnerId: string;
  readonly carrierUid: string | null;
}

/**
 * Returns the items of which units have shipped. A replaced unit can be claimed once more. Units of lost parcels that were refunded
 * have shipped, and jobs without others are cancelled.
 */
async function shippedItems(tx: Transaction, orderId: string): Promise<ShippedItem[]> {
  return await tx<ShippedItem[]>`
    SELECT i.id::text AS item_id, i.item_reference_id,
      (sum(j.quantity) FILTER (WHERE j.status <> 'cancelled') - max(claimed.units)
        + least(coalesce(sum(j.quantity) FILTER (WHERE j.status = 'cancelled'), 0), max(claimed.lost)))::int AS left,
      (array_agg(p.partner_id ORDER BY j.id DESC) FILTER (WHERE j.status <> 'cancelled'))[1] AS partner_id,
      (array_agg(s.carrier_uid ORDER BY j.id DESC) FILTER (WHERE j.status <> 'cancelled'))[1] AS carrier_uid
    FROM order_items i JOIN print_jobs j ON j.order_item_id = i.id JOIN print_orders p ON p.id = j.print_order_id
    LEFT JOIN planned_shipments s ON s.print_order_id = p.id
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(u.quantity), 0) AS units,
        coalesce(sum(u.quantity) FILTER (WHERE c.reason = 'parcel_lost' AND u.outcome = 'refunded'), 0) AS lost
      FROM claims c CROSS JOIN jsonb_to_recordset(c.items) AS u ("itemId" text, quantity int, outcome text)
      WHERE c.order_id = ${orderId} AND c.status <> 'refused' AND u."itemId" = i.id::text
        AND u.outcome IS DISTINCT FROM 'replaced') claimed
    WHERE i.order_id = ${orderId} AND j.status = ANY(${[...DEPARTED, 'cancelled']})
    GROUP BY i.id HAVING bool_or(j.status <> 'cancelled')`;
}

/**
 * Stores a claim, flags its order, and notifies the client.
 * @param onMade is called in the transaction
 * @throws Refusal `CONFLICT` when fewer units have shipped, or the order has too many claims
 */
export async function makeClaim(
  sql: Sql,
  orderId: string,
  { reason, items, note = null, pictures }: NewClaim,
  by: string,
  onMade: (tx: Transaction, claim: Claim) => Promise<unknown>,
): Promise<Claim> {
  return await inTransaction(sql, async (tx) => {
    await lockOrder(tx, orderId);
    const shipped = await shippedItems(tx, orderId);
    const wanted = Map.groupBy(items, ({ itemReferenceId }) => itemReferenceId);
    const claimed = [...wanted].map(([reference, of]) => {
      const quantity = of.reduce((sum, each) => sum + each.quantity, 0);
      const item = shipped.find(({ itemReferenceId }) => itemReferenceId === reference);
      if (item === undefined || item.left < quantity) {
        throw conflict(`Only ${item?.left ?? 0} units of ${reference} have shipped and are in no other claim.`);
      }
      return { itemId: item.itemId, itemReferenceId: reference, quantity, outcome: null };
    });
    const first = shipped.find(({ itemId }) => itemId === claimed[0]!.itemId)!;
    const [claim] = await tx<Claim[]>`
      INSERT INTO claims (id, order_id, reason, items, note, pictures, made_by, partner_id, carrier_uid)
      SELECT ${uuidv7()}, ${orderId}, ${reason}, ${json(tx, claimed)}, ${note}, ${json(tx, pictures)}, ${by},
        ${first.partnerId}, ${first.carrierUid}
      WHERE ${MOST_CLAIMS} > (SELECT count(*) FROM claims c WHERE c.order_id = ${orderId})
      RETURNING ${claimColumns(tx)}`;
    if (claim === undefined) throw conflict(`The order has ${MOST_CLAIMS} claims, and takes no more.`);
    await logClaim(tx, claim, 'claim_made', { by, reason });
    const message = `${claimed.map(({ quantity, itemReferenceId }) => `${quantity} × ${itemReferenceId}`).join(', ')}: ${reason}`;
    await flagOrderIn(tx, orderId, 'claim', message, { untilNextRecord: !(await hasRun(tx, orderId)) });
    await notify(tx, claim);
    await onMade(tx, claim);
    return claim;
  });
}

async function logClaim(tx: Transaction, { id, orderId }: Claim, type: string, data: object): Promise<void> {
  await tx`
    INSERT INTO order_events (order_id, type, data) VALUES (${orderId}, ${type}, ${json(tx, { claimId: id, ...data })})`;
}

async function notify(tx: Transaction, claim: Claim): Promise<void> {
  const { orderId: _, createdAt: _created, decidedAt: _decided, id: claimId, ...content } = claimView(claim);
  const [order] = await tx<{ order: NotifiedOrder; metadata: readonly unknown[] }[]>`
    SELECT ${notifiedOrder(tx)} AS "order", o.metadata FROM orders o WHERE o.id = ${claim.orderId}`;
  const payload = { ...order!.order, metadata: order!.metadata, claimId, ...content };
  await enqueueEvent(tx, { event: 'claim_status_updated', payload });
}

export interface ClaimDeps {
  readonly sql: Sql;
  readonly runs: RunGateway;
  readonly runSettings: RunSettings;
}

/** Reads a claim and locks its order. @throws Refusal `NOT_FOUND`; `CONFLICT` when it is decided */
async function lockOpenClaim(tx: Transaction, orderId: string, claimId: string): Promise<Claim> {
  await lockOrder(tx, orderId);
  const [claim] = await tx<Claim[]>`
    SELECT ${claimColumns(tx)} FROM claims WHERE id = ${claimId} AND order_id = ${orderId}`;
  if (claim === undefined) throw new Refusal('NOT_FOUND', { message: 'The order has no such claim.' });
  if (claim.status !== 'open') throw conflict(`The claim is decided: ${claim.status}.`);
  return claim;
}

/**
 * Decides on a claim. Units that were replaced before an item could not be stay replaced: the next decision is about the others.
 * @param onDecided is called in the last transaction
 * @throws Refusal `NOT_FOUND`, `CONFLICT`, and what the order run refuses
 */
export async function decideClaim(
  deps: ClaimDeps,
  orderId: string,
  claimId: string,
  decision: ClaimDecision,
  by: Required<RequestedBy>,
  onDecided: (tx: Transaction, before: Claim, after: Claim) => Promise<unknown>,
): Promise<Claim> {
  const { sql, runSettings } = deps;
  const partnerId = 'partnerId' in decision ? (decision.partnerId ?? null) : null;
  if (decision.decision === 'replace' && (await hasRun(sql, orderId))) {
    await replaceInRun(deps, orderId, claimId, by, partnerId);
  }
  return await inTransaction(sql, async (tx) => {
    const before = await lockOpenClaim(tx, orderId, claimId);
    const open = before.items.filter(({ outcome }) => outcome !== 'replaced');
    let replacementId: string | null = null;
    if (decision.decision !== 'replace' && open.some(({ outcome }) => outcome === 'replacing')) {
      throw conflict('A replacement of the units was requested, and may have been made. Request it again.');
    }
    if (decision.decision === 'refund') await refund(tx, before, open, by);
    if (decision.decision !== 'refuse' && before.reason === 'parcel_lost') {
      for (const reason of PARCEL_REASONS) await clearFlag(tx, orderId, reason);
    }
    if (decision.decision === 'replace' && open.length > 0) {
      if (partnerId !== null) throw conflict('Routing chooses the partner for an order that has ended.');
      replacementId = await replaceByOrder(tx, before, open, by, runSettings);
    }
    const outcome = OUTCOMES[decision.decision];
    const items = before.items.map((item) => ({ ...item, outcome: open.includes(item) ? outcome : item.outcome }));
    const [after] = await tx<Claim[]>`
      UPDATE claims SET status = ${outcome}, items = ${json(tx, items)}, message = ${decision.message ?? null},
        liable = ${'liable' in decision ? decision.liable : null}, replacement_id = ${replacementId}, decided_at = now()
      WHERE id = ${claimId} RETURNING ${claimColumns(tx)}`;
    await logClaim(tx, after!, 'claim_decided', { ...by, outcome, liable: after!.liable });
    const [left] = await tx`SELECT FROM claims WHERE order_id = ${orderId} AND status = 'open'`;
    if (left === undefined) await clearFlag(tx, orderId, 'claim');
    // Nothing is left to wait for. What is damaged or wrong has a parcel that arrives.
    if (outcome === 'refunded' && before.reason === 'parcel_lost' && (await hasRun(tx, orderId))) {
      const units = open.map(({ itemId, quantity }) => ({ itemId, quantity }));
      await signal(tx, orderId, { type: 'lost_refunded', units });
    }
    await notify(tx, after!);
    await onDecided(tx, before, after!);
    return after!;
  });
}

/** The reasons that a decision on a lost parcel settles. */
const PARCEL_REASONS = ['parcel_silent', 'parcel_exception'] as const;
const OUTCOMES = { refund: 'refunded', replace: 'replaced', refuse: 'refused' } as const;

async function refund(tx: Transaction, claim: Claim, units: readonly ClaimedItem[], by: RequestedBy): Promise<void> {
  const refunded = await refundOpenUnits(tx, claim.orderId, by, units, `refund:claim:${claim.id}`);
  if (refunded === 'too-many') throw conflict('Fewer units of the items are left to refund.');
}

/** Has the order run make each item again. The same claim is one request for each item, however often it is sent. */
async function replaceInRun(
  { sql, runs }: ClaimDeps,
  orderId: string,
  claimId: string,
  by: RequestedBy,
  partnerId: string | null,
): Promise<void> {
  const mark = (itemId: string, change: Partial<ClaimedItem>) =>
    inTransaction(sql, async (tx) => {
      const { items } = await lockOpenClaim(tx, orderId, claimId);
      const marked = items.map((item) => (item.itemId === itemId ? { ...item, ...change } : item));
      await tx`UPDATE claims SET items = ${json(tx, marked)} WHERE id = ${claimId}`;
    });
  const { items } = await inTransaction(sql, (tx) => lockOpenClaim(tx, orderId, claimId));
  for (const { itemId, quantity, outcome, refusals = 0 } of items) {
    if (outcome === 'replaced') continue;
    await mark(itemId, { outcome: 'replacing' });
    const request = { action: 'reproduce' as const, ...by, itemId, quantity, partnerId, claimed: true as const };
    const requestId = sha256(`claim:${claimId}:${itemId}:${refusals}`).toString('base64url');
    try {
      await runs.repair(orderId, request, requestId);
    } catch (error) {
      // The run has made nothing. After another error it may have.
      if (error instanceof Refusal && error.code === 'CONFLICT') {
        await mark(itemId, { outcome: null, refusals: refusals + 1 });
      }
      throw error;
    }
    await mark(itemId, { outcome: 'replaced' });
  }
}

/** Replaces units of an order without a run by a new order that costs nothing. Returns its id. */
async function replaceByOrder(
  tx: Transaction,
  { orderId }: Claim,
  units: readonly ClaimedItem[],
  by: Required<RequestedBy>,
  settings: RunSettings,
): Promise<string> {
  const [order] = await readOrders(tx, [orderId]);
  const items = units.map(({ itemReferenceId, quantity }) => ({ itemReferenceId, quantity }));
  const [client] = await tx<{ name: string }[]>`SELECT name FROM accounts WHERE id = ${order!.clientId}`;
  const submission = {
    ...reprintOf(order!, { items, charge: false, claimed: true }),
    ...{ clientId: order!.clientId, clientName: client!.name, requestId: by.requestId, claim: null },
  };
  return (await storeReprint(tx, submission, orderId, { ...by, charged: false }, settings)).id;
}

/**
 * Returns true when other orders have made units again that a reprint would make once more. Locks the order: of two requests at the
 * same moment, the second finds the first.
 */
export async function isReprinted(
  tx: Transaction,
  orderId: string,
  wanted: readonly { readonly itemReferenceId: string; readonly quantity: number }[],
): Promise<boolean> {
  await lockOrder(tx, orderId);
  const found = await tx<{ reference: string; left: number }[]>`
    SELECT i.item_reference_id AS reference, (i.quantity - coalesce((
      SELECT sum(again.quantity) FROM orders o JOIN order_items again ON again.order_id = o.id
      WHERE o.reprint_of = ${orderId} AND o.fulfillment_status NOT IN ('failed', 'canceled')
        AND again.item_reference_id = i.item_reference_id AND again.fulfillment_status <> 'cancelled'), 0))::int AS left
    FROM order_items i WHERE i.order_id = ${orderId}`;
  return wanted.some(({ itemReferenceId, quantity }) =>
    found.some(({ reference, left }) => reference === itemReferenceId && left < quantity),
  );
}

/**
 * Submits an order that makes another one again. The logs of both have the other's id, and who has requested it. It settles that
 * the other one has failed or was returned.
 */
export async function storeReprint(
  tx: Transaction,
  submission: Parameters<typeof submitLinked>[1],
  of: string,
  by: RequestedBy & { readonly charged: boolean },
  settings: RunSettings,
) {
  const stored = await submitLinked(tx, submission, of, ['reprint', 'reprint_of'], by, settings);
  for (const reason of END_REASONS) await clearFlag(tx, of, reason);
  return stored;
}
