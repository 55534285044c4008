import { ServiceError } from '@temporalio/client';
import pino from 'pino';
import { flagFailingRuns } from '../../../../src/orders/reconciliation/failing-runs';
import type { ReconcileDeps } from '../../../../src/orders/reconciliation/reconciliation';
import { orderWorkflowId } from '../../../../src/platform/domain/workflows';
import { uuidv7 } from '../../../../src/platform/ids';
import { json, type Sql } from '../../../../src/platform/postgres';
import { testAccount } from '../../../support/api-deps';
import { testDatabase } from '../../../support/database';

let sql: Sql;
let orderId: string;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  const { id: clientId } = await testAccount(sql, 'client');
  orderId = uuidv7();
  await sql`
    INSERT INTO orders (id, client_id, order_reference_id, order_type, fulfillment_status, financial_status, currency,
      shipping_address)
    VALUES (${orderId}, ${clientId}, 'failing', 'order', 'passed', 'pending', 'EUR', ${json(sql, { country: 'DE' })})`;
});

/** The dependencies with a Temporal that lists these workflows. The embedded server is too old to list any. */
const depsWith = (list: () => AsyncGenerator<object>) => {
  const temporal = { workflow: { list } };
  return { sql, temporal, log: pino({ level: 'silent' }), taskQueue: 'pressline' } as unknown as ReconcileDeps;
};

test('orders whose workflow task keeps failing are flagged once; other workflows are logged', async () => {
  const searchAttributes = { TemporalReportedProblems: ['category=WorkflowTaskFailed'] };
  const deps = depsWith(async function* () {
    yield { workflowId: orderWorkflowId(orderId), searchAttributes };
    yield { workflowId: 'reconcile', searchAttributes };
  });
  expect(await flagFailingRuns(deps)).toEqual({ failing: 1 });
  expect(await flagFailingRuns(deps)).toEqual({});
  const [order] = await sql<{ attention: string[] }[]>`SELECT attention FROM orders WHERE id = ${orderId}`;
  expect(order!.attention).toEqual(['stalled']);
  const [event] = await sql<{ data: object }[]>`SELECT data FROM order_events WHERE order_id = ${orderId}`;
  expect(event!.data).toEqual({ reason: 'stalled', message: 'workflow task: category=WorkflowTaskFailed' });
  // The workflow cannot handle a signal. Its next record clears the flag.
  expect(await sql`SELECT FROM outbox`).toHaveLength(0);
});

test('a Temporal that does not report problems flags nothing; another error is thrown', async () => {
  const failure = (code: number) => Object.assign(new Error('refused'), { code, details: 'refused', metadata: {} });
  const failingWith = (cause: Error) =>
    depsWith(async function* () {
      yield* [];
      throw new ServiceError('Failed to list workflows', { cause });
    });
  expect(await flagFailingRuns(failingWith(failure(3)))).toEqual({});
  await expect(flagFailingRuns(failingWith(failure(14)))).rejects.toThrow('Failed to list workflows');
});
