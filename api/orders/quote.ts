import { type Client, requireClient } from '../../src/accounts/clients';
import { CarrierUnavailable } from '../../src/carriers/carrier';
import type { ResolvedProduct } from '../../src/catalog/domain/product';
import {
  type OrderQuote,
  orderQuoteSchema,
  QUOTE_TOTALS,
  quotedOrder,
  quoteOrder,
  quoteView,
} from '../../src/orders/intake/quote';
import { type QuoteOrder, quoteOrderSchema } from '../../src/orders/intake/quote-schema';
import { addressFindings } from '../../src/orders/planning/address-checks';
import { taxTableAt } from '../../src/orders/planning/tax-rates';
import { fromMinor } from '../../src/platform/domain/money';
import { Refusal } from '../../src/platform/errors';
import { ratesAt } from '../../src/platform/exchange-rates';
import { createAccountPaces } from '../../src/platform/pace';
import { unavailable } from '../../src/platform/unavailable';
import type { ApiDeps } from '../deps';
import { type Route, route, type Sent } from '../http/route';
import { fileErrors, fileTypeErrors, refuseManyParcels, resolvedProducts } from './order-products';
import { CLIENTS } from './visible-order';

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

type Deps = Pick<ApiDeps, 'sql' | 'carriers' | 'candidates' | 'routingWeights'>;

/** Returns a function that quotes an order of a client. @throws Refusal `VALIDATION_ERROR`, `CONFLICT`, `UNAVAILABLE` */
export function createQuoter({ sql, ...routing }: Deps) {
  const deps = { ...routing, now: () => new Date() };
  const paced = createAccountPaces();
  return async (
    client: Client,
    body: QuoteOrder,
    products: readonly ResolvedProduct[],
  ): Promise<Sent<typeof orderQuoteSchema>> => {
    const [rates, taxRates] = await Promise.all([ratesAt(sql, new Date()), taxTableAt(sql, new Date())]);
    const order = quotedOrder(body, client, products, { rates, taxRates });
    const quote = await paced(client.id, body.items.length, () => withCarriers(() => quoteOrder(deps, order)));
    if (!quote.ok) throw quoteRefusal(quote);
    const quotes = quote.printOrders;
    const totals = QUOTE_TOTALS.map((name) => {
      const minor = quotes.reduce((sum, { receipt }) => sum + receipt.totals[name], 0);
      return [name, fromMinor(minor, body.currency)] as const;
    });
    return {
      orderReferenceId: body.orderReferenceId ?? null,
      currency: body.currency,
      quotes: quotes.map(quoteView),
      needsRetailPrices: quotes.some(({ isCrossBorder }) => isCrossBorder),
      addressChecks: addressFindings(body.shippingAddress),
      ...(Object.fromEntries(totals) as Record<(typeof QUOTE_TOTALS)[number], number>),
    };
  };
}

export function orderQuoteRoutes(deps: Deps): Route[] {
  const { sql } = deps;
  const quote = createQuoter(deps);
  return [
    route('POST /v1/orders/quote', {
      operationId: 'quoteOrder',
      refuses: ['CONFLICT', 'TOO_MANY_PARCELS'],
      isRead: true,
      // A carrier gateway has eight seconds to respond.
      timeoutMs: 20_000,
      summary: 'Quote an order',
      description:
        'Returns the prices and shipment methods that an order would have if it were submitted now. The packages ' +
        'follow `packagingInstructions`. 400 names every field that a submission would refuse. Stores and reserves nothing.',
      ...CLIENTS,
      body: quoteOrderSchema,
      response: orderQuoteSchema,
      handler: async ({ account, body }) => {
        const customer = { clientId: account.id, customerReferenceId: body.customerReferenceId };
        const products = await resolvedProducts(sql, customer, body.items, (item, ...product) =>
          item.files?.every(({ url }) => url !== undefined)
            ? fileErrors(item, ...product)
            : fileTypeErrors(item, ...product),
        );
        refuseManyParcels(body, products);
        return await quote(await requireClient(sql, account.id), body, products);
      },
    }),
  ];
}
