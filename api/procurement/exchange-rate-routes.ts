import { z } from 'zod';
import { day } from '../../src/platform/domain/fields';
import { loadExchangeRates, ratesOn } from '../../src/platform/exchange-rates';
import { exchangeRatesOfDaySchema, exchangeRatesSchema } from '../../src/procurement/operator-schemas';
import type { ApiDeps } from '../deps';
import { operatorsOnly, type Route, route } from '../http/route';

const group = { tag: 'Operator: stock' } as const;

/** Routes with which operators read and load exchange rates. */
export function exchangeRateRoutes({ sql }: ApiDeps): Route[] {
  return [
    route({
      ...group,
      method: 'get',
      access: operatorsOnly('viewer'),
      path: '/v1/exchange-rates/{date}',
      operationId: 'getExchangeRates',
      summary: 'Read the exchange rates of a day',
      params: z.object({ date: day }),
      response: exchangeRatesOfDaySchema,
      handler: async ({ params: { date } }) => ({ ...(await ratesOn(sql, [date])).get(date)!, date }),
    }),
    route({
      ...group,
      method: 'put',
      access: operatorsOnly('admin'),
      path: '/v1/exchange-rates/{date}',
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
