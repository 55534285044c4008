import request from 'supertest';
import { issueKey, rotateKeys } from '../../../src/accounts/accounts-and-keys';
import { createApp } from '../../../api/app';
import { alarmRoute } from '../../../api/operator/alarms';
import { testAccount } from '../../support/api-deps';
import { insertPartner } from '../../support/rows/partner-setup';
import { type OrdersApi, ordersApi } from '../orders/orders-api';

/** Alarms about endpoints, channels, keys and stock. test/workflows/bulk-repair has those about promises. */

let api: OrdersApi;

beforeAll(async () => {
  api = await ordersApi();
});

/** Reads the alarms without the cache of an earlier call, by kind. */
async function alarms(by = api.operator) {
  const app = createApp(api.deps, [alarmRoute(api.deps)]);
  const { body } = await request(app).get('/v1/operator/alarms').set(by.key).expect(200);
  return Object.fromEntries(
    body.alarms.map(({ kind, ...alarm }: { kind: string; count: number; rows: object[] }) => [kind, alarm]),
  );
}
