import { createHash } from 'node:crypto';
import type { AdapterDeps, ArrivedOrder, ChannelAdapter } from '../../../src/channels/adapter';
import { adapterOf } from '../../../src/channels/adapters';
import { storeArrived } from '../../../src/channels/channel-orders';
import { CHANNEL_KINDS, type Channel, type ChannelKind, createChannel } from '../../../src/channels/channels';
import { csvSettings } from '../../../src/channels/domain/csv-order';
import { storeServer } from '../../../src/channels/sftp';
import { uuidv7 } from '../../../src/platform/ids';
import { testAccount, testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';
import { startFaultySftp } from '../../support/sftp-servers';

/** What every adapter of a channel does, whatever its kind. */

const csvOf = (ids: readonly string[]) =>
  Buffer.from(`orderReferenceId,items.sku,items.quantity\n${ids.map((name) => `${name},A3,1`).join('\n')}\n`);

const sftpOf = ({ host, port, username, folder, hostKey, password }: typeof server) => ({
  host,
  port,
  username,
  folder,
  hostKey,
  password,
});

/** Makes a channel have orders with these ids. */
type Fill = (deps: AdapterDeps, channel: Channel, ids: readonly string[]) => Promise<void>;

const FILL: Readonly<Record<ChannelKind, Fill>> = {
  async csv({ sql, objects }, channel, ids) {
    const id = uuidv7();
    const content = csvOf(ids);
    await objects.put(`channel-files/${id}`, content, { contentType: 'text/csv' });
    await sql`
      INSERT INTO channel_files (id, channel_id, name, sha256, size_bytes, dry_run, object_key)
      VALUES (${id}, ${channel.id}, 'a.csv', ${createHash('sha256').update(content).digest()}, ${content.length}, false, ${`channel-files/${id}`})`;
  },
  async sftp(some, channel, ids) {
    await storeServer(some.sql, some.secretBox, channel.id, sftpOf(server));
    await server.write(`in/${uuidv7()}.csv`, csvOf(ids));
    // Sees the size of the file for the first time.
    for await (const batch of adapterOf(some, channel).fetchNew()) expect(batch).toEqual([]);
  },
};

let deps: AdapterDeps;
let clientId: string;
let server: Awaited<ReturnType<typeof startFaultySftp>>;

beforeAll(async () => {
  deps = await testApiDeps((await testDatabase()).sql);
  clientId = (await testAccount(deps.sql, 'client')).id;
  server = await startFaultySftp();
});

afterAll(async () => await server.close());

describe.each(CHANNEL_KINDS)('the adapter of a channel of the kind %s', (kind) => {
  const channelWith = async (...ids: string[]) => {
    const channel = await createChannel(deps.sql, clientId, { kind, name: uuidv7(), settings: csvSettings.parse({}) });
    await FILL[kind](deps, channel, ids);
    return channel;
  };
  const fetched = async (adapter: ChannelAdapter) => {
    const orders: ArrivedOrder[] = [];
    for await (const batch of adapter.fetchNew()) orders.push(...batch);
    return orders;
  };

  test('yields new orders until they are acknowledged', async () => {
    const channel = await channelWith('1', '2');
    const ids = async (adapter: ChannelAdapter) => (await fetched(adapter)).map(({ externalId }) => externalId).sort();
    // A process that dies before the acknowledgement leaves them for the next one.
    expect(await ids(adapterOf(deps, channel))).toEqual(['1', '2']);
    const adapter = adapterOf(deps, channel);
    expect(await ids(adapter)).toEqual(['1', '2']);
    await adapter.acknowledge();
    expect(await ids(adapterOf(deps, channel))).toEqual([]);
    await FILL[kind](deps, channel, ['3']);
    expect(await ids(adapterOf(deps, channel))).toEqual(['3']);
  });

  test('yields the same content again for an order that is stored once', async () => {
    const channel = await channelWith('1', '2');
    expect(await storeArrived(deps.sql, channel.id, await fetched(adapterOf(deps, channel)))).toBe(2);
    expect(await storeArrived(deps.sql, channel.id, await fetched(adapterOf(deps, channel)))).toBe(0);
  });

  test('yields orders whose raw form is JSON that it reads', async () => {
    const channel = await channelWith('7');
    const adapter = adapterOf(deps, channel);
    const [order] = await fetched(adapter);
    const read = adapter.read(JSON.parse(JSON.stringify(order!.raw)));
    expect(read).toEqual(adapter.read(order!.raw));
    expect(read.order.orderReferenceId).toBe('7');
    expect(read.lines).toMatchObject([{ sku: 'A3', quantity: 1 }]);
  });

  test('takes reports more than once', async () => {
    const adapter = adapterOf(deps, await channelWith('1'));
    await fetched(adapter);
    const parcels = [{ trackingCode: 'T1', trackingUrl: null, shipmentMethodUid: 'post' }];
    const reasons = [{ code: 'file' as const, field: null, message: 'No file.', line: null }];
    for (let time = 0; time < 2; time += 1) {
      await adapter.reportShipped([{ externalId: '1', parcels }]);
      await adapter.reportProblem([{ externalId: '1', fileId: null, reasons }]);
      await adapter.acknowledge();
    }
    expect(await fetched(adapter)).toEqual([]);
  });
});
