import Decimal from 'decimal.js';
import { convertAmount, minorDigits, type RateTable, toMinor } from '../../platform/domain/money';

/** The statuses of a procurement order, in sequence (docs/procurement.md). */
export const PROCUREMENT_STATUSES = [
  'supplier',
  'confirmed',
  'in-transit',
  'delivered',
  'verified',
  'invoiced',
] as const;

export type ProcurementStatus = (typeof PROCUREMENT_STATUSES)[number];

interface StatusRule {
  /** The statuses to which an operator can move the order. */
  readonly next: readonly ProcurementStatus[];
  /** True when goods can be received. */
  readonly receives: boolean;
  /** True when invoices can be attached. */
  readonly invoices: boolean;
  /** Days in this status after which the order needs attention. Null: never. */
  readonly attentionAfterDays: number | null;
}

/** The transition table of procurement orders. A supplier may ship without a confirmation: `supplier` to `in-transit`. */
export const PROCUREMENT_RULES: Readonly<Record<ProcurementStatus, StatusRule>> = {
  supplier: { next: ['confirmed', 'in-transit'], receives: false, invoices: false, attentionAfterDays: 3 },
  confirmed: { next: ['in-transit'], receives: false, invoices: true, attentionAfterDays: 14 },
  'in-transit': { next: ['delivered'], receives: true, invoices: true, attentionAfterDays: 30 },
  delivered: { next: ['verified'], receives: true, invoices: true, attentionAfterDays: 5 },
  verified: { next: ['invoiced'], receives: false, invoices: true, attentionAfterDays: 60 },
  invoiced: { next: [], receives: false, invoices: false, attentionAfterDays: null },
};

export interface ProcurementLine {
  readonly partnerSku: string;
  readonly quantity: number;
  readonly quantityReceived: number;
}

export interface ProcurementProgress {
  readonly status: ProcurementStatus;
  readonly lines: readonly ProcurementLine[];
  readonly invoices: number;
}

type ReceivedLine = Pick<ProcurementLine, 'partnerSku' | 'quantity'>;

/** The progress after a step, or why it is refused: a sentence for the operator with statuses, SKUs and quantities. */
type StepResult =
  | { readonly ok: true; readonly progress: ProcurementProgress }
  | { readonly ok: false; readonly reason: string };

const refused = (reason: string): StepResult => ({ ok: false, reason });

/** Returns the pieces of a line that are not yet received. */
export function outstanding(line: ProcurementLine): number {
  return line.quantity - line.quantityReceived;
}

/** Moves an order along the transition table, or keeps its status. `invoiced` requires an invoice. */
export function moveTo(progress: ProcurementProgress, status: ProcurementStatus): StepResult {
  if (status === progress.status) return { ok: true, progress };
  const { next } = PROCUREMENT_RULES[progress.status];
  if (!next.includes(status)) {
    const allowed = next.length === 0 ? 'it is final' : `only to ${next.join(' or ')}`;
    return refused(`An order in status ${progress.status} cannot move to ${status}: ${allowed}.`);
  }
  if (status === 'invoiced' && progress.invoices === 0) {
    return refused('An order without an invoice cannot move to invoiced.');
  }
  return { ok: true, progress: { ...progress, status } };
}

/** Receives goods, partially or completely. The last outstanding piece moves the order to `delivered`. */
export function receive(progress: ProcurementProgress, received: readonly ReceivedLine[]): StepResult {
  if (!PROCUREMENT_RULES[progress.status].receives) {
    return refused(`An order in status ${progress.status} does not accept receipts.`);
  }
  const bySku = new Map<string, number>();
  for (const { partnerSku, quantity } of received) {
    bySku.set(partnerSku, (bySku.get(partnerSku) ?? 0) + quantity);
  }
  for (const [partnerSku, quantity] of bySku) {
    const line = progress.lines.find((candidate) => candidate.partnerSku === partnerSku);
    if (line === undefined) return refused(`${partnerSku} is not on this order.`);
    if (quantity > outstanding(line)) {
      return refused(
        `${quantity} of ${partnerSku} exceed the ${outstanding(line)} outstanding. Use adjust-stock to add a surplus.`,
      );
    }
  }
  const lines = progress.lines.map((line) => ({
    ...line,
    quantityReceived: line.quantityReceived + (bySku.get(line.partnerSku) ?? 0),
  }));
  const complete = lines.every((line) => outstanding(line) === 0);
  return { ok: true, progress: { ...progress, lines, status: complete ? 'delivered' : progress.status } };
}

/** Attaches an invoice. Possible after the supplier has confirmed. */
export function attachInvoice(progress: ProcurementProgress): StepResult {
  if (!PROCUREMENT_RULES[progress.status].invoices) {
    return refused(`An order in status ${progress.status} does not accept invoices.`);
  }
  return { ok: true, progress: { ...progress, invoices: progress.invoices + 1 } };
}

/** A step of a procurement order. `actor` is the name of the account that requested it. */
export type ProcurementStep =
  | {
      readonly type: 'move';
      readonly actor: string;
      readonly status: ProcurementStatus;
      readonly reason?: string | undefined;
      /** The purchase order number of the partner. */
      readonly partnerPoNumber?: string | undefined;
      /** In the order's currency, integer minor units. */
      readonly shippingCostMinor?: number;
    }
  | {
      readonly type: 'receipt';
      readonly actor: string;
      /** Identifies the delivery. A receipt with the same id is counted once. */
      readonly receiptId: string;
      readonly items: readonly ReceivedLine[];
    }
  | {
      readonly type: 'invoice';
      readonly actor: string;
      /** An invoice with the same URL is attached once. */
      readonly url: string;
      readonly originalFilename: string;
      readonly referenceId: string | null;
      /** YYYY-MM-DD. */
      readonly dueDate: string | null;
    };

/** The outcome of a step. `repeated` is true when the step had already been applied and changed nothing. */
export type StepOutcome =
  | { readonly ok: true; readonly status: ProcurementStatus; readonly repeated: boolean }
  | { readonly ok: false; readonly reason: string };

/** Decimals of a unit cost in its currency. Cheap parts cost fractions of a cent. */
const UNIT_COST_DECIMALS = 6;

/** Returns a unit cost in minor units, which may have a fraction: 0.004 EUR is 0.4. Rounds to UNIT_COST_DECIMALS. */
export function unitCostMinor(unitCost: number, currency: string): number {
  return new Decimal(unitCost)
    .toDecimalPlaces(UNIT_COST_DECIMALS, Decimal.ROUND_HALF_UP)
    .times(Decimal.pow(10, minorDigits(currency)))
    .toNumber();
}

/**
 * Returns a unit cost in another currency, rounded to UNIT_COST_DECIMALS.
 * @param minor minor units of `from`, which may have a fraction
 */
export function unitCostIn(minor: number, from: string, to: string, rates: RateTable): number {
  const amount = new Decimal(minor).div(Decimal.pow(10, minorDigits(from)));
  return convertAmount(amount, from, to, rates).toDecimalPlaces(UNIT_COST_DECIMALS, Decimal.ROUND_HALF_UP).toNumber();
}

/** Returns the sum of lines at their unit costs, in minor units of the currency, rounded half away from zero. */
export function linesTotalMinor(
  lines: readonly { readonly quantity: number; readonly unitCost: number }[],
  currency: string,
): number {
  const total = lines.reduce(
    (sum, { quantity, unitCost }) => sum.plus(new Decimal(unitCost).times(quantity)),
    new Decimal(0),
  );
  return toMinor(total.toString(), currency);
}
