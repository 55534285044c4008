import type { BillingEntity, ClientSettings } from '../../accounts/clients';
import type { ConsignmentPackage } from '../../consignments/domain/consignment';
import { lineValue } from '../../consignments/domain/customs';
import type { CustomerInvoice } from '../../documents/customer-invoice';
import type { Partner } from '../../partners/partner-rows';
import { timesRate, toMinor } from '../../platform/domain/money';
import { vatCountry } from '../../platform/domain/territories';
import type { Fragment, Queryable, Transaction } from '../../platform/postgres';
import { DEPARTED } from '../domain/lifecycle/statuses';
import { shareOf } from '../domain/retail-value';
import { shippingRate, vatNumberState, vatOf, vatOfDestination } from '../domain/vat';
import { iossNumberOf, receiverOf, returnAddressOf, taxIdsOf } from '../planning/consignments';
import { currentDispatchKey } from '../planning/print-order-rows';
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

/**
 * Returns the jsonb expression of the references of the items that print orders before `p` make as often as they were ordered in
 * order `o`: the units of `p` are replacements.
 */
export const replacedItems = (sql: Queryable): Fragment => sql`
  (SELECT jsonb_agg(i.item_reference_id) FROM order_items i WHERE i.order_id = o.id AND i.quantity <= (
    SELECT sum(j.quantity - j.cancelled_quantity) FROM print_jobs j
    WHERE j.order_item_id = i.id AND j.print_order_id < p.id AND j.status NOT IN ('cancelled', 'superseded')))`;

/**
 * Locks an order, and returns true when no paper of a parcel that travels has the shipping price. A shipment that a change of address
 * or method replaces does not travel, unless it has left. The caller stores which paper has the price, in the same transaction.
 */
export async function locksShippingPrice(tx: Transaction, orderId: string): Promise<boolean> {
  await tx`SELECT FROM orders WHERE id = ${orderId} FOR NO KEY UPDATE`;
  const [holder] = await tx`
    SELECT FROM orders o JOIN shipments h ON h.order_id = o.id,
      jsonb_array_elements(h.consignment -> 'packages') WITH ORDINALITY AS e (pack, number)
    WHERE o.id = ${orderId} AND h.status IN ('buying', 'bought')
      AND e.pack ->> 'paper' = 'invoice_with_shipping'
      AND NOT EXISTS (SELECT FROM shipment_packages k
        WHERE k.shipment_id = h.id AND k.position = e.number - 1 AND k.left_out_at IS NOT NULL)
      AND EXISTS (SELECT FROM print_jobs j
        WHERE j.print_order_id = h.print_order_id AND j.status NOT IN ('cancelled', 'superseded')
          AND (j.departed_shipment_id = h.id
            OR (j.departed_method_uid IS NULL AND (j.status = ANY(${[...DEPARTED]})
              OR h.idempotency_key = ${currentDispatchKey(tx, tx`h.print_order_id`)}))))
    LIMIT 1`;
  return holder === undefined;
}

/**
 * Decides the papers of packages: an invoice where all goods have retail prices and are sold, otherwise one without prices.
 * The client's packing slip takes its place.
 * @param replaced references of the items whose units are replacements
 */
export function withPapers<Pack extends ConsignmentPackage>(
  order: RunOrder,
  packages: readonly Pack[],
  replaced: readonly string[] | null,
): Pack[] {
  const isSold = ({ itemReferenceId }: { readonly itemReferenceId: string }) =>
    order.charged &&
    replaced?.includes(itemReferenceId) !== true &&
    order.items.some((item) => item.itemReferenceId === itemReferenceId && item.retailPrice !== null);
  return packages.map((pack): Pack => {
    if (pack.items.every(isSold)) return { ...pack, paper: 'invoice' };
    return pack.packingSlip === undefined ? { ...pack, paper: 'delivery_note', packingList: undefined } : pack;
  });
}

/** Puts the shipping price on one invoice. @param first references of the items that leave first: it goes with one of them */
export function withShippingInvoiced<Pack extends ConsignmentPackage>(
  packages: readonly Pack[],
  first: ReadonlySet<string>,
): Pack[] {
  const invoiced = packages.filter(({ paper }) => paper === 'invoice');
  const chosen =
    invoiced.find(({ items }) => items.some(({ itemReferenceId }) => first.has(itemReferenceId))) ?? invoiced[0];
  return packages.map((pack) => (pack === chosen ? { ...pack, paper: 'invoice_with_shipping' } : pack));
}
