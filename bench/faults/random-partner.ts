import { setTimeout as sleep } from 'node:timers/promises';
import { createPresslineClient, type PresslineClient } from '../../client/pressline-client';
import { type SeededRandom, seededRandom } from '../support/seeded-random';
import type { DistributedStack } from './distributed-stack';
import type { OperatorRepairs } from './operator';
import { changedAddress, type PlannedOrder } from './orders';

type OperatorOrder = Awaited<ReturnType<PresslineClient['getOperatorOrder']>>;
type PrintOrder = OperatorOrder['printOrders'][number];

/** A request about an order. `account`: `client`, `operator`, or the uid of a partner. */
interface Step {
  readonly account: string;
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly body: object;
  /** Called with the status of the response. Undefined: the connection broke, so the request may have had an effect. */
  answered?(status: number | undefined, body: unknown): void;
}

const TIMEOUT_MS = 30_000;
const PLANNED_WITHIN_MS = 120_000;
/** What has not ended then is left to the audit. On an overloaded machine, a workflow task is repeated for minutes. */
const ENDS_WITHIN_MS = 600_000;
const POLL_MS = 1_000;
const BETWEEN_ROUNDS_MS = [0, 1_500] as const;
/** The longest time that a partner's clock is behind. */
const OLDEST_TIMESTAMP_MS = 3_600_000;
const POSTBACKS = ['received', 'error', 'printed', 'printed', 'shipped', 'cancelled'] as const;
const ENDED = new Set(['shipped', 'in_transit', 'delivered', 'returned', 'cancelled', 'superseded']);
/** Statuses of a response to a request that came too early, too late, or for what cannot be done. */
const REFUSALS = new Set([400, 409, 429]);

/**
 * The callers of an order that do anything in any order: rounds of up to three requests at the same time, each sent up to
 * twice, by the client, the partners and operators. Then the partners ship what is left, so that the order can end.
 */
export class RandomPartner {
  /** Print orders that were reported as shipped. */
  readonly shipped = new Set<string>();
  /** Units that the client was told are cancelled, by reference of the order and item. */
  readonly cancelled = new Map<string, number>();
  /** Responses that no caller may get. */
  readonly unexpected: string[] = [];
  /** What was sent, and the status of each response, by the order's reference. */
  readonly steps = new Map<string, string[]>();
  private readonly operator: PresslineClient;

  constructor(
    private readonly stack: DistributedStack,
    private readonly seed: number,
    private readonly made: OperatorRepairs,
    private readonly patience: AbortSignal,
  ) {
    const { apiUrls, credentials } = stack;
    this.operator = createPresslineClient({ baseUrl: apiUrls[0]!, apiKey: credentials.operator.apiKey });
  }

  /** Takes an accepted order through its rounds. Its reference and the seed select the requests. */
  async meet({ reference, body }: PlannedOrder, orderId: string): Promise<void> {
    const random = seededRandom(Math.imul(this.seed, 1_000_003) + Number(reference.split('-').at(-1)));
    this.steps.set(reference, []);
    const rounds = 2 + random.below(6);
    const codes = new Set<string>();
    for (const since = Date.now(); ; await this.wait(POLL_MS)) {
      const { printOrders } = await this.read(orderId);
      if (printOrders.length > 0 && printOrders.every(({ acceptedAt }) => acceptedAt !== null)) break;
      if (Date.now() - since > PLANNED_WITHIN_MS) break;
    }
    for (let round = 0; round < rounds; round += 1) {
      const order = await this.read(orderId);
      const steps = Array.from({ length: 1 + random.below(3) }, () => this.step(order, reference, body, random, codes));
      const sent = steps.flatMap((step) => (random.below(3) > 0 ? [step] : [step, repetition(step, random)]));
      await Promise.all(sent.map((step) => this.send(reference, step, random)));
      await this.wait(random.between(...BETWEEN_ROUNDS_MS));
    }
    await this.finish(orderId, reference, random);
  }

  /** Ships what is left, and refunds what partners have cancelled, until every item has ended. */
  private async finish(orderId: string, reference: string, random: SeededRandom): Promise<void> {
    for (const since = Date.now(); Date.now() - since < ENDS_WITHIN_MS; await this.wait(POLL_MS)) {
      const { items, printOrders, fulfillmentStatus } = await this.read(orderId);
      const open = items.filter((item) => !ENDED.has(item.fulfillmentStatus));
      if (open.length === 0 || ['failed', 'canceled'].includes(fulfillmentStatus)) return;
      for (const printOrder of printOrders) {
        if (printOrder.acceptedAt === null || printOrder.jobs.every(({ status }) => ENDED.has(status))) continue;
        await this.send(reference, this.dispatch(printOrder, {}, new Set()), random);
        await this.send(reference, this.postback(printOrder, { status: 'shipped' }), random);
      }
      if (items.some((item) => item.fulfillmentStatus === 'manual_handling'))
        await this.send(reference, this.repair(orderId, { action: 'cancel' }), random);
    }
  }

  private step(
    order: OperatorOrder,
    reference: string,
    submitted: object,
    random: SeededRandom,
    codes: Set<string>,
  ): Step {
    const { id: orderId, printOrders } = order;
    const params = { account: 'client', path: `/v1/orders/${orderId}` } as const;
    const item = random.pick(order.items);
    const units = 1 + random.below(item.quantity);
    const printOrder = printOrders.length === 0 ? undefined : random.pick(printOrders);
    const cancel = (): Step => ({
      ...params,
      method: 'POST',
      path: `${params.path}/cancel`,
      body: { reason: 'fewer guests', items: [{ itemReferenceId: item.itemReferenceId, quantity: units }] },
      // A client that is told `requested` does not know yet: what ships at the same time is charged.
      answered: (status, response) => {
        const isDone = status === 200 && (response as { cancellation?: string }).cancellation === 'done';
        const key = `${reference} ${item.itemReferenceId}`;
        if (isDone) this.cancelled.set(key, (this.cancelled.get(key) ?? 0) + units);
      },
    });
    if (printOrder === undefined) return cancel();
    const job = random.pick(printOrder.jobs);
    const kinds: readonly { readonly weight: number; readonly make: () => Step }[] = [
      { weight: 8, make: () => this.randomPostback(printOrder, random) },
      { weight: 3, make: () => this.dispatch(printOrder, {}, codes) },
      { weight: 2, make: () => this.dispatch(printOrder, { orderItemIds: [job.id] }, codes) },
      {
        weight: codes.size === 0 ? 0 : 2,
        make: () => this.dispatch(printOrder, { replaceLabels: [random.pick([...codes])] }, codes),
      },
      {
        weight: 2,
        make: () => ({
          ...params,
          method: 'PUT',
          path: `${params.path}/shipment`,
          body: { shippingAddress: { ...changedAddress(submitted), company: `Floor ${random.below(9)}` } },
        }),
      },
      { weight: 2, make: cancel },
      {
        weight: 1,
        make: () => {
          // The response may be lost after the work was done.
          this.made.reroutes.set(orderId, (this.made.reroutes.get(orderId) ?? 0) + 2);
          return this.repair(orderId, { action: 'reroute', itemId: item.id });
        },
      },
      { weight: 1, make: () => this.repair(orderId, { action: 'cancel', itemIds: [item.id] }) },
      { weight: 1, make: () => this.repair(orderId, { action: 'refund' }) },
      { weight: 1, make: () => this.repair(orderId, { action: 'retry' }) },
      { weight: 1, make: () => this.repair(orderId, { action: 'dismiss' }) },
    ];
    return random.weighted(kinds).make();
  }

  private randomPostback(printOrder: PrintOrder, random: SeededRandom): Step {
    const status = random.pick(POSTBACKS);
    const job = random.pick(printOrder.jobs);
    const isOld = random.below(3) === 0;
    const timestamp = new Date(Date.now() - (isOld ? random.below(OLDEST_TIMESTAMP_MS) : 0)).toISOString();
    const units = { items: [{ orderItemId: job.id, quantity: 1 + random.below(job.quantity) }] };
    return this.postback(printOrder, {
      status,
      timestamp,
      ...(status === 'error' ? { message: 'ink is out' } : {}),
      ...(random.below(2) === 0 ? { eventId: `event-${random.below(1_000_000)}` } : {}),
      ...(status === 'cancelled' ? units : random.below(2) === 0 ? { orderItemId: job.id } : {}),
      ...(status === 'shipped' && random.below(4) === 0 ? { trackingCode: `OWN${printOrder.id}${job.id}` } : {}),
    });
  }

  private postback(
    { id, partnerUid }: PrintOrder,
    more: { readonly status: string; readonly [field: string]: unknown },
  ) {
    return {
      account: partnerUid,
      method: 'POST',
      path: '/v2/order/status',
      body: { orderId: id, timestamp: new Date().toISOString(), ...more },
      answered: (status) => {
        if (more.status === 'shipped' && (status === undefined || status < 300 || status >= 500)) this.shipped.add(id);
      },
    } satisfies Step as Step;
  }

  private dispatch({ id, partnerUid }: PrintOrder, more: object, codes: Set<string>): Step {
    return {
      account: partnerUid,
      method: 'POST',
      path: '/v2/order/dispatch',
      body: { orderId: id, ...more },
      answered: (_, response) => {
        const { documents } = response as { documents?: readonly { readonly trackingCode: string }[] };
        for (const { trackingCode } of documents ?? []) codes.add(trackingCode);
      },
    };
  }

  private repair(orderId: string, action: object): Step {
    return {
      account: 'operator',
      method: 'POST',
      path: `/v1/operator/orders/${orderId}/repairs`,
      body: { ...action, reason: 'by chance' },
    };
  }

  private async send(reference: string, step: Step, random: SeededRandom): Promise<void> {
    const { account, method, path, body } = step;
    const url = `${random.pick(this.stack.apiUrls)}${path}`;
    let status: number | undefined;
    try {
      const response = await fetch(url, {
        method,
        headers: { 'X-API-KEY': this.keyOf(account), 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      status = response.status;
      const text = await response.text();
      step.answered?.(status, text.startsWith('{') ? JSON.parse(text) : {});
      const isRefusal = REFUSALS.has(status) || (status === 503 && response.headers.has('Retry-After'));
      if (!response.ok && !isRefusal)
        this.unexpected.push(
          `${reference}: ${account} ${path} ${JSON.stringify(body)}: ${status} ${text.slice(0, 300)}`,
        );
    } catch {
      // A process was killed or stalled.
      step.answered?.(undefined, {});
    }
    this.steps
      .get(reference)!
      .push(`${account} ${path.split('/').at(-1)} ${JSON.stringify(body)}: ${status ?? 'lost'}`);
  }

  private keyOf(account: string): string {
    const { client, operator, partners } = this.stack.credentials;
    if (account === 'client') return `${client.apiKey}:${client.apiSecret}`;
    if (account === 'operator') return operator.apiKey;
    return partners.find(({ name }) => name === account)!.apiKey;
  }

  private async read(orderId: string): Promise<OperatorOrder> {
    for (;;) {
      try {
        return await this.operator.getOperatorOrder({ params: { orderId } });
      } catch {
        await this.wait(POLL_MS);
      }
    }
  }

  private wait(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.patience });
  }
}

/** Returns the same request, or a postback with only another timestamp. */
const repetition = (step: Step, random: SeededRandom): Step =>
  'timestamp' in step.body && random.below(2) === 0
    ? { ...step, body: { ...step.body, timestamp: new Date().toISOString() } }
    : step;
