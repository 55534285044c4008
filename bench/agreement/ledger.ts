import Decimal from 'decimal.js';
import { type Currency, crossesBorder, EU, type Good, ORIGINS } from './goods';
import type { GeneratedOrder, Recipient } from './orders';
import { type Parcel, parcelsOf, type Sharing, type Units } from './parcels';

/** What an order costs, as docs/money.md states it: kept beside the order while it changes. Amounts are in minor units. */

/** Prices of a consignment by method uid. Methods that do not take it are missing. */
export type PriceParcels = (
  partner: string,
  recipient: Recipient,
  currency: Currency,
  parcels: readonly Parcel[],
) => Promise<Readonly<Record<string, number>>>;

export interface Rates {
  /** VAT by country and category, as decimal fractions. */
  readonly tax: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Units that one euro buys. */
  readonly perEuro: Readonly<Record<string, string>>;
}

/** Units of an item that a partner makes. */
export interface Job {
  readonly id: string;
  readonly reference: string;
  readonly good: Good;
  /** Wanted units, with those that have left. */
  units: number;
  hasLeft: boolean;
  /** True after a later change of address or method: its parcel is no part of the plan. */
  isSettled: boolean;
}

export interface PrintOrder {
  readonly id: string;
  readonly partner: string;
  readonly jobs: Job[];
  /** The print order whose units it took over. */
  readonly replaces: string | null;
  method: string;
  sharing: Sharing;
  /** Price of the planned parcels: those that have not left before a change. */
  restMinor: number;
  /** Price of the plan, with what has left. */
  planMinor: number;
  hasLabels: boolean;
}

interface Line {
  readonly reference: string;
  readonly unitMinor: number;
  readonly rate: string;
  units: number;
}

/** What is charged by one invoice. */
interface Charge {
  readonly printOrder: string;
  readonly lines: Line[];
  shippingMinor: number;
  readonly shippingRate: string;
}

export interface Cost {
  readonly goods: number;
  readonly goodsVat: number;
  readonly shipping: number;
  readonly shippingVat: number;
}

const rounded = (amount: Decimal) => amount.toDecimalPlaces(0, Decimal.ROUND_HALF_UP).toNumber();
const vatOn = (minor: number, rate: string) => rounded(new Decimal(minor).times(rate));
const sumOf = <T>(list: readonly T[], of: (each: T) => number) => list.reduce((sum, each) => sum + of(each), 0);

export class Ledger {
  readonly printOrders: PrintOrder[] = [];
  private charges: Charge[] = [];
  recipient: Recipient;
  /** As clients choose it. Undefined: the cheapest method. */
  method: string | undefined;

  constructor(
    readonly order: GeneratedOrder,
    private readonly rates: Rates,
    private readonly priceParcels: PriceParcels,
  ) {
    this.recipient = order.recipient;
    this.method = order.method;
  }

  cost(): Cost {
    const lines = this.charges.flatMap((charge) => charge.lines);
    return {
      goods: sumOf(lines, ({ unitMinor, units }) => unitMinor * units),
      goodsVat: sumOf(lines, ({ unitMinor, units, rate }) => vatOn(unitMinor * units, rate)),
      shipping: sumOf(this.charges, ({ shippingMinor }) => shippingMinor),
      shippingVat: sumOf(this.charges, ({ shippingMinor, shippingRate }) => vatOn(shippingMinor, shippingRate)),
    };
  }

  /** Adds a planned print order, and invoices it. */
  async plan(printOrder: Pick<PrintOrder, 'id' | 'partner' | 'jobs' | 'method'>): Promise<void> {
    const plan = await this.cheapest(printOrder.partner, printOrder.jobs, printOrder.method);
    this.printOrders.push({ ...printOrder, ...plan, planMinor: plan.restMinor, replaces: null, hasLabels: false });
    const lines = printOrder.jobs.map(({ reference, good, units }): Line => {
      return { reference, unitMinor: this.unitPrice(good, units), rate: this.rateOf(printOrder.partner, good), units };
    });
    this.charges.push({
      printOrder: printOrder.id,
      lines,
      shippingMinor: plan.restMinor,
      shippingRate: shippingRateOf(lines),
    });
  }

  /** Units of a job are not wanted any more. They are refunded, with what shipping of the rest costs less. */
  async cancel(printOrder: PrintOrder, job: Job, units: number): Promise<void> {
    job.units -= units;
    const root = this.rootOf(printOrder.id);
    const open = this.charges.filter(({ lines }) =>
      lines.some((line) => line.reference === job.reference && line.units > 0),
    );
    // The latest charge of the print order's own first.
    open.sort(
      (a, b) =>
        Number(b.printOrder === root) - Number(a.printOrder === root) ||
        this.charges.indexOf(b) - this.charges.indexOf(a),
    );
    let left = units;
    for (const { lines } of open) {
      const line = lines.find(({ reference }) => reference === job.reference)!;
      const taken = Math.min(line.units, left);
      line.units -= taken;
      left -= taken;
    }
    await this.replanRest(printOrder);
    this.refundShipping(root);
  }

  /** Another address or method: everything that has not left is planned again. */
  async change(
    to: { readonly recipient: Recipient; readonly method: string | undefined },
    methodOf: (printOrder: PrintOrder) => string,
  ): Promise<void> {
    const before = this.recipient;
    const groups = new Map<
      string,
      { readonly printOrder: PrintOrder; readonly before: number; readonly after: number; readonly left: number }[]
    >();
    for (const printOrder of this.printOrders) {
      const jobs = liveJobs(printOrder).filter(({ hasLeft }) => !hasLeft);
      if (jobs.length === 0) continue;
      const charge = this.charges.findLast((each) => each.printOrder === this.rootOf(printOrder.id));
      const isOpen = ({ reference }: Job) =>
        charge?.lines.some((line) => line.reference === reference && line.units > 0);
      const departed = liveJobs(printOrder).filter((job) => job.hasLeft && isOpen(job));
      const isPart = jobs.length < liveJobs(printOrder).length;
      const alone = async (some: readonly Job[]) =>
        some.length === 0 ? undefined : (await this.priced(printOrder.partner, some, printOrder.method))?.restMinor;
      const restAlone = isPart ? await alone(jobs) : printOrder.planMinor;
      const left = isPart ? await alone(departed) : undefined;
      const oldRecipient = this.recipient;
      this.recipient = to.recipient;
      const plan = await this.cheapest(printOrder.partner, jobs, methodOf(printOrder));
      this.recipient = oldRecipient;
      // The planned method may take neither part alone: it is that of an earlier change.
      const restBefore = restAlone ?? plan.restMinor;
      const root = this.rootOf(printOrder.id);
      groups.set(root, [
        ...(groups.get(root) ?? []),
        { printOrder, before: restBefore, after: plan.restMinor, left: left ?? 0 },
      ]);
      Object.assign(printOrder, plan, {
        planMinor: printOrder.planMinor + plan.restMinor - restBefore,
        hasLabels: false,
      });
      for (const job of liveJobs(printOrder)) if (job.hasLeft) job.isSettled = true;
    }
    this.recipient = to.recipient;
    this.method = to.method;
    for (const [root, changes] of groups) this.chargeChange(root, changes, before);
  }

  private chargeChange(
    root: string,
    changes: readonly {
      readonly printOrder: PrintOrder;
      readonly before: number;
      readonly after: number;
      readonly left: number;
    }[],
    recipient: Recipient,
  ): void {
    const charge = this.charges.findLast(({ printOrder }) => printOrder === root);
    if (charge === undefined) return;
    const [rest, after, left] = (['before', 'after', 'left'] as const).map((key) =>
      sumOf(changes, (each) => each[key]),
    ) as [number, number, number];
    // A reroute is not charged: its plan may cost more than is refunded.
    const difference = Math.max(after - rest, Math.min(after - charge.shippingMinor, Math.max(after - rest, 0)));
    const { partner } = changes[0]!.printOrder;
    if (this.treatment(partner, recipient) === this.treatment(partner, this.recipient)) {
      charge.shippingMinor += difference;
      return;
    }
    const moved = changes.flatMap(({ printOrder }) => liveJobs(printOrder).filter(({ hasLeft }) => !hasLeft));
    const units = new Map<string, number>();
    for (const { reference, units: count } of moved) units.set(reference, (units.get(reference) ?? 0) + count);
    const isWhole = charge.lines.every(({ reference, units: open }) => open <= (units.get(reference) ?? 0));
    const share = left === 0 ? rest : Math.round((charge.shippingMinor * rest) / (rest + left));
    const shipping = isWhole ? charge.shippingMinor : Math.min(charge.shippingMinor, Math.max(share, -difference));
    const lines = charge.lines.flatMap((line): Line[] => {
      const count = Math.min(line.units, units.get(line.reference) ?? 0);
      if (count === 0) return [];
      line.units -= count;
      const { good } = moved.find(({ reference }) => reference === line.reference)!;
      return [{ ...line, units: count, rate: this.rateOf(partner, good) }];
    });
    charge.shippingMinor -= shipping;
    const moving = {
      printOrder: root,
      lines,
      shippingMinor: shipping + difference,
      shippingRate: shippingRateOf(lines),
    };
    if (isWhole) this.charges[this.charges.indexOf(charge)] = moving;
    else this.charges.push(moving);
  }

  /** Another partner makes a job. The order costs what it did. */
  async reroute(
    from: PrintOrder,
    job: Job,
    to: Pick<PrintOrder, 'id' | 'partner' | 'method'> & { readonly jobId: string },
  ): Promise<void> {
    const { jobId, ...printOrder } = to;
    const jobs = [{ ...job, id: jobId }];
    job.units = 0;
    await this.replanRest(from);
    const plan = await this.cheapest(to.partner, jobs, to.method);
    this.printOrders.push({
      ...printOrder,
      jobs,
      replaces: from.id,
      ...plan,
      planMinor: plan.restMinor,
      hasLabels: false,
    });
  }

  /** Packs what is left again. It never costs more than before. */
  private async replanRest(printOrder: PrintOrder): Promise<void> {
    const jobs = liveJobs(printOrder).filter(({ isSettled }) => !isSettled);
    if (printOrder.hasLabels || jobs.length === 0) return;
    const parcels = this.pack(jobs, printOrder.sharing);
    const quoted = (await this.priceParcels(printOrder.partner, this.recipient, this.order.currency, parcels))[
      printOrder.method
    ];
    if (quoted === undefined) throw new Error(`${printOrder.method} does not take the rest of ${printOrder.id}`);
    const minor = Math.min(quoted, printOrder.restMinor);
    printOrder.planMinor -= printOrder.restMinor - minor;
    printOrder.restMinor = minor;
  }

  /** Shipping is refunded to what the plans of the print orders that are left cost. */
  private refundShipping(root: string): void {
    const charges = this.charges.filter(({ printOrder }) => printOrder === root);
    for (const charge of charges) if (charge.lines.every(({ units }) => units === 0)) charge.shippingMinor = 0;
    const charge = charges.at(-1);
    if (charge === undefined) return;
    const live = this.printOrders.filter((each) => this.rootOf(each.id) === root && liveJobs(each).length > 0);
    const others = sumOf(charges.slice(0, -1), ({ shippingMinor }) => shippingMinor);
    const target = sumOf(live, ({ planMinor }) => planMinor) - others;
    charge.shippingMinor = Math.min(charge.shippingMinor, Math.max(0, target));
  }

  /** Returns the first print order of a chain of reroutes: its invoice has the units of all. */
  private rootOf(id: string): string {
    const { replaces } = this.printOrders.find((each) => each.id === id)!;
    return replaces === null ? id : this.rootOf(replaces);
  }

  private async cheapest(partner: string, jobs: readonly Job[], method: string) {
    const plan = await this.priced(partner, jobs, method);
    if (plan === undefined) throw new Error(`${method} does not take the units at ${partner}`);
    return plan;
  }

  /** Returns the cheaper way to pack units for a method. Parcels are shared where this saves parcels. */
  private async priced(partner: string, jobs: readonly Job[], method: string) {
    const packed = (sharing: Sharing) => ({ sharing, parcels: this.pack(jobs, sharing) });
    const [shared, apart] = [packed('shared'), packed('apart')];
    const tried = shared.parcels.length < apart.parcels.length ? [shared, apart] : [apart];
    let best: { readonly sharing: Sharing; readonly restMinor: number } | undefined;
    for (const { sharing, parcels } of tried) {
      const prices = await this.priceParcels(partner, this.recipient, this.order.currency, parcels);
      const price = prices[method];
      if (price !== undefined && (best === undefined || price < best.restMinor)) best = { sharing, restMinor: price };
    }
    return best && { ...best, method };
  }

  private pack(jobs: readonly Job[], sharing: Sharing): Parcel[] {
    const units = jobs.map(({ reference, good, units: quantity }): Units => ({ reference, good, quantity }));
    return parcelsOf(units, this.order.instructions, sharing);
  }

  private unitPrice({ prices }: Good, quantity: number): number {
    const reached = prices.findLast(([from]) => from <= quantity)!;
    const column = ['EUR', 'USD', 'GBP'].indexOf(this.order.currency) + 1;
    if (column > 0) return reached[column]!;
    return rounded(new Decimal(reached[1]).div(100).times(this.rates.perEuro[this.order.currency]!));
  }

  /** Returns who pays VAT on what a partner sends, and where it goes. Receipts are written anew when it changes. */
  private treatment(partner: string, { place, isBusiness, vatNumber }: Recipient): string {
    const origin = ORIGINS[partner]!;
    const destination = place.vat === 'none' ? place.city : place.vat;
    if (crossesBorder(origin, place)) return `export to ${destination}`;
    const buyer = vatNumber?.slice(0, 2) ?? null;
    const isReverse = isBusiness && buyer !== null && buyer !== origin.vat && place.vat !== origin.vat;
    if (isReverse && [place.vat, origin.vat].every((state) => EU.includes(state)))
      return `by a business in ${destination}`;
    return destination;
  }

  /** Returns the country whose VAT is charged on what a partner sends, or null. */
  private vatCountry(partner: string, recipient: Recipient): string | null {
    const destination = this.treatment(partner, recipient);
    return this.rates.tax[destination] === undefined ? null : destination;
  }

  private rateOf(partner: string, { tax }: Good): string {
    const country = this.vatCountry(partner, this.recipient);
    const rates = country === null ? undefined : this.rates.tax[country];
    return rates?.[tax] ?? rates?.standard ?? '0';
  }
}

export const liveJobs = ({ jobs }: Pick<PrintOrder, 'jobs'>): Job[] => jobs.filter(({ units }) => units > 0);

/** Shipping has the highest rate of its goods. */
function shippingRateOf(lines: readonly Line[]): string {
  return lines.reduce((highest, { rate }) => (Number(rate) > Number(highest) ? rate : highest), '0');
}
