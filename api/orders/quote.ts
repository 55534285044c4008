import { z } from 'zod';
import { CarrierUnavailable } from '../../src/carriers/carrier';
import type { ReceiptLine } from '../../src/orders/domain/receipt';
import { amounts } from '../../src/orders/domain/receipt';
import { type OrderQuote, type QuotedPrintOrder, quotedOrder, quoteOrder } from '../../src/orders/intake/quote';
import { quoteOrderSchema } from '../../src/orders/intake/quote-schema';
import type { ShipmentPlan } from '../../src/orders/preparation/shipment-plan';
import { taxTableAt } from '../../src/orders/receipts/tax-rates';
import { billingCountry } from '../../src/orders/run/run-order';
import { fromMinor } from '../../src/platform/domain/money';
import { Refusal } from '../../src/platform/errors';
import { ratesAt } from '../../src/platform/exchange-rates';
import { unavailable } from '../../src/platform/unavailable';
import type { ApiDeps } from '../deps';
import { type Route, route, type Sent } from '../http/route';
import { fileTypeErrors, resolvedProducts } from './order-products';
import { CLIENTS } from './visible-order';

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
const TOTALS = [
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

const orderQuoteSchema = z
  .object({
    orderReferenceId: z.string().nullable(),
    currency: z.string(),
    quotes: z.array(quoteSchema).describe('One for each print order.'),
    needsRetailPrices: z
      .boolean()
      .describe('True when a print order crosses a customs border. An order without retail prices is then refused.'),
    ...amounts(...TOTALS),
  })
  .meta({ id: 'OrderQuote' });

function methodView({ method, ...plan }: ShipmentPlan): Sent<typeof methodSchema> {
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

function quoteView({ receipt, chosen, ...quoted }: QuotedPrintOrder): Sent<typeof quoteSchema> {
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
    items: receipt.lines.filter(({ type }) => type === 'product').map(item),
    shipmentMethodUid: chosen.method.methodUid,
    shippingPrice: show(receipt.totals.shippingPrice),
    shippingPriceVat: show(receipt.totals.shippingPriceVat),
    shippingPriceInclVat: show(receipt.totals.shippingPriceInclVat),
    shipmentMethods: quoted.methods.map(methodView),
  };
}

/** Calls carriers. @throws Refusal `UNAVAILABLE` when no carrier returns prices */
export async function withCarriers<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof CarrierUnavailable) throw unavailable('No carrier returns prices at the moment.');
    throw error;
  }
}

function quoteRefusal({ reason, errors }: Extract<OrderQuote, { ok: false }>): Refusal {
  return reason === 'invalid'
    ? new Refusal('VALIDATION_ERROR', { errors })
    : new Refusal('CONFLICT', { message: 'No print partner can make these items now.', errors });
}

type Deps = Pick<ApiDeps, 'sql' | 'carriers' | 'candidates'>;

/** The route that quotes an order. */
export function orderQuoteRoutes({ sql, carriers, candidates }: Deps): Route[] {
  const deps = { sql, candidates, quote: carriers.quote, now: () => new Date() };
  return [
    route({
      method: 'post',
      path: '/v1/orders/quote',
      operationId: 'quoteOrder',
      isRead: true,
      // A carrier gateway has eight seconds to respond.
      timeoutMs: 20_000,
      summary: 'Quote an order',
      description:
        'Returns the prices and shipment methods that an order would have if it were submitted now. The packages ' +
        'follow `packagingInstructions`. Stores and reserves nothing.',
      ...CLIENTS,
      body: quoteOrderSchema,
      response: orderQuoteSchema,
      handler: async ({ account, body }) => {
        const customer = { clientId: account.id, customerReferenceId: body.customerReferenceId };
        const products = await resolvedProducts(sql, customer, body.items, fileTypeErrors);
        const [rates, taxRates, sellerCountry] = await Promise.all([
          ratesAt(sql, new Date()),
          taxTableAt(sql, new Date()),
          billingCountry(sql, account.id),
        ]);
        const order = quotedOrder(body, account, products, { rates, taxRates, sellerCountry });
        const quote = await withCarriers(() => quoteOrder(deps, order));
        if (!quote.ok) throw quoteRefusal(quote);
        const quotes = quote.printOrders;
        const totals = TOTALS.map((name) => {
          const minor = quotes.reduce((sum, { receipt }) => sum + receipt.totals[name], 0);
          return [name, fromMinor(minor, body.currency)] as const;
        });
        return {
          orderReferenceId: body.orderReferenceId ?? null,
          currency: body.currency,
          quotes: quotes.map(quoteView),
          needsRetailPrices: quotes.some(({ isCrossBorder }) => isCrossBorder),
          ...(Object.fromEntries(totals) as Record<(typeof TOTALS)[number], number>),
        };
      },
    }),
  ];
}
