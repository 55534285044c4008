import { z } from 'zod';
import type { AuditedChange } from '../../src/accounts/audit-log';
import {
  DELIVERY_STATES,
  type DeliveryEntry,
  deliveryOf,
  listDeliveries,
  redeliver,
  sendTestEvent,
} from '../../src/notifications/delivery-log';
import { TEST_EVENT } from '../../src/notifications/domain/events';
import type { Endpoint } from '../../src/notifications/endpoints';
import { Refusal } from '../../src/platform/errors';
import { inTransaction } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import { formatQuery } from '../http/lists/csv';
import { idCursorField, limitField, pageOf } from '../http/lists/cursor';
import { exportedList, PAGES } from '../http/lists/exported-list';
import { type Route, route } from '../http/route';
import { type Audience, endpointParams } from './audience';
import { foundEndpoint } from './webhook-routes';
import { deliverySchema } from './webhook-schemas';

const deliveryParams = endpointParams.extend({ deliveryId: z.string() });
const deliveryWithBody = deliverySchema.extend({
  body: z.string().describe('The body as sent. The signature covers it.'),
});

export function deliveryView(delivery: DeliveryEntry): z.input<typeof deliverySchema> {
  const { id, messageId, event, orderId, state, attempts, nextAttemptAt, createdAt, settledAt } = delivery;
  return {
    id,
    messageId,
    event,
    orderId,
    state,
    attempts,
    nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    settledAt: settledAt?.toISOString() ?? null,
  };
}

/** @throws Refusal `CONFLICT` when the endpoint is disabled */
export function refuseWhenDisabled({ enabled }: Pick<Endpoint, 'enabled'>): void {
  if (!enabled) throw new Refusal('CONFLICT', { message: 'The endpoint is disabled. Enable it first.' });
}

export function stillPending(): Refusal {
  return new Refusal('CONFLICT', { message: 'The notification is still being delivered.' });
}

/** Returns the act of sending notifications again. */
export function redelivered(endpointId: string, after: object): AuditedChange {
  return { action: 'endpoint.redeliver', objectId: endpointId, before: null, after };
}

/** Routes that list the deliveries of an endpoint and send them again. */
export function deliveryRoutes(
  { sql }: Pick<ApiDeps, 'sql'>,
  { path, tag, access, events, noun, ownerOf, redeliveryAudits }: Audience,
): Route[] {
  const audited = redeliveryAudits === undefined ? {} : { audits: redeliveryAudits };
  const read = { tag, errors: 'coded', access: access.read } as const;
  const write = { tag, errors: 'coded', access: access.write } as const;
  const foundDelivery = async (endpointId: string, deliveryId: string) => {
    const delivery = await deliveryOf(sql, endpointId, deliveryId);
    if (delivery === undefined) throw new Refusal('NOT_FOUND');
    return delivery;
  };

  return [
    route({
      ...write,
      method: 'post',
      path: `${path}/{webhookId}/test`,
      operationId: `test${noun}`,
      summary: 'Send a test event to an endpoint',
      params: endpointParams,
      response: deliverySchema,
      handler: async ({ account, params }) => {
        const endpoint = await foundEndpoint(sql, ownerOf(account, params), params.webhookId);
        refuseWhenDisabled(endpoint);
        return deliveryView(await foundDelivery(endpoint.id, await sendTestEvent(sql, endpoint.id)));
      },
    }),
    exportedList({
      csv: { name: 'deliveries', rows: 'deliveries', pages: PAGES.byCursor },
      ...read,
      method: 'get',
      path: `${path}/{webhookId}/deliveries`,
      operationId: `list${noun}Deliveries`,
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
      handler: async ({ account, params, query: { cursor, format: _format, ...filter } }) => {
        const { id } = await foundEndpoint(sql, ownerOf(account, params), params.webhookId);
        const found = await listDeliveries(sql, id, { ...filter, after: cursor, limit: filter.limit + 1 });
        const { page, nextCursor } = pageOf(found, filter.limit, (delivery) => delivery.id);
        return { deliveries: page.map(deliveryView), nextCursor };
      },
    }),
    route({
      ...read,
      method: 'get',
      path: `${path}/{webhookId}/deliveries/{deliveryId}`,
      operationId: `get${noun}Delivery`,
      summary: 'Retrieve a delivery with its body',
      params: deliveryParams,
      response: deliveryWithBody,
      handler: async ({ account, params }) => {
        const { id } = await foundEndpoint(sql, ownerOf(account, params), params.webhookId);
        const delivery = await foundDelivery(id, params.deliveryId);
        return { ...deliveryView(delivery), body: delivery.body };
      },
    }),
    route({
      ...write,
      method: 'post',
      path: `${path}/{webhookId}/deliveries/{deliveryId}/redeliver`,
      operationId: `redeliver${noun}Delivery`,
      summary: 'Send a delivered or dead notification again',
      ...audited,
      params: deliveryParams,
      response: deliverySchema,
      handler: async ({ account, params, audit }) => {
        const endpoint = await foundEndpoint(sql, ownerOf(account, params), params.webhookId);
        const { id } = await foundDelivery(endpoint.id, params.deliveryId);
        refuseWhenDisabled(endpoint);
        await inTransaction(sql, async (tx) => {
          if ((await redeliver(tx, endpoint.id, { deliveryId: id })) === 0) throw stillPending();
          if (redeliveryAudits !== undefined) await audit(tx, redelivered(endpoint.id, { deliveryId: id }));
        });
        return deliveryView(await foundDelivery(endpoint.id, id));
      },
    }),
    route({
      ...write,
      method: 'post',
      path: `${path}/{webhookId}/redeliver-dead`,
      operationId: `redeliverDead${noun}Deliveries`,
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
