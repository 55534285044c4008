import { z } from 'zod';
import { partnerByAccount } from '../../src/partners/partner-rows';
import { pushedStockSchema } from '../../src/partners/partner-schemas';
import { recordStockReports } from '../../src/partners/stock-levels';
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
      description:
        'The levels apply from the next order. SKUs that are not listed keep their last report. Several problems of a ' +
        'request are separated by commas in `error`; nothing is stored then.',
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
    }),
  ];
}
