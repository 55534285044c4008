import { setTimeout as sleep } from 'node:timers/promises';
import { PresslineError } from '../../client/pressline-client';
import type { SeededRandom } from '../support/seeded-random';
import { crossesBorder, GOODS, ORIGINS } from './goods';
import { type Cost, type Job, Ledger, liveJobs, type PrintOrder } from './ledger';
import { addressOf, bodyOf, type GeneratedOrder, minorOf, randomRecipient } from './orders';
import { type Paper, paperFaults, readPaper, retailOf, type UnitsByReference } from './papers';
import { unitsAsTold } from './partner-desk';
import type { World } from './world';

/**
 * Time after which what still differs is a finding. A refund of shipping follows the cancellation within seconds; on a loaded
 * machine, a message to a partner can need a second attempt.
 */
const SETTLES_MS = 120_000;
/** Time between two reads, which grows with each: reads are most of the load. */
const POLL_MS = 150;
const MOST_POLL_MS = 1_500;

/** What came of an order. `steps`: what was done with it, in words. */
export interface OrderReport {
  readonly number: number;
  readonly steps: readonly string[];
  /** What does not agree, in words. */
  readonly findings: readonly string[];
}

interface Sent {
  readonly printOrder: PrintOrder;
  readonly units: UnitsByReference;
  readonly papers: readonly Paper[];
}

/** Takes one order through its life over HTTP, with a ledger beside it, and compares the two after each step. */
export class OrderRun {
  readonly steps: string[] = [];
  private readonly findings: string[] = [];
  private readonly ledger: Ledger;
  private id = '';
  /** The address line that changes with each change of address. */
  private line = 'Main Street 1';
  /** Units that partners have cancelled of their own accord, with the number of messages that they had before. */
  private readonly ownCancels: { readonly jobId: string; readonly units: number; readonly after: number }[] = [];
  /** Number of messages of its partner before a job left, by job id. */
  private readonly leftAfter = new Map<string, number>();
  /** Parcels that have left, by tracking code. */
  private readonly sent = new Map<string, Sent>();
  private readonly itemIds = new Map<string, string>();
  /** True when the last units that had not left were cancelled: the invoice with the shipping price may have been theirs. */
  private isRestCancelled = false;

  constructor(
    private readonly world: World,
    private readonly order: GeneratedOrder,
    private readonly random: SeededRandom,
    private readonly prefix: string,
  ) {
    this.ledger = new Ledger(order, world.rates, world.priceParcels);
  }

  async run(): Promise<OrderReport> {
    const { number } = this.order;
    try {
      if (await this.submit()) {
        for (let step = 0; step < this.order.steps && this.findings.length === 0; step += 1) await this.step();
        if (this.findings.length === 0) await this.sendRest();
      }
    } catch (error) {
      this.findings.push(`failed: ${(error as Error).stack ?? String(error)}`);
    }
    return { number, steps: this.steps, findings: this.findings };
  }

  /** Quotes and submits the order. Returns false when it is refused, as its quote says. */
  private async submit(): Promise<boolean> {
    const { client, desk, operator } = this.world;
    const body = bodyOf(
      this.order,
      this.prefix,
      (good) => `${desk.url}/files/${good.tax === 'books' ? 'book' : 'one'}.pdf`,
    );
    const quote = await client.quoteOrder({ body });
    this.id = (await client.submitOrder({ body })).id;
    const planned = await this.until('planned', async () => {
      const order = await operator.getOperatorOrder({ params: { orderId: this.id } });
      if (order.fulfillmentStatus === 'failed') return order;
      const isReady = order.printOrders.length > 0 && order.printOrders.every(({ acceptedAt }) => acceptedAt !== null);
      return isReady ? order : undefined;
    });
    if (planned.fulfillmentStatus === 'failed') {
      const { refusal } = planned;
      const isExpected =
        refusal?.code === 'missing_retail_prices' && quote.needsRetailPrices && this.order.retailShippingMinor === null;
      if (!isExpected) this.findings.push(`refused: ${refusal?.reason}`);
      this.steps.push('refused');
      return false;
    }
    for (const { id, itemReferenceId } of planned.items) this.itemIds.set(itemReferenceId, id);
    for (const { id, partnerUid, promise, jobs } of planned.printOrders) {
      await this.ledger.plan({
        id,
        partner: partnerUid,
        method: promise!.methodUid,
        jobs: jobs.map(({ id: jobId, itemId, quantity }): Job => {
          const { itemReferenceId: reference } = planned.items.find((item) => item.id === itemId)!;
          const { good } = this.order.items.find((item) => item.reference === reference)!;
          return { id: jobId, reference, good, units: quantity, hasLeft: false, isSettled: false };
        }),
      });
      await this.report(id, partnerUid, 'received');
    }
    this.steps.push(`submitted to ${planned.printOrders.map(({ partnerUid }) => partnerUid).join(' and ')}`);
    await this.settle();
    const { receipts } = await client.getOrder({ params: { orderId: this.id } });
    const names = ['productsPrice', 'productsPriceVat', 'shippingPrice', 'shippingPriceVat', 'totalInclVat'] as const;
    for (const name of names) {
      const [quoted, invoiced] = [quote[name], receipts.reduce((sum, receipt) => sum + receipt[name], 0)].map(
        (amount) => minorOf(amount, this.order.currency),
      );
      if (quoted !== invoiced) this.findings.push(`quote: ${name} ${quoted}, invoiced ${invoiced}`);
    }
    return true;
  }

  private report(printOrderId: string, partner: string, status: string, more: object = {}) {
    const body = { orderId: printOrderId, status, timestamp: new Date().toISOString(), ...more };
    return this.world.partners[partner]!.postOrderStatus({ body: body as never });
  }

  /** Compares until everything agrees. What differs after `SETTLES_MS` is a finding. */
  private async settle(): Promise<void> {
    const since = Date.now();
    for (let reads = 1; ; reads += 1) {
      const faults = [...(await this.moneyFaults()), ...this.messageFaults()];
      if (faults.length === 0) return;
      if (Date.now() - since > SETTLES_MS) {
        this.findings.push(...faults.map((fault) => `after ${this.steps.at(-1)}: ${fault}`));
        return;
      }
      await sleep(Math.min(reads * POLL_MS, MOST_POLL_MS));
    }
  }

  private async moneyFaults(): Promise<string[]> {
    const { receipts } = await this.world.client.getOrder({ params: { orderId: this.id } });
    const sum = (name: 'productsPrice' | 'productsPriceVat' | 'shippingPrice' | 'shippingPriceVat') =>
      minorOf(
        receipts.reduce((total, receipt) => total + receipt[name], 0),
        this.order.currency,
      );
    const charged: Cost = {
      goods: sum('productsPrice'),
      goodsVat: sum('productsPriceVat'),
      shipping: sum('shippingPrice'),
      shippingVat: sum('shippingPriceVat'),
    };
    const cost = this.ledger.cost();
    return (Object.keys(cost) as (keyof Cost)[]).flatMap((name) =>
      charged[name] === cost[name]
        ? []
        : [`${name}: receipts add up to ${charged[name]}, the order costs ${cost[name]} (${this.order.currency})`],
    );
  }

  /** What partners have been told to make is what is wanted of them. */
  private messageFaults(): string[] {
    return this.ledger.printOrders.flatMap((printOrder) => {
      const messages = this.world.desk.messages(printOrder.id);
      const latest = messages.findLastIndex(({ kind }) => kind !== 'cancels');
      const told = unitsAsTold(messages);
      const faults = printOrder.jobs.flatMap((job) => {
        const cancelled = this.ownCancels
          .filter(({ jobId, after }) => jobId === job.id && after > latest)
          .reduce((sum, { units }) => sum + units, 0);
        const wanted = (told.get(job.id) ?? 0) - cancelled;
        const leftAfter = this.leftAfter.get(job.id);
        const isMissing = leftAfter !== undefined && leftAfter <= latest;
        const expected = isMissing ? 0 : job.units;
        // A cancel request for units that the partner has cancelled itself changes nothing.
        return Math.max(wanted, 0) === expected
          ? []
          : [`${printOrder.partner} was told to make ${wanted} of ${job.reference}, wanted are ${expected}`];
      });
      const method = messages[latest]?.body.shipping.shipmentMethodUid;
      const isOpen = liveJobs(printOrder).some(({ hasLeft }) => !hasLeft);
      if (isOpen && method !== printOrder.method)
        faults.push(`${printOrder.partner} was told to ship by ${method}, not ${printOrder.method}`);
      if (isOpen && !JSON.stringify(messages[latest]?.body).includes(this.line))
        faults.push(`${printOrder.partner} was not told to ship to ${this.line}`);
      return faults;
    });
  }

  private async until<T>(what: string, read: () => Promise<T | undefined>): Promise<T> {
    const since = Date.now();
    for (let reads = 1; ; reads += 1) {
      const found = await read();
      if (found !== undefined) return found;
      if (Date.now() - since > SETTLES_MS) throw new Error(`the order was never ${what}`);
      await sleep(Math.min(reads * POLL_MS, MOST_POLL_MS));
    }
  }

  /** Makes one step at random of those that are possible. */
  private async step(): Promise<void> {
    const open = this.openJobs();
    if (open.length === 0) return;
    const { printOrder, job } = this.random.pick(open);
    const { act } = this.random.weighted([
      { weight: 5, act: () => this.cancelUnits(printOrder, job) },
      { weight: 3, act: () => this.changeAddress() },
      { weight: 1, act: () => this.changeMethod() },
      { weight: 3, act: () => this.sendSome(printOrder) },
      { weight: 2, act: async () => void (await this.dispatch(printOrder, null)) },
      { weight: 1, act: () => this.sendWithOwnCode(printOrder, job) },
      { weight: 2, act: () => this.reroute(printOrder, job) },
      { weight: 1, act: () => this.replaceFile(job) },
    ]);
    await act();
    await this.settle();
  }

  private openJobs(): { readonly printOrder: PrintOrder; readonly job: Job }[] {
    return this.ledger.printOrders.flatMap((printOrder) =>
      liveJobs(printOrder).flatMap((job) => (job.hasLeft ? [] : [{ printOrder, job }])),
    );
  }

  private async cancelUnits(printOrder: PrintOrder, job: Job): Promise<void> {
    const { client, operator, desk } = this.world;
    const units = 1 + this.random.below(job.units);
    const by = this.random.pick(['client', 'operator', 'partner'] as const);
    this.steps.push(`${by} cancels ${units} of ${job.units} ${job.reference}`);
    const params = { orderId: this.id };
    if (by === 'partner') {
      this.ownCancels.push({ jobId: job.id, units, after: desk.messages(printOrder.id).length });
      await this.report(printOrder.id, printOrder.partner, 'cancelled', {
        items: [{ orderItemId: job.id, quantity: units }],
      });
      const itemId = this.itemIds.get(job.reference)!;
      await this.until('short of units', async () => {
        const { printOrders } = await operator.getOperatorOrder({ params });
        const found = printOrders.flatMap(({ jobs }) => jobs).find(({ id }) => id === job.id)!;
        return found.cancelledQuantity > 0 ? found : undefined;
      });
      await this.repeat((options) =>
        operator.repairOrder({ params, body: { action: 'refund', itemIds: [itemId], reason: 'not made' } }, options),
      );
    } else {
      const items = [{ itemReferenceId: job.reference, ...(units === job.units ? {} : { quantity: units }) }];
      await this.repeat((options) =>
        ({ client, operator })[by].cancelOrder({ params, body: { items, reason: 'fewer guests' } }, options),
      );
    }
    await this.ledger.cancel(printOrder, job, units);
    this.isRestCancelled = this.openJobs().length === 0;
  }

  /** Repeats a request under one key, which comes while the order or a server is busy, or whose response was lost. */
  private async repeat<T>(request: (options: { readonly idempotencyKey: string }) => Promise<T>): Promise<T> {
    const idempotencyKey = `${this.prefix}-${this.order.number}-${this.steps.length}`;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await request({ idempotencyKey });
      } catch (error) {
        const isEarly = error instanceof PresslineError && [409, 503].includes(error.status) && attempt < 40;
        if (!isEarly) throw error;
        await sleep(error.status === 503 ? MOST_POLL_MS : POLL_MS);
      }
    }
  }

  private async changeAddress(): Promise<void> {
    const same = { ...this.ledger.recipient };
    const recipient = this.random.below(2) === 0 ? same : randomRecipient(this.random);
    const line = `Side Street ${this.steps.length}`;
    await this.change({ shippingAddress: addressOf(recipient, line) }, recipient, this.ledger.method, line);
  }

  private async changeMethod(): Promise<void> {
    const method = this.ledger.method === 'express' ? 'standard' : 'express';
    await this.change({ shipmentMethodUid: method }, this.ledger.recipient, method);
  }

  private async change(
    body: object,
    recipient: Ledger['recipient'],
    method: string | undefined,
    line = this.line,
  ): Promise<void> {
    const params = { orderId: this.id };
    const { place } = recipient;
    this.steps.push(
      `change to ${place.city} by ${method ?? 'the cheapest method'}${recipient.isBusiness ? ', a business' : ''}`,
    );
    try {
      await this.repeat((options) => this.world.client.updateShipment({ params, body: body as never }, options));
    } catch (error) {
      if (!(error instanceof PresslineError) || error.status !== 400) throw error;
      const makers = this.openJobs().map(({ printOrder }) => ORIGINS[printOrder.partner]!);
      const lacksPrices =
        this.order.retailShippingMinor === null && makers.some((origin) => crossesBorder(origin, place));
      if (!lacksPrices && !/method/i.test(error.message))
        this.findings.push(`the change was refused: ${error.message}`);
      this.steps.push('refused');
      return;
    }
    const { printOrders } = await this.world.operator.getOperatorOrder({ params });
    const methodOf = ({ id }: PrintOrder) => printOrders.find((each) => each.id === id)!.promise!.methodUid;
    await this.ledger.change({ recipient, method }, methodOf);
    this.line = line;
  }

  private async reroute(printOrder: PrintOrder, job: Job): Promise<void> {
    const params = { orderId: this.id };
    const itemId = this.itemIds.get(job.reference)!;
    this.steps.push(`reroute ${job.reference} from ${printOrder.partner}`);
    try {
      await this.repeat((options) =>
        this.world.operator.repairOrder({ params, body: { action: 'reroute', itemId, reason: 'too busy' } }, options),
      );
    } catch (error) {
      if (!(error instanceof PresslineError) || ![400, 409].includes(error.status)) throw error;
      this.steps.push(`refused: ${error.message}`);
      return;
    }
    const known = new Set(this.ledger.printOrders.map(({ id }) => id));
    const { id, partnerUid, promise, jobs } = await this.until('rerouted', async () => {
      const { printOrders } = await this.world.operator.getOperatorOrder({ params });
      return printOrders.find((each) => !known.has(each.id) && each.acceptedAt !== null);
    });
    await this.ledger.reroute(printOrder, job, {
      id,
      partner: partnerUid,
      method: promise!.methodUid,
      jobId: jobs[0]!.id,
    });
    await this.report(id, partnerUid, 'received');
    this.steps.push(`rerouted to ${partnerUid}`);
  }

  private async replaceFile({ reference, good }: Job): Promise<void> {
    if (good === GOODS.find(({ tax }) => tax === 'books')) return;
    this.steps.push(`new file for ${reference}`);
    const params = { orderId: this.id, itemReferenceId: reference, type: good.files[0]! };
    const replaced = await this.repeat((options) =>
      this.world.client.replaceFile({ params, body: { url: `${this.world.desk.url}/files/two.pdf` } }, options),
    );
    await this.until('printed from the new file', async () => {
      const { items } = await this.world.client.getOrder({ params: { orderId: replaced.id } });
      return items.every(({ files }) => files.every(({ replacement }) => replacement === null)) ? true : undefined;
    });
  }

  /** Requests the documents of a print order, or of some of its jobs, and compares them with the parcels. */
  private async dispatch(printOrder: PrintOrder, named: readonly Job[] | null): Promise<Map<string, Sent>> {
    const { client, partners } = this.world;
    this.steps.push(
      `dispatch ${named === null ? 'all' : named.map(({ reference }) => reference).join(', ')} at ${printOrder.partner}`,
    );
    const { documents } = await this.repeat((options) =>
      partners[printOrder.partner]!.dispatchOrder(
        {
          body: { orderId: printOrder.id, ...(named && { orderItemIds: named.map(({ id }) => id) }) },
        },
        options,
      ),
    );
    printOrder.hasLabels = true;
    const { shipment } = await client.getOrder({ params: { orderId: this.id } });
    const parcels = new Map<string, Sent>();
    for (const [trackingCode, of] of Map.groupBy(documents, (document) => document.trackingCode)) {
      const papers = await Promise.all(of.filter(({ type }) => type !== 'label').map(({ url }) => readPaper(url)));
      const packed = shipment!.packages.find((each) => each.trackingCode === trackingCode);
      const units = Object.fromEntries(
        (packed?.items ?? []).map(({ itemReferenceId, quantity }) => [itemReferenceId, quantity]),
      );
      const parcel = { trackingCode, units, papers: papers.flatMap((paper) => paper ?? []) };
      parcels.set(trackingCode, { printOrder, ...parcel });
      if (Object.keys(units).length === 0) this.findings.push(`parcel ${trackingCode} is empty`);
      const { order, ledger, world } = this;
      this.findings.push(...paperFaults(order, ledger.recipient, ledger.printOrders, printOrder, parcel, world.rates));
    }
    const wanted = (named ?? liveJobs(printOrder).filter(({ hasLeft }) => !hasLeft)).map(
      ({ reference, units }) => [reference, units] as const,
    );
    for (const [reference, units] of wanted) {
      const packed = [...parcels.values()].reduce((sum, parcel) => sum + (parcel.units[reference] ?? 0), 0);
      if (packed !== units) this.findings.push(`parcels hold ${packed} of ${reference}, wanted are ${units}`);
    }
    return parcels;
  }

  private async sendSome(printOrder: PrintOrder): Promise<void> {
    const jobs = liveJobs(printOrder).filter(({ hasLeft }) => !hasLeft);
    const some = jobs.filter(() => this.random.below(2) === 0);
    const named = some.length === 0 ? jobs.slice(0, 1) : some;
    const parcels = await this.dispatch(printOrder, named);
    if (this.findings.length > 0) return;
    for (const [code, parcel] of parcels) this.sent.set(code, parcel);
    for (const job of named) await this.leave(printOrder, job, {});
  }

  private async sendWithOwnCode(printOrder: PrintOrder, job: Job): Promise<void> {
    if (printOrder.hasLabels) return;
    const trackingCode = `OWN${this.prefix}${this.order.number}${job.id}`;
    this.steps.push(`${job.reference} leaves with a code of the partner`);
    await this.leave(printOrder, job, { trackingCode });
  }

  private async leave(printOrder: PrintOrder, job: Job, more: object): Promise<void> {
    await this.report(printOrder.id, printOrder.partner, 'shipped', { orderItemId: job.id, ...more });
    job.hasLeft = true;
    this.leftAfter.set(job.id, this.world.desk.messages(printOrder.id).length);
    await this.until('shipped', async () => {
      const { printOrders } = await this.world.operator.getOperatorOrder({ params: { orderId: this.id } });
      const status = printOrders.flatMap(({ jobs }) => jobs).find(({ id }) => id === job.id)!.status;
      return status === 'shipped' ? true : undefined;
    });
    this.steps.push(`${job.reference} shipped`);
  }

  /** Sends everything that is left, and compares what all parcels together declare. */
  private async sendRest(): Promise<void> {
    for (const printOrder of this.ledger.printOrders) {
      const jobs = liveJobs(printOrder).filter(({ hasLeft }) => !hasLeft);
      if (jobs.length === 0) continue;
      // The documents of parcels that have left are in the response for all.
      const isPart = jobs.length < liveJobs(printOrder).length;
      for (const [code, parcel] of await this.dispatch(printOrder, isPart ? jobs : null)) this.sent.set(code, parcel);
      if (this.findings.length > 0) return;
      for (const job of jobs) await this.leave(printOrder, job, {});
    }
    await this.settle();
    if (this.order.retailShippingMinor !== null) this.findings.push(...this.valueFaults());
  }

  /** What the customer is invoiced in all parcels is the retail price of what was sent in them, and shipping once. */
  private valueFaults(): string[] {
    const parcels = [...this.sent.values()];
    const faults: string[] = [];
    const invoices = parcels.flatMap(({ papers }) => papers.filter(({ kind }) => kind === 'invoice'));
    for (const { reference } of this.order.items) {
      const units = parcels.reduce((sum, parcel) => sum + (parcel.units[reference] ?? 0), 0);
      const lines = invoices.flatMap((invoice) => invoice.lines.filter(({ of }) => of === reference));
      const invoiced = lines.reduce((sum, { minor }) => sum + minor!, 0);
      const price = retailOf(this.order, reference, units);
      // Cancelled units leave a rounded share in each parcel.
      if (Math.abs(invoiced - price) > lines.length)
        faults.push(`invoices have ${invoiced} for ${units} ${reference}, not ${price}`);
    }
    const shipping = invoices.flatMap(({ shippingMinor }) => shippingMinor ?? []);
    const isExpected =
      (shipping.length === 1 && shipping[0] === this.order.retailShippingMinor) ||
      (shipping.length === 0 && this.isRestCancelled);
    if (invoices.length > 0 && !isExpected)
      faults.push(`invoices have shipping ${shipping.join(' and ')}, not ${this.order.retailShippingMinor}`);
    return faults;
  }
}
