import { randomUUID } from 'node:crypto';
import { seededRandom } from '../../../bench/support/seeded-random';
import { ITEM_STATUSES, ORDER_STATUSES } from '../../../src/orders/domain/lifecycle/statuses';
import { inTransaction, type Sql } from '../../../src/platform/postgres';
import { readRunningTotals } from '../../../src/platform/running-totals';
import { testDatabase } from '../../support/database';

let sql: Sql;
const client = randomUUID();
const partners = [randomUUID(), randomUUID()];

beforeAll(async () => {
  ({ sql } = await testDatabase());
  await sql`INSERT INTO accounts (id, name, role) VALUES (${client}, 'client', 'client')`;
  for (const id of partners) {
    await sql`INSERT INTO accounts (id, name, role) VALUES (${id}, ${id}, 'partner')`;
    await sql`
      INSERT INTO partners (account_id, uid, name, country, currency, sender_address, capabilities)
      VALUES (${id}, ${id}, 'Counted', 'DE', 'EUR', '{}', '{}')`;
  }
});

async function addOrder(status: string, partnerId: string, jobs: readonly number[]): Promise<void> {
  const id = randomUUID();
  await inTransaction(sql, async (tx) => {
    await tx`
    INSERT INTO orders (id, client_id, order_reference_id, order_type, fulfillment_status, financial_status, currency, shipping_address)
    VALUES (${id}, ${client}, ${id}, 'order', ${status}, 'pending', 'EUR', '{}')`;
    await tx`
    WITH printed AS (
      INSERT INTO print_orders (order_id, partner_id, step, kind, version, status, message_id, dispatch_date)
      VALUES (${id}, ${partnerId}, 'handoff:0', 'print', '1.1', 'accepted', ${id}, '2026-06-01') RETURNING id
    ), item AS (
      INSERT INTO order_items (order_id, position, item_reference_id, quantity, fulfillment_status)
      SELECT ${id}, n, n, 1, 'created' FROM generate_series(1, ${jobs.length}::int) AS n RETURNING id, position
    )
    INSERT INTO print_jobs (print_order_id, order_item_id, quantity, status)
    SELECT printed.id, item.id, (${[...jobs]}::int[])[item.position], 'planned' FROM printed, item`;
  });
}

/** Counts the rows. */
async function counted() {
  const orders = await sql<{ key: string; n: string }[]>`
    SELECT fulfillment_status AS key, count(*) AS n FROM orders GROUP BY 1`;
  const units = await sql<{ key: string; n: string }[]>`
    SELECT o.partner_id::text AS key, sum(j.quantity) AS n FROM print_jobs j JOIN print_orders o ON o.id = j.print_order_id
    WHERE j.status IN ('planned', 'passed', 'in_production') GROUP BY 1`;
  const used = await sql<{ key: string; n: string }[]>`
    SELECT CASE fulfillment_status WHEN 'draft' THEN 'drafts' ELSE 'ordersUnderWay' END AS key, count(*) AS n FROM orders
    WHERE fulfillment_status IN ('draft', 'created', 'uploading', 'passed', 'in_production', 'printed', 'on_hold') GROUP BY 1`;
  const mapOf = (rows: readonly { key: string; n: string }[]) => new Map(rows.map(({ key, n }) => [key, Number(n)]));
  return { orders: mapOf(orders), units: mapOf(units), used: mapOf(used) };
}

const withoutZeros = (counts: ReadonlyMap<string, number>) => new Map([...counts].filter(([, n]) => n !== 0));
const kept = async () => ({
  orders: withoutZeros(await readRunningTotals(sql, 'orders')),
  units: withoutZeros(await readRunningTotals(sql, 'open_units')),
  used: withoutZeros(await readRunningTotals(sql, client)),
});

test('counts equal the rows after random changes by several writers, with several readers', async () => {
  const { below, pick } = seededRandom(46_109);
  const change = async () => {
    const partnerId = pick(partners);
    switch (below(6)) {
      case 0:
      case 1:
        return await addOrder(pick(ORDER_STATUSES), partnerId, [1 + below(9), 1 + below(9)]);
      case 2:
        return await sql`
          UPDATE orders SET fulfillment_status = ${pick(ORDER_STATUSES)}
          WHERE id IN (SELECT id FROM orders ORDER BY id LIMIT 2 FOR UPDATE SKIP LOCKED)`;
      case 3:
        return await sql`
          UPDATE print_jobs SET status = ${pick(ITEM_STATUSES)}, quantity = ${1 + below(9)}
          WHERE id IN (SELECT id FROM print_jobs ORDER BY id DESC LIMIT 3 FOR UPDATE SKIP LOCKED)`;
      case 4:
        return await sql`DELETE FROM print_jobs WHERE id = (SELECT id FROM print_jobs ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)`;
      default:
        return await sql`DELETE FROM orders WHERE id = (SELECT id FROM orders ORDER BY id DESC LIMIT 1 FOR UPDATE SKIP LOCKED)`;
    }
  };
  const writer = async () => {
    for (let n = 0; n < 60; n++) await change();
  };
  const reader = async () => {
    for (let n = 0; n < 30; n++) await readRunningTotals(sql, 'open_units');
  };
  await Promise.all([writer(), writer(), writer(), reader(), reader()]);

  const expected = await counted();
  expect(expected.orders.size).toBeGreaterThan(2);
  expect(await kept()).toEqual(expected);
  // The first read has added every change to the totals.
  expect([...(await sql`SELECT 1 FROM running_total_changes`)]).toEqual([]);
  expect(await kept()).toEqual(expected);
});

test('a change is counted when it is committed, and not before', async () => {
  const before = await kept();
  await sql
    .begin(async (tx) => {
      await tx`UPDATE orders SET fulfillment_status = 'draft'`;
      expect(await kept()).toEqual(before);
      throw new Error('rolled back');
    })
    .catch(() => undefined);
  expect(await kept()).toEqual(before);
});
