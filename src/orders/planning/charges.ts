import {
  buildReceipt,
  type Receipt,
  type ReceiptInput,
  type ReceiptLine,
  type ReceiptTax,
  refundReceipt,
} from '../domain/receipt';
import { shippingRate } from '../domain/vat';

export type ReceiptType = 'invoice' | 'refund';

export interface StoredReceipt {
  /** Decimal string. */
  readonly number: string;
  readonly type: ReceiptType;
  /** The print order that it charges or refunds. Null: the one whose invoice has its items. */
  readonly printOrderId: string | null;
  readonly body: Receipt;
  readonly createdAt: Date;
  /** True for an invoice over a refund that does not count. */
  readonly takesBack?: boolean;
}

/** What a print order has been charged: its latest complete invoice, and the receipts that changed it afterwards. */
export interface Charges {
  readonly printOrderId: string;
  readonly invoice: StoredReceipt;
  /** Refunds of units, invoices over such refunds, and invoices and refunds of differences in the shipping price. */
  readonly later: readonly StoredReceipt[];
}

export interface ShipmentCharge {
  readonly referenceId: string;
  readonly title: string;
  readonly vatRate: string;
  readonly priceMinor: number;
}

/**
 * Groups the receipts of an order. An invoice with products replaces the charges of its print order that were refunded before it:
 * units that had left before a change of address keep theirs. Every other receipt changes the charges with its products.
 * @param receipts in the order of their numbers
 */
export function chargesOf(receipts: readonly StoredReceipt[]): Charges[] {
  const charges: Charges[] = [];
  for (const receipt of receipts) {
    const { printOrderId, body, takesBack = false } = receipt;
    const isOwn = (each: Charges) => each.printOrderId === printOrderId;
    if (printOrderId !== null && receipt.type === 'invoice' && !takesBack && products(body).length > 0) {
      const invoiced = { printOrderId, invoice: receipt, later: [] };
      const refunded = charges.findIndex((each) => isOwn(each) && openLines(each).every(({ amount }) => amount === 0));
      charges.splice(refunded === -1 ? charges.length : refunded, refunded === -1 ? 0 : 1, invoiced);
      continue;
    }
    const index =
      printOrderId === null
        ? charges.findIndex(({ invoice }) => sharesProduct(invoice.body, body))
        : charges.findLastIndex(
            (each) => isOwn(each) && (products(body).length === 0 || takesBack || hasOpen(each, body)),
          );
    const changed = charges[index];
    if (changed !== undefined) charges[index] = { ...changed, later: [...changed.later, receipt] };
  }
  return charges;
}

function hasOpen(charges: Charges, refund: Receipt): boolean {
  const refunded = products(refund).map(({ referenceId }) => referenceId);
  return openLines(charges).some(({ line, amount }) => amount > 0 && refunded.includes(line.referenceId));
}

function sharesProduct(invoice: Receipt, refund: Receipt): boolean {
  const references = new Set(products(invoice).map(({ referenceId }) => referenceId));
  return products(refund).some(({ referenceId }) => references.has(referenceId));
}

const products = ({ lines }: Receipt) => lines.filter(({ type }) => type === 'product');

/** Returns the product lines of the invoice with the units that are not refunded, and their price and VAT in minor units. */
export function openLines({ invoice, later }: Charges) {
  const changes = later.flatMap(({ type, body }) =>
    products(body).map((each) => ({ ...each, amount: type === 'refund' ? each.amount : -each.amount })),
  );
  return products(invoice.body).map((line) => {
    const of = changes.filter(({ referenceId }) => referenceId === line.referenceId);
    return {
      line,
      amount: of.reduce((left, { amount }) => left - amount, line.amount),
      price: of.reduce((sum, { price }) => sum + price, line.price),
      vat: of.reduce((sum, { vat }) => sum + vat, line.vat),
    };
  });
}

/** Returns the shipping price in minor units, over the invoice and the receipts that changed it. */
export function shippingCharge({ invoice, later }: Charges) {
  const lines = [invoice, ...later].flatMap(({ body }) => body.lines.filter(({ type }) => type === 'shipment'));
  const last = lines.at(-1);
  return {
    title: last?.title ?? '',
    referenceId: last?.referenceId ?? '',
    price: lines.reduce((sum, { price }) => sum + price, 0),
    vat: lines.reduce((sum, { vat }) => sum + vat, 0),
    vatRate: last?.vatRate ?? '0',
  };
}

export interface ReceiptChange {
  readonly printOrderId: string;
  readonly type: ReceiptType;
  readonly receipt: Receipt;
}

/**
 * Returns the refunds of units of items: their share of the invoice lines, and the shipping price when no units of the
 * invoice are left. Units that were refunded earlier are not refunded again. The last charges come first, as in `chargesOf`.
 * @param wanted units by item reference
 * @param shippingMinor the part of the shipping price that is refunded when units are left
 */
export function refundUnits(
  charges: readonly Charges[],
  wanted: ReadonlyMap<string, number>,
  shippingMinor = 0,
): ReceiptChange[] {
  const left = new Map(wanted);
  return charges.toReversed().flatMap((charge): ReceiptChange[] => {
    const open = openLines(charge);
    const taken = new Map<string, number>();
    for (const { line, amount } of open) {
      const units = Math.min(amount, left.get(line.referenceId) ?? 0);
      if (units <= 0) continue;
      taken.set(line.referenceId, units);
      left.set(line.referenceId, (left.get(line.referenceId) ?? 0) - units);
    }
    if (taken.size === 0) return [];
    const isLast = open.every(({ line, amount }) => amount === (taken.get(line.referenceId) ?? 0));
    const receipt = buildReceipt({
      ...taxedAs(charge),
      products: open.flatMap(({ line, amount }) => refundedProduct(line, amount, taken.get(line.referenceId) ?? 0)),
      shipments: shippingRefund(charge, isLast ? shippingCharge(charge).price : shippingMinor),
    });
    return [{ printOrderId: charge.printOrderId, type: 'refund', receipt: refundReceipt(receipt) }];
  });
}

function taxedAs({ invoice }: Charges): Pick<Receipt, 'currency' | 'tax'> {
  const { currency, tax } = invoice.body;
  return { currency, tax };
}

/**
 * Returns the refunded part of a product line. Price and VAT are differences of what is charged for the units before and after,
 * so that the units that are left cost what they would cost on a receipt of their own.
 */
function refundedProduct(line: ReceiptLine, open: number, units: number) {
  if (units === 0) return [];
  const priceOf = (count: number) => Math.round((line.price * count) / line.amount);
  const left = { quantity: open - units, lineMinor: priceOf(open - units) };
  const { referenceId, title, vatRate, priceBase: baseMinor } = line;
  const price = { quantity: units, baseMinor, lineMinor: priceOf(open) - left.lineMinor };
  return [{ referenceId, title, vatRate, price, earlier: left }];
}

function shippingRefund(charge: Charges, priceMinor: number): ReceiptInput['shipments'] {
  const { title, referenceId, vatRate, price } = shippingCharge(charge);
  return priceMinor === 0 ? [] : [{ title, referenceId, vatRate, priceMinor, earlierMinor: price - priceMinor }];
}

/** The price of the shipment of a print order, in minor units, and the units that it makes, by item reference. */
export interface PlannedPrice {
  readonly printOrderId: string;
  readonly priceMinor: number;
  readonly units: Readonly<Record<string, number>>;
}

/**
 * Returns how much more is charged for shipping than the plans of the charged units cost, in minor units. A print order that
 * makes units in addition to those of the print orders before it is not charged.
 * @param charges all that began with one print order
 * @param plans of this print order and those that took over its units, in the order of their ids
 */
export function shippingSurplus(charges: readonly Charges[], plans: readonly PlannedPrice[]): number {
  const left = new Map<string, number>();
  for (const { line, amount } of charges.flatMap(openLines))
    left.set(line.referenceId, (left.get(line.referenceId) ?? 0) + amount);
  const charged = charges.reduce((sum, charge) => sum + shippingCharge(charge).price, 0);
  return plans.reduce((surplus, { units, priceMinor }) => {
    const made = Object.entries(units).filter(([reference]) => (left.get(reference) ?? 0) > 0);
    for (const [reference, count] of made) left.set(reference, left.get(reference)! - count);
    return made.length === 0 ? surplus : surplus - priceMinor;
  }, charged);
}

/**
 * Returns the receipt for a difference in the shipping price: an invoice when it is dearer, a refund when it is cheaper.
 * VAT is rounded over the whole shipping price. Returns null when there is no difference.
 * @param differenceMinor new price less the old one
 */
export function shippingDifference(
  charge: Charges,
  method: Pick<ShipmentCharge, 'referenceId' | 'title'>,
  differenceMinor: number,
): ReceiptChange | null {
  if (differenceMinor === 0) return null;
  const { price, vatRate } = shippingCharge(charge);
  const isDearer = differenceMinor > 0;
  const receipt = buildReceipt({
    ...taxedAs(charge),
    products: [],
    shipments: [
      {
        ...method,
        vatRate,
        priceMinor: Math.abs(differenceMinor),
        earlierMinor: isDearer ? price : price + differenceMinor,
      },
    ],
  });
  const { printOrderId } = charge;
  return isDearer
    ? { printOrderId, type: 'invoice', receipt }
    : { printOrderId, type: 'refund', receipt: refundReceipt(receipt) };
}

/**
 * Returns the receipts for another VAT country: a refund of the open units that go there, and an invoice of the same units
 * with the new VAT rates and shipping price. Empty when none is open.
 * @param rateOf returns the new VAT rate of an item by its reference
 * @param moved the units that go there, by item reference, and their part of the shipping price. Absent: all units
 */
export function reinvoice(
  charge: Charges,
  tax: ReceiptTax,
  rateOf: (itemReferenceId: string) => string,
  shipment: Omit<ShipmentCharge, 'vatRate'>,
  moved?: { readonly units: ReadonlyMap<string, number>; readonly shippingMinor: number },
): ReceiptChange[] {
  const open = openLines(charge).filter(({ amount }) => amount > 0);
  const wanted = new Map(open.map(({ line, amount }) => [line.referenceId, amount]));
  const [refund] = refundUnits([charge], moved?.units ?? wanted, moved?.shippingMinor);
  if (refund === undefined) return [];
  const products = refund.receipt.lines
    .filter(({ type }) => type === 'product')
    .map(({ referenceId, title, priceBase, amount, price }) => ({
      referenceId,
      title,
      vatRate: rateOf(referenceId),
      price: { quantity: amount, baseMinor: -priceBase, lineMinor: -price },
    }));
  const vatRate = shippingRate(products.map((product) => product.vatRate));
  const { currency } = charge.invoice.body;
  const receipt = buildReceipt({ currency, tax, products, shipments: [{ ...shipment, vatRate }] });
  return [refund, { printOrderId: charge.printOrderId, type: 'invoice', receipt }];
}
