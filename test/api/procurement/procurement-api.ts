import type { Express } from 'express';
import request, { type Test } from 'supertest';
import { createApp } from '../../../api/app';
import { procurementRoutes } from '../../../api/procurement/routes';
import { stockRoutes } from '../../../api/procurement/stock-routes';
import { inTransaction, type Sql } from '../../../src/platform/postgres';
import { reserveStock } from '../../../src/procurement/reservations';
import { type TestAccount, testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';

export const GROUP = '/procurement/v1';
export const LISTS = ['order/list', 'inventory/consumption/list', 'inventory/list'];

/** The procurement and stock routes on a fresh database. */
export interface ProcurementApi {
  readonly sql: Sql;
  readonly app: Express;
  post(path: string, as: TestAccount, body?: object): Test;
}

export async function procurementApi(): Promise<ProcurementApi> {
  const { sql } = await testDatabase();
  const deps = await testApiDeps(sql);
  const app = createApp(deps, [...procurementRoutes(deps), ...stockRoutes(deps)]);
  return {
    sql,
    app,
    post: (path, as, body = {}) => request(app).post(`${GROUP}/${path}`).set(as.key).send(body),
  };
}

let serial = 0;

/** Reserves pieces for a new print job and returns its id. */
export async function reserved(
  sql: Sql,
  partnerId: string,
  partnerSku: string,
  quantity: number,
  createdAt?: string,
): Promise<number> {
  const job = 800_000 + ++serial;
  const lines = [{ partnerId, partnerSku, quantity, printJobId: String(job), productName: `Job ${job}` }];
  await inTransaction(sql, (tx) => reserveStock(tx, { step: `test-${job}`, lines }));
  if (createdAt !== undefined) {
    await sql`UPDATE stock_reservations SET created_at = ${createdAt} WHERE print_job_id = ${job}`;
  }
  return job;
}

/** Inserts procurement orders of one piece each, without a workflow. */
export async function rawOrders(sql: Sql, partnerId: string, count: number): Promise<void> {
  const [item] = await sql<{ id: string }[]>`
    INSERT INTO stock_items (partner_id, position, partner_sku, product_uid) VALUES (${partnerId}, 1, 'raw', 'raw') RETURNING id`;
  await sql`
    WITH raised AS (
      INSERT INTO procurement_orders (partner_id, supplier_uid, currency)
      SELECT ${partnerId}, 'ramy', 'EUR' FROM generate_series(1, ${count}::int) RETURNING id
    )
    INSERT INTO procurement_order_items (procurement_order_id, position, stock_item_id, quantity, unit_cost_minor)
    SELECT id, 1, ${item!.id}, 1, 100 FROM raised`;
}
