import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { orderIdOfWorkflow, orderWorkflowId } from '../../src/platform/domain/workflows';
import { createNextRelease } from './next-release';
import { type Client, untilOrdersAre } from './orders';
import { summary, watchRequests } from './rolling-restart';
import type { StepResult } from './step';
import type { Topology } from './topology';

/** Build id of the second worker version. */
const SECOND_BUILD = 'rehearsal-b';
/** Build id of a release whose orders take one step more, and the name of the step. */
const THIRD_BUILD = 'rehearsal-c';
/** Share of the workflows that a new version gets first, in percent. */
const RAMP = '50';
/** Load before and after the change of the version. */
const LOAD_MS = 10_000;

/** Runs `pressline worker-version`. */
export const workerVersion = async ({ pressline }: Topology, ...args: readonly string[]) => {
  await pressline(['worker-version', ...args]);
};

/** Returns the build id of the worker that took an order's last workflow task. */
async function buildOf({ temporalClient }: Topology, orderId: string): Promise<string | undefined> {
  const { raw } = await temporalClient.workflow.getHandle(orderWorkflowId(orderId)).describe();
  return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId ?? undefined;
}

/** Orders that still have workflow tasks before them. */
const openOrders = async ({ sql }: Topology) =>
  await sql<{ id: string }[]>`
    SELECT id FROM orders WHERE fulfillment_status IN ('created', 'uploading', 'passed', 'in_production')`;

/** Starts the workers of a version beside the current ones, gives it a share of the workflows, and then makes it current. */
async function rampAndMakeCurrent(topology: Topology, buildId: string, root?: string) {
  const workers = await topology.createWorkers(buildId, root);
  for (const worker of workers) await worker.start();
  await sleep(LOAD_MS);
  await workerVersion(topology, buildId, '--ramp', RAMP);
  await sleep(LOAD_MS);
  const began = Date.now();
  await workerVersion(topology, buildId);
  return { workers, seconds: (Date.now() - began) / 1_000 };
}

/** Stops the load and waits until its orders are delivered. @returns the number of orders and the findings */
async function untilDelivered(
  topology: Topology,
  requests: ReturnType<typeof watchRequests>,
  stopLoad: () => Promise<number>,
) {
  const submitted = await stopLoad();
  const findings = requests.failedCalls().map((message) => `a call of the client failed: ${message}`);
  findings.push(...(await untilOrdersAre(topology, ['delivered'])));
  return { submitted, findings };
}

/** Returns a text for each order that ended on another version. */
async function endedElsewhere(topology: Topology, orderIds: Iterable<string>, buildId: string): Promise<string[]> {
  const findings: string[] = [];
  for (const id of orderIds) {
    const endedOn = await buildOf(topology, id);
    if (endedOn !== buildId) findings.push(`order ${id} ended on ${endedOn}, not on ${buildId}`);
  }
  return findings;
}

/**
 * Deploys a second worker version while orders run, by the steps of docs/operation/upgrades.md: starts its workers beside the
 * current ones, ramps it, makes it current, and stops the old workers. Orders that were open must continue on the new version.
 */
export async function deployWorkers(topology: Topology, client: Client): Promise<StepResult> {
  const requests = watchRequests(topology, client);
  const stopLoad = client.startLoad();
  await sleep(LOAD_MS);
  const { workers, seconds } = await rampAndMakeCurrent(topology, SECOND_BUILD);
  const open = await openOrders(topology);
  const atSwitch = client.submissions.length;
  for (const worker of topology.workers) await worker.stop();
  topology.workers = workers;
  await sleep(LOAD_MS);
  const { submitted, findings } = await untilDelivered(topology, requests, stopLoad);
  findings.push(...summary(requests.failedResponses()));
  const later = client.submissions.slice(atSwitch).flatMap(({ orderId }) => orderId ?? []);
  const moved = new Set([...open.map(({ id }) => id), ...later]);
  findings.push(...(await endedElsewhere(topology, moved, SECOND_BUILD)));
  return {
    counts: [
      `${RAMP} %, then current after ${seconds.toFixed(1)} s`,
      `${open.length} open orders moved to the new version, ${later.length} started on it`,
      `${submitted} orders submitted and delivered meanwhile`,
      ...requests.counts(),
    ],
    findings,
  };
}

/**
 * Deploys a third worker version, whose orders take a step that the second version does not know, and sets it back while orders
 * run. Orders that have taken the step must end on the third version, and later orders on the second one. A dispatch request of a
 * partner can get 503 while the second version fails the tasks of an order, and succeeds when it is repeated.
 */
export async function rollBackWorkers(topology: Topology, client: Client): Promise<StepResult> {
  const release = join(topology.folder, 'next-release');
  await createNextRelease(release, THIRD_BUILD);
  const requests = watchRequests(topology, client);
  const stopLoad = client.startLoad();
  const { workers } = await rampAndMakeCurrent(topology, THIRD_BUILD, release);
  await sleep(LOAD_MS);
  const open = new Set((await openOrders(topology)).map(({ id }) => id));
  await workerVersion(topology, SECOND_BUILD, '--pin', THIRD_BUILD);
  const atRollback = client.submissions.length;
  await sleep(LOAD_MS);
  const { submitted, findings } = await untilDelivered(topology, requests, stopLoad);

  const query = `WorkflowType = 'order' AND TemporalChangeVersion = '${THIRD_BUILD}'`;
  const changed = new Set<string>();
  for await (const { workflowId } of topology.temporalClient.workflow.list({ query }))
    changed.add(orderIdOfWorkflow(workflowId)!);
  const later = client.submissions.slice(atRollback).flatMap(({ orderId }) => orderId ?? []);
  findings.push(...(await endedElsewhere(topology, changed, THIRD_BUILD)));
  findings.push(...(await endedElsewhere(topology, later, SECOND_BUILD)));
  for (const worker of workers) await worker.stop();
  const stillOpen = [...open].filter((id) => changed.has(id)).length;
  if (stillOpen === 0) findings.push('no order of the newer version was open at the rollback');
  return {
    counts: [
      `${changed.size} orders started on the newer version, of which ${stillOpen} were open at the rollback and ended on it`,
      `${later.length} later orders started on the older version`,
      `${submitted} orders submitted and delivered meanwhile`,
      ...requests.counts(),
    ],
    findings,
  };
}
