import { ENDED_ORDERS, OPEN_ORDERS, ORDER_STATUSES } from '../../../../src/orders/domain/lifecycle/statuses';
import { isOpenOrder } from '../../../../src/orders/upkeep/compare';
import type { Sql } from '../../../../src/platform/postgres';
import { testDatabase } from '../../../support/database';

let sql: Sql;
beforeAll(async () => {
  ({ sql } = await testDatabase());
});

test('an order status is open, ended or draft', () => {
  expect([...OPEN_ORDERS, ...ENDED_ORDERS, 'draft'].sort()).toEqual([...ORDER_STATUSES].sort());
});

test('the index orders_running has exactly the open statuses', async () => {
  const [index] = await sql<{ definition: string }[]>`
    SELECT indexdef AS definition FROM pg_indexes WHERE indexname = 'orders_running'`;
  const statuses = [...index!.definition.matchAll(/'(\w+)'/g)].map(([, status]) => status);
  expect(statuses.sort()).toEqual([...OPEN_ORDERS].sort());
});

test('a statement with the condition of open orders uses the index', async () => {
  const plan = await sql.begin(async (tx) => {
    await tx`SET LOCAL enable_seqscan = off`;
    return await tx<{ 'QUERY PLAN': string }[]>`
      EXPLAIN SELECT id FROM orders WHERE ${isOpenOrder(tx)} ORDER BY id LIMIT 5`;
  });
  expect(JSON.stringify(plan)).toContain('orders_running');
});
