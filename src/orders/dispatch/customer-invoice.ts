import type { CustomerInvoice } from '../../documents/customer-invoice';
import type { Partner } from '../../partners/store';
import { timesRate, toMinor } from '../../platform/domain/money';
import type { Queryable } from '../../platform/postgres';
import type { Receipt } from '../domain/receipt';
import { retailValue, shareOf } from '../domain/retail-value';
import { vatRate } from '../domain/vat';
import { receiverOf } from '../preparation/consignments';
import type { RunOrder } from '../run/run-order';

type InvoiceLine = CustomerInvoice['lines'][number];

/**
 * Returns the invoice that accompanies the goods of a print order. The client is the seller. The prices are the retail
 * prices when the client gave them for all of the goods, otherwise the prices of the order. Repeated calls return the same.
 * @returns undefined for goods that were never invoiced
 */
export async function customerInvoice(
  sql: Queryable,
  order: RunOrder,
  partner: Pick<Partner, 'country' | 'senderAddress'>,
  printOrderId: string,
  jobs: readonly { readonly itemId: string; readonly quantity: number }[],
): Promise<CustomerInvoice | undefined> {
  const invoiced = await receiptOf(sql, printOrderId);
  if (invoiced === undefined) return undefined;
  const rate = vatRate(partner.country, order.shippingAddress.country);
  const currency = order.retailCurrency ?? order.currency;
  const { federalTaxId } = order.shippingAddress;
  const retail = retailLines(order, jobs, currency, rate, invoiced.isFirst);
  const lines = retail ?? invoiced.body.lines.map(receiptLine);
  const sum = (key: 'netMinor' | 'vatMinor' | 'grossMinor') =>
    lines.reduce((total, line) => total + line[key], 0);
  return {
    number: invoiced.number,
    date: invoiced.createdAt.toISOString().slice(0, 10),
    currency: retail === null ? invoiced.body.currency : currency,
    vatRate: retail === null ? invoiced.body.vatRate : rate,
    seller: sellerOf(order, partner),
    buyer: {
      ...receiverOf(order.shippingAddress),
      ...(federalTaxId === undefined ? {} : { taxIds: { vatNumber: federalTaxId } }),
    },
    orderReference: order.orderReferenceId,
    lines,
    totals: { netMinor: sum('netMinor'), vatMinor: sum('vatMinor'), grossMinor: sum('grossMinor') },
  };
}

/** Returns the client with the partner's address, where returns go, without the partner's contact person and tax ids. */
function sellerOf(order: RunOrder, partner: Pick<Partner, 'senderAddress'>): CustomerInvoice['seller'] {
  const { firstName, lastName, email, phone, taxIds, ...address } = partner.senderAddress;
  return { ...address, company: order.clientName };
}

interface Invoiced {
  readonly number: string;
  readonly body: Receipt;
  readonly createdAt: Date;
  /** True for the first invoice of the order, which carries the retail shipping price. */
  readonly isFirst: boolean;
}

/** Returns the invoice receipt of a print order, or of the print order that it replaces. */
async function receiptOf(sql: Queryable, printOrderId: string): Promise<Invoiced | undefined> {
  const [row] = await sql<Invoiced[]>`
    WITH RECURSIVE origin AS (
      SELECT id, order_id, step, reproduces_id FROM print_orders WHERE id = ${printOrderId}
      UNION ALL
      SELECT p.id, p.order_id, p.step, p.reproduces_id FROM print_orders p JOIN origin ON p.id = origin.reproduces_id
    )
    SELECT r.number, r.body, r.created_at, r.number = (SELECT min(number) FROM receipts WHERE order_id = r.order_id) AS is_first
    FROM origin JOIN receipts r ON r.order_id = origin.order_id AND r.step = origin.step AND r.type = 'invoice'`;
  return row;
}

/** Returns null unless every item has a retail price. Retail prices exclude VAT (interface "Item (submit)"). */
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
    lines.push(lineOf(item.product.name, item.itemReferenceId, quantity, netMinor, rate));
  }
  if (withShipping && order.retailShippingPrice !== null) {
    lines.push(lineOf('Shipping', '', 1, toMinor(order.retailShippingPrice, currency), rate));
  }
  return lines;
}

function lineOf(
  title: string,
  reference: string,
  quantity: number,
  netMinor: number,
  rate: string,
): InvoiceLine {
  const vatMinor = timesRate(netMinor, rate);
  return {
    title,
    reference,
    quantity,
    unitMinor: shareOf(netMinor, 1, quantity),
    discountMinor: 0,
    netMinor,
    vatMinor,
    grossMinor: netMinor + vatMinor,
  };
}

function receiptLine(line: Receipt['lines'][number]): InvoiceLine {
  return {
    title: line.title,
    reference: line.referenceId,
    quantity: line.amount,
    unitMinor: line.priceBase,
    discountMinor: line.discount,
    netMinor: line.price,
    vatMinor: line.vat,
    grossMinor: line.priceInclVat,
  };
}
