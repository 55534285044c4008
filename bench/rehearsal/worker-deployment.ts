import { setTimeout as sleep } from 'node:timers/promises';
import { orderWorkflowId } from '../../src/platform/domain/workflows';
import { type Client, untilOrdersAre } from './orders';
import { summary, watchRequests } from './rolling-restart';
import type { StepResult } from './step';
import type { Topology } from './topology';

/** Build id of the second worker version. */
const SECOND_BUILD = 'rehearsal-b';
/** The deployment has the name of the task queue. */
const DEPLOYMENT = 'pressline';
/** Load before and after the change of the version. */
const LOAD_MS = 10_000;
const COMPLETE_WITHIN_MS = 60_000;

/**
 * Makes a worker version current. Temporal refuses until the workers of the version have polled every task queue.
 * @returns the number of refused attempts
 */
export async function makeCurrent({ temporalCli }: Topology, buildId: string): Promise<number> {
  const deadline = Date.now() + COMPLETE_WITHIN_MS;
  for (let refused = 0; ; refused += 1) {
    try {
      const command = ['worker', 'deployment', 'set-current-version', '--yes'];
      await temporalCli(...command, '--deployment-name', DEPLOYMENT, '--build-id', buildId);
      return refused;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(1_000);
    }
  }
}

/** Returns the build id of the worker that took an order's last workflow task. */
async function buildOf({ temporalClient }: Topology, orderId: string): Promise<string | undefined> {
  const { raw } = await temporalClient.workflow.getHandle(orderWorkflowId(orderId)).describe();
  return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId ?? undefined;
}

/**
 * Deploys a second worker version while orders run, by the steps of docs/operation/upgrades.md: starts its workers beside the current ones,
 * makes it current, and stops the old workers. Orders that were open must continue on the new version.
 */
export async function deployWorkers(topology: Topology, client: Client): Promise<StepResult> {
  const requests = watchRequests(topology, client);
  const stopLoad = client.startLoad();
  await sleep(LOAD_MS);
  const next = await topology.createWorkers(SECOND_BUILD);
  for (const worker of next) await worker.start();
  await sleep(LOAD_MS);
  const beforeSwitch = client.submissions.length;
  const open = await topology.sql<{ id: string }[]>`
    SELECT id FROM orders WHERE fulfillment_status IN ('created', 'uploading', 'passed', 'in_production')`;
  const began = Date.now();
  const refused = await makeCurrent(topology, SECOND_BUILD);
  const switchedMs = Date.now() - began;
  for (const worker of topology.workers) await worker.stop();
  topology.workers = next;
  await sleep(LOAD_MS);
  const submitted = await stopLoad();
  const findings = requests.failedCalls().map((message) => `a call of the client failed: ${message}`);
  const failed = requests.failedResponses();
  if (failed.length > 0) findings.push(...summary(failed));
  findings.push(...(await untilOrdersAre(topology, ['delivered'])));

  const later = client.submissions.slice(beforeSwitch).flatMap(({ orderId }) => orderId ?? []);
  const onOld: string[] = [];
  for (const id of new Set([...open.map((order) => order.id), ...later]))
    if ((await buildOf(topology, id)) !== SECOND_BUILD) onOld.push(id);
  findings.push(...onOld.map((id) => `order ${id} ended on another version than ${SECOND_BUILD}`));
  return {
    counts: [
      `current after ${(switchedMs / 1_000).toFixed(1)} s (${refused} attempts refused)`,
      `${open.length} open orders moved to the new version, ${later.length} started on it`,
      `${submitted} orders submitted and delivered meanwhile`,
      ...requests.counts(),
    ],
    findings,
  };
}
