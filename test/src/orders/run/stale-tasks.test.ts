import { createStaleTaskCounter } from '../../../../src/orders/run/stale-tasks';
import { loadConfig } from '../../../../src/platform/config';
import { createLogger } from '../../../../src/platform/logging/logging';
import type { Sql } from '../../../../src/platform/postgres';
import { testDatabase } from '../../../support/database';
import { insertOrder } from '../../../support/rows/order-rows';

let sql: Sql;
let orderId: string;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  orderId = await insertOrder(sql);
});

const attention = async () =>
  (await sql<{ attention: string[] | null }[]>`SELECT attention FROM orders WHERE id = ${orderId}`)[0]!.attention;

test('an order needs attention after the third abandoned task of one run', async () => {
  const abandoned = createStaleTaskCounter({
    sql,
    log: createLogger(loadConfig({ LOG_LEVEL: 'silent' }), 'test'),
  });
  const abandon = (runId: string) => abandoned({ workflowId: `order-${orderId}`, runId });
  await abandon('run-1');
  await abandon('run-1');
  await abandon('run-2');
  expect(await attention()).toBeNull();
  await abandon('run-1');
  await abandon('run-1');
  expect(await attention()).toEqual(['workflow_slow']);
  // Workflows of other types have no order.
  for (let count = 0; count < 4; count += 1) await abandoned({ workflowId: 'reconcile', runId: 'run-3' });
});
