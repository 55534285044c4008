import type { BillingEntity, ClientSettings } from '../../accounts/clients';
import type { ConsignmentPackage } from '../../consignments/domain/consignment';
import { lineValue } from '../../consignments/domain/customs';
import type { CustomerInvoice } from '../../documents/customer-invoice';
import type { Partner } from '../../partners/partner-rows';
import { timesRate, toMinor } from '../../platform/domain/money';
import { vatCountry } from '../../platform/domain/territories';
import type { Fragment, Queryable } from '../../platform/postgres';
import { shareOf } from '../domain/retail-value';
import { shippingRate, vatNumberState, vatOf, vatOfDestination } from '../domain/vat';
import { iossNumberOf, receiverOf, returnAddressOf, taxIdsOf } from '../planning/consignments';
import type { RunOrder } from '../planning/run-order';

interface InvoiceSender {
  readonly partner: Pick<Partner, 'senderAddress'>;
  readonly clientSettings: ClientSettings;
}

type InvoiceLine = CustomerInvoice['lines'][number];

/**
 * Returns the invoice of the client to its customer for the contents of a parcel, at retail prices. Repeated calls return
 * the same. What the client owes is in its receipts, and on no paper that travels.
 */
export function customerInvoice(
  order: RunOrder,
  sender: InvoiceSender,
  { items, paper }: Pick<ConsignmentPackage, 'items' | 'paper'>,
  { number, date }: { readonly number: string; readonly date: string },
): CustomerInvoice {
  const { senderAddress } = sender.partner;
  const iossNumber = iossNumberOf(order, senderAddress);
  const vat = iossNumber === null ? vatOf(order, senderAddress) : vatOfDestination(order, 'ioss');
  const seller = sellerOf(order, sender);
  const currency = order.retailCurrency ?? order.currency;
  const lines = items.map((item) => {
    const ordered = order.items.find(({ itemReferenceId }) => itemReferenceId === item.itemReferenceId);
    const rate = vat.rateOf(ordered?.product.taxCategory);
    return lineOf(item.description, item.itemReferenceId, item.quantity, lineValue(item).minor, rate);
  });
  if (paper === 'invoice_with_shipping' && order.retailShippingPrice !== null) {
    const rate = shippingRate(lines.map(({ vatRate }) => vatRate));
    lines.push(lineOf('Shipping', '', 1, toMinor(order.retailShippingPrice, currency), rate));
  }
  return {
    number,
    date,
    currency,
    treatment: vat.treatment,
    seller: iossNumber === null ? seller : { ...seller, taxIds: { ...seller.taxIds, iossNumber } },
    buyer: { ...receiverOf(order.shippingAddress), taxIds: taxIdsOf(order.shippingAddress) },
    orderReference: order.orderReferenceId,
    lines,
  };
}

function lineOf(title: string, reference: string, quantity: number, netMinor: number, vatRate: string): InvoiceLine {
  const unitMinor = shareOf(netMinor, 1, quantity);
  return { title, reference, quantity, unitMinor, netMinor, vatRate, vatMinor: timesRate(netMinor, vatRate) };
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

/** What decides the papers of a print order. */
export interface PaperRules {
  /** The retail shipping price is on no paper that has left, and this print order is the one whose paper has it. */
  readonly invoicesShipping: boolean;
  /** References of the items that other print orders make as often as they were ordered: these units are replacements. */
  readonly replaced: readonly string[] | null;
}

/**
 * Returns the jsonb expression of the rules for print order `p` of order `o`. The first print order with units that have not left
 * has the shipping price on its first paper, unless a paper of an earlier parcel has it that travels.
 */
export const paperRules = (sql: Queryable): Fragment => sql`
  jsonb_build_object('invoicesShipping', NOT EXISTS (
      SELECT FROM print_orders f JOIN print_jobs j ON j.print_order_id = f.id
      WHERE f.order_id = o.id AND f.id < p.id
        AND j.status NOT IN ('cancelled', 'superseded', 'shipped', 'in_transit', 'delivered', 'returned'))
    AND NOT EXISTS (
      SELECT FROM shipments h JOIN shipment_packages k ON k.shipment_id = h.id
      WHERE h.order_id = o.id AND h.status = 'bought' AND k.left_out_at IS NULL
        AND h.consignment -> 'packages' -> k.position ->> 'paper' = 'invoice_with_shipping'
        AND (h.print_order_id <> p.id
          OR EXISTS (SELECT FROM print_jobs d WHERE d.print_order_id = p.id AND d.departed_shipment_id = h.id))),
    'replaced', (SELECT jsonb_agg(i.item_reference_id) FROM order_items i WHERE i.order_id = o.id AND i.quantity <= (
      SELECT sum(j.quantity - j.cancelled_quantity) FROM print_jobs j
      WHERE j.order_item_id = i.id AND j.print_order_id < p.id AND j.status NOT IN ('cancelled', 'superseded'))))`;

/**
 * Decides the papers of packages: an invoice where all goods have retail prices and are sold, otherwise one without prices.
 * The client's packing slip takes its place.
 * @param first references of the items that leave first: one of their packages has the shipping price if it has an invoice
 */
export function withPapers<Pack extends ConsignmentPackage>(
  order: RunOrder,
  packages: readonly Pack[],
  { invoicesShipping, replaced }: PaperRules,
  first: ReadonlySet<string>,
): Pack[] {
  const isSold = ({ itemReferenceId }: { readonly itemReferenceId: string }) =>
    order.charged &&
    replaced?.includes(itemReferenceId) !== true &&
    order.items.some((item) => item.itemReferenceId === itemReferenceId && item.retailPrice !== null);
  const decided = packages.map((pack): Pack => {
    if (pack.items.every(isSold)) return { ...pack, paper: 'invoice' };
    return pack.packingSlip === undefined ? { ...pack, paper: 'delivery_note', packingList: undefined } : pack;
  });
  return invoicesShipping ? withShippingInvoiced(decided, first) : decided;
}

/** Puts the shipping price on one invoice, unless one has it. @param first references of the items that leave first */
export function withShippingInvoiced<Pack extends ConsignmentPackage>(
  packages: readonly Pack[],
  first: ReadonlySet<string> = new Set(),
): Pack[] {
  const invoiced = packages.filter(({ paper }) => paper !== undefined && paper !== 'delivery_note');
  const chosen =
    invoiced.find(({ paper }) => paper === 'invoice_with_shipping') ??
    invoiced.find(({ items }) => items.some(({ itemReferenceId }) => first.has(itemReferenceId))) ??
    invoiced[0];
  return packages.map((pack) => (pack === chosen ? { ...pack, paper: 'invoice_with_shipping' } : pack));
}
