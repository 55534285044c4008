import { z } from 'zod';
import { fromMinor } from '../../src/platform/domain/money';
import { requireRates } from '../../src/platform/exchange-rates';
import { consignmentFrom } from '../../src/shipping/consignment';
import { quoteRequestSchema } from '../../src/shipping/request-schemas';
import type { ApiDeps } from '../deps';
import { type Route, route } from '../http/route';

const quotesSchema = z
  .object({
    items: z.array(
      z.object({
        carrier: z.object({ name: z.string(), uid: z.string() }),
        method: z.object({
          name: z.string(),
          uid: z.string(),
          price: z.number().describe('Estimated price of all packages, in the request’s currency.'),
          maxShipmentDays: z.number(),
          minShipmentDays: z.number(),
          deliveryPaddingDays: z.number().optional(),
        }),
      }),
    ),
    count: z.number(),
  })
  .meta({ id: 'ShippingQuotes' });

export function quoteRoute({ sql, carriers }: Pick<ApiDeps, 'sql' | 'carriers'>): Route {
  return route('POST /v1/shipping-methods/quote', {
    operationId: 'quoteShippingMethods',
    isRead: true,
    // A carrier gateway has eight seconds to respond.
    timeoutMs: 20_000,
    summary: 'List the shipping methods for packages and an address',
    description:
      'Cheapest method first, with the price of all packages. The list is empty when no method carries them.',
    tag: 'Shipping',
    access: { credentials: 'key', roles: ['client', 'partner', 'operator'], operatorRole: 'viewer' },
    errors: 'shipping',
    body: quoteRequestSchema,
    response: quotesSchema,
    handler: async ({ body }) => {
      const rates = await requireRates(sql, [{ currency: body.currency, reference: 'currency' }]);
      const quotes = await carriers.quote(consignmentFrom(body, rates));
      return {
        items: quotes.map((quote) => ({
          carrier: { name: quote.carrierName, uid: quote.carrierUid },
          method: {
            name: quote.methodName,
            uid: quote.methodUid,
            price: fromMinor(quote.price.minor, quote.price.currency),
            maxShipmentDays: quote.maxDays,
            minShipmentDays: quote.minDays,
            deliveryPaddingDays: quote.paddingDays,
          },
        })),
        count: quotes.length,
      };
    },
  });
}
