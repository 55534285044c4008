import { z } from 'zod';
import { type Account, hasOperatorRole } from '../../src/accounts/account';
import { NOTIFICATION_EVENTS, OPERATOR_EVENTS } from '../../src/notifications/domain/event-schemas';
import {
  endpointOf,
  listEndpoints,
  listEndpointsOfOperators,
  operatorOfEndpoint,
} from '../../src/notifications/endpoints';
import {
  type Endpoint,
  type EndpointEvent,
  endpointSchema,
  ownedEndpointSchema,
} from '../../src/notifications/webhook-schemas';
import { withoutTokens } from '../../src/platform/http/outbound-addresses';
import { foundById, isUuid } from '../../src/platform/ids';
import type { Queryable } from '../../src/platform/postgres';
import { type KeyAccess, operatorsOnly } from '../http/route';

/**
 * Who manages the endpoints of an account, with the routes for it: clients under /v1/webhooks, operators under
 * /v1/operator/webhooks, and operators for a client under /v1/connectors/{connectorId}/webhooks.
 */
export interface Audience {
  readonly path: string;
  readonly tag: string;
  /** Access of routes that read, and of routes that change something or send. */
  readonly access: { readonly read: KeyAccess; readonly write: KeyAccess };
  readonly events: readonly EndpointEvent[];
  readonly endpoint: ReturnType<typeof endpointSchema>;
  /** Operation ids contain this name: `createWebhook`, `createOperatorWebhook`. */
  readonly noun: string;
  /** Returns the id of the account that owns the endpoints. */
  readonly ownerOf: (account: Account, params: EndpointParams) => string;
  /** Set when the caller acts for another account: the audit log then has what is sent again. */
  readonly redeliveryAudits?: readonly ['endpoint.redeliver'];
}

/** An audience that creates its endpoints itself. */
export interface OwningAudience extends Audience {
  /** Schema of an endpoint in a list. */
  readonly listed: z.ZodType<Endpoint, Endpoint>;
  /** Returns the endpoints that an account sees, oldest first. */
  readonly list: (sql: Queryable, account: Account) => Promise<Endpoint[]>;
  /** Returns the account whose endpoint an account reads or deletes: itself, or for an admin the operator who owns it. */
  readonly ownerOfEndpoint: (sql: Queryable, account: Account, webhookId: string) => Promise<string>;
}

interface EndpointParams {
  readonly webhookId: string;
  readonly connectorId?: string | undefined;
}

/** Only the paths of operators for clients have a `connectorId`. */
export const endpointParams = z.object({ webhookId: z.string(), connectorId: z.string().optional() });
const clientEndpoint = endpointSchema(NOTIFICATION_EVENTS, 'WebhookEndpoint');
const callerOwns = ({ id }: Account) => id;

const clients: KeyAccess = { credentials: 'key:secret', roles: ['client'] };

export const CLIENTS: OwningAudience = {
  path: '/v1/webhooks',
  tag: 'Notifications',
  access: { read: clients, write: clients },
  events: NOTIFICATION_EVENTS,
  endpoint: clientEndpoint,
  listed: clientEndpoint,
  list: (sql, { id }) => listEndpoints(sql, id),
  ownerOfEndpoint: async (_sql, { id }) => id,
  noun: 'Webhook',
  ownerOf: callerOwns,
};

export const OPERATORS: OwningAudience = {
  path: '/v1/operator/webhooks',
  tag: 'Operator: notifications',
  access: { read: operatorsOnly('viewer'), write: operatorsOnly('admin') },
  events: OPERATOR_EVENTS,
  endpoint: endpointSchema(OPERATOR_EVENTS, 'OperatorWebhookEndpoint'),
  listed: ownedEndpointSchema,
  list: async (sql, account) => {
    const all = await listEndpointsOfOperators(sql);
    return hasOperatorRole(account, 'admin') ? all : all.filter(({ operator }) => operator.id === account.id);
  },
  ownerOfEndpoint: async (sql, account, webhookId) =>
    (hasOperatorRole(account, 'admin') ? await operatorOfEndpoint(sql, webhookId) : undefined) ?? account.id,
  noun: 'OperatorWebhook',
  ownerOf: callerOwns,
};

/** Operators read a client's deliveries and send them again. They enable and disable a client's endpoints. */
export const OPERATORS_FOR_CLIENTS: Audience = {
  path: '/v1/connectors/{connectorId}/webhooks',
  tag: 'Clients',
  access: { read: operatorsOnly('viewer'), write: operatorsOnly('operator') },
  events: NOTIFICATION_EVENTS,
  endpoint: CLIENTS.endpoint,
  noun: 'ClientWebhook',
  ownerOf: (_account, { connectorId }) => connectorId ?? '',
  redeliveryAudits: ['endpoint.redeliver'],
};

/** Admins create an endpoint of a client when they set the client up. */
export const ADMINS_FOR_CLIENTS: Audience = {
  ...OPERATORS_FOR_CLIENTS,
  access: { ...OPERATORS_FOR_CLIENTS.access, write: operatorsOnly('admin') },
};

/** Returns an endpoint as an account sees it. Viewers do not see the tokens that addresses can contain. */
export function shownTo<T extends { readonly url: string }>({ operatorRole }: Account, endpoint: T): T {
  return operatorRole === 'viewer' ? { ...endpoint, url: withoutTokens(endpoint.url) } : endpoint;
}

/** Returns an endpoint of an account. @throws Refusal `NOT_FOUND`, also for another account's endpoint */
export async function foundEndpoint(sql: Queryable, ownerId: string, webhookId: string): Promise<Endpoint> {
  return await foundById(webhookId, async () => (isUuid(ownerId) ? await endpointOf(sql, ownerId, webhookId) : null));
}
