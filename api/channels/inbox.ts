import { z } from 'zod';
import {
  actOn,
  CHANNEL_ORDER_STATES,
  channelOrderDetailSchema,
  channelOrderSchema,
  listChannelOrders,
  requireChannelOrder,
} from '../../src/channels/channel-orders';
import { runChannel } from '../../src/channels/channels';
import { REASON_CODES } from '../../src/channels/domain/reasons';
import { inTransaction } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import { pageById } from '../http/list-query';
import { type Route, route } from '../http/route';
import { channelPath, channelViewer, nextCursor, pageQuery, READ, visibleChannel, WRITE } from './access';

const orderPath = channelPath.extend({ channelOrderId: z.string().max(100) });
const inboxQuery = pageQuery.extend({
  state: z.enum(CHANNEL_ORDER_STATES).default('waiting'),
  reason: z.enum(REASON_CODES).optional(),
});
const page = z.object({ orders: z.array(channelOrderSchema), nextCursor });

export function inboxRoutes({ sql }: Pick<ApiDeps, 'sql'>): Route[] {
  const act = (name: 'retry' | 'ignore', summary: string, description: string): Route =>
    route(`POST /v1/channels/{channelId}/orders/{channelOrderId}/${name}`, {
      ...WRITE,
      operationId: `${name}ChannelOrder`,
      refuses: ['CONFLICT'],
      summary,
      description,
      audits: [`channel.${name}`],
      isRepeatable: true,
      params: orderPath,
      body: z.strictObject({}),
      response: channelOrderDetailSchema,
      handler: async ({ account, params, audit }) =>
        await inTransaction(sql, async (tx) => {
          const channel = await visibleChannel(tx, account, params.channelId);
          const before = await requireChannelOrder(tx, channel.id, params.channelOrderId);
          await actOn(tx, before.id, name);
          if (name === 'retry') await runChannel(tx, channel);
          const after = { channelOrderId: before.id, externalId: before.externalId };
          await audit(tx, { action: `channel.${name}`, objectId: channel.id, before: null, after });
          return await requireChannelOrder(tx, channel.id, before.id);
        }),
    });
  return [
    route('GET /v1/channels/orders', {
      ...READ,
      operationId: 'listAllChannelOrders',
      summary: 'List the orders of all channels, newest first',
      description: 'Clients see the orders of their own channels. The inbox, unless `state` is another one.',
      query: inboxQuery,
      response: page,
      handler: async ({ account, query }) => {
        const found = await pageById(query, (wanted) => listChannelOrders(sql, channelViewer(account), query, wanted));
        return { orders: found.page, nextCursor: found.nextCursor };
      },
    }),
    route('GET /v1/channels/{channelId}/orders', {
      ...READ,
      operationId: 'listChannelOrders',
      summary: 'List the orders of a channel, newest first',
      description: 'The inbox of the channel, unless `state` is another one.',
      params: channelPath,
      query: inboxQuery,
      response: page,
      handler: async ({ account, params, query }) => {
        const { id } = await visibleChannel(sql, account, params.channelId);
        const filter = { ...query, channelId: id };
        const found = await pageById(query, (wanted) => listChannelOrders(sql, channelViewer(account), filter, wanted));
        return { orders: found.page, nextCursor: found.nextCursor };
      },
    }),
    route('GET /v1/channels/{channelId}/orders/{channelOrderId}', {
      ...READ,
      operationId: 'getChannelOrder',
      summary: 'Retrieve an order of a channel as it arrived',
      params: orderPath,
      response: channelOrderDetailSchema,
      handler: async ({ account, params }) => {
        const { id } = await visibleChannel(sql, account, params.channelId);
        return await requireChannelOrder(sql, id, params.channelOrderId);
      },
    }),
    act('retry', 'Try an order of a channel again', 'Maps and submits the order again. 409: it was submitted.'),
    act(
      'ignore',
      'Ignore an order of a channel',
      'The order is never submitted, unless it is tried again. 409: it was submitted.',
    ),
  ];
}
