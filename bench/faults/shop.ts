import { setTimeout as sleep } from 'node:timers/promises';
import { createPresslineClient, type PresslineClient, PresslineError } from '../../client/pressline-client';
import type { SeededRandom } from '../support/seeded-random';
import { changedAddress, type PlannedOrder } from './orders';
import type { ScatteredStack } from './scattered-stack';

/** What a client was told of one order. */
export interface Told {
  readonly planned: PlannedOrder;
  /** Null: never accepted. */
  orderId: string | null;
  /** Requests that its submission took. */
  attempts: number;
  /** An answer that a client cannot understand: neither success nor a refusal that fits. */
  odd: string | null;
}

/** A time-out that a careful client has: it then does not know whether its request was carried out. */
const TIMEOUT_MS = 10_000;
const RETRY_MS = [200, 2_000] as const;

/** Submits the orders at their times, each with retries until it is answered. @returns when every client is done */
export async function runShop(
  stack: ScatteredStack,
  orders: readonly PlannedOrder[],
  random: SeededRandom,
  signal: AbortSignal,
): Promise<Told[]> {
  const clients = stack.apiUrls.map((baseUrl) =>
    createPresslineClient({ baseUrl, ...stack.credentials.client, retries: 0, timeoutMs: TIMEOUT_MS }),
  );
  const began = Date.now();
  return await Promise.all(
    orders.map(async (planned) => {
      const told: Told = { planned, orderId: null, attempts: 0, odd: null };
      await sleep(Math.max(0, began + planned.atMs - Date.now()));
      try {
        await submit(clients, told, random, signal);
        if (told.orderId !== null && planned.wish !== 'nothing') {
          await sleep(planned.wishAfterMs);
          await wish(clients, told, random, signal);
        }
      } catch (error) {
        if (!signal.aborted) told.odd = (error as Error).message;
      }
      return told;
    }),
  );
}

/** Asks one API process after another until there is an answer; what passes is asked again. */
async function untilAnswered<T>(
  clients: readonly PresslineClient[],
  random: SeededRandom,
  signal: AbortSignal,
  ask: (client: PresslineClient) => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await ask(random.pick(clients));
    } catch (error) {
      const passes =
        !(error instanceof PresslineError) || error.status >= 500 || error.code === 'IDEMPOTENCY_IN_FLIGHT';
      if (!passes) throw error;
    }
    await sleep(random.between(...RETRY_MS), undefined, { signal });
  }
}

async function submit(
  clients: readonly PresslineClient[],
  told: Told,
  random: SeededRandom,
  signal: AbortSignal,
): Promise<void> {
  const { reference, keyed, body } = told.planned;
  try {
    const answer = await untilAnswered(clients, random, signal, (client) => {
      told.attempts += 1;
      return client.submitOrder({ body: body as never }, keyed ? { idempotencyKey: reference } : {});
    });
    told.orderId = answer.id;
  } catch (error) {
    // The first request was carried out and its answer lost: this is how a client without a key learns of it.
    const known = error instanceof PresslineError && error.code === 'DUPLICATE_ORDER_REFERENCE';
    if (!known || keyed || told.attempts === 1) throw error;
    const order = await untilAnswered(clients, random, signal, (client) =>
      client.getOrder({ params: { orderId: reference } }),
    );
    told.orderId = order.id;
  }
}

async function wish(
  clients: readonly PresslineClient[],
  told: Told,
  random: SeededRandom,
  signal: AbortSignal,
): Promise<void> {
  const params = { orderId: told.orderId! };
  const { wish: wanted, body } = told.planned;
  try {
    await untilAnswered(clients, random, signal, async (client) => {
      if (wanted === 'cancel') await client.cancelOrder({ params, body: { reason: 'changed my mind' } });
      else {
        const shippingAddress = changedAddress(body);
        await client.updateShipment({ params, body: { shippingAddress } as never });
      }
    });
  } catch (error) {
    // Too late for it, or done by a request whose answer was lost.
    if (!(error instanceof PresslineError) || error.status !== 409) throw error;
  }
}
