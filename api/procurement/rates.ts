import { z } from 'zod';
import { TAX_CATEGORIES } from '../../src/catalog/domain/product';
import { loadTaxRates, taxRatesOn } from '../../src/orders/planning/tax-rates';
import { countryCode, day, repeatsOf, text } from '../../src/platform/domain/fields';
import { loadExchangeRates, ratesOn } from '../../src/platform/exchange-rates';
import { exchangeRatesOfDaySchema, exchangeRatesSchema } from '../../src/procurement/operator-schemas';
import type { ApiDeps } from '../deps';
import { operatorsOnly, type Route, route } from '../http/route';

const exchangeRateGroup = { tag: 'Operator: stock' } as const;

/** Routes with which operators read and load exchange rates. */
export function exchangeRateRoutes({ sql }: ApiDeps): Route[] {
  return [
    route('GET /v1/exchange-rates/{date}', {
      ...exchangeRateGroup,
      access: operatorsOnly('viewer'),
      operationId: 'getExchangeRates',
      summary: 'Read the exchange rates of a day',
      params: z.object({ date: day }),
      response: exchangeRatesOfDaySchema,
      handler: async ({ params: { date } }) => ({ ...(await ratesOn(sql, [date])).get(date)!, date }),
    }),
    route('PUT /v1/exchange-rates/{date}', {
      ...exchangeRateGroup,
      access: operatorsOnly('admin'),
      operationId: 'loadExchangeRates',
      summary: 'Load exchange rates of a day',
      description: 'The rates apply from that day until newer ones. Currencies that are not given keep their rates.',
      audits: ['exchange_rates.load'],
      params: z.object({ date: day }),
      body: exchangeRatesSchema,
      response: exchangeRatesOfDaySchema,
      handler: async ({ params: { date }, body: { perEuro }, audit }) => {
        await loadExchangeRates(sql, { date, perEuro }, (tx, before) =>
          audit(tx, { action: 'exchange_rates.load', objectId: date, before, after: perEuro }),
        );
        return { ...(await ratesOn(sql, [date])).get(date)!, date };
      },
    }),
  ];
}

const taxRateGroup = { errors: 'coded', tag: 'Operator: orders' } as const;
const params = z.object({ date: day });

const taxRate = z.object({
  country: countryCode.describe('Country of delivery.'),
  category: z.enum(TAX_CATEGORIES).describe('`taxCategory` of product models.'),
  rate: z
    .string()
    .regex(/^0(\.\d{1,6})?$/, 'A decimal fraction below 1, for example 0.19')
    .describe('Decimal fraction.'),
  source: text(500).describe('The law or publication that states the rate.'),
});

const loadedRates = z
  .array(taxRate)
  .min(1)
  .max(1_000)
  .superRefine((rates, context) => {
    for (const at of repeatsOf(rates.map(({ country, category }) => `${country} ${category}`)))
      context.addIssue({ code: 'custom', path: [at, 'category'], message: 'Listed twice.' });
  });

const taxRates = z
  .object({
    date: z.iso.date(),
    rates: z.array(
      taxRate.extend({
        validFrom: z.iso.date().nullable().describe('Null: a reference rate, which no loaded rate replaces.'),
      }),
    ),
  })
  .meta({ id: 'TaxRates' });

/** Routes with which operators read and load tax rates. */
export function taxRateRoutes({ sql }: Pick<ApiDeps, 'sql'>): Route[] {
  const read = async (date: string) => ({ date, rates: await taxRatesOn(sql, date) });
  return [
    route('GET /v1/tax-rates/{date}', {
      ...taxRateGroup,
      access: operatorsOnly('viewer'),
      operationId: 'getTaxRates',
      summary: 'Read the tax rates of a day',
      description:
        'A category without a rate in a country has its standard rate. Countries without rates charge no tax.',
      params,
      response: taxRates,
      handler: async ({ params: { date } }) => await read(date),
    }),
    route('PUT /v1/tax-rates/{date}', {
      ...taxRateGroup,
      access: operatorsOnly('admin'),
      operationId: 'loadTaxRates',
      summary: 'Load tax rates that apply from a day on',
      description:
        'They apply to orders that are submitted from that day (UTC) until newer rates. Rates that are not given stay as they are.',
      audits: ['tax_rates.load'],
      params,
      body: z.object({ rates: loadedRates }).meta({ id: 'TaxRatesOfDay' }),
      response: taxRates,
      handler: async ({ params: { date }, body: { rates }, audit }) => {
        await loadTaxRates(sql, { date, rates }, (tx, before) =>
          audit(tx, { action: 'tax_rates.load', objectId: date, before: { rates: before }, after: { rates } }),
        );
        return await read(date);
      },
    }),
  ];
}
