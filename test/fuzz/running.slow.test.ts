import { type Campaign, responsesTable, runCampaign } from './campaign';
import { runningSubject } from './running-subject';
import type { Subject } from './subject';

/** Operations that need a workflow. With a worker, none may fail because of a missing one. */
const WITH_RUNS = new Set([
  'submitOrder',
  'updateShipment',
  'cancelOrder',
  'postOrderStatus',
  'dispatchOrder',
  'createShippingOrder',
  'repairOrder',
  'getOrder',
  'getOperatorOrder',
]);
/** A long campaign sends a twentieth of its requests here, because each may buy a label or change a workflow. */
const REQUESTS = process.env.FUZZ_REQUESTS === undefined ? 250 : Math.ceil(Number(process.env.FUZZ_REQUESTS) / 20);
const SEED = Number(process.env.FUZZ_SEED ?? 1);

jest.setTimeout(Math.max(600_000, REQUESTS * 300));

let subject: Subject;
let campaign: Campaign;
let foreignBefore: string;

beforeAll(async () => {
  subject = await runningSubject();
  foreignBefore = await subject.foreignState();
  campaign = await runCampaign(subject, { requests: REQUESTS, seed: SEED, only: WITH_RUNS });
  if (process.env.FUZZ_REQUESTS !== undefined) process.stderr.write(`${responsesTable(campaign)}\n`);
});

test('no response has a fault while workflows run', () => {
  expect(campaign.findings).toEqual([]);
});

test('nothing of another account has changed', async () => {
  expect(await subject.foreignState()).toBe(foreignBefore);
});

test('no workflow has failed or is stuck in a failing task', async () => {
  const { temporal, config } = subject.deps;
  const broken: string[] = [];
  const query = `TaskQueue = "${config.TEMPORAL_TASK_QUEUE}"`;
  for await (const run of temporal.workflow.list({ query })) {
    if (['FAILED', 'TERMINATED', 'TIMED_OUT'].includes(run.status.name))
      broken.push(`${run.workflowId} ${run.status.name}`);
    if (run.status.name !== 'RUNNING') continue;
    const { raw } = await temporal.workflow.getHandle(run.workflowId).describe();
    const attempt = raw.pendingWorkflowTask?.attempt ?? 0;
    if (attempt > 2) broken.push(`${run.workflowId} has a failing workflow task`);
  }
  expect(broken).toEqual([]);
});
