import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import type { RunEvent } from '../../../../src/orders/domain/lifecycle/run-events';
import { loadConfig } from '../../../../src/platform/config';
import { connectTemporal } from '../../../../src/platform/temporal/connection';
import { POSTER, postback } from '../../../src/orders/domain/lifecycle/run-fixture';
import { testTemporalAddress } from '../../../support/servers';
import type { canceller } from './client-changes/workflows';

/** Cancels that meet events which came before them, and which the main loop of the run has not taken yet. */

const taskQueue = `client-changes-${randomUUID()}`;
let connection: NativeConnection;
let temporal: Client;
let worker: Worker;
let stopped: Promise<void>;

beforeAll(async () => {
  connection = await NativeConnection.connect({ address: testTemporalAddress() });
  temporal = connectTemporal({ ...loadConfig({}), TEMPORAL_ADDRESS: testTemporalAddress() });
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: join(__dirname, 'client-changes', 'workflows.ts'),
  });
  worker = await Worker.create({ connection, taskQueue, workflowBundle });
  stopped = worker.run();
});
afterAll(async () => {
  worker.shutdown();
  await stopped;
  await temporal.connection.close();
  await connection.close();
});

const units = [{ itemId: POSTER.itemId, quantity: 1 }];

const cancel = (chosen: object, waiting: RunEvent[]) =>
  temporal.workflow.execute<typeof canceller>('canceller', {
    workflowId: randomUUID(),
    taskQueue,
    args: [{ by: 'client', reason: 'fewer guests', requestId: 'r1', ...chosen }, waiting],
  });

test.each([
  ['units', { itemIds: [], units }],
  ['an item', { itemIds: [POSTER.itemId] }],
  ['the order', {}],
])('a cancel of %s is refused when a parcel was reported before it', async (_what, chosen) => {
  expect(await cancel(chosen, [postback('shipped')])).toMatch(/shipped/);
});

test('a cancel of units without such a report asks the partner', async () => {
  expect(await cancel({ itemIds: [], units }, [])).toMatchObject({ cancellation: 'requested' });
});
