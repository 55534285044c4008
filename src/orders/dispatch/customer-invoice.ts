import type { CustomerInvoice } from '../../documents/customer-invoice';
import type { Partner } from '../../partners/partner-rows';
import { timesRate, toMinor } from '../../platform/domain/money';
import { retailValue, shareOf } from '../domain/retail-value';
import { vatRate } from '../domain/vat';
import { receiverOf } from '../preparation/consignments';
import { type Charges, openLines, shippingCharge } from '../receipts/charges';
import type { OrderCharges } from '../receipts/receipts';
import type { RunOrder } from '../run/run-order';

/** @property returnAddress the client's, or null when it has none */
interface InvoiceSender {
  readonly partner: Pick<Partner, 'country' | 'senderAddress'>;
  readonly returnAddress: CustomerInvoice['seller'] | null;
}

type InvoiceLine = CustomerInvoice['lines'][number];

/**
 * Returns the invoice that accompanies the goods of a print order. The client is the seller. The prices are the retail
 * prices when the client gave them for all of the goods, otherwise those of the receipts, with the changes that refunds
 * and changes of the shipment have made. Repeated calls return the same.
 * @param receipts the charges of the order
 * @returns undefined for goods that were never invoiced
 */
export function customerInvoice(
  order: RunOrder,
  receipts: OrderCharges,
  { partner, returnAddress }: InvoiceSender,
  printOrderId: string,
  jobs: readonly { readonly itemId: string; readonly quantity: number }[],
): CustomerInvoice | undefined {
  const charges = receipts.of(printOrderId);
  if (charges === undefined) return undefined;
  const { invoice } = charges;
  const rate = vatRate(partner.country, order.shippingAddress.country);
  const currency = order.retailCurrency ?? order.currency;
  const { federalTaxId } = order.shippingAddress;
  // The first print order that was invoiced carries the retail shipping price.
  const retail = retailLines(order, jobs, currency, rate, charges === receipts.all[0]);
  const lines = retail ?? receiptLines(charges);
  const sum = (key: 'netMinor' | 'vatMinor' | 'grossMinor') => lines.reduce((total, line) => total + line[key], 0);
  return {
    number: invoice.number,
    date: invoice.createdAt.toISOString().slice(0, 10),
    currency: retail === null ? invoice.body.currency : currency,
    vatRate: retail === null ? invoice.body.vatRate : rate,
    seller: sellerOf(order, { partner, returnAddress }),
    buyer: {
      ...receiverOf(order.shippingAddress),
      ...(federalTaxId === undefined ? {} : { taxIds: { vatNumber: federalTaxId } }),
    },
    orderReference: order.orderReferenceId,
    lines,
    totals: { netMinor: sum('netMinor'), vatMinor: sum('vatMinor'), grossMinor: sum('grossMinor') },
  };
}

/** Returns the client with the address where returns go: its own, else the partner's without contact person and tax ids. */
function sellerOf(order: RunOrder, { partner, returnAddress }: InvoiceSender): CustomerInvoice['seller'] {
  if (returnAddress !== null) return returnAddress;
  const { firstName, lastName, email, phone, taxIds, ...address } = partner.senderAddress;
  return { ...address, company: order.clientName };
}

/** Returns null unless every item has a retail price. Retail prices exclude VAT. */
function retailLines(
  order: RunOrder,
  jobs: readonly { readonly itemId: string; readonly quantity: number }[],
  currency: string,
  rate: string,
  withShipping: boolean,
): InvoiceLine[] | null {
  const lines: InvoiceLine[] = [];
  for (const { itemId, quantity } of jobs) {
    const item = order.items.find(({ id }) => id === itemId);
    if (item === undefined) continue;
    const netMinor = retailValue(item, quantity, currency);
    if (netMinor === null) return null;
    lines.push(lineOf(item.product.name, item.itemReferenceId, quantity, netMinor, timesRate(netMinor, rate)));
  }
  if (withShipping && order.retailShippingPrice !== null) {
    const netMinor = toMinor(order.retailShippingPrice, currency);
    lines.push(lineOf('Shipping', '', 1, netMinor, timesRate(netMinor, rate)));
  }
  return lines;
}

/** Returns a line without a discount. */
function lineOf(title: string, reference: string, quantity: number, netMinor: number, vatMinor: number): InvoiceLine {
  const unitMinor = shareOf(netMinor, 1, quantity);
  const grossMinor = netMinor + vatMinor;
  return { title, reference, quantity, unitMinor, discountMinor: 0, netMinor, vatMinor, grossMinor };
}

/** Returns the lines of the receipts of a print order: open units at their price, and the shipping price. */
function receiptLines(charges: Charges): InvoiceLine[] {
  const goods = openLines(charges).flatMap(({ line, amount, price, vat }) => {
    const { title, referenceId, priceBase: unitMinor } = line;
    const discountMinor = unitMinor * amount - price;
    return amount === 0 ? [] : [{ ...lineOf(title, referenceId, amount, price, vat), unitMinor, discountMinor }];
  });
  const { title, referenceId, price, vat } = shippingCharge(charges);
  return [...goods, lineOf(title, referenceId, 1, price, vat)];
}
