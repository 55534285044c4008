import { setTimeout as sleep } from 'node:timers/promises';
import { createPresslineClient, type PresslineClient } from '../../client/pressline-client';
import type { Submission } from '../faults/clients';
import { type OrderMix, type PlannedOrder, planOrders } from '../faults/orders';
import { inParallel } from '../support/in-parallel';
import { seededRandom } from '../support/seeded-random';
import type { Topology } from './topology';

/** Time without progress after which orders are stuck. */
const PATIENCE_MS = 4 * 60_000;

const mixOf = (behaviour: string): OrderMix => ({
  behaviours: [{ behaviour, weight: 1, end: 'delivered' }],
  followUps: [{ followUp: 'nothing', weight: 1 }],
  posterHosts: [{ file: null, weight: 1 }],
  twelvePackages: 0,
});

/** The client of the rehearsal: submits orders through the load balancer and reads them. */
export class Client {
  /** Every order that was submitted. */
  readonly submissions: Submission[] = [];
  /** Number of calls, and the error of each call that failed after the client's own retries. */
  calls = 0;
  readonly failedCalls: string[] = [];
  private readonly client: PresslineClient;
  private readonly random = seededRandom(Date.now());
  private batches = 0;

  constructor(private readonly topology: Topology) {
    this.client = createPresslineClient({ baseUrl: topology.baseUrl, ...topology.credentials.client });
  }

  /** Returns new orders. @param behaviour of the partners */
  plan(count: number, behaviour = 'well-behaved'): PlannedOrder[] {
    this.batches += 1;
    const prefix = `rehearsal-${this.batches}`;
    return planOrders(count, 0, this.topology.sandboxUrl, this.random, mixOf(behaviour), prefix);
  }

  /** Calls the API. Records the error instead of throwing it. */
  private async call<T>(work: (client: PresslineClient) => Promise<T>): Promise<T | undefined> {
    this.calls += 1;
    try {
      return await work(this.client);
    } catch (error) {
      this.failedCalls.push((error as Error).message);
      return undefined;
    }
  }

  async submit(planned: PlannedOrder): Promise<void> {
    const submission: Submission = { planned, orderId: null, attempts: 1, unexpected: null };
    this.submissions.push(submission);
    const response = await this.call((client) =>
      client.submitOrder({ body: planned.body as never }, { idempotencyKey: planned.reference }),
    );
    submission.orderId = response?.id ?? null;
    submission.unexpected = response === undefined ? this.failedCalls.at(-1)! : null;
  }

  async submitAll(orders: readonly PlannedOrder[], atOnce: number): Promise<void> {
    await inParallel(orders.length, atOnce, (index) => this.submit(orders[index]!));
  }

  /**
   * Submits an order a second and reads four, until it is stopped.
   * @returns a function that stops the load, and returns the number of orders
   */
  startLoad(): () => Promise<number> {
    let isStopping = false;
    let submitted = 0;
    const everySecond = async (work: () => Promise<void>, perSecond: number) => {
      while (!isStopping) {
        await Promise.all([work(), sleep(1_000 / perSecond)]);
      }
    };
    const loops = [
      everySecond(async () => {
        submitted += 1;
        await this.submit(this.plan(1)[0]!);
      }, 1),
      everySecond(async () => {
        const { orderId } = this.random.pick(this.submissions);
        if (orderId !== null) await this.call((client) => client.getOrder({ params: { orderId } }));
      }, 4),
    ];
    return async () => {
      isStopping = true;
      await Promise.all(loops);
      return submitted;
    };
  }
}

/** Returns the orders that are not in one of the statuses, with their status and attention reasons. */
export async function ordersNotIn(
  { sql }: Topology,
  statuses: readonly string[],
): Promise<{ readonly reference: string; readonly status: string; readonly attention: string | null }[]> {
  return await sql<{ reference: string; status: string; attention: string | null }[]>`
    SELECT order_reference_id AS reference, fulfillment_status AS status,
      array_to_string(attention, ' ') AS attention
    FROM orders WHERE fulfillment_status <> ALL (${[...statuses]})`;
}

/**
 * Waits until every order has one of the statuses, the outbox is empty and no postback waits.
 * @param options.everyMinute called each minute meanwhile
 * @returns the orders and messages that made no progress for minutes: they are stuck
 */
export async function untilOrdersAre(
  topology: Topology,
  statuses: readonly string[],
  { everyMinute }: { readonly everyMinute?: () => Promise<void> } = {},
): Promise<string[]> {
  const { sql } = topology;
  let last = '';
  let movedAt = Date.now();
  let minuteAt = Date.now();
  for (;;) {
    const open = await ordersNotIn(topology, statuses);
    const [left] = await sql<{ messages: number; postbacks: number; version: string }[]>`
      SELECT (SELECT count(*)::int FROM outbox) AS messages,
        (SELECT count(*)::int FROM postbacks b JOIN print_orders p ON p.id = b.print_order_id
          JOIN orders o ON o.id = p.order_id
          WHERE b.handled_at IS NULL AND o.fulfillment_status <> ALL (${[...statuses]})) AS postbacks,
        (SELECT coalesce(sum(run_version), 0)::text FROM orders) AS version`;
    if (open.length === 0 && left!.messages === 0 && left!.postbacks === 0) return [];
    const state = JSON.stringify([open.length, left]);
    if (state !== last) {
      last = state;
      movedAt = Date.now();
    }
    if (Date.now() - movedAt > PATIENCE_MS) {
      return [
        ...open.map(({ reference, status, attention }) => `${reference} is stuck: ${status} (${attention})`),
        ...(left!.messages > 0 ? [`${left!.messages} messages in the outbox`] : []),
        ...(left!.postbacks > 0 ? [`${left!.postbacks} postbacks wait`] : []),
      ];
    }
    if (everyMinute !== undefined && Date.now() - minuteAt > 60_000) {
      minuteAt = Date.now();
      await everyMinute();
    }
    await sleep(1_000);
  }
}
