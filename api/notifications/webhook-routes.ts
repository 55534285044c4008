import { z } from 'zod';
import type { Account } from '../../src/accounts/account';
import { requireClient } from '../../src/accounts/clients';
import { endpointsWithHealth } from '../../src/notifications/delivery-log';
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  ROTATION_OVERLAP_SECONDS,
  rotateSecret,
} from '../../src/notifications/endpoints';
import { endpointHealthSchema, eventsSchema, secretSchema } from '../../src/notifications/webhook-schemas';
import { allowsPrivateAddresses } from '../../src/platform/config';
import { timestamp } from '../../src/platform/domain/fields';
import { Refusal } from '../../src/platform/errors';
import { outboundUrl } from '../../src/platform/http/outbound-addresses';
import { inTransaction, type Sql } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import { type CallContext, type Route, route } from '../http/route';
import {
  ADMINS_FOR_CLIENTS,
  type Audience,
  CLIENTS,
  endpointParams,
  foundEndpoint,
  OPERATORS,
  OPERATORS_FOR_CLIENTS,
  type OwningAudience,
  shownTo,
} from './audience';
import { deliveryRoutes, orderDeliveryRoutes } from './delivery-routes';

type Deps = Pick<ApiDeps, 'sql' | 'config' | 'secretBox'>;

const description = z.string().max(200);

type Owner = Pick<Account, 'id' | 'role'>;

/** The route that creates an endpoint. `ownerOf` returns whose it is: by default the caller's. */
function createEndpointRoute(
  { sql, config, secretBox }: Deps,
  { path, tag, access, events, endpoint, noun }: Audience,
  ownerOf: (account: Account, connectorId: string | undefined) => Owner | Promise<Owner> = (account) => account,
): Route {
  return route(`POST ${path}`, {
    tag,
    access: access.write,
    operationId: `create${noun}`,
    refuses: ['QUOTA_EXCEEDED'],
    summary: 'Create an endpoint for notifications',
    description:
      'Messages are signed as Standard Webhooks specifies, and are delivered at least once, in any order. Respond with 2xx ' +
      'within 15 seconds. Any other response is retried after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h. ' +
      '410 disables the endpoint.',
    audits: ['endpoint.create'],
    idempotent: true,
    returnsSecret: true,
    params: endpointParams.pick({ connectorId: true }),
    body: z
      .object({
        url: outboundUrl(allowsPrivateAddresses(config)),
        description: description.nullish(),
        events: eventsSchema(events).nullish(),
        enabled: z.boolean().nullish(),
      })
      .meta({ examples: [{ url: 'https://shop.example/notifications' }] }),
    response: endpoint.extend({ secret: secretSchema }),
    handler: async ({ account, params, body, idempotency, audit, quotas, keyId }) => {
      const owner = await ownerOf(account, params.connectorId);
      const most = await quotas.limitOf(owner, 'endpoints');
      const fields = {
        url: body.url,
        description: body.description ?? '',
        events: body.events ?? events,
        enabled: body.enabled ?? true,
        keyId,
      };
      return await inTransaction(sql, async (tx) => {
        const created = await createEndpoint(tx, secretBox, owner.id, fields, most);
        const { secret: _secret, ...after } = created;
        await idempotency.complete(tx, created);
        await audit(tx, { action: 'endpoint.create', objectId: created.id, before: null, after });
        return created;
      });
    },
  });
}

/** Changes an endpoint, with its row of the audit log. */
const changed = (
  sql: Sql,
  ownerId: string,
  webhookId: string,
  change: Parameters<typeof changeEndpoint>[3],
  audit: CallContext['audit'],
) =>
  inTransaction(sql, async (tx) => {
    const before = await foundEndpoint(tx, ownerId, webhookId);
    const after = (await changeEndpoint(tx, ownerId, webhookId, change))!;
    await audit(tx, { action: 'endpoint.change', objectId: webhookId, before, after });
    return after;
  });

/** Routes with which an audience manages its endpoints (docs/notifications.md). */
function webhookRoutes(deps: Deps, audience: OwningAudience): Route[] {
  const { sql, config, secretBox } = deps;
  const { path, tag, access, events, endpoint, listed, list, ownerOfEndpoint, noun } = audience;
  const read = { tag, access: access.read } as const;
  const write = { tag, access: access.write } as const;
  const url = outboundUrl(allowsPrivateAddresses(config));

  return [
    createEndpointRoute(deps, audience),
    route(`GET ${path}`, {
      ...read,
      operationId: `list${noun}s`,
      summary: 'List endpoints for notifications',
      response: z.object({ webhooks: z.array(listed) }),
      handler: async ({ account }) => ({
        webhooks: (await list(sql, account)).map((found) => shownTo(account, found)),
      }),
    }),
    route(`GET ${path}/{webhookId}`, {
      ...read,
      operationId: `get${noun}`,
      summary: 'Retrieve an endpoint for notifications',
      params: endpointParams,
      response: endpoint,
      handler: async ({ account, params: { webhookId } }) =>
        shownTo(account, await foundEndpoint(sql, await ownerOfEndpoint(sql, account, webhookId), webhookId)),
    }),
    route(`PATCH ${path}/{webhookId}`, {
      ...write,
      operationId: `change${noun}`,
      summary: 'Change, enable or disable an endpoint',
      description:
        'Only the given fields change. A delivery that is due while the endpoint is disabled becomes a dead letter.',
      audits: ['endpoint.change'],
      params: endpointParams,
      body: z
        .object({
          url: url.optional(),
          description: description.optional(),
          events: eventsSchema(events).optional(),
          enabled: z.boolean().optional(),
        })
        .meta({ examples: [{ description: 'Status page', events: [events[0]] }] }),
      response: endpoint,
      handler: ({ account, params: { webhookId }, body, audit, keyId }) =>
        changed(sql, account.id, webhookId, { ...body, keyId }, audit),
    }),
    route(`DELETE ${path}/{webhookId}`, {
      ...write,
      operationId: `delete${noun}`,
      summary: 'Delete an endpoint with its log and its pending deliveries',
      audits: ['endpoint.delete'],
      params: endpointParams,
      response: z.object({ id: z.string() }),
      handler: ({ account, params: { webhookId }, audit }) =>
        inTransaction(sql, async (tx) => {
          const ownerId = await ownerOfEndpoint(tx, account, webhookId);
          const before = await foundEndpoint(tx, ownerId, webhookId);
          if (!(await deleteEndpoint(tx, ownerId, webhookId))) throw new Refusal('NOT_FOUND');
          await audit(tx, { action: 'endpoint.delete', objectId: webhookId, before, after: null });
          return { id: webhookId };
        }),
    }),
    route(`POST ${path}/{webhookId}/secret`, {
      ...write,
      operationId: `rotate${noun}Secret`,
      summary: 'Rotate the signing secret of an endpoint',
      description:
        'Until the overlap ends, messages carry two signatures: one by the new secret and one by the replaced secret.',
      audits: ['endpoint.rotate_secret'],
      idempotent: true,
      returnsSecret: true,
      params: endpointParams,
      body: z.object({
        overlapSeconds: z
          .int()
          .min(0)
          .max(ROTATION_OVERLAP_SECONDS.most)
          .nullish()
          .describe('Default: 86400 (one day).'),
      }),
      response: z.object({ secret: secretSchema, previousSecretValidUntil: timestamp }),
      handler: ({ account, params: { webhookId }, body, idempotency, audit }) =>
        inTransaction(sql, async (tx) => {
          const { id } = await foundEndpoint(tx, account.id, webhookId);
          const overlap = body.overlapSeconds ?? ROTATION_OVERLAP_SECONDS.default;
          const rotated = (await rotateSecret({ sql: tx, secretBox }, account.id, id, overlap))!;
          await idempotency.complete(tx, rotated);
          const { secret: _secret, ...after } = rotated;
          await audit(tx, { action: 'endpoint.rotate_secret', objectId: id, before: null, after });
          return rotated;
        }),
    }),
  ];
}

export function notificationRoutes(deps: Pick<ApiDeps, 'sql' | 'config' | 'secretBox'>): Route[] {
  return [
    ...[CLIENTS, OPERATORS].flatMap((audience) => [
      ...webhookRoutes(deps, audience),
      ...deliveryRoutes(deps, audience),
    ]),
    ...orderDeliveryRoutes(deps),
    clientEndpointsRoute(deps),
    createEndpointRoute(deps, ADMINS_FOR_CLIENTS, async (_account, connectorId = '') => ({
      id: (await requireClient(deps.sql, connectorId)).id,
      role: 'client',
    })),
    enableEndpointRoute(deps),
    ...deliveryRoutes(deps, OPERATORS_FOR_CLIENTS),
  ];
}

/** The route with which operators enable and disable an endpoint of a client. Its address and events are the client's. */
function enableEndpointRoute({ sql }: Pick<ApiDeps, 'sql'>): Route {
  const { access, endpoint, path, tag } = OPERATORS_FOR_CLIENTS;
  return route(`PATCH ${path}/{webhookId}`, {
    tag,
    access: access.write,
    operationId: 'changeClientWebhook',
    summary: 'Enable or disable an endpoint of a client',
    description: 'A delivery that is due while the endpoint is disabled becomes a dead letter.',
    audits: ['endpoint.change'],
    params: z.object({ connectorId: z.string(), webhookId: z.string() }),
    body: z.strictObject({ enabled: z.boolean() }),
    response: endpoint,
    handler: ({ params: { connectorId, webhookId }, body, audit, keyId }) =>
      changed(sql, connectorId, webhookId, { ...body, keyId }, audit),
  });
}

function clientEndpointsRoute({ sql }: Pick<ApiDeps, 'sql'>): Route {
  const { access, endpoint, path, tag } = OPERATORS_FOR_CLIENTS;
  return route(`GET ${path}`, {
    tag,
    access: access.read,
    operationId: 'listClientWebhooks',
    summary: 'List the endpoints of a client with their health',
    params: z.object({ connectorId: z.string() }),
    response: z.object({
      webhooks: z.array(endpoint.extend({ health: endpointHealthSchema }).meta({ id: 'ClientWebhook' })),
    }),
    handler: async ({ account, params: { connectorId } }) => {
      const endpoints = await endpointsWithHealth(sql, (await requireClient(sql, connectorId)).id);
      return { webhooks: endpoints.map((found) => shownTo(account, found)) };
    },
  });
}
