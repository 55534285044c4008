import { z } from 'zod';
import { type EndpointHealth, endpointHealth, MOST_COUNTED, RECENT } from '../../src/notifications/delivery-log';
import { listEndpoints } from '../../src/notifications/endpoints';
import { requireClient } from '../clients/views';
import type { ApiDeps } from '../deps';
import { type Route, route } from '../http/route';
import { OPERATORS_FOR_CLIENTS } from './audience';
import { deliveryRoutes } from './delivery-routes';
import { endpointView } from './webhook-routes';
import { attemptSchema } from './webhook-schemas';

const { access, endpoint, path, tag } = OPERATORS_FOR_CLIENTS;

const health = z.object({
  dead: z.int().describe(`Number of dead letters, counted up to ${MOST_COUNTED}.`),
  recent: z
    .object({ delivered: z.int(), pending: z.int(), dead: z.int(), failedAttempts: z.int() })
    .describe(`The latest ${RECENT} deliveries by state, and the failed attempts among theirs.`),
  lastDeliveredAt: z.iso.datetime().nullable().describe('Among the latest deliveries.'),
  lastFailure: attemptSchema.nullable().describe('The latest failed attempt among the latest deliveries.'),
});

function healthView({ dead, recent, lastDeliveredAt, lastFailure }: EndpointHealth): z.input<typeof health> {
  return { dead, recent, lastDeliveredAt: lastDeliveredAt?.toISOString() ?? null, lastFailure };
}

/** Routes with which operators read the endpoints of a client, and send its notifications again. */
export function clientWebhookRoutes(deps: Pick<ApiDeps, 'sql'>): Route[] {
  const { sql } = deps;
  return [
    route({
      tag,
      errors: 'coded',
      method: 'get',
      access: access.read,
      path,
      operationId: 'listClientWebhooks',
      summary: 'List the endpoints of a client with their health',
      params: z.object({ connectorId: z.string() }),
      response: z.object({
        webhooks: z.array(endpoint.extend({ health }).meta({ id: 'ClientWebhook' })),
      }),
      handler: async ({ params: { connectorId } }) => {
        const { id } = await requireClient(sql, connectorId);
        const [endpoints, healths] = await Promise.all([listEndpoints(sql, id), endpointHealth(sql, id)]);
        const healthOf = new Map(healths.map((each) => [each.endpointId, each]));
        return {
          webhooks: endpoints.flatMap((each) => {
            const found = healthOf.get(each.id);
            return found === undefined ? [] : [{ ...endpointView(each), health: healthView(found) }];
          }),
        };
      },
    }),
    ...deliveryRoutes(deps, OPERATORS_FOR_CLIENTS),
  ];
}
