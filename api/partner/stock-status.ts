import { z } from 'zod';
import { stockReportSchema } from '../../src/partners/partner-schemas';
import { recordStockReports } from '../../src/partners/stock-levels';
import { partnerByAccount } from '../../src/partners/store';
import { Refusal } from '../../src/platform/errors';
import type { ApiDeps } from '../deps';
import { type Route, route } from '../http/route';

/** `POST /v3/stock/status`: a partner pushes its stock levels. */
export function stockStatusRoutes({ sql }: ApiDeps): Route[] {
  return [
    route({
      method: 'post',
      path: '/v3/stock/status',
      operationId: 'reportStockStatus',
      summary: 'Report stock levels',
      description: 'The levels apply from the next order. SKUs that are not listed keep their last report.',
      tag: 'Partner interaction',
      access: { credentials: 'key', roles: ['partner'] },
      errors: 'plain',
      body: z.object({
        version: z.string().max(20).optional(),
        items: z.array(stockReportSchema).min(1).max(1_000),
      }),
      response: z.object({ message: z.string() }),
      handler: async ({ account, body }) => {
        if ((await partnerByAccount(sql, account.id)) === undefined) {
          throw new Refusal('CONFLICT', { message: 'This account has not been set up as a print partner.' });
        }
        await recordStockReports(sql, account.id, body.items, new Date());
        return { message: 'Stock status received.' };
      },
    }),
  ];
}
