import { z } from 'zod';
import type { AuditedChange } from '../../src/accounts/audit-log';
import {
  type DeliveryFilter,
  deliveryWithBody,
  listDeliveries,
  listOrderDeliveries,
  redeliver,
  sendTestEvent,
} from '../../src/notifications/delivery-log';
import { TEST_EVENT } from '../../src/notifications/domain/event-schemas';
import {
  DELIVERY_STATES,
  deliverySchema,
  type Endpoint,
  orderDeliverySchema,
} from '../../src/notifications/webhook-schemas';
import { Refusal } from '../../src/platform/errors';
import { foundById } from '../../src/platform/ids';
import { inTransaction } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import { exportedList, formatQuery, PAGES } from '../http/exported-list';
import { idCursorField, limitField, pageById } from '../http/list-query';
import { type Route, route } from '../http/route';
import { changedOrderId, forOrder, operatorOrderParams, visibleOrderId } from '../orders/visible-order';
import { type Audience, endpointParams, foundEndpoint } from './audience';

type DeliveryPage = Pick<DeliveryFilter, 'limit' | 'after'>;

const deliveryParams = endpointParams.extend({ deliveryId: z.string() });
/** @throws Refusal `CONFLICT` when the endpoint is disabled */
function refuseWhenDisabled({ enabled }: Pick<Endpoint, 'enabled'>): void {
  if (!enabled) throw new Refusal('CONFLICT', { message: 'The endpoint is disabled. Enable it first.' });
}

/** Returns the audited change of sending notifications again. */
export function redelivered(endpointId: string, after: object): AuditedChange {
  return { action: 'endpoint.redeliver', objectId: endpointId, before: null, after };
}

export function deliveryRoutes(
  { sql }: Pick<ApiDeps, 'sql'>,
  { path, tag, access, events, noun, ownerOf, redeliveryAudits }: Audience,
): Route[] {
  const audited = redeliveryAudits === undefined ? {} : { audits: redeliveryAudits };
  const read = { tag, access: access.read } as const;
  const write = { tag, access: access.write } as const;
  const foundDelivery = (endpointId: string, id: string) =>
    foundById(id, async () => (await listDeliveries(sql, { endpointId, id }))[0]);

  return [
    route(`POST ${path}/{webhookId}/test`, {
      ...write,
      operationId: `test${noun}`,
      refuses: ['CONFLICT'],
      summary: 'Send a test event to an endpoint',
      params: endpointParams,
      response: deliverySchema,
      handler: async ({ account, params }) => {
        const endpoint = await foundEndpoint(sql, ownerOf(account, params), params.webhookId);
        refuseWhenDisabled(endpoint);
        return await foundDelivery(endpoint.id, await sendTestEvent(sql, endpoint.id));
      },
    }),
    exportedList(`GET ${path}/{webhookId}/deliveries`, {
      csv: { name: 'deliveries', rows: 'deliveries', pages: PAGES.byCursor },
      ...read,
      operationId: `list${noun}Deliveries`,
      onStandby: true,
      summary: 'List deliveries to an endpoint, newest first',
      description: 'Pressline keeps settled deliveries for 30 days. `state=dead` lists the dead letters.',
      params: endpointParams,
      query: z.object({
        state: z.enum(DELIVERY_STATES).optional(),
        event: z.enum([...events, TEST_EVENT]).optional(),
        orderId: z.uuid().optional(),
        limit: limitField,
        cursor: idCursorField.optional(),
        format: formatQuery,
      }),
      response: z.object({ deliveries: z.array(deliverySchema), nextCursor: z.string().nullable() }),
      handler: async ({ account, params, query }) => {
        const { id: endpointId } = await foundEndpoint(sql, ownerOf(account, params), params.webhookId);
        const read = (page: DeliveryPage) => listDeliveries(sql, { ...query, ...page, endpointId });
        const { page: deliveries, nextCursor } = await pageById(query, read);
        return { deliveries, nextCursor };
      },
    }),
    route(`GET ${path}/{webhookId}/deliveries/{deliveryId}`, {
      ...read,
      operationId: `get${noun}Delivery`,
      summary: 'Retrieve a delivery with its body',
      params: deliveryParams,
      response: deliverySchema.extend({ body: z.string().describe('The body as sent. The signature covers it.') }),
      handler: async ({ account, params }) => {
        const { id: endpointId } = await foundEndpoint(sql, ownerOf(account, params), params.webhookId);
        return await foundById(params.deliveryId, () => deliveryWithBody(sql, { endpointId, id: params.deliveryId }));
      },
    }),
    route(`POST ${path}/{webhookId}/deliveries/{deliveryId}/redeliver`, {
      ...write,
      operationId: `redeliver${noun}Delivery`,
      refuses: ['CONFLICT'],
      summary: 'Send a notification again, now',
      description:
        'The message keeps its id and body and gets a new schedule. A waiting one is sent now; one that is being sent stays as ' +
        'it is. 409: the endpoint is disabled.',
      ...audited,
      params: deliveryParams,
      response: deliverySchema,
      handler: async ({ account, params, audit }) => {
        const endpoint = await foundEndpoint(sql, ownerOf(account, params), params.webhookId);
        const { id } = await foundDelivery(endpoint.id, params.deliveryId);
        refuseWhenDisabled(endpoint);
        await inTransaction(sql, async (tx) => {
          await redeliver(tx, endpoint.id, { deliveryId: id });
          if (redeliveryAudits !== undefined) await audit(tx, redelivered(endpoint.id, { deliveryId: id }));
        });
        return await foundDelivery(endpoint.id, id);
      },
    }),
    route(`POST ${path}/{webhookId}/redeliver-dead`, {
      ...write,
      operationId: `redeliverDead${noun}Deliveries`,
      refuses: ['CONFLICT'],
      summary: 'Send every dead letter of an endpoint again',
      ...audited,
      params: endpointParams,
      response: z.object({ redelivered: z.number().int() }),
      handler: async ({ account, params, audit }) => {
        const endpoint = await foundEndpoint(sql, ownerOf(account, params), params.webhookId);
        refuseWhenDisabled(endpoint);
        return await inTransaction(sql, async (tx) => {
          const after = { redelivered: await redeliver(tx, endpoint.id, 'dead') };
          if (redeliveryAudits !== undefined) await audit(tx, redelivered(endpoint.id, after));
          return after;
        });
      },
    }),
  ];
}

export function orderDeliveryRoutes({ sql }: Pick<ApiDeps, 'sql'>): Route[] {
  const found = (orderId: string, id: string) =>
    foundById(id, async () => (await listOrderDeliveries(sql, { orderId, id }))[0]);

  return [
    route('GET /v1/operator/orders/{orderId}/deliveries', {
      ...forOrder('viewer'),
      operationId: 'listOrderDeliveries',
      onStandby: true,
      summary: 'List the notifications about an order, newest first',
      description: 'Contains every endpoint of the client. Pressline keeps settled deliveries for 30 days.',
      query: z.object({
        state: z.enum(DELIVERY_STATES).optional(),
        limit: limitField,
        cursor: idCursorField.optional(),
      }),
      response: z.object({ deliveries: z.array(orderDeliverySchema), nextCursor: z.string().nullable() }),
      handler: async ({ account, params, query }) => {
        const orderId = await visibleOrderId(sql, account, params.orderId);
        const read = (page: DeliveryPage) => listOrderDeliveries(sql, { ...query, ...page, orderId });
        const { page: deliveries, nextCursor } = await pageById(query, read);
        return { deliveries, nextCursor };
      },
    }),
    route('POST /v1/operator/orders/{orderId}/deliveries/{deliveryId}/redeliver', {
      ...forOrder('operator'),
      operationId: 'redeliverOrderDelivery',
      refuses: ['AMBIGUOUS_REFERENCE', 'CONFLICT'],
      summary: 'Send a notification about an order again, now',
      description:
        'The message keeps its id and body and gets a new schedule. A waiting one is sent now; one that is being sent stays as ' +
        'it is. 409: the endpoint is disabled.',
      audits: ['endpoint.redeliver'],
      params: operatorOrderParams.extend({ deliveryId: z.string() }),
      response: orderDeliverySchema,
      handler: async ({ account, params, audit }) => {
        const orderId = await changedOrderId(sql, account, params.orderId);
        const { id: deliveryId, endpoint } = await found(orderId, params.deliveryId);
        refuseWhenDisabled(endpoint);
        await inTransaction(sql, async (tx) => {
          await redeliver(tx, endpoint.id, { deliveryId });
          await audit(tx, redelivered(endpoint.id, { deliveryId, orderId }));
        });
        return await found(orderId, deliveryId);
      },
    }),
  ];
}
