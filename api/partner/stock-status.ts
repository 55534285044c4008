import { z } from 'zod';
import { partnerByAccount } from '../../src/partners/partner-rows';
import { type StockReport, stockReportSchema, units } from '../../src/partners/partner-schemas';
import { recordStockReports } from '../../src/partners/stock-levels';
import { crossField, property } from '../../src/platform/domain/fields';
import { Refusal } from '../../src/platform/errors';
import type { ApiDeps } from '../deps';
import { type Route, route } from '../http/route';

/** One SKU of a pushed stock report. The units may be given as `quantity` or as `amount`. */
const pushedStockSchema = crossField(
  stockReportSchema.extend({
    quantity: units.nullish().describe('Same as amount. When both are given, they must be equal.'),
  }),
  (item, report) => {
    const [quantity, amount] = [property(item, 'quantity'), property(item, 'amount')];
    if (quantity != null && amount != null && quantity !== amount) {
      report(['quantity'], 'quantity and amount must be equal.');
    }
  },
).transform(({ quantity, ...item }): StockReport => ({ ...item, amount: item.amount ?? quantity }));

export function stockStatusRoute({ sql }: ApiDeps): Route {
  return route('POST /v3/stock/status', {
    operationId: 'reportStockStatus',
    refuses: ['CONFLICT'],
    summary: 'Report stock levels',
    description:
      'The levels apply from the next order. SKUs that are not listed keep their last report. Several problems of a ' +
      'request are separated by commas in `error`; nothing is stored then.',
    isRepeatable: true,
    tag: 'Partner interaction',
    access: { credentials: 'key', roles: ['partner'] },
    errors: 'plain-list',
    body: z.object({
      version: z.string().max(20).optional(),
      items: z.array(pushedStockSchema).min(1).max(100),
    }),
    response: z.object({
      message: z.string(),
      updated_skus: z.array(z.string()).describe('The SKUs of the request, each once.'),
    }),
    handler: async ({ account, body }) => {
      if ((await partnerByAccount(sql, account.id)) === undefined) {
        throw new Refusal('CONFLICT', { message: 'This account has not been set up as a print partner.' });
      }
      await recordStockReports(sql, account.id, body.items, new Date());
      return {
        message: 'Stock status received.',
        updated_skus: [...new Set(body.items.map(({ SKU }) => SKU))],
      };
    },
  });
}
