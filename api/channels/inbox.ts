import { z } from 'zod';
import type { Account } from '../../src/accounts/account';
import { adapterOf } from '../../src/channels/adapters';
import {
  actOn,
  actOnInbox,
  CHANNEL_ORDER_STATES,
  channelOrderDetailSchema,
  channelOrderSchema,
  inboxCounts,
  inboxCountsSchema,
  listChannelOrders,
  requireChannelOrder,
} from '../../src/channels/channel-orders';
import { type Channel, runChannel } from '../../src/channels/channels';
import { corrected, correctionSchema, readOrderOf } from '../../src/channels/domain/order-content';
import { REASON_CODES } from '../../src/channels/domain/reasons';
import { inTransaction, type Queryable } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import { pageById } from '../http/list-query';
import { type Route, route } from '../http/route';
import { channelPath, channelViewer, nextCursor, pageQuery, READ, visibleChannel, WRITE } from './access';

const orderPath = channelPath.extend({ channelOrderId: z.string().max(100) });
const inboxFilter = z.object({ channelId: z.uuid().optional(), reason: z.enum(REASON_CODES).optional() });
const inboxBody = z
  .strictObject(inboxFilter.shape)
  .meta({ id: 'ChannelInboxFilter', examples: [{ reason: 'address' }] });
const inboxQuery = pageQuery.extend({
  state: z.enum(CHANNEL_ORDER_STATES).default('waiting'),
  reason: inboxFilter.shape.reason,
});
const page = z.object({ orders: z.array(channelOrderSchema), nextCursor });

export function inboxRoutes(deps: Pick<ApiDeps, 'sql' | 'objects' | 'client' | 'secretBox'>): Route[] {
  const { sql } = deps;
  const pageOf = async (
    account: Account,
    filter: z.output<typeof inboxQuery> & { readonly channelId?: string | undefined },
  ) => {
    const found = await pageById(filter, (wanted) => listChannelOrders(sql, channelViewer(account), filter, wanted));
    return { orders: found.page, nextCursor: found.nextCursor };
  };
  const detailOf = async (tx: Queryable, channel: Channel, id: string) => {
    const { raw, corrections, ...order } = await requireChannelOrder(tx, channel.id, id);
    const content = readOrderOf(corrected(adapterOf(deps, channel).read(raw), corrections));
    return { ...order, raw, corrections, content };
  };
  const act = (name: 'retry' | 'ignore' | 'correct', summary: string, description: string): Route =>
    route(`POST /v1/channels/{channelId}/orders/{channelOrderId}/${name}`, {
      ...WRITE,
      operationId: `${name}ChannelOrder`,
      refuses: ['CONFLICT'],
      summary,
      description,
      audits: [`channel.${name}`],
      isRepeatable: true,
      params: orderPath,
      body: name === 'correct' ? correctionSchema : z.strictObject({}),
      response: channelOrderDetailSchema,
      handler: async ({ account, params, body, audit }) =>
        await inTransaction(sql, async (tx) => {
          const channel = await visibleChannel(tx, account, params.channelId);
          const before = await requireChannelOrder(tx, channel.id, params.channelOrderId);
          await actOn(tx, before.id, name === 'correct' ? body : name);
          if (name !== 'ignore') await runChannel(tx, channel);
          const after = { channelOrderId: before.id, externalId: before.externalId };
          await audit(tx, { action: `channel.${name}`, objectId: channel.id, before: null, after });
          return await detailOf(tx, channel, before.id);
        }),
    });
  const actOnAll = (name: 'retry' | 'ignore', summary: string, description: string): Route =>
    route(`POST /v1/channels/orders/${name}`, {
      ...WRITE,
      operationId: `${name}ChannelOrders`,
      refuses: ['NOT_FOUND'],
      summary,
      description: `${description} \`orders\` is their number: at most 10,000, the newest. Repeat the call for the others.`,
      audits: [`channel.${name}`],
      isRepeatable: true,
      body: inboxBody,
      response: z.object({ orders: z.int() }),
      handler: async ({ account, body, audit }) =>
        await inTransaction(sql, async (tx) => {
          if (body.channelId !== undefined) await visibleChannel(tx, account, body.channelId);
          const acted = await actOnInbox(tx, channelViewer(account), body, name);
          if (name === 'retry')
            for (const id of new Set(acted)) await runChannel(tx, await visibleChannel(tx, account, id));
          const after = { orders: acted.length, reason: body.reason ?? null };
          await audit(tx, { action: `channel.${name}`, objectId: body.channelId ?? 'all', before: null, after });
          return { orders: acted.length };
        }),
    });
  return [
    route('GET /v1/channels/orders', {
      ...READ,
      operationId: 'listAllChannelOrders',
      summary: 'List the orders of all channels, newest first',
      description: 'Clients see the orders of their own channels. The inbox, unless `state` is another one.',
      query: inboxQuery.extend({ channelId: inboxFilter.shape.channelId }),
      response: page,
      handler: async ({ account, query }) => await pageOf(account, query),
    }),
    route('GET /v1/channels/orders/counts', {
      ...READ,
      operationId: 'countChannelOrders',
      summary: 'Count the orders of the inbox by reason',
      description: 'Clients see the orders of their own channels. An order with several reasons counts for each.',
      query: inboxFilter.pick({ channelId: true }),
      response: inboxCountsSchema,
      handler: async ({ account, query }) => await inboxCounts(sql, channelViewer(account), query.channelId),
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
        return await pageOf(account, { ...query, channelId: id });
      },
    }),
    route('GET /v1/channels/{channelId}/orders/{channelOrderId}', {
      ...READ,
      operationId: 'getChannelOrder',
      summary: 'Retrieve an order of a channel as it arrived',
      params: orderPath,
      response: channelOrderDetailSchema,
      handler: async ({ account, params }) => {
        const channel = await visibleChannel(sql, account, params.channelId);
        return await detailOf(sql, channel, params.channelOrderId);
      },
    }),
    actOnAll(
      'retry',
      'Try all orders of the inbox again',
      'Maps and submits again the orders of the inbox that match.',
    ),
    actOnAll('ignore', 'Ignore all orders of the inbox', 'The orders of the inbox that match are never submitted.'),
    act('retry', 'Try an order of a channel again', 'Maps and submits the order again. 409: it was submitted.'),
    act(
      'correct',
      'Correct an order of a channel',
      'Replaces fields of the order, and submits it. What arrived is kept. Corrections take the place of earlier ones. ' +
        '409: it was submitted.',
    ),
    act(
      'ignore',
      'Ignore an order of a channel',
      'The order is never submitted, unless it is tried again. 409: it was submitted.',
    ),
  ];
}
