import type { z } from 'zod';
import { NOTIFICATION_EVENTS, OPERATOR_EVENTS } from '../../src/notifications/domain/events';
import type { EndpointEvent } from '../../src/notifications/endpoints';
import { type Access, operatorsOnly } from '../http/route';
import { endpointSchema } from './webhook-schemas';

/** Accounts that have endpoints, with their routes: clients under /v1/webhooks, operators under /v1/operator/webhooks. */
export interface Audience {
  readonly path: string;
  readonly tag: string;
  /** Access of routes that read, and of routes that change something or send. */
  readonly access: { readonly read: Access; readonly write: Access };
  readonly events: readonly EndpointEvent[];
  readonly endpoint: ReturnType<typeof endpointSchema>;
  /** Operation ids contain this name: `createWebhook`, `createOperatorWebhook`. */
  readonly noun: string;
}

const clients: Access = { credentials: 'key:secret', roles: ['client'] };

export const CLIENTS: Audience = {
  path: '/v1/webhooks',
  tag: 'Notifications',
  access: { read: clients, write: clients },
  events: NOTIFICATION_EVENTS,
  endpoint: endpointSchema(NOTIFICATION_EVENTS, 'WebhookEndpoint'),
  noun: 'Webhook',
};

export const OPERATORS: Audience = {
  path: '/v1/operator/webhooks',
  tag: 'Operator: notifications',
  access: { read: operatorsOnly('viewer'), write: operatorsOnly('admin') },
  events: OPERATOR_EVENTS,
  endpoint: endpointSchema(OPERATOR_EVENTS, 'OperatorWebhookEndpoint'),
  noun: 'OperatorWebhook',
};

export type EndpointView = z.input<Audience['endpoint']>;
