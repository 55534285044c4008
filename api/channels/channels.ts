import { z } from 'zod';
import type { Account } from '../../src/accounts/account';
import { requireClient } from '../../src/accounts/clients';
import {
  type Channel,
  changeChannel,
  channelChange,
  channelSchema,
  channelViews,
  createChannel,
  listChannels,
  newChannel,
  requireChannel,
  runChannel,
} from '../../src/channels/channels';
import { deleteMapping, listMappings, mappingSchema, newMapping, storeMapping } from '../../src/channels/mappings';
import { sftpTestSchema, storeServer, testSftp } from '../../src/channels/sftp';
import { invalidField } from '../../src/platform/errors';
import { inTransaction, type Sql } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import { pageById } from '../http/list-query';
import { type Route, route } from '../http/route';
import { channelPath, channelViewer, nextCursor, pageQuery, READ, visibleChannel, WRITE } from './access';
import { fileRoutes } from './channel-files';
import { inboxRoutes } from './inbox';

/** @throws Refusal `VALIDATION_ERROR` for an operator without a client, and for a client that names another one */
async function ownerOf(sql: Sql, { role, id }: Account, clientId: string | null | undefined): Promise<string> {
  if (role === 'client') {
    if (clientId != null && clientId !== id) throw invalidField('clientId', 'Clients make channels of their own.');
    return id;
  }
  if (clientId == null) throw invalidField('clientId', 'Operators name the client.', 'MISSING_FIELD_ERROR');
  return (await requireClient(sql, clientId)).id;
}

export function channelRoutes(deps: Pick<ApiDeps, 'sql' | 'objects' | 'client' | 'secretBox'>): Route[] {
  const { sql, secretBox } = deps;
  const viewOf = async (channel: Channel) => (await channelViews(sql, [channel]))[0]!;
  return [
    route('POST /v1/channels', {
      ...WRITE,
      operationId: 'createChannel',
      refuses: ['CONFLICT', 'NOT_FOUND'],
      summary: 'Create a channel',
      description:
        'A channel is where orders of a client come from, besides the API: CSV files, which are uploaded, or taken from the SFTP ' +
        'server of the client. 409: a name that is used.',
      audits: ['channel.create'],
      idempotent: true,
      body: newChannel,
      response: channelSchema,
      handler: async ({ account, body, audit, idempotency }) => {
        const clientId = await ownerOf(sql, account, body.clientId);
        return await inTransaction(sql, async (tx) => {
          const created = await createChannel(tx, clientId, body);
          if (body.sftp != null) await storeServer(tx, secretBox, created.id, body.sftp);
          const channel = await requireChannel(tx, created.id, { clientId });
          const response = { ...channel, waiting: 0 };
          await audit(tx, { action: 'channel.create', objectId: channel.id, before: null, after: channel });
          await idempotency.complete(tx, response);
          return response;
        });
      },
    }),
    route('GET /v1/channels', {
      ...READ,
      operationId: 'listChannels',
      summary: 'List channels, newest first',
      query: pageQuery.extend({ clientId: z.uuid().optional().describe('For operators: those of one client.') }),
      response: z.object({ channels: z.array(channelSchema), nextCursor }),
      handler: async ({ account, query }) => {
        const viewer = { clientId: channelViewer(account).clientId ?? query.clientId ?? null };
        const { page, nextCursor } = await pageById(query, (wanted) => listChannels(sql, viewer, wanted));
        return { channels: await channelViews(sql, page), nextCursor };
      },
    }),
    route('GET /v1/channels/{channelId}', {
      ...READ,
      operationId: 'getChannel',
      summary: 'Retrieve a channel',
      params: channelPath,
      response: channelSchema,
      handler: async ({ account, params }) => await viewOf(await visibleChannel(sql, account, params.channelId)),
    }),
    route('PATCH /v1/channels/{channelId}', {
      ...WRITE,
      operationId: 'changeChannel',
      refuses: ['CONFLICT'],
      summary: 'Change or pause a channel',
      description: 'Given settings replace all settings. They hold for files, and for orders that are tried again.',
      audits: ['channel.change'],
      params: channelPath,
      body: channelChange,
      response: channelSchema,
      handler: async ({ account, params, body, audit }) => {
        const changed = await inTransaction(sql, async (tx) => {
          const before = await visibleChannel(tx, account, params.channelId);
          if (body.sftp !== undefined) {
            if (before.kind !== 'sftp') throw invalidField('sftp', 'The channel has no server.');
            await storeServer(tx, secretBox, before.id, body.sftp);
          }
          const after = await changeChannel(tx, before.id, body);
          await audit(tx, { action: 'channel.change', objectId: before.id, before, after });
          if (before.state === 'paused' && after.state === 'active') await runChannel(tx, after);
          return after;
        });
        return await viewOf(changed);
      },
    }),
    route('POST /v1/channels/{channelId}/test', {
      ...WRITE,
      operationId: 'testChannel',
      summary: 'Test the connection of a channel',
      description:
        'Connects to the SFTP server, makes folders that are missing, and writes and deletes a file. `message` says what was found. ' +
        'With no or another host key, no password and no key is sent.',
      isRepeatable: true,
      timeoutMs: 30_000,
      params: channelPath,
      body: z.strictObject({}),
      response: sftpTestSchema,
      handler: async ({ account, params }) => {
        const { id, sftp } = await visibleChannel(sql, account, params.channelId);
        if (sftp !== null) return await testSftp(deps, id, sftp.hostKey);
        return { works: true, message: 'The files of the channel are uploaded: it has no connection.', hostKey: null };
      },
    }),
    route('GET /v1/channels/{channelId}/mappings', {
      ...READ,
      operationId: 'listChannelMappings',
      summary: 'List the product mappings of a channel, newest first',
      params: channelPath,
      query: pageQuery,
      response: z.object({ mappings: z.array(mappingSchema), nextCursor }),
      handler: async ({ account, params, query }) => {
        const { id } = await visibleChannel(sql, account, params.channelId);
        const { page, nextCursor } = await pageById(query, (wanted) => listMappings(sql, id, wanted));
        return { mappings: page, nextCursor };
      },
    }),
    route('POST /v1/channels/{channelId}/mappings', {
      ...WRITE,
      operationId: 'storeChannelMapping',
      refuses: ['CONFLICT'],
      summary: 'Map a product of a channel',
      description:
        'Says what a variant or a SKU of the channel is here, in place of an earlier mapping of it. All orders of the inbox ' +
        'that wait for it are submitted, and `released` is their number. `ignore` leaves lines with the product out.',
      audits: ['channel.map'],
      isRepeatable: true,
      params: channelPath,
      body: newMapping,
      response: z.object({ mapping: mappingSchema, released: z.int() }),
      handler: async ({ account, params, body, audit }) =>
        await inTransaction(sql, async (tx) => {
          const channel = await visibleChannel(tx, account, params.channelId);
          const stored = await storeMapping(tx, channel, body);
          await audit(tx, { action: 'channel.map', objectId: channel.id, before: null, after: stored.mapping });
          return stored;
        }),
    }),
    route('DELETE /v1/channels/{channelId}/mappings/{mappingId}', {
      ...WRITE,
      operationId: 'deleteChannelMapping',
      summary: 'Delete a product mapping',
      description: 'Orders that were submitted stay as they are.',
      audits: ['channel.unmap'],
      params: channelPath.extend({ mappingId: z.string().max(100) }),
      response: z.object({ id: z.string() }),
      handler: async ({ account, params, audit }) =>
        await inTransaction(sql, async (tx) => {
          const { id } = await visibleChannel(tx, account, params.channelId);
          const before = await deleteMapping(tx, id, params.mappingId);
          await audit(tx, { action: 'channel.unmap', objectId: id, before, after: null });
          return { id: before.id };
        }),
    }),
    ...fileRoutes(deps),
    ...inboxRoutes(deps),
  ];
}
