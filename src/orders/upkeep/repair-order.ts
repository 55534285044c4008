import { Refusal } from '../../platform/errors';
import { sha256 } from '../../platform/ids';
import type { Sql } from '../../platform/postgres';
import type { RepairRequest } from '../domain/lifecycle/requests';
import {
  type OrderRepair,
  possibleRepairs,
  repairsOfOrder,
  withoutIds,
} from '../domain/lifecycle/rules/possible-repairs';
import type { RunState } from '../domain/lifecycle/run-state';
import { ENDED_ORDERS } from '../domain/lifecycle/statuses';
import { refundEndedOrder } from '../planning/ended-refunds';
import { movedPromises } from '../planning/promises';
import { dismissAttention } from '../reading/operator-orders';
import { type RepairDeps, reroutePartners } from '../reading/possible-repairs';
import type { RunGateway } from '../run/gateway';
import { storedRun } from '../run/snapshots';
import { type BulkRepair, type LeftOrder, type RepairOutcome, storeRequests } from './bulk-repair-rows';

export interface BulkRepairDeps {
  readonly sql: Sql;
  readonly runs: RunGateway;
}

/** Result of the repair of an order. Null: its workflow did not respond, try again. */
export type OrderResult = { readonly outcome: RepairOutcome; readonly message: string | null } | null;

const MOST_ATTEMPTS = 5;

/**
 * Repairs one order of a bulk repair. The requests are stored before the first one is sent, and each has an id that
 * derives from the bulk repair, the order and its position: a repeated attempt sends the same requests under the same ids,
 * and the order's workflow carries out each once.
 */
export async function repairOrder(
  { sql, runs }: BulkRepairDeps,
  bulk: BulkRepair,
  order: LeftOrder,
): Promise<OrderResult> {
  const { orderId } = order;
  try {
    if (bulk.action === 'dismiss' && order.requests === null) {
      const outcome = await dismissAttention(sql, orderId, { by: bulk.requestedByName, reason: bulk.reason });
      if (outcome === 'dismissed') return { outcome: 'done', message: null };
      if (outcome === 'nothing') return refused('the order needs no attention');
    }
    if (bulk.action === 'refund' && order.requests === null) {
      const outcome = await refundEndedOrder(sql, orderId, { by: bulk.requestedByName, reason: bulk.reason });
      if (outcome === 'refunded') return { outcome: 'done', message: null };
      if (outcome === 'nothing') return refused('partners have cancelled no units of the order');
    }
    const requests = order.requests ?? (await decide({ sql, runs }, bulk, orderId));
    if (typeof requests === 'string') return refused(requests);
    for (const [index, request] of requests.entries()) {
      const repairId = sha256(`bulk-repair:${bulk.id}:${orderId}:${index}`).toString('base64url');
      await runs.repair(orderId, request, repairId);
    }
    return { outcome: 'done', message: null };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code !== 'UNAVAILABLE') return refused(withoutIds(error.message));
    return order.attempts < MOST_ATTEMPTS ? null : { outcome: 'failed', message: error.message };
  }
}

/** Why no promise of an order moves. */
const KEPT = 'no day off makes the order late';

const refused = (message: string): OrderResult => ({ outcome: 'refused', message });

/** Returns and stores the requests of an order, or returns why there are none. */
async function decide(
  { sql, runs }: BulkRepairDeps,
  bulk: BulkRepair,
  orderId: string,
): Promise<readonly RepairRequest[] | string> {
  if (bulk.action === 'move_promise') {
    const promises = await movedPromises(sql, orderId);
    if (promises.length === 0) return KEPT;
    const { action, reason } = bulk;
    const requests = [{ action, by: bulk.requestedByName, reason, promises }];
    await storeRequests(sql, bulk.id, orderId, requests);
    return requests;
  }
  const repair = repairsOfOrder(await runs.state(orderId), { ...bulk, by: bulk.requestedByName });
  if (!repair.ok) return repair.why;
  await storeRequests(sql, bulk.id, orderId, repair.requests);
  return repair.requests;
}

/** Returns what a bulk repair would do with an order, by the stored state of its run. Null when there is no such order. */
export async function expectedRepair(
  deps: RepairDeps,
  bulk: Parameters<typeof repairsOfOrder>[1],
  orderId: string,
): Promise<OrderRepair | null> {
  const { sql } = deps;
  const [order] = await sql<{ needsAttention: boolean; isShort: boolean; hasEnded: boolean }[]>`
    SELECT attention IS NOT NULL AS needs_attention, coalesce('short_shipped' = ANY(attention), false) AS is_short,
      fulfillment_status = ANY(${[...ENDED_ORDERS]}) OR tracking_ended_at IS NOT NULL AS has_ended
    FROM orders WHERE id = ${orderId}`;
  if (order === undefined) return null;
  if (bulk.action === 'dismiss' && !order.needsAttention) return { ok: false, why: 'the order needs no attention' };
  if (bulk.action === 'move_promise') {
    const isLate = (await movedPromises(sql, orderId)).length > 0;
    return isLate ? { ok: true, requests: [] } : { ok: false, why: KEPT };
  }
  const snapshot = order.hasEnded ? null : (await storedRun(sql, orderId))?.snapshot;
  if (snapshot == null) {
    const isPossible = bulk.action === 'dismiss' || (bulk.action === 'refund' && order.isShort);
    return isPossible ? { ok: true, requests: [] } : { ok: false, why: 'the order has ended' };
  }
  const repair = repairsOfOrder(snapshot.state, bulk);
  return repair.ok ? ((await whyNoPartner(deps, bulk, orderId, snapshot.state)) ?? repair) : repair;
}

/** Returns why no partner can make an item that a reroute or reproduce asks for. Null: one can, or the repair needs none. */
async function whyNoPartner(
  deps: RepairDeps,
  { action, partnerId }: Parameters<typeof repairsOfOrder>[1],
  orderId: string,
  state: RunState,
): Promise<OrderRepair | null> {
  const { reroutes = [] } = possibleRepairs(state).find((repair) => repair.action === action) ?? {};
  if (reroutes.length === 0) return null;
  const partners = await reroutePartners(deps, orderId, reroutes);
  for (const { itemId, currentPartnerIds } of reroutes) {
    const choices = (partners.get(itemId) ?? []).filter((choice) =>
      partnerId === null
        ? action === 'reproduce' || !currentPartnerIds.includes(choice.partnerId)
        : choice.partnerId === partnerId,
    );
    if (choices.some(({ verdict }) => verdict !== 'rejected')) continue;
    const details = choices.flatMap((choice) =>
      choice.verdict === 'rejected' ? [`${choice.partnerUid} ${choice.detail}`] : [],
    );
    return { ok: false, why: `no partner can make the item${details.length === 0 ? '' : `: ${details.join(', ')}`}` };
  }
  return null;
}
