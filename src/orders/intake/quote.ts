import { z } from 'zod';
import type { Client } from '../../accounts/clients';
import type { ResolvedProduct } from '../../catalog/domain/product';
import { byPrice } from '../../consignments/domain/method-choice';
import { type RoutingDecision, UNROUTABLE_TEXTS } from '../../partners/domain/routing-decision';
import type { Partner } from '../../partners/partner-rows';
import { fromMinor } from '../../platform/domain/money';
import { isCrossBorder } from '../../platform/domain/territories';
import type { FieldError } from '../../platform/errors';
import { addressFindingSchema } from '../domain/address-findings';
import { parcelSchema, parcelView } from '../domain/planned-parcel';
import { priceOrder } from '../domain/pricing';
import type { Receipt } from '../domain/receipt';
import { amounts, type ReceiptLine } from '../domain/receipt';
import { storedFields } from '../planning/order-fields';
import type { PreparationDeps } from '../planning/prepare-order';
import { invoiceOf } from '../planning/receipts';
import { candidatesFor, type RoutedPrintOrder, routeItems } from '../planning/routing';
import type { RunOrder } from '../planning/run-order';
import { planWith, type ShipmentPlan } from '../planning/shipment-plan';
import type { QuoteOrder } from './quote-schema';

/** The part of the order that one partner would make, with every shipment method. */
export interface QuotedPrintOrder {
  readonly partner: Partner;
  readonly dispatchDate: string;
  readonly isCrossBorder: boolean;
  /** Products and the chosen method, in the order's currency. */
  readonly receipt: Receipt;
  readonly chosen: ShipmentPlan;
  /** Every method that can carry it, cheapest first, including the chosen one. */
  readonly methods: readonly ShipmentPlan[];
}

/**
 * The quote of an order, or the reason why there is none. `invalid`: no partner makes an item, an item has no price, or
 * no method carries the order. `unavailable`: no partner can currently make the items.
 */
export type OrderQuote =
  | { readonly ok: true; readonly printOrders: readonly QuotedPrintOrder[] }
  | {
      readonly ok: false;
      readonly reason: 'invalid' | 'unavailable';
      readonly errors: readonly FieldError[];
    };

/**
 * Returns the prices and shipment methods that an order would have if it were planned now. Uses the rules of the plan;
 * stores and reserves nothing.
 * @throws CarrierUnavailable when no carrier returns prices
 */
export async function quoteOrder(deps: Omit<PreparationDeps, 'sql'>, order: RunOrder): Promise<OrderQuote> {
  const price = priceOrder(order);
  if (!price.ok) {
    return invalid(`items[${price.itemIndex}]`, `This product has no price in ${price.currency}.`);
  }
  const now = deps.now();
  const partners = await candidatesFor(deps.candidates, order.items);
  const { decision, printOrders: routed } = await routeItems(deps, { order, items: order.items, partners, at: now });
  if (!decision.ok) return unroutable(order, decision);
  const quotes = routed.map((printOrder) => quotePrintOrder(order, printOrder, now));
  const printOrders = quotes.flatMap((quoted) => ('ok' in quoted ? [] : [quoted]));
  return quotes.find((quoted) => 'ok' in quoted) ?? { ok: true, printOrders };
}

function quotePrintOrder(
  order: RunOrder,
  { partner, items, dispatchDate, quotes, choice, ...packed }: RoutedPrintOrder,
  now: Date,
): QuotedPrintOrder | Extract<OrderQuote, { ok: false }> {
  const { country } = order.shippingAddress;
  if (!choice.ok) {
    return choice.reason === 'choice_matches_none'
      ? invalid('shipmentMethodUid', `None of these methods carries the order to ${country}.`)
      : invalid('shippingAddress.country', `No shipment method carries the order to ${country}.`);
  }
  const sorted = [...quotes].sort(byPrice);
  const methods = sorted.map((method) =>
    planWith(method, method === sorted[0], packed, { partner, dispatchDate, now }),
  );
  const chosen = methods.find(({ method }) => method === choice.method)!;
  return {
    partner,
    dispatchDate,
    isCrossBorder: isCrossBorder(partner.senderAddress, order.shippingAddress),
    receipt: invoiceOf(order, items, chosen),
    chosen,
    methods,
  };
}

/**
 * Returns a quote request in the form of an order. An item's id is its index.
 * @param products one for each item
 */
export function quotedOrder(
  request: QuoteOrder,
  client: Pick<Client, 'id' | 'name' | 'settings'>,
  products: readonly ResolvedProduct[],
  rates: Pick<RunOrder, 'rates' | 'taxRates'>,
): RunOrder {
  const { shippingAddress: address } = request;
  return {
    id: '',
    isPlanned: false,
    made: null,
    vatCheck: null,
    charged: true,
    clientId: client.id,
    clientName: client.name,
    iossNumber: client.settings.iossNumber ?? null,
    ...storedFields(
      {
        ...request,
        orderType: 'order',
        orderReferenceId: request.orderReferenceId ?? '',
        // Carriers price by country, post code and state, so the name is optional.
        shippingAddress: {
          ...address,
          firstName: address.firstName ?? '',
          lastName: address.lastName ?? '',
          addressLine1: address.addressLine1 ?? '',
          email: address.email ?? '',
          phone: address.phone ?? '',
        },
      },
      '',
    ),
    shippingRevision: 0,
    acceptedAddressId: null,
    addressFindings: null,
    addressChecks: null,
    filesRevision: 0,
    createdAt: new Date(),
    ...rates,
    items: request.items.map(({ itemReferenceId, quantity, retailPriceInclVat }, index) => ({
      id: String(index),
      position: index,
      itemReferenceId,
      quantity,
      retailPrice: retailPriceInclVat?.toString() ?? null,
      product: products[index]!,
    })),
  };
}

function unroutable(
  order: RunOrder,
  { unroutable: items }: Extract<RoutingDecision, { ok: false }>,
): Extract<OrderQuote, { ok: false }> {
  return {
    ok: false,
    reason: items.every(({ passing }) => passing) ? 'unavailable' : 'invalid',
    errors: items.map(({ itemId, code }) => ({
      code: 'VALIDATION_ERROR',
      message: `This item cannot be produced: ${UNROUTABLE_TEXTS[code]}.`,
      reference: `items[${order.items.findIndex(({ id }) => id === itemId)}]`,
    })),
  };
}

function invalid(reference: string, message: string): Extract<OrderQuote, { ok: false }> {
  return { ok: false, reason: 'invalid', errors: [{ code: 'VALIDATION_ERROR', message, reference }] };
}

const date = z.iso.date();
const money = {
  price: z.number().describe('Before VAT.'),
  vat: z.number(),
  priceInclVat: z.number(),
};

const methodSchema = z.object({
  uid: z.string(),
  name: z.string(),
  carrierUid: z.string(),
  carrierName: z.string(),
  serviceType: z.string(),
  price: z.number().describe('Before VAT.'),
  currency: z.string(),
  isCheapest: z.boolean(),
  isTracked: z.boolean(),
  minDeliveryDays: z.int().describe('Calendar days from today to delivery, including production.'),
  maxDeliveryDays: z.int(),
  minDeliveryDate: date,
  maxDeliveryDate: date,
});

const quoteSchema = z.object({
  fulfillmentCountry: z.string(),
  fulfillmentStateProvince: z.string().nullable(),
  fulfillmentFacilityId: z.string(),
  dispatchDate: date,
  isCrossBorder: z.boolean().describe('True when the order needs retail prices. Without them it is refused.'),
  packageCount: z.int(),
  totalWeight: z.number().describe('Grams, including packaging.'),
  packages: z.array(parcelSchema).describe('The parcels with `shipmentMethodUid`.'),
  items: z.array(
    z.object({
      itemReferenceId: z.string(),
      productName: z.string(),
      quantity: z.int(),
      currency: z.string(),
      priceInitial: z.number().describe('Before the quantity discount.'),
      discount: z.number(),
      ...money,
    }),
  ),
  shipmentMethodUid: z.string().describe('The method on which the totals are based.'),
  ...amounts('shippingPrice', 'shippingPriceVat', 'shippingPriceInclVat'),
  shipmentMethods: z.array(methodSchema).describe('Cheapest first.'),
});

/** Totals of a quote. Each is the sum over the receipts of its print orders. */
export const QUOTE_TOTALS = [
  'productsPrice',
  'productsPriceVat',
  'productsPriceInclVat',
  'shippingPrice',
  'shippingPriceVat',
  'shippingPriceInclVat',
  'total',
  'totalVat',
  'totalInclVat',
] as const;

export const orderQuoteSchema = z
  .object({
    orderReferenceId: z.string().nullable(),
    currency: z.string(),
    quotes: z.array(quoteSchema).describe('One for each print order.'),
    needsRetailPrices: z
      .boolean()
      .describe('True when a print order crosses a customs border. An order without retail prices is then refused.'),
    addressChecks: z
      .array(addressFindingSchema)
      .describe(
        'What is found in the address. An order with an error waits, unless the client’s setting says otherwise.',
      ),
    ...amounts(...QUOTE_TOTALS),
  })
  .meta({ id: 'OrderQuote' });

function methodView({ method, ...plan }: ShipmentPlan): z.input<typeof methodSchema> {
  return {
    uid: method.methodUid,
    name: method.methodName,
    carrierUid: method.carrierUid,
    carrierName: method.carrierName,
    serviceType: method.serviceType,
    price: fromMinor(method.price.minor, method.price.currency),
    currency: method.price.currency,
    isCheapest: plan.isCheapest,
    isTracked: method.tracked,
    minDeliveryDays: plan.minDeliveryDays,
    maxDeliveryDays: plan.maxDeliveryDays,
    minDeliveryDate: plan.minDeliveryDate,
    maxDeliveryDate: plan.maxDeliveryDate,
  };
}

export function quoteView({ receipt, chosen, ...quoted }: QuotedPrintOrder): z.input<typeof quoteSchema> {
  const show = (minor: number) => fromMinor(minor, receipt.currency);
  const item = (line: ReceiptLine) => ({
    itemReferenceId: line.referenceId,
    productName: line.title,
    quantity: line.amount,
    currency: receipt.currency,
    priceInitial: show(line.priceInitial),
    discount: show(line.discount),
    price: show(line.price),
    vat: show(line.vat),
    priceInclVat: show(line.priceInclVat),
  });
  return {
    fulfillmentCountry: chosen.fulfillmentCountry,
    fulfillmentStateProvince: chosen.fulfillmentState,
    fulfillmentFacilityId: chosen.fulfillmentFacilityId,
    dispatchDate: quoted.dispatchDate,
    isCrossBorder: quoted.isCrossBorder,
    packageCount: chosen.packageCount,
    totalWeight: chosen.totalWeightGrams,
    packages: chosen.parcels.map((parcel) => parcelView(parcel, receipt.currency)),
    items: receipt.lines.filter(({ type }) => type === 'product').map(item),
    shipmentMethodUid: chosen.method.methodUid,
    shippingPrice: show(receipt.totals.shippingPrice),
    shippingPriceVat: show(receipt.totals.shippingPriceVat),
    shippingPriceInclVat: show(receipt.totals.shippingPriceInclVat),
    shipmentMethods: quoted.methods.map(methodView),
  };
}
