import type { FollowUp, OrderEnd } from './orders';

/** The records of every side after the faults, each read from that side alone. */
export interface Evidence {
  /** Orders as the clients know them. */
  readonly submitted: readonly SubmittedOrder[];
  /** Orders in Postgres. */
  readonly orders: readonly StoredOrder[];
  /** Orders as the API returns them to their client, by id. */
  readonly shown: ReadonlyMap<string, { readonly reference: string; readonly status: string }>;
  /** Order workflows in Temporal. A workflow that continued as new counts once. */
  readonly runs: readonly { readonly orderId: string; readonly status: string }[];
  /** Print orders as partners received them. */
  readonly printOrders: readonly SeenPrintOrder[];
  /** Tracking numbers of the parcels that carriers received. */
  readonly parcels: readonly string[];
  /** Shipments in Postgres. */
  readonly shipments: readonly StoredShipment[];
  /** Purchases in the records of the built-in carriers. */
  readonly purchases: readonly { readonly trackingNumber: string; readonly voided: boolean }[];
  readonly stock: {
    /** Stock levels that differ from their ledger. */
    readonly unexplained: readonly string[];
    readonly balances: readonly StockBalance[];
    /** Units used for order items, by item id and SKU. */
    readonly used: readonly StockUse[];
  };
  /** The latest revision of each order of a channel, by the reference of every order that was in a file. */
  readonly channelOrders: readonly {
    readonly reference: string;
    readonly state: string | null;
    readonly reasons: string;
  }[];
  /** Outbox messages that were never delivered. */
  readonly unsent: readonly string[];
  readonly unhandledPostbacks: number;
  /** API processes that are not ready, each with the reason. */
  readonly notReady: readonly string[];
  /** Processes that ended without an injected fault, each with the reason. */
  readonly unexpectedExits: readonly string[];
  /** Order runs whose history cannot be replayed, each with the reason. */
  readonly unreplayable: readonly string[];
  /** Requests that were answered with a 5xx that is no 503 with `Retry-After`, and deadlocks in the log of Postgres. */
  readonly internalErrors: readonly string[];
  /** Receipts that differ from what is made. */
  readonly money: readonly string[];
}

export interface SubmittedOrder {
  readonly reference: string;
  /** Null when the order was never accepted. */
  readonly orderId: string | null;
  readonly end: OrderEnd;
  readonly followUp: FollowUp;
  /** Number of times the operator rerouted an item. */
  readonly reroutes: number;
  /** A response that the client did not expect. */
  readonly unexpected: string | null;
}

export interface StoredOrder {
  readonly id: string;
  readonly reference: string;
  readonly status: string;
  readonly attention: string | null;
  readonly items: readonly {
    readonly id: string;
    readonly status: string;
    /** Units of stock that the item needs, by SKU. */
    readonly needs: Readonly<Record<string, number>>;
  }[];
}

export interface SeenPrintOrder {
  readonly id: string;
  readonly partner: string;
  /** The client's reference, which the delivery address contains. */
  readonly reference: string;
  /** One text for each line. An order contains each product at most once. */
  readonly lines: readonly string[];
  readonly contents: number;
  readonly webhookIds: number;
  /** True when the partner has accepted the print order and no cancellation released it. */
  readonly binding: boolean;
  readonly shipped: boolean;
  readonly trackingCodes: readonly string[];
}

export interface StoredShipment {
  readonly id: string;
  readonly printOrderId: string;
  readonly status: string;
  readonly trackingNumbers: readonly string[];
  /** Numbers of the packages that were not left out. */
  readonly inUse: readonly string[];
}

export interface StockBalance {
  readonly partner: string;
  readonly sku: string;
  /** Units on the shelf minus units owed: at the start and now. */
  readonly opening: number;
  readonly now: number;
  /** Units that Pressline confirmed as added. */
  readonly added: number;
}

export interface StockUse {
  readonly itemId: string;
  readonly partner: string;
  readonly sku: string;
  readonly quantity: number;
}

/** The findings, one text each. Every list must be empty. */
export interface Findings {
  readonly accepted: number;
  readonly lost: readonly string[];
  readonly runTwice: readonly string[];
  /** Orders of files that became none or several, or whose latest revision is not submitted. */
  readonly channelOrdersLostOrTwice: readonly string[];
  readonly printOrdersMadeTwice: readonly string[];
  readonly labelsBoughtTwice: readonly string[];
  readonly stockDifferences: readonly string[];
  readonly stuck: readonly string[];
  /** Orders that stand still without an attention reason. */
  readonly neitherEndedNorFlagged: readonly string[];
  /** Records of client, partner and carrier that contradict each other. */
  readonly contradictions: readonly string[];
  /** Processes that ended by themselves, each with the reason. */
  readonly endedByThemselves: readonly string[];
  /** Order runs that would be stuck after a restart of their worker, each with the reason. */
  readonly notReplayable: readonly string[];
  readonly internalErrors: readonly string[];
  readonly money: readonly string[];
}

const WITH_CARRIER = new Set(['shipped', 'in_transit', 'delivered', 'returned']);

/** Compares the records of all sides and returns the findings. */
export function audit(evidence: Evidence): Findings {
  const accepted = evidence.submitted.flatMap((order) =>
    order.orderId === null ? [] : [{ ...order, orderId: order.orderId }],
  );
  return {
    accepted: accepted.length,
    lost: lost(evidence, accepted),
    runTwice: runTwice(evidence),
    channelOrdersLostOrTwice: channelOrders(evidence),
    printOrdersMadeTwice: printOrdersMadeTwice(evidence),
    labelsBoughtTwice: labelsTwice(evidence),
    stockDifferences: stockDifferences(evidence),
    stuck: stuck(evidence, accepted),
    neitherEndedNorFlagged: neitherEndedNorFlagged(evidence, accepted),
    contradictions: contradictions(evidence, accepted),
    endedByThemselves: evidence.unexpectedExits,
    notReplayable: evidence.unreplayable,
    internalErrors: evidence.internalErrors,
    money: evidence.money,
  };
}

type Accepted = SubmittedOrder & { readonly orderId: string };

function countBy<T>(list: readonly T[], key: (entry: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const entry of list) counts.set(key(entry), (counts.get(key(entry)) ?? 0) + 1);
  return counts;
}

/** Returns accepted orders that are not in Postgres, that their client cannot read, or that have no workflow. */
function lost({ orders, shown, runs }: Evidence, accepted: readonly Accepted[]): string[] {
  const stored = new Map(orders.map((order) => [order.id, order]));
  const running = new Set(runs.map(({ orderId }) => orderId));
  return accepted.flatMap(({ reference, orderId }) => {
    if (stored.get(orderId)?.reference !== reference) return [`${reference}: accepted as ${orderId}, not in Postgres`];
    if (shown.get(orderId)?.reference !== reference) return [`${reference}: its client cannot read it`];
    return running.has(orderId) ? [] : [`${reference}: has no workflow`];
  });
}

/** Returns references with several orders, and orders with several workflows. */
function runTwice({ orders, runs }: Evidence): string[] {
  const findings: string[] = [];
  for (const [reference, count] of countBy(orders, (order) => order.reference))
    if (count > 1) findings.push(`${reference}: ${count} orders`);
  for (const [orderId, count] of countBy(runs, (run) => run.orderId))
    if (count > 1) findings.push(`order ${orderId}: ${count} workflows`);
  return findings;
}

function channelOrders({ channelOrders: latest, orders }: Evidence): string[] {
  const made = countBy(orders, ({ reference }) => reference);
  return latest.flatMap(({ reference, state, reasons }) => [
    ...(made.get(reference) === 1 ? [] : [`${reference}: ${made.get(reference) ?? 0} orders`]),
    ...(state === 'submitted' ? [] : [`${reference}: its latest revision is ${state ?? 'not stored'} ${reasons}`]),
  ]);
}

/** Returns items that partners produce twice, and print orders that partners cannot recognise as a redelivery. */
function printOrdersMadeTwice({ printOrders, submitted }: Evidence): string[] {
  const findings = printOrders.flatMap(({ id, reference, contents, webhookIds }) => [
    ...(contents > 1 ? [`${reference}: print order ${id} came with ${contents} different contents`] : []),
    ...(webhookIds > 1 ? [`${reference}: print order ${id} came under ${webhookIds} message ids`] : []),
  ]);
  const lines = printOrders
    .filter(({ binding }) => binding)
    .flatMap(({ id, reference, lines }) => lines.map((line) => ({ id, what: `${reference}: ${line}` })));
  const reroutes = new Map(submitted.map((order) => [order.reference, order.reroutes]));
  for (const [what, count] of countBy(lines, (line) => line.what)) {
    // A rerouted item that the first partner had already packed is produced by both.
    if (count <= 1 + (reroutes.get(what.slice(0, what.indexOf(':'))) ?? 0)) continue;
    const ids = lines.filter((line) => line.what === what).map(({ id }) => id);
    findings.push(`${what} is in print orders ${ids.join(', ')}`);
  }
  return findings;
}

function labelsTwice({ shipments, purchases, printOrders, submitted, orders }: Evidence): string[] {
  const findings = orders
    .filter(({ attention }) => attention?.includes('label_without_parcel'))
    .map(({ reference }) => `${reference}: label_without_parcel`);
  const bought = shipments.filter(({ status }) => status === 'bought');
  // A voided label that a carrier scans is valid again, so that its parcel is tracked. Nobody pays for it.
  const voidedNumbers = new Set(purchases.filter(({ voided }) => voided).map(({ trackingNumber }) => trackingNumber));
  const paid = bought.filter(({ trackingNumbers }) => !trackingNumbers.every((each) => voidedNumbers.has(each)));
  const partly = new Set(submitted.filter(({ end }) => end === 'any').map(({ reference }) => reference));
  // Parts that leave one after another have shipments of their own.
  const inParts = new Set(printOrders.filter(({ reference }) => partly.has(reference)).map(({ id }) => id));
  for (const [printOrderId, count] of countBy(paid, (shipment) => shipment.printOrderId))
    if (count > 1 && !inParts.has(printOrderId)) findings.push(`print order ${printOrderId}: ${count} shipments`);
  const used = new Set(bought.flatMap(({ inUse }) => inUse));
  for (const { trackingNumber, voided } of purchases)
    if (!voided && !used.has(trackingNumber)) findings.push(`label ${trackingNumber}: paid for, but no parcel has it`);
  const changed = new Set(
    submitted.filter(({ followUp }) => followUp === 'change-address').map((order) => order.reference),
  );
  for (const { id, reference, trackingCodes } of printOrders) {
    const most = changed.has(reference) ? 2 : 1;
    if (trackingCodes.length > most)
      findings.push(`${reference}: print order ${id} was given ${trackingCodes.length} tracking codes`);
  }
  return findings;
}

function stockDifferences({ stock, orders, submitted }: Evidence): string[] {
  const findings = [...stock.unexplained];
  for (const { partner, sku, opening, now, added } of stock.balances) {
    const used = stock.used
      .filter((use) => use.partner === partner && use.sku === sku)
      .reduce((sum, { quantity }) => sum + quantity, 0);
    if (now !== opening + added - used)
      findings.push(`${partner} ${sku}: ${opening} and ${added} added less ${used} used is not ${now}`);
  }
  // Units that are cancelled after printing have used stock, and those of a reroute use it at both partners.
  const byChance = new Map(
    submitted.filter(({ end }) => end === 'any').map((order) => [order.reference, order.reroutes]),
  );
  for (const { reference, items } of orders) {
    const reroutes = byChance.get(reference);
    for (const { id, status, needs } of items) {
      if (!WITH_CARRIER.has(status)) continue;
      for (const [sku, wanted] of Object.entries(needs)) {
        const used = stock.used
          .filter((use) => use.itemId === id && use.sku === sku)
          .reduce((sum, { quantity }) => sum + quantity, 0);
        if (reroutes === undefined ? used !== wanted : used > wanted * (1 + reroutes))
          findings.push(`${reference}: shipped, took ${used} of ${wanted} ${sku}`);
      }
    }
  }
  return findings;
}

/** Returns true when an order has reached its expected end. */
function hasEnded({ end, followUp }: SubmittedOrder, { status, items, attention }: StoredOrder): boolean {
  if (followUp === 'cancel' && status === 'canceled') return true;
  if (end === 'any')
    return (
      Boolean(attention) ||
      status === 'failed' ||
      items.every((item) => WITH_CARRIER.has(item.status) || item.status === 'cancelled')
    );
  // In an order with two partners, one may accept the cancellation while the other has already packed its part.
  const counted = followUp === 'cancel' ? items.filter((item) => item.status !== 'cancelled') : items;
  // A partner that ships with the label from before the change uses a label that is no longer tracked.
  if (end === 'shipped' || (end === 'delivered' && followUp === 'change-address'))
    return counted.every((item) => WITH_CARRIER.has(item.status));
  if (end === 'delivered') return counted.every((item) => item.status === 'delivered');
  return items.every((item) => item.status === 'delivered' || item.status === 'cancelled');
}

/** Returns the orders that are unfinished according to Postgres. A fault run waits for them. */
export function unfinished(submitted: readonly SubmittedOrder[], orders: readonly StoredOrder[]): SubmittedOrder[] {
  const stored = new Map(orders.map((order) => [order.id, order]));
  return submitted.filter((order) => {
    const found = order.orderId === null ? undefined : stored.get(order.orderId);
    return found === undefined || !hasEnded(order, found);
  });
}

const FAILED_RUNS = new Set(['FAILED', 'TERMINATED', 'TIMED_OUT', 'CANCELLED']);

function stuck(evidence: Evidence, accepted: readonly Accepted[]): string[] {
  const stored = new Map(evidence.orders.map((order) => [order.id, order]));
  const findings = unfinished(accepted, evidence.orders).map(({ reference, orderId, end }) => {
    const order = stored.get(orderId!);
    return `${reference}: ${order?.status ?? 'absent'} (${order?.attention || 'no attention'}), not ${end}`;
  });
  for (const { reference, orderId, unexpected } of evidence.submitted)
    if (orderId === null) findings.push(`${reference}: never accepted${unexpected === null ? '' : `: ${unexpected}`}`);
  for (const { orderId, status } of evidence.runs)
    if (FAILED_RUNS.has(status)) findings.push(`order ${orderId}: its workflow is ${status}`);
  if (evidence.unhandledPostbacks > 0) findings.push(`${evidence.unhandledPostbacks} postbacks were never handled`);
  for (const reason of evidence.notReady) findings.push(`not ready: ${reason}`);
  return [...findings, ...evidence.unsent.map((message) => `never sent: ${message}`)];
}

function neitherEndedNorFlagged({ orders }: Evidence, accepted: readonly Accepted[]): string[] {
  const unflagged = new Map(orders.flatMap((order) => (order.attention ? [] : [[order.id, order]])));
  return unfinished(accepted, orders).flatMap(({ reference, orderId }) => {
    const order = unflagged.get(orderId!);
    return order === undefined ? [] : [`${reference}: ${order.status}`];
  });
}

function contradictions(evidence: Evidence, accepted: readonly Accepted[]): string[] {
  const findings = evidence.submitted.flatMap(({ reference, orderId, unexpected }) =>
    orderId !== null && unexpected !== null ? [`${reference}: ${unexpected}`] : [],
  );
  const known = new Set(evidence.submitted.map(({ reference }) => reference));
  for (const { id, reference } of evidence.printOrders)
    if (!known.has(reference)) findings.push(`print order ${id} is for ${reference}, which no client submitted`);
  const seen = new Map<string, SeenPrintOrder[]>();
  for (const printOrder of evidence.printOrders)
    seen.set(printOrder.reference, [...(seen.get(printOrder.reference) ?? []), printOrder]);
  const stored = new Map(evidence.orders.map((order) => [order.id, order]));
  for (const { reference, orderId, end } of accepted) {
    const status = evidence.shown.get(orderId)?.status;
    const theirs = seen.get(reference) ?? [];
    const order = stored.get(orderId);
    if (order === undefined || status === undefined) continue;
    if (order.status !== status) findings.push(`${reference}: ${status} for its client, stored as ${order.status}`);
    if (status === 'canceled' && order.items.some((item) => item.status !== 'cancelled'))
      findings.push(`${reference}: canceled, with an item that is not`);
    // By chance a partner reports parcels of units that it has cancelled; an operator then decides to cancel them.
    if (status === 'canceled' && end !== 'any' && theirs.some(({ shipped }) => shipped))
      findings.push(`${reference}: canceled for its client, shipped by its partner`);
    if (WITH_CARRIER.has(status) && !theirs.some(({ shipped }) => shipped))
      findings.push(`${reference}: ${status} for its client, but no partner shipped it`);
  }
  const labels = new Set(evidence.shipments.flatMap(({ trackingNumbers }) => trackingNumbers));
  for (const parcel of evidence.parcels)
    if (!labels.has(parcel)) findings.push(`parcel ${parcel} has a label that no shipment has`);
  return findings;
}

/** Returns true when there are no findings. */
export function isClean({ accepted: _accepted, ...findings }: Findings): boolean {
  return Object.values(findings).every((list) => list.length === 0);
}
