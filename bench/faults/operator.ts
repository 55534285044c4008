import { setTimeout as sleep } from 'node:timers/promises';
import { createPresslineClient, type PresslineClient, PresslineError } from '../../client/pressline-client';
import type { SeededRandom } from '../support/seeded-random';
import type { ScatteredStack } from './scattered-stack';

/** What mends itself does so sooner: a partner's reminder, an error that it gets over. */
const LOOKS_TWICE_AFTER_MS = 45_000;
const ROUND_MS = 5_000;

/**
 * An operator who watches the orders in need. What a partner leaves lying goes to another partner; what no other can
 * make is cancelled. Every act carries an Idempotency-Key, so that one whose answer was lost is not done twice.
 * @returns how many acts were done, when told to go home
 */
export async function runOperator(
  stack: ScatteredStack,
  random: SeededRandom,
  signal: AbortSignal,
): Promise<number> {
  const { apiKey } = stack.credentials.operator;
  const clients = stack.apiUrls.map((baseUrl) =>
    createPresslineClient({ baseUrl, apiKey, retries: 0, timeoutMs: 60_000 }),
  );
  const firstSeen = new Map<string, number>();
  let acts = 0;
  while (!signal.aborted) {
    try {
      for (const { id } of await ordersInNeed(random.pick(clients))) {
        if (!firstSeen.has(id)) firstSeen.set(id, Date.now());
        if (Date.now() - firstSeen.get(id)! < LOOKS_TWICE_AFTER_MS) continue;
        acts += await mend(random.pick(clients), id);
        firstSeen.delete(id);
      }
    } catch (error) {
      // Next round.
      if (error instanceof PresslineError && error.status < 500 && error.code !== 'IDEMPOTENCY_IN_FLIGHT')
        throw error;
    }
    await sleep(ROUND_MS, undefined, { signal }).catch(() => undefined);
  }
  return acts;
}

async function ordersInNeed(client: PresslineClient): Promise<{ id: string }[]> {
  const found: { id: string }[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.listOrdersInNeed({
      query: { limit: 250, ...(cursor === undefined ? {} : { cursor }) },
    });
    found.push(...page.orders);
    if (page.nextCursor === null) return found;
    cursor = page.nextCursor;
  }
}

async function mend(client: PresslineClient, orderId: string): Promise<number> {
  const params = { orderId };
  const order = await client.getOperatorOrder({ params });
  // `passed`: the partner took it and says nothing.
  const lying = order.items.filter(({ fulfillmentStatus }) =>
    ['manual_handling', 'passed'].includes(fulfillmentStatus),
  );
  for (const { id: itemId } of lying) {
    const makers = order.printOrders.filter(({ jobs }) => jobs.some((job) => job.itemId === itemId)).length;
    // The second look at the same trouble is another act.
    const key = (action: string) => ({ idempotencyKey: `${action} ${itemId} after ${makers} print orders` });
    const reason = 'left lying by its partner';
    try {
      const body = { action: 'reroute' as const, itemId, reason };
      await client.repairOrder({ params, body }, key('reroute'));
    } catch (error) {
      if (!isNo(error)) throw error;
      await client
        .repairOrder({ params, body: { action: 'cancel', itemIds: [itemId], reason } }, key('cancel'))
        .catch((refused: unknown) => {
          if (!isNo(refused)) throw refused;
        });
    }
  }
  return lying.length;
}

/** A no of the order's run: nobody else makes it, or it has gone further meanwhile. */
function isNo(error: unknown): boolean {
  return (
    error instanceof PresslineError &&
    [400, 409].includes(error.status) &&
    error.code !== 'IDEMPOTENCY_IN_FLIGHT'
  );
}
