import { setTimeout as sleep } from 'node:timers/promises';
import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import { channelRoutes } from '../../../api/channels/channels';
import { personalDataRoutes } from '../../../api/operator/personal-data';
import { createChannelIntake } from '../../../api/orders/channel-intake';
import { orderRoutes } from '../../../api/orders/orders';
import { seedDemoCatalog } from '../../../sandbox/demo/catalog';
import { fetchOrders, type OrderIntake, submitNextOrders } from '../../../src/channels/submission';
import type { Config } from '../../../src/platform/config';
import type { Sql } from '../../../src/platform/postgres';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';
import { FILE_URL, POSTER } from '../orders/sample-orders';

/** Columns of a file with our own names, and a row that becomes an order. */
export const HEADER =
  'orderReferenceId,currency,shippingAddress.country,shippingAddress.firstName,shippingAddress.lastName,shippingAddress.addressLine1,shippingAddress.city,shippingAddress.postCode,shippingAddress.email,shippingAddress.phone,items.itemReferenceId,items.productUid,items.sku,items.quantity,items.files.default,revision';

export interface Row {
  readonly reference: string;
  readonly lastName?: string;
  readonly postCode?: string;
  readonly city?: string;
  readonly item?: string;
  readonly uid?: string;
  readonly sku?: string;
  readonly quantity?: string | number;
  readonly url?: string;
  readonly revision?: string | number;
  readonly email?: string;
}

/** Returns a row of a file with `HEADER`. With a `sku`, it names no product of ours. */
export const row = ({
  reference,
  lastName = 'Byron',
  postCode = '10119',
  city = 'Berlin',
  item = '',
  sku = '',
  uid = sku === '' ? POSTER : '',
  quantity = 1,
  url = FILE_URL,
  revision = '',
  email = 'ada@example.com',
}: Row): string =>
  `${reference},EUR,DE,Ada,${lastName},Torstraße 1,${city},${postCode},${email},+49 30 901820,${item},${uid},${sku},${quantity},${url},${revision}`;

export const csv = (...rows: readonly Row[]): string => `${[HEADER, ...rows.map(row)].join('\n')}\n`;

export interface ChannelsApi {
  readonly sql: Sql;
  readonly app: Express;
  readonly client: TestAccount;
  readonly other: TestAccount;
  readonly operator: TestAccount;
  readonly intake: OrderIntake;
  call(method: 'get' | 'post' | 'patch' | 'delete', path: string, body?: object, by?: TestAccount): request.Test;
  /** Creates a channel. Returns its id. */
  create(settings?: object, by?: TestAccount): Promise<string>;
  /** Uploads a file while its channel is processed. */
  upload(channelId: string, content: string | Buffer, query?: object, by?: TestAccount): Promise<request.Response>;
  /** Does what the workflow of a channel does. @param onBatch is called after each batch of orders */
  run(channelId: string, onBatch?: () => void): Promise<void>;
  /** Does what the periodic run of a channel does. Returns the channel. */
  poll(channelId: string): Promise<Record<string, unknown>>;
  /** Returns the orders of a channel. */
  inbox(channelId: string, query?: object): Promise<Record<string, unknown>[]>;
}

/** Returns the routes of channels and orders, with a database that has the demo catalog. */
export async function channelsApi(config: Partial<Config> = {}): Promise<ChannelsApi> {
  const { sql } = await testDatabase();
  await seedDemoCatalog(sql);
  const deps = await testApiDeps(sql, { config });
  const app = createApp(deps, [...channelRoutes(deps), ...orderRoutes(deps), ...personalDataRoutes(deps)]);
  const client = await testAccount(sql, 'client');
  const intake = createChannelIntake(deps);
  const signal = new AbortController().signal;
  const api: ChannelsApi = {
    sql,
    app,
    client,
    other: await testAccount(sql, 'client'),
    operator: await testAccount(sql, 'operator'),
    intake,
    call: (method, path, body, by = client) => {
      const sent = request(app)[method](path).set(by.keyAndSecret);
      return body === undefined ? sent : sent.send(body);
    },
    async create(settings = {}, by = client) {
      const name = `channel ${Math.random()}`;
      const { body } = await api.call('post', '/v1/channels', { kind: 'csv', name, settings }, by).expect(200);
      return body.id as string;
    },
    async upload(channelId, content, query = {}, by = client) {
      let response: request.Response | undefined;
      const sent = request(app)
        .post(`/v1/channels/${channelId}/files`)
        .query(query)
        .set(by.keyAndSecret)
        .set('Content-Type', 'text/csv')
        .send(content)
        .then((received) => {
          response = received;
        });
      while (response === undefined) {
        await api.run(channelId);
        await Promise.race([sent, sleep(50)]);
      }
      return response;
    },
    async run(channelId, onBatch = () => undefined) {
      const all = { ...deps, channelIntake: intake };
      await fetchOrders(all, channelId, false, signal);
      while (!(await submitNextOrders(all, channelId, signal)).done) onBatch();
    },
    async poll(channelId) {
      const all = { ...deps, channelIntake: intake };
      await fetchOrders(all, channelId, true, signal);
      while (!(await submitNextOrders(all, channelId, signal)).done);
      return (await api.call('get', `/v1/channels/${channelId}`).expect(200)).body;
    },
    async inbox(channelId, query = {}) {
      const { body } = await api.call('get', `/v1/channels/${channelId}/orders`).query(query).expect(200);
      return body.orders;
    },
  };
  return api;
}
