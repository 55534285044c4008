import type { BillingEntity, ClientSettings } from '../../accounts/clients';
import type { CustomerInvoice } from '../../documents/customer-invoice';
import type { Partner } from '../../partners/partner-rows';
import { timesRate, toMinor } from '../../platform/domain/money';
import { vatCountry } from '../../platform/domain/territories';
import { retailValue, shareOf } from '../domain/retail-value';
import { shippingRate, type Vat, vatNumberState, vatOf, vatOfDestination } from '../domain/vat';
import { type Charges, openLines, shippingCharge } from '../planning/charges';
import { iossNumberOf, receiverOf, returnAddressOf, taxIdsOf } from '../planning/consignments';
import type { OrderCharges } from '../planning/receipts';
import type { RunOrder } from '../planning/run-order';

interface InvoiceSender {
  readonly partner: Pick<Partner, 'senderAddress'>;
  readonly clientSettings: ClientSettings;
}

type InvoiceLine = CustomerInvoice['lines'][number];

/**
 * Returns the invoice that accompanies the goods of a print order. The client is the seller. It lists the units in the
 * parcels. The prices are the retail prices when the client gave them for all of the goods, otherwise those of the receipts,
 * with the changes that refunds and changes of the shipment have made. Repeated calls return the same.
 * @param receipts the charges of the order
 * @param jobs the units in the parcels
 * @returns undefined for goods that were never invoiced
 */
export function customerInvoice(
  order: RunOrder,
  receipts: OrderCharges,
  sender: InvoiceSender,
  printOrderId: string,
  jobs: readonly { readonly itemId: string; readonly quantity: number }[],
): CustomerInvoice | undefined {
  const charges = receipts.of(printOrderId);
  if (charges === undefined) return undefined;
  const { invoice } = charges;
  const { senderAddress } = sender.partner;
  const iossNumber = iossNumberOf(order, senderAddress);
  const vat = iossNumber === null ? vatOf(order, senderAddress) : vatOfDestination(order, 'ioss');
  const seller = sellerOf(order, sender);
  const retailCurrency = order.retailCurrency ?? order.currency;
  // The first print order that was invoiced carries the retail shipping price.
  const retail = retailLines(order, jobs, retailCurrency, vat, charges === receipts.all[0]);
  const lines = retail ?? receiptLines(order, jobs, charges);
  return {
    number: invoice.number,
    date: invoice.createdAt.toISOString().slice(0, 10),
    currency: retail === null ? invoice.body.currency : retailCurrency,
    treatment: vat.treatment,
    seller: iossNumber === null ? seller : { ...seller, taxIds: { ...seller.taxIds, iossNumber } },
    buyer: { ...receiverOf(order.shippingAddress), taxIds: taxIdsOf(order.shippingAddress) },
    orderReference: order.orderReferenceId,
    lines,
  };
}

/**
 * Returns the seller: the billing entity of the client with its address, and the VAT number of the state that the goods leave
 * where it has one. Without an address of its own it has the one where returns go: the client's, else the partner's.
 */
function sellerOf(order: RunOrder, { partner, clientSettings }: InvoiceSender): CustomerInvoice['seller'] {
  const { firstName, lastName, email, phone, taxIds, ...sentFrom } = partner.senderAddress;
  const returns = returnAddressOf(clientSettings, order.clientName) ?? { ...sentFrom, company: order.clientName };
  const entity = clientSettings.billingEntity as BillingEntity | null | undefined;
  if (entity == null) return returns;
  const { companyName: company, companyVatNumber, companyVatNumbers = [] } = entity;
  const numbers = [companyVatNumber ?? '', ...companyVatNumbers].filter((number) => number !== '');
  const vatNumber = numbers.find((number) => vatNumberState(number) === vatCountry(sentFrom)) ?? numbers[0];
  const { addressLine1, addressLine2, city, postCode: postcode = '', state, countryIsoCode: country } = entity;
  const address =
    addressLine1 && city && country ? { addressLine1, addressLine2, city, postcode, state, country } : returns;
  return { ...address, company, taxIds: { vatNumber } };
}

/** Returns null unless every item has a retail price. Retail prices exclude VAT. */
function retailLines(
  order: RunOrder,
  jobs: readonly { readonly itemId: string; readonly quantity: number }[],
  currency: string,
  vat: Vat,
  withShipping: boolean,
): InvoiceLine[] | null {
  const lines: InvoiceLine[] = [];
  for (const { itemId, quantity } of jobs) {
    const item = order.items.find(({ id }) => id === itemId);
    if (item === undefined) continue;
    const netMinor = retailValue(item, quantity, currency);
    if (netMinor === null) return null;
    const rate = vat.rateOf(item.product.taxCategory);
    lines.push(lineOf(item.product.name, item.itemReferenceId, quantity, netMinor, rate, timesRate(netMinor, rate)));
  }
  if (withShipping && order.retailShippingPrice !== null) {
    const netMinor = toMinor(order.retailShippingPrice, currency);
    const rate = shippingRate(lines.map(({ vatRate }) => vatRate));
    lines.push(lineOf('Shipping', '', 1, netMinor, rate, timesRate(netMinor, rate)));
  }
  return lines;
}

function lineOf(
  title: string,
  reference: string,
  quantity: number,
  netMinor: number,
  vatRate: string,
  vatMinor: number,
): InvoiceLine {
  return {
    title,
    reference,
    quantity,
    unitMinor: shareOf(netMinor, 1, quantity),
    discountMinor: 0,
    netMinor,
    vatRate,
    vatMinor,
  };
}

/**
 * Returns units at the price of the receipts of their print order, and the shipping price. Units beyond those that are
 * charged cost nothing, for example units that were refunded and are made again.
 */
function receiptLines(
  order: RunOrder,
  jobs: readonly { readonly itemId: string; readonly quantity: number }[],
  charges: Charges,
): InvoiceLine[] {
  const open = openLines(charges);
  const goods = jobs.flatMap(({ itemId, quantity }) => {
    const reference = order.items.find(({ id }) => id === itemId)?.itemReferenceId;
    const charged = open.find(({ line }) => line.referenceId === reference);
    if (charged === undefined) return [];
    const { line, amount, price, vat } = charged;
    const part = (minor: number) => (quantity < amount ? shareOf(minor, quantity, amount) : minor);
    const { title, referenceId, priceBase: unitMinor, vatRate } = line;
    const netMinor = part(price);
    const discountMinor = unitMinor * quantity - netMinor;
    return [{ ...lineOf(title, referenceId, quantity, netMinor, vatRate, part(vat)), unitMinor, discountMinor }];
  });
  const { title, referenceId, price, vatRate, vat } = shippingCharge(charges);
  return [...goods, lineOf(title, referenceId, 1, price, vatRate, vat)];
}
