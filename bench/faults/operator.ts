import { setTimeout as sleep } from 'node:timers/promises';
import { createPresslineClient, type PresslineClient, PresslineError } from '../../client/pressline-client';
import type { SeededRandom } from '../support/seeded-random';
import type { ScatteredStack } from './scattered-stack';

/** What mends itself does so sooner: a partner's reminder, an error that it gets over. */
const LOOKS_TWICE_AFTER_MS = 45_000;
const ROUND_MS = 5_000;
const RETRY_MS = 1_000;

/**
 * What an operator did. On a slow day a partner that would have made an order in the end is taken for one that does not:
 * an order may end cancelled then, or be made by both.
 */
export class OperatorActs {
  /** Ids of orders of which something was cancelled. */
  readonly cancelled = new Set<string>();
  /** By order id, how often an item was given to another partner. */
  readonly reroutes = new Map<string, number>();
}

/**
 * An operator who watches the orders in need. What a partner leaves lying goes to another partner; what no other can
 * make is cancelled. Every act carries an Idempotency-Key, so that one whose answer was lost is not done twice.
 * @param acts takes what is done, by order
 * @returns how many acts were done, when told to go home
 */
export async function runOperator(
  stack: ScatteredStack,
  random: SeededRandom,
  signal: AbortSignal,
  acts: OperatorActs,
): Promise<number> {
  const { apiKey } = stack.credentials.operator;
  const clients = stack.apiUrls.map((baseUrl) =>
    createPresslineClient({ baseUrl, apiKey, retries: 0, timeoutMs: 60_000 }),
  );
  const ask: Ask = async (question) => {
    for (;;) {
      try {
        return await question(random.pick(clients));
      } catch (error) {
        const passes =
          !(error instanceof PresslineError) || error.status >= 500 || error.code === 'IDEMPOTENCY_IN_FLIGHT';
        if (!passes) throw error;
      }
      await sleep(RETRY_MS);
    }
  };
  const firstSeen = new Map<string, number>();
  let done = 0;
  while (!signal.aborted) {
    const inNeed = new Set((await ask(ordersNeedingAttention)).map(({ id }) => id));
    for (const id of firstSeen.keys()) if (!inNeed.has(id)) firstSeen.delete(id);
    for (const id of inNeed) {
      if (!firstSeen.has(id)) firstSeen.set(id, Date.now());
      if (Date.now() - firstSeen.get(id)! < LOOKS_TWICE_AFTER_MS) continue;
      done += await mend(ask, id, acts);
      firstSeen.delete(id);
    }
    await sleep(ROUND_MS, undefined, { signal }).catch(() => undefined);
  }
  return done;
}

/** Asks one API process after another until there is an answer. */
type Ask = <T>(question: (client: PresslineClient) => Promise<T>) => Promise<T>;

async function ordersNeedingAttention(client: PresslineClient): Promise<{ id: string }[]> {
  const found: { id: string }[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.listOrdersNeedingAttention({
      query: { limit: 250, ...(cursor === undefined ? {} : { cursor }) },
    });
    found.push(...page.orders);
    if (page.nextCursor === null) return found;
    cursor = page.nextCursor;
  }
}

async function mend(ask: Ask, orderId: string, acts: OperatorActs): Promise<number> {
  const params = { orderId };
  const order = await ask((client) => client.getOperatorOrder({ params }));
  // A partner that would not cancel is about to ship.
  if (order.attention.includes('cancel_refused')) return 0;
  // A partner that has asked for the documents is packing, whatever became of its postbacks.
  const packing = order.printOrders.filter(({ shipments }) =>
    shipments.some(({ status }) => status !== 'voided'),
  );
  const isPacked = (itemId: string) => packing.some(({ jobs }) => jobs.some((job) => job.itemId === itemId));
  // `passed`: the partner took it and says nothing.
  const lying = order.items.filter(
    ({ id, fulfillmentStatus }) =>
      fulfillmentStatus === 'manual_handling' || (fulfillmentStatus === 'passed' && !isPacked(id)),
  );
  for (const { id: itemId } of lying) {
    const makers = order.printOrders.filter(({ jobs }) => jobs.some((job) => job.itemId === itemId)).length;
    // The second look at the same trouble is another act.
    const key = (action: string) => ({ idempotencyKey: `${action} ${itemId} after ${makers} print orders` });
    const reason = 'left lying by its partner';
    const isDone = await ask(async (client) => {
      const body = { action: 'reroute' as const, itemId, reason };
      return await client.repairOrder({ params, body }, key('reroute')).then(() => true, isNo);
    });
    if (isDone) {
      acts.reroutes.set(orderId, (acts.reroutes.get(orderId) ?? 0) + 1);
      continue;
    }
    const isCancelled = await ask(async (client) => {
      const body = { action: 'cancel' as const, itemIds: [itemId], reason };
      return await client.repairOrder({ params, body }, key('cancel')).then(() => true, isNo);
    });
    if (isCancelled) acts.cancelled.add(orderId);
  }
  return lying.length;
}

/**
 * @returns false for a no of the order's run: nobody else makes it, or it has gone further meanwhile
 * @throws everything else
 */
function isNo(error: unknown): false {
  const no =
    error instanceof PresslineError &&
    [400, 409].includes(error.status) &&
    error.code !== 'IDEMPOTENCY_IN_FLIGHT';
  if (!no) throw error;
  return false;
}
