import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import type { ApiDeps } from '../../../api/deps';
import { draftRoutes } from '../../../api/orders/drafts';
import { orderSearchRoutes } from '../../../api/orders/order-search';
import { orderRoutes } from '../../../api/orders/orders';
import { orderQuoteRoutes } from '../../../api/orders/quote';
import { catalogRoutes, operatorOrderRoutes } from '../../../api/routes';
import { seedDemoCatalog } from '../../../sandbox/demo/catalog';
import { ensureDemoPartners } from '../../../sandbox/demo/partners';
import { prepareOrder } from '../../../src/orders/planning/prepare-order';
import { subscribe } from '../../../src/partners/partner-rows';
import type { Config } from '../../../src/platform/config';
import { orderWorkflowId } from '../../../src/platform/domain/workflows';
import type { Sql } from '../../../src/platform/postgres';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { type TestDatabase, testDatabase } from '../../support/database';
import { testSecretBox } from '../../support/secret-box';

export interface OrdersApi {
  readonly deps: ApiDeps;
  readonly database: TestDatabase;
  readonly sql: Sql;
  readonly app: Express;
  readonly client: TestAccount;
  readonly other: TestAccount;
  readonly operator: TestAccount;
  readonly partner: TestAccount;
  post(path: string, body: object, by?: TestAccount): request.Test;
  submit(body: object, by?: TestAccount): request.Test;
  get(idOrReference: string, by?: TestAccount): request.Test;
  /** Sends a GET request as the operator. */
  list(path: string, query?: object): request.Test;
  patch(id: string, body: object, by?: TestAccount): request.Test;
  delete(id: string, by?: TestAccount): request.Test;
  /** Returns the outbox messages that start the workflow of an order. */
  starts(id: string): Promise<{ args: Record<string, unknown>[]; memo: object; summary: string }[]>;
  /** Returns the number of rows in each table that a submission writes. */
  rows(): Promise<Record<string, number>>;
}

/** Returns the order routes with a database that has the demo catalog, two clients, an operator and a partner. */
export async function ordersApi(config: Partial<Config> = {}): Promise<OrdersApi> {
  const database = await testDatabase();
  const { sql } = database;
  await seedDemoCatalog(sql);
  const deps = await testApiDeps(sql, { config });
  const app = createApp(deps, [
    ...catalogRoutes(deps),
    ...orderRoutes(deps),
    ...draftRoutes(deps),
    ...orderSearchRoutes(deps),
    ...orderQuoteRoutes(deps),
    ...operatorOrderRoutes(deps),
  ]);
  const client = await testAccount(sql, 'client');
  const at = (idOrReference: string) => `/v1/orders/${encodeURIComponent(idOrReference)}`;
  const api: OrdersApi = {
    deps,
    database,
    sql,
    app,
    client,
    other: await testAccount(sql, 'client'),
    operator: await testAccount(sql, 'operator'),
    partner: await testAccount(sql, 'partner'),
    post: (path, body, by = client) => request(app).post(path).set(by.keyAndSecret).send(body),
    submit: (body, by = client) => api.post('/v1/orders', body, by),
    list: (path, query = {}) => request(app).get(path).query(query).set(api.operator.key),
    get: (idOrReference, by = client) => request(app).get(at(idOrReference)).set(by.keyAndSecret),
    patch: (id, body, by = client) => request(app).patch(at(id)).set(by.keyAndSecret).send(body),
    delete: (id, by = client) => request(app).delete(at(id)).set(by.keyAndSecret),
    starts: async (id) => {
      const rows = await sql<{ payload: never }[]>`
        SELECT payload FROM outbox WHERE kind = 'start_workflow' AND target = ${orderWorkflowId(id)}`;
      return rows.map(({ payload }) => payload);
    },
    rows: async () => {
      const [counts] = await sql<Record<string, number>[]>`
        SELECT (SELECT count(*)::int FROM orders) AS orders, (SELECT count(*)::int FROM order_items) AS items,
          (SELECT count(*)::int FROM order_files) AS files, (SELECT count(*)::int FROM packing_slips) AS slips,
          (SELECT count(*)::int FROM outbox) AS outbox, (SELECT count(*)::int FROM idempotency_keys) AS keys`;
      return counts!;
    },
  };
  return api;
}

/** Creates the demo partners prints-berlin and prints-ohio and subscribes them. Returns their ids. */
export async function subscribedPartners({ sql }: OrdersApi): Promise<{ berlin: string; ohio: string }> {
  const berlin = (await testAccount(sql, 'partner', 'prints-berlin')).id;
  const ohio = (await testAccount(sql, 'partner', 'prints-ohio')).id;
  await ensureDemoPartners(sql, [
    { id: berlin, name: 'prints-berlin' },
    { id: ohio, name: 'prints-ohio' },
  ]);
  for (const id of [berlin, ohio]) {
    await subscribe({ sql, secretBox: testSecretBox }, id, {
      orderSubmitUrl: 'https://partner.example/orders',
      apparelOrderSubmitUrl: null,
      orderCancelUrl: null,
      orderUpdateUrl: null,
      inventoryUrl: null,
      printOrderVersion: null,
    });
  }
  return { berlin, ohio };
}

/** What the steps of the order workflow that plan need. */
export const planningSteps = ({ deps }: OrdersApi) => ({
  ...deps,
  now: () => new Date(),
});
/** Plans an order, as the first step of its workflow does. */
export const planOrder = (api: OrdersApi, orderId: string) => prepareOrder(planningSteps(api), orderId);

/** Returns `code reference` of each field error of a response, sorted. */
export const fields = (body: { errors?: { code: string; reference: string }[] }) =>
  (body.errors ?? []).map(({ code, reference }) => `${code} ${reference}`).sort();
