import { z } from 'zod';
import type { ResolvedProduct } from '../../catalog/domain/product';
import { isCrossBorder } from '../../consignments/domain/cross-border';
import { byPrice, chooseMethod } from '../../consignments/domain/method-choice';
import type { CandidateReader } from '../../partners/candidates';
import {
  groupIntoPrintOrders,
  type RoutingDecision,
  routeOrder,
  stockNeeds,
} from '../../partners/domain/routing';
import { listPartners, type Partner } from '../../partners/store';
import { crossField } from '../../platform/domain/cross-field';
import { REFERENCE_RATES } from '../../platform/domain/exchange-rates';
import { countryCode, currencyCode, text } from '../../platform/domain/fields';
import { type FieldError, Refusal } from '../../platform/errors';
import type { Sql } from '../../platform/postgres';
import { priceOrder } from '../domain/pricing';
import type { Receipt } from '../domain/receipt';
import { invoiceOf } from '../preparation/receipts';
import { planWith, type Quoter, quoteMethods, type ShipmentPlan } from '../preparation/shipment-plan';
import type { RunOrder } from '../run/run-order';
import { itemsRule, optional, productFields, productNamingRule, stateRule } from './schemas';

/** A quote request: the part of an order that determines its price and its shipment methods. */
export const quoteOrderSchema = crossField(
  z.object({
    orderReferenceId: optional(text(100)),
    currency: currencyCode,
    shippingAddress: crossField(
      z.object({
        country: countryCode,
        firstName: optional(z.string().max(25)),
        lastName: optional(z.string().max(25)),
        addressLine1: optional(z.string().max(35)),
        city: text(30),
        postCode: text(15),
        state: optional(z.string().max(35)),
      }),
      stateRule,
    ),
    items: z
      .array(crossField(z.object(productFields), productNamingRule))
      .min(1)
      .max(500),
    shipmentMethodUid: optional(z.string().max(255)),
  }),
  itemsRule,
).meta({
  id: 'QuoteOrder',
  examples: [
    {
      currency: 'EUR',
      shippingAddress: { country: 'DE', city: 'Berlin', postCode: '10117' },
      items: [
        {
          itemReferenceId: 'poster',
          productUid: 'flat_product_pf_a3_pt_200-gsm-uncoated_cl_4-0_ver',
          quantity: 2,
        },
      ],
    },
  ],
});
export type QuoteOrder = z.output<typeof quoteOrderSchema>;

/** The part of the order that one partner would make, with every shipment method. */
export interface QuotedPrintOrder {
  readonly partner: Partner;
  readonly dispatchDate: string;
  readonly isCrossBorder: boolean;
  /** Products and the chosen method, in the requested currency. */
  readonly receipt: Receipt;
  readonly chosen: ShipmentPlan;
  /** Every method that can carry it, cheapest first, including the chosen one. */
  readonly methods: readonly ShipmentPlan[];
}

export interface QuoteDeps {
  readonly sql: Sql;
  readonly candidates: CandidateReader;
  readonly quote: Quoter;
  readonly now: () => Date;
}

/**
 * Returns the prices and shipment methods that an order would have if it were submitted now. Uses the rules of the
 * plan; stores and reserves nothing.
 * @param products one for each item
 * @throws Refusal `VALIDATION_ERROR` for items that no partner makes, that have no price, or that no method carries;
 *   `CONFLICT` for items that no partner can make at present
 */
export async function quoteOrder(
  deps: QuoteDeps,
  request: QuoteOrder,
  client: { readonly id: string; readonly name: string },
  products: readonly ResolvedProduct[],
): Promise<QuotedPrintOrder[]> {
  const now = deps.now();
  const order = asRunOrder(request, client, products, now);
  const decision = routeOrder({
    items: order.items.map(({ id, product, quantity }) => ({ itemId: id, product, quantity })),
    destinationCountry: request.shippingAddress.country,
    partners: await deps.candidates(
      order.items.flatMap(({ product, quantity }) => [...stockNeeds(product, quantity).keys()]),
    ),
    at: now,
    rates: REFERENCE_RATES,
  });
  if (!decision.ok) throw unroutable(decision);
  const price = priceOrder({ items: order.items, currency: request.currency });
  if (!price.ok) {
    throw invalid(`items[${price.itemIndex}]`, `This product has no price in ${price.currency}.`);
  }
  const partners = new Map((await listPartners(deps.sql)).map((partner) => [partner.partnerId, partner]));
  return await Promise.all(
    groupIntoPrintOrders(decision.assignments).map(({ partnerId, items: jobs, dispatchDate }) =>
      quotePrintOrder(deps.quote, { order, partner: partners.get(partnerId)!, jobs, dispatchDate, now }),
    ),
  );
}

async function quotePrintOrder(
  quote: Quoter,
  planned: Parameters<typeof quoteMethods>[1] & { dispatchDate: string; now: Date },
): Promise<QuotedPrintOrder> {
  const { order, partner, jobs, dispatchDate } = planned;
  const { country } = order.shippingAddress;
  const { packages, quotes } = await quoteMethods(quote, planned);
  const choice = chooseMethod(quotes, order.shipmentMethodUid);
  if (!choice.ok) {
    throw choice.reason === 'choice_matches_none'
      ? invalid('shipmentMethodUid', `None of these methods carries the order to ${country}.`)
      : invalid('shippingAddress.country', `No shipment method carries the order to ${country}.`);
  }
  const sorted = [...quotes].sort(byPrice);
  const methods = sorted.map((method) => planWith(method, method === sorted[0], packages, planned));
  const chosen = methods.find(({ method }) => method === choice.method)!;
  return {
    partner,
    dispatchDate,
    isCrossBorder: isCrossBorder(partner.country, country),
    receipt: invoiceOf(order, jobs, chosen),
    chosen,
    methods,
  };
}

/** Returns the request in the form of an order. An item's id is its index. */
function asRunOrder(
  request: QuoteOrder,
  client: { readonly id: string; readonly name: string },
  products: readonly ResolvedProduct[],
  now: Date,
): RunOrder {
  const { shippingAddress: address } = request;
  return {
    id: '',
    clientId: client.id,
    clientName: client.name,
    iossNumber: null,
    orderReferenceId: request.orderReferenceId ?? '',
    currency: request.currency,
    retailCurrency: null,
    retailShippingPrice: null,
    shipmentMethodUid: request.shipmentMethodUid ?? null,
    // Carriers price by country, post code and state, so the name is optional.
    shippingAddress: {
      id: '',
      firstName: address.firstName ?? '',
      lastName: address.lastName ?? '',
      companyName: undefined,
      addressLine1: address.addressLine1 ?? '',
      addressLine2: undefined,
      country: address.country,
      city: address.city,
      postCode: address.postCode,
      state: address.state,
      email: '',
      phone: '',
      isBusiness: undefined,
      federalTaxId: undefined,
      stateTaxId: undefined,
      registrationState: undefined,
    },
    packagingInstructions: [],
    shippingRevision: 0,
    createdAt: now,
    items: request.items.map(({ itemReferenceId, quantity }, index) => ({
      id: String(index),
      itemReferenceId,
      quantity,
      retailPrice: null,
      product: products[index]!,
    })),
  };
}

function unroutable({ unroutable: items }: Extract<RoutingDecision, { ok: false }>): Refusal {
  const errors = items.map(
    ({ itemId, reason }): FieldError => ({
      code: 'VALIDATION_ERROR',
      message: `No print partner can make and ship this item: ${reason}.`,
      reference: `items[${itemId}]`,
    }),
  );
  return items.every(({ passing }) => passing)
    ? new Refusal('CONFLICT', { message: 'No print partner can make these items at present.', errors })
    : new Refusal('VALIDATION_ERROR', { errors });
}

function invalid(reference: string, message: string): Refusal {
  return new Refusal('VALIDATION_ERROR', { errors: [{ code: 'VALIDATION_ERROR', message, reference }] });
}
