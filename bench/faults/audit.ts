import type { OrderEnd, Wish } from './orders';

/** What every side knows once the disasters are over, gathered without asking one about another. */
export interface Evidence {
  /** What the clients were told. */
  readonly told: readonly ToldOrder[];
  /** Orders in Postgres. */
  readonly orders: readonly StoredOrder[];
  /** Orders as the API shows them to their client, by id. */
  readonly shown: ReadonlyMap<string, { readonly reference: string; readonly status: string }>;
  /** Runs in Temporal; a continued run counts once. */
  readonly runs: readonly { readonly orderId: string; readonly status: string }[];
  /** Print orders as partners saw them. */
  readonly printOrders: readonly SeenPrintOrder[];
  /** Parcels as carriers were handed them. */
  readonly parcels: readonly string[];
  /** Shipments in Postgres. */
  readonly shipments: readonly StoredShipment[];
  /** The built-in carriers' own books. */
  readonly purchases: readonly { readonly trackingNumber: string; readonly voided: boolean }[];
  readonly stock: {
    /** Levels that their ledger does not explain. */
    readonly unexplained: readonly string[];
    readonly shelves: readonly Shelf[];
    /** Pieces used for items, by item id and sku. */
    readonly used: readonly StockUse[];
  };
  /** Messages that nobody took. */
  readonly unsent: readonly string[];
  readonly unhandledPostbacks: number;
}

export interface ToldOrder {
  readonly reference: string;
  /** Null: never accepted. */
  readonly orderId: string | null;
  readonly end: OrderEnd;
  readonly wish: Wish;
  /** How often the operator gave an item of it to another partner. */
  readonly reroutes: number;
  /** An answer that fits no case. */
  readonly odd: string | null;
}

export interface StoredOrder {
  readonly id: string;
  readonly reference: string;
  readonly status: string;
  readonly attention: string | null;
  readonly items: readonly {
    readonly id: string;
    readonly status: string;
    /** Pieces of stock that the item's quantity takes, by sku. */
    readonly needs: Readonly<Record<string, number>>;
  }[];
}

export interface SeenPrintOrder {
  readonly id: string;
  readonly partner: string;
  /** The client's reference, as it stands in the address. */
  readonly reference: string;
  /** What is to be made, one text a line; an order has every product at most once. */
  readonly lines: readonly string[];
  readonly contents: number;
  readonly webhookIds: number;
  /** Whether the partner was to make it and has not been released from that. */
  readonly binding: boolean;
  readonly shipped: boolean;
  readonly trackingCodes: readonly string[];
}

export interface StoredShipment {
  readonly id: string;
  readonly printOrderId: string;
  readonly status: string;
  readonly trackingNumbers: readonly string[];
}

export interface Shelf {
  readonly partner: string;
  readonly sku: string;
  /** Pieces there less pieces owed: at the start, and now. */
  readonly opening: number;
  readonly now: number;
  /** Pieces that the partner was told have been added. */
  readonly added: number;
}

export interface StockUse {
  readonly itemId: string;
  readonly partner: string;
  readonly sku: string;
  readonly quantity: number;
}

/** What is wrong, one text each; nothing but `accepted` may be anything but empty or zero. */
export interface Findings {
  readonly accepted: number;
  readonly lost: readonly string[];
  readonly runTwice: readonly string[];
  readonly printOrdersMadeTwice: readonly string[];
  readonly labelsBoughtTwice: readonly string[];
  readonly stockDifferences: readonly string[];
  readonly stuck: readonly string[];
  /** Client, partner and carrier hold different things to be true. */
  readonly contradictions: readonly string[];
}

const WITH_CARRIER = new Set(['shipped', 'in_transit', 'delivered', 'returned']);

/** Compares all sides. */
export function audit(evidence: Evidence): Findings {
  const accepted = evidence.told.flatMap((told) =>
    told.orderId === null ? [] : [{ ...told, orderId: told.orderId }],
  );
  return {
    accepted: accepted.length,
    lost: lost(evidence, accepted),
    runTwice: runTwice(evidence),
    printOrdersMadeTwice: madeTwice(evidence),
    labelsBoughtTwice: labelsTwice(evidence),
    stockDifferences: stockDifferences(evidence),
    stuck: stuck(evidence, accepted),
    contradictions: contradictions(evidence, accepted),
  };
}

type Accepted = ToldOrder & { readonly orderId: string };

function countBy<T>(list: readonly T[], key: (entry: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const entry of list) counts.set(key(entry), (counts.get(key(entry)) ?? 0) + 1);
  return counts;
}

/** Accepted, and not in Postgres, not readable, or without a run. */
function lost({ orders, shown, runs }: Evidence, accepted: readonly Accepted[]): string[] {
  const stored = new Map(orders.map((order) => [order.id, order]));
  const running = new Set(runs.map(({ orderId }) => orderId));
  return accepted.flatMap(({ reference, orderId }) => {
    if (stored.get(orderId)?.reference !== reference)
      return [`${reference}: accepted as ${orderId}, not in Postgres`];
    if (shown.get(orderId)?.reference !== reference) return [`${reference}: its client cannot read it`];
    return running.has(orderId) ? [] : [`${reference}: has no run`];
  });
}

/** One reference as two orders, or one order as two runs. */
function runTwice({ orders, runs }: Evidence): string[] {
  const findings: string[] = [];
  for (const [reference, count] of countBy(orders, (order) => order.reference))
    if (count > 1) findings.push(`${reference}: ${count} orders`);
  for (const [orderId, count] of countBy(runs, (run) => run.orderId))
    if (count > 1) findings.push(`order ${orderId}: ${count} runs`);
  return findings;
}

/** What partners hold that they should make twice, or could not recognise as the same when it came again. */
function madeTwice({ printOrders, told }: Evidence): string[] {
  const findings = printOrders.flatMap(({ id, reference, contents, webhookIds }) => [
    ...(contents > 1 ? [`${reference}: print order ${id} came with ${contents} different contents`] : []),
    ...(webhookIds > 1 ? [`${reference}: print order ${id} came under ${webhookIds} message ids`] : []),
  ]);
  const lines = printOrders
    .filter(({ binding }) => binding)
    .flatMap(({ id, reference, lines }) => lines.map((line) => ({ id, what: `${reference}: ${line}` })));
  const reroutes = new Map(told.map((order) => [order.reference, order.reroutes]));
  for (const [what, count] of countBy(lines, (line) => line.what)) {
    // What the operator gave to another partner, and the first one had packed already, is made by both.
    if (count <= 1 + (reroutes.get(what.slice(0, what.indexOf(':'))) ?? 0)) continue;
    const ids = lines.filter((line) => line.what === what).map(({ id }) => id);
    findings.push(`${what} is in print orders ${ids.join(', ')}`);
  }
  return findings;
}

function labelsTwice({ shipments, purchases, printOrders, told }: Evidence): string[] {
  const findings: string[] = [];
  const bought = shipments.filter(({ status }) => status === 'bought');
  // A label that was given back and scanned all the same stands again, for its parcel to be followed; nobody pays it.
  const givenBack = new Set(
    purchases.filter(({ voided }) => voided).map(({ trackingNumber }) => trackingNumber),
  );
  const paid = bought.filter(({ trackingNumbers }) => !trackingNumbers.every((each) => givenBack.has(each)));
  for (const [printOrderId, count] of countBy(paid, (shipment) => shipment.printOrderId))
    if (count > 1) findings.push(`print order ${printOrderId}: ${count} shipments`);
  const used = new Set(bought.flatMap(({ trackingNumbers }) => trackingNumbers));
  for (const { trackingNumber, voided } of purchases)
    if (!voided && !used.has(trackingNumber))
      findings.push(`label ${trackingNumber}: paid for, and no shipment has it`);
  const changed = new Set(
    told.filter(({ wish }) => wish === 'change-address').map((order) => order.reference),
  );
  for (const { id, reference, trackingCodes } of printOrders) {
    const most = changed.has(reference) ? 2 : 1;
    if (trackingCodes.length > most)
      findings.push(`${reference}: print order ${id} was given ${trackingCodes.length} tracking codes`);
  }
  return findings;
}

function stockDifferences({ stock, orders }: Evidence): string[] {
  const findings = [...stock.unexplained];
  for (const { partner, sku, opening, now, added } of stock.shelves) {
    const used = stock.used
      .filter((use) => use.partner === partner && use.sku === sku)
      .reduce((sum, { quantity }) => sum + quantity, 0);
    if (now !== opening + added - used)
      findings.push(`${partner} ${sku}: ${opening} and ${added} added less ${used} used is not ${now}`);
  }
  for (const { reference, items } of orders) {
    for (const { id, status, needs } of items) {
      if (!WITH_CARRIER.has(status)) continue;
      for (const [sku, wanted] of Object.entries(needs)) {
        const used = stock.used
          .filter((use) => use.itemId === id && use.sku === sku)
          .reduce((sum, { quantity }) => sum + quantity, 0);
        if (used !== wanted) findings.push(`${reference}: shipped, took ${used} of ${wanted} ${sku}`);
      }
    }
  }
  return findings;
}

/** Whether an order is where it was to come to. */
function hasEnded({ end, wish }: ToldOrder, { status, items }: StoredOrder): boolean {
  if (wish === 'cancel' && status === 'canceled') return true;
  // Of an order split over two partners one may let go of its part, and the other have packed already.
  const counted = wish === 'cancel' ? items.filter((item) => item.status !== 'cancelled') : items;
  // A partner that ships with the label it had before the change ships with one that nobody tracks any more.
  if (end === 'shipped' || (end === 'delivered' && wish === 'change-address'))
    return counted.every((item) => WITH_CARRIER.has(item.status));
  if (end === 'delivered') return counted.every((item) => item.status === 'delivered');
  return items.every((item) => item.status === 'delivered' || item.status === 'cancelled');
}

/** Orders that the evidence of Postgres alone calls unfinished: what a fault run waits for. */
export function unfinished(told: readonly ToldOrder[], orders: readonly StoredOrder[]): ToldOrder[] {
  const stored = new Map(orders.map((order) => [order.id, order]));
  return told.filter((order) => {
    const found = order.orderId === null ? undefined : stored.get(order.orderId);
    return found === undefined || !hasEnded(order, found);
  });
}

const FAILED_RUNS = new Set(['FAILED', 'TERMINATED', 'TIMED_OUT', 'CANCELLED']);

function stuck(evidence: Evidence, accepted: readonly Accepted[]): string[] {
  const stored = new Map(evidence.orders.map((order) => [order.id, order]));
  const findings = unfinished(accepted, evidence.orders).map(({ reference, orderId, end }) => {
    const order = stored.get(orderId!);
    return `${reference}: ${order?.status ?? 'absent'} (${order?.attention ?? 'no attention'}), not ${end}`;
  });
  for (const { reference, orderId, odd } of evidence.told)
    if (orderId === null) findings.push(`${reference}: never accepted${odd === null ? '' : `: ${odd}`}`);
  for (const { orderId, status } of evidence.runs)
    if (FAILED_RUNS.has(status)) findings.push(`order ${orderId}: its run is ${status}`);
  if (evidence.unhandledPostbacks > 0)
    findings.push(`${evidence.unhandledPostbacks} postbacks were never handled`);
  return [...findings, ...evidence.unsent.map((message) => `never sent: ${message}`)];
}

function contradictions(evidence: Evidence, accepted: readonly Accepted[]): string[] {
  const findings = evidence.told.flatMap(({ reference, orderId, odd }) =>
    orderId !== null && odd !== null ? [`${reference}: ${odd}`] : [],
  );
  const known = new Set(evidence.told.map(({ reference }) => reference));
  for (const { id, reference } of evidence.printOrders)
    if (!known.has(reference)) findings.push(`print order ${id} is for ${reference}, which nobody ordered`);
  const seen = new Map<string, SeenPrintOrder[]>();
  for (const printOrder of evidence.printOrders)
    seen.set(printOrder.reference, [...(seen.get(printOrder.reference) ?? []), printOrder]);
  for (const { reference, orderId } of accepted) {
    const status = evidence.shown.get(orderId)?.status;
    const theirs = seen.get(reference) ?? [];
    if (status === 'canceled' && theirs.some(({ shipped }) => shipped))
      findings.push(`${reference}: canceled for its client, shipped by its partner`);
    if (status !== undefined && WITH_CARRIER.has(status) && !theirs.some(({ shipped }) => shipped))
      findings.push(`${reference}: ${status} for its client, and no partner shipped it`);
  }
  const labels = new Set(evidence.shipments.flatMap(({ trackingNumbers }) => trackingNumbers));
  for (const parcel of evidence.parcels)
    if (!labels.has(parcel)) findings.push(`parcel ${parcel} has a label that nobody bought`);
  return findings;
}

/** Whether everything but the number of accepted orders is nothing. */
export function isClean({ accepted: _accepted, ...findings }: Findings): boolean {
  return Object.values(findings).every((list) => list.length === 0);
}
