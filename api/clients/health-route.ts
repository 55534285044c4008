import { z } from 'zod';
import { ORDER_STATUSES } from '../../src/orders/domain/lifecycle/statuses';
import { clientHealth, RECENT_ORDERS } from '../../src/orders/reading/client-health';
import { timestamp } from '../../src/platform/domain/fields';
import type { ApiDeps } from '../deps';
import { operatorsOnly, type Route, route } from '../http/route';
import { clientPath } from './client-schemas';
import { requireClient } from './views';

const healthSchema = z
  .object({
    orders: z
      .int()
      .describe(`Orders that the figures are of: the latest ${RECENT_ORDERS} of the client, without drafts.`),
    needAttention: z.int(),
    byStatus: z.array(z.object({ status: z.enum(ORDER_STATUSES), orders: z.int() })),
    oldestAt: timestamp.nullable().describe('When the oldest of these orders was created.'),
    newestAt: timestamp.nullable(),
  })
  .meta({ id: 'ClientHealth' });

/** The route with which operators see how the orders of a client do. */
export function clientHealthRoute({ sql }: Pick<ApiDeps, 'sql'>): Route {
  return route({
    tag: 'Clients',
    method: 'get',
    access: operatorsOnly('viewer'),
    path: '/v1/connectors/{connectorId}/health',
    operationId: 'getClientHealth',
    summary: 'Get figures of a client’s latest orders',
    description: 'The figures of its endpoints are in the list of its webhooks.',
    params: clientPath,
    response: healthSchema,
    handler: async ({ params }) => {
      const { id } = await requireClient(sql, params.connectorId);
      const { byStatus, ...figures } = await clientHealth(sql, id);
      return {
        ...figures,
        byStatus: ORDER_STATUSES.flatMap((status) => {
          const orders = byStatus[status];
          return orders === undefined ? [] : [{ status, orders }];
        }),
      };
    },
  });
}
