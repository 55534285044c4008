import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { createPresslineClient, type PresslineClient, PresslineError } from '../../client/pressline-client';
import type { SeededRandom } from '../support/seeded-random';
import type { DistributedStack } from './distributed-stack';
import { changedAddress, type PlannedOrder } from './orders';
import type { RandomPartner } from './random-partner';

/** What a client knows of one order. */
export interface Submission {
  readonly planned: PlannedOrder;
  /** Null when the order was never accepted. */
  orderId: string | null;
  /** Number of requests of the submission. */
  attempts: number;
  /** The message of an unexpected response, which is neither success nor an expected refusal. */
  unexpected: string | null;
}

/** Timeout of a request. After it, the client does not know whether the request had an effect. */
const TIMEOUT_MS = 10_000;
const RETRY_MS = [200, 2_000] as const;

/** Random orders that are under way at once: with more, a slow machine does not get to what follows their submission. */
const RANDOM_AT_ONCE = 32;

/**
 * Submits the orders at their times and retries each until it has a response. Resolves when every client has finished.
 * @param callers of random orders. Each order is submitted when one of those before it has ended.
 */
export async function runClients(
  stack: DistributedStack,
  orders: readonly PlannedOrder[],
  random: SeededRandom,
  signal: AbortSignal,
  callers?: Pick<RandomPartner, 'meet'>,
): Promise<Submission[]> {
  const clients = clientsOf(stack);
  const began = Date.now();
  const limit = pLimit(callers === undefined ? Number.POSITIVE_INFINITY : RANDOM_AT_ONCE);
  return await limit.map(orders, async (planned) => {
    const submission: Submission = { planned, orderId: null, attempts: 0, unexpected: null };
    await sleep(Math.max(0, began + planned.atMs - Date.now()));
    try {
      await submit(clients, submission, random, signal);
      if (submission.orderId !== null) await callers?.meet(planned, submission.orderId);
      if (submission.orderId !== null && planned.followUp !== 'nothing') {
        await sleep(planned.followUpAfterMs);
        await sendFollowUp(clients, submission, random, signal);
      }
    } catch (error) {
      if (!signal.aborted) submission.unexpected = (error as Error).message;
    }
    return submission;
  });
}

export const clientsOf = (stack: DistributedStack): PresslineClient[] =>
  stack.apiUrls.map((baseUrl) =>
    createPresslineClient({ baseUrl, ...stack.credentials.client, retries: 0, timeoutMs: TIMEOUT_MS }),
  );

/** Sends a request to random API processes until one responds. Retries temporary faults. */
export async function untilDone<T>(
  clients: readonly PresslineClient[],
  random: SeededRandom,
  signal: AbortSignal,
  ask: (client: PresslineClient) => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await ask(random.pick(clients));
    } catch (error) {
      const isTemporary =
        !(error instanceof PresslineError) || error.status >= 500 || error.code === 'IDEMPOTENCY_IN_FLIGHT';
      if (!isTemporary) throw error;
    }
    await sleep(random.between(...RETRY_MS), undefined, { signal });
  }
}

async function submit(
  clients: readonly PresslineClient[],
  submission: Submission,
  random: SeededRandom,
  signal: AbortSignal,
): Promise<void> {
  const { reference, keyed, body } = submission.planned;
  try {
    const response = await untilDone(clients, random, signal, (client) => {
      submission.attempts += 1;
      return client.submitOrder({ body: body as never }, keyed ? { idempotencyKey: reference } : {});
    });
    submission.orderId = response.id;
  } catch (error) {
    // The first request succeeded and its response was lost. A client without a key learns the id this way.
    const known = error instanceof PresslineError && error.code === 'DUPLICATE_ORDER_REFERENCE';
    if (!known || keyed || submission.attempts === 1) throw error;
    const order = await untilDone(clients, random, signal, (client) =>
      client.getOrder({ params: { orderId: reference } }),
    );
    submission.orderId = order.id;
  }
}

async function sendFollowUp(
  clients: readonly PresslineClient[],
  submission: Submission,
  random: SeededRandom,
  signal: AbortSignal,
): Promise<void> {
  const params = { orderId: submission.orderId! };
  const { followUp: wanted, body } = submission.planned;
  try {
    await untilDone(clients, random, signal, async (client) => {
      if (wanted === 'cancel') await client.cancelOrder({ params, body: { reason: 'changed my mind' } });
      else {
        const shippingAddress = changedAddress(body);
        await client.updateShipment({ params, body: { shippingAddress } as never });
      }
    });
  } catch (error) {
    // The order has shipped, or a request whose response was lost has succeeded.
    if (!(error instanceof PresslineError) || error.status !== 409) throw error;
  }
}
