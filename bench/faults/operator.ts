import { setTimeout as sleep } from 'node:timers/promises';
import { createPresslineClient, type PresslineClient, PresslineError } from '../../client/pressline-client';
import type { SeededRandom } from '../support/seeded-random';
import type { DistributedStack } from './distributed-stack';

/** Time before the operator repairs an order. Orders that recover without an operator do so sooner. */
const ACTS_AFTER_MS = 45_000;
const POLL_MS = 5_000;
const RETRY_MS = 1_000;
const BETWEEN_READS_MS = 100;
/** Orders that are read meanwhile: the newest ones, whose workflows are busy. */
const READ_ORDERS = 10;

/**
 * The repairs that the operator made. On a slow machine it may repair an order that its partner would have produced: such an
 * order may end cancelled, or both partners may produce it.
 */
export class OperatorRepairs {
  /** Ids of orders with a cancelled item. */
  readonly cancelled = new Set<string>();
  /** Number of reroutes by order id. */
  readonly reroutes = new Map<string, number>();
}

/**
 * Repairs the orders that need attention until the signal: reroutes items that a partner has abandoned, and cancels items
 * that no other partner can produce. Every repair has an Idempotency-Key, so that a lost response does not repeat it.
 * @param made records the repairs by order
 * @returns the number of repairs
 */
export async function runOperator(
  stack: DistributedStack,
  random: SeededRandom,
  signal: AbortSignal,
  made: OperatorRepairs,
): Promise<number> {
  const clients = clientsOf(stack);
  const ask: Ask = async (question) => {
    for (;;) {
      try {
        return await question(random.pick(clients));
      } catch (error) {
        const isTemporary =
          !(error instanceof PresslineError) || error.status >= 500 || error.code === 'IDEMPOTENCY_IN_FLIGHT';
        if (!isTemporary) throw error;
      }
      // A run that is stuck never takes a repair.
      await sleep(RETRY_MS, undefined, { signal });
    }
  };
  const firstSeen = new Map<string, number>();
  let repairs = 0;
  try {
    for (;;) {
      const needingAttention = new Set((await ask(ordersNeedingAttention)).map(({ id }) => id));
      for (const id of firstSeen.keys()) if (!needingAttention.has(id)) firstSeen.delete(id);
      for (const id of needingAttention) {
        if (!firstSeen.has(id)) firstSeen.set(id, Date.now());
        if (Date.now() - firstSeen.get(id)! < ACTS_AFTER_MS) continue;
        repairs += await repair(ask, id, made);
        firstSeen.delete(id);
      }
      await sleep(POLL_MS, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return repairs;
}

/**
 * Reads the newest orders until the signal, as consoles do: each read sends the workflow a query.
 * @returns the number of reads that were answered
 */
export async function readOrders(stack: DistributedStack, random: SeededRandom, signal: AbortSignal): Promise<number> {
  const clients = clientsOf(stack);
  let reads = 0;
  let newest: readonly { readonly id: string }[] = [];
  for (let round = 0; !signal.aborted; round += 1) {
    const client = random.pick(clients);
    try {
      if (round % READ_ORDERS === 0)
        newest = (await client.listOperatorOrders({ query: { limit: READ_ORDERS } })).orders;
      if (newest.length > 0) {
        await client.getOperatorOrder({ params: { orderId: random.pick(newest).id } });
        reads += 1;
      }
    } catch {
      // The process was killed or disconnected.
    }
    await sleep(BETWEEN_READS_MS, undefined, { signal }).catch(() => undefined);
  }
  return reads;
}

const clientsOf = ({ apiUrls, credentials }: DistributedStack) =>
  apiUrls.map((baseUrl) =>
    createPresslineClient({ baseUrl, apiKey: credentials.operator.apiKey, retries: 0, timeoutMs: 60_000 }),
  );

/** Sends a request to random API processes until one responds. */
type Ask = <T>(question: (client: PresslineClient) => Promise<T>) => Promise<T>;

async function ordersNeedingAttention(client: PresslineClient): Promise<{ id: string }[]> {
  const found: { id: string }[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.listOperatorOrders({
      query: { attention: 'any', limit: 250, ...(cursor === undefined ? {} : { cursor }) },
    });
    found.push(...page.orders);
    if (page.nextCursor === null) return found;
    cursor = page.nextCursor;
  }
}

async function repair(ask: Ask, orderId: string, made: OperatorRepairs): Promise<number> {
  const params = { orderId };
  const order = await ask((client) => client.getOperatorOrder({ params }));
  if (order.attention.includes('step_fails_process')) {
    const body = { action: 'retry' as const, reason: 'the process was killed' };
    return (await ask((client) => client.repairOrder({ params, body }).then(() => true, falseWhenRefused))) ? 1 : 0;
  }
  // A partner that refused to cancel will ship.
  if (order.attention.includes('cancel_refused')) return 0;
  // A partner that has requested dispatch is packing, even when its postbacks were lost.
  const packing = order.printOrders.filter(({ shipments }) => shipments.some(({ status }) => status !== 'voided'));
  const isPacked = (itemId: string) => packing.some(({ jobs }) => jobs.some((job) => job.itemId === itemId));
  // `passed`: the partner accepted the item and sent no postback.
  const abandoned = order.items.filter(
    ({ id, fulfillmentStatus }) =>
      fulfillmentStatus === 'manual_handling' || (fulfillmentStatus === 'passed' && !isPacked(id)),
  );
  for (const { id: itemId } of abandoned) {
    const printOrders = order.printOrders.filter(({ jobs }) => jobs.some((job) => job.itemId === itemId)).length;
    // A later repair of the same item has another key.
    const key = (action: string) => ({
      idempotencyKey: `${action} ${itemId} after ${printOrders} print orders`,
    });
    const reason = 'abandoned by its partner';
    const isDone = await ask(async (client) => {
      const body = { action: 'reroute' as const, itemId, reason };
      return await client.repairOrder({ params, body }, key('reroute')).then(() => true, falseWhenRefused);
    });
    if (isDone) {
      made.reroutes.set(orderId, (made.reroutes.get(orderId) ?? 0) + 1);
      continue;
    }
    const isCancelled = await ask(async (client) => {
      const body = { action: 'cancel' as const, itemIds: [itemId], reason };
      return await client.repairOrder({ params, body }, key('cancel')).then(() => true, falseWhenRefused);
    });
    if (isCancelled) made.cancelled.add(orderId);
  }
  return abandoned.length;
}

/**
 * Returns false when the workflow refused the repair: no other partner produces the item, or its status has changed.
 * @throws every other error
 */
function falseWhenRefused(error: unknown): false {
  const refused =
    error instanceof PresslineError && [400, 409].includes(error.status) && error.code !== 'IDEMPOTENCY_IN_FLIGHT';
  if (!refused) throw error;
  return false;
}
