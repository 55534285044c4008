/** Statuses of a procurement order, in their order (interface "State sets"). */
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
  /** Where an operator or supplier may move it. */
  readonly next: readonly ProcurementStatus[];
  /** Whether goods may be received. */
  readonly receives: boolean;
  /** Whether invoices may be attached. */
  readonly invoices: boolean;
  /** Days after which an order that still stands here asks for attention; null: never. */
  readonly patienceDays: number | null;
}

/** How a procurement order moves. Suppliers that ship without a word go from `supplier` straight to `in-transit`. */
export const PROCUREMENT_RULES: Readonly<Record<ProcurementStatus, StatusRule>> = {
  supplier: { next: ['confirmed', 'in-transit'], receives: false, invoices: false, patienceDays: 3 },
  confirmed: { next: ['in-transit'], receives: false, invoices: true, patienceDays: 14 },
  'in-transit': { next: ['delivered'], receives: true, invoices: true, patienceDays: 30 },
  delivered: { next: ['verified'], receives: true, invoices: true, patienceDays: 5 },
  verified: { next: ['invoiced'], receives: false, invoices: true, patienceDays: 60 },
  invoiced: { next: [], receives: false, invoices: false, patienceDays: null },
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

export interface ReceivedLine {
  readonly partnerSku: string;
  readonly quantity: number;
}

/** Why a step is not taken: a sentence for the operator, naming statuses, skus and quantities. */
export interface StepRefused {
  readonly ok: false;
  readonly reason: string;
}
export interface StepTaken {
  readonly ok: true;
  readonly progress: ProcurementProgress;
}

const refused = (reason: string): StepRefused => ({ ok: false, reason });

/** Pieces of a line that are still on their way. */
export function outstanding(line: ProcurementLine): number {
  return line.quantity - line.quantityReceived;
}

/** Moves an order to another status by the table; `invoiced` wants an invoice to show. */
export function moveTo(progress: ProcurementProgress, status: ProcurementStatus): StepTaken | StepRefused {
  const { next } = PROCUREMENT_RULES[progress.status];
  if (!next.includes(status)) {
    const ways = next.length === 0 ? 'it is finished' : `only to ${next.join(' or ')}`;
    return refused(`An order in status ${progress.status} cannot move to ${status}: ${ways}.`);
  }
  if (status === 'invoiced' && progress.invoices === 0) {
    return refused('An order without an invoice cannot move to invoiced.');
  }
  return { ok: true, progress: { ...progress, status } };
}

/** Counts goods in, in parts if need be; the last outstanding piece makes the order `delivered`. */
export function receive(
  progress: ProcurementProgress,
  received: readonly ReceivedLine[],
): StepTaken | StepRefused {
  if (!PROCUREMENT_RULES[progress.status].receives) {
    return refused(`An order in status ${progress.status} takes no receipts.`);
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
        `${quantity} of ${partnerSku} are more than the ${outstanding(line)} outstanding; book a surplus by adjust-stock.`,
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

/** Attaches an invoice, from the supplier's confirmation on. */
export function attachInvoice(progress: ProcurementProgress): StepTaken | StepRefused {
  if (!PROCUREMENT_RULES[progress.status].invoices) {
    return refused(`An order in status ${progress.status} takes no invoices.`);
  }
  return { ok: true, progress: { ...progress, invoices: progress.invoices + 1 } };
}

/** What operators and suppliers tell a procurement order; `actor` is the account that did. */
export type ProcurementStep =
  | {
      readonly type: 'move';
      readonly actor: string;
      readonly status: ProcurementStatus;
      readonly reason?: string;
      /** The partner's own number of the purchase, once it has one. */
      readonly partnerPoNumber?: string;
      /** In the order's currency, integer minor units. */
      readonly shippingCostMinor?: number;
    }
  | {
      readonly type: 'receipt';
      readonly actor: string;
      /** Names the delivery: a receipt of the same id is counted once. */
      readonly receiptId: string;
      readonly items: readonly ReceivedLine[];
    }
  | {
      readonly type: 'invoice';
      readonly actor: string;
      /** An invoice of the same address is attached once. */
      readonly url: string;
      readonly originalFilename: string;
      readonly referenceId: string | null;
      /** YYYY-MM-DD. */
      readonly dueDate: string | null;
    };

/** What became of a step; `repeated`: it had been taken before and changed nothing now. */
export type StepOutcome =
  | { readonly ok: true; readonly status: ProcurementStatus; readonly repeated: boolean }
  | { readonly ok: false; readonly reason: string };
