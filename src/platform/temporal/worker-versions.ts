import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, isGrpcServiceError } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import type { Config } from '../config';
import { uuidv7 } from '../ids';
import { isUnavailable } from '../unavailable';

/** The worker versions of a deployment, which has the name of the task queue. */
export interface WorkerVersions {
  /** Gives a version new workflows and the next task of every running one, except those of a ramping version. */
  makeCurrent(buildId: string): Promise<void>;
  /** Gives a version a share of the workflows in percent, by their ids. 0 takes them back. */
  ramp(buildId: string, percentage: number): Promise<void>;
  /**
   * Keeps on a version the running workflows whose last task it took, whichever version is current.
   * @returns the number of workflows
   */
  pin(buildId: string): Promise<number>;
}

const { BATCH_OPERATION_STATE_RUNNING } = temporal.api.enums.v1.BatchOperationState;
const { PINNED_OVERRIDE_BEHAVIOR_PINNED } = temporal.api.workflow.v1.VersioningOverride.PinnedOverrideBehavior;

const IDENTITY = 'pressline worker-version';
/** Temporal accepts a version when its workers have polled every task queue, a second or two after their start. */
const POLLED_WITHIN_MS = 60_000;
/** Temporal's list of workflows follows their tasks within a second or two. */
const LIST_FOLLOWS_MS = 3_000;
const NOT_POLLED = /not found|no worker deployment|no poller|missing active task queues/i;
/** Text in place of an internal error of the server, for example when the deployment's own workflow asks to repeat an update. */
const MASKED_ERROR = /^something went wrong, please retry/;

/** Returns the worker versions of the task queue. */
export function workerVersions(client: Client, config: Pick<Config, 'TEMPORAL_TASK_QUEUE'>): WorkerVersions {
  const { workflowService, options } = client;
  const deploymentName = config.TEMPORAL_TASK_QUEUE;
  const common = { namespace: options.namespace, deploymentName, identity: IDENTITY };
  return {
    async makeCurrent(buildId) {
      await whenPolled(() => workflowService.setWorkerDeploymentCurrentVersion({ ...common, buildId }));
    },
    async ramp(buildId, percentage) {
      await whenPolled(() => workflowService.setWorkerDeploymentRampingVersion({ ...common, buildId, percentage }));
    },
    async pin(buildId) {
      const unpinned =
        `TemporalWorkerDeploymentVersion = '${deploymentName}:${buildId}' AND ExecutionStatus = 'Running' ` +
        `AND TemporalWorkflowVersioningBehavior != 'Pinned'`;
      let pinned = 0;
      for (let quietFrom = Date.now(); Date.now() - quietFrom < LIST_FOLLOWS_MS; await sleep(500)) {
        if ((await client.workflow.count(unpinned)).count === 0) continue;
        pinned += await pinMatching(client, unpinned, { deploymentName, buildId });
        quietFrom = Date.now();
      }
      return pinned;
    },
  };
}

/** Pins the workflows that match a query. @returns their number @throws Error when none could be pinned */
async function pinMatching(
  { workflowService, options: { namespace } }: Client,
  visibilityQuery: string,
  version: { readonly deploymentName: string; readonly buildId: string },
): Promise<number> {
  const jobId = uuidv7();
  await workflowService.startBatchOperation({
    namespace,
    jobId,
    reason: `Pinned to ${version.buildId}`,
    visibilityQuery,
    updateWorkflowOptionsOperation: {
      identity: IDENTITY,
      workflowExecutionOptions: {
        versioningOverride: { pinned: { behavior: PINNED_OVERRIDE_BEHAVIOR_PINNED, version } },
      },
      updateMask: { paths: ['versioning_override'] },
    },
  });
  for (;;) {
    const { state, completeOperationCount, failureOperationCount } = await workflowService.describeBatchOperation({
      namespace,
      jobId,
    });
    if (state !== BATCH_OPERATION_STATE_RUNNING) {
      if (Number(completeOperationCount) === 0 && Number(failureOperationCount) > 0)
        throw new Error(`Temporal could not pin ${failureOperationCount} workflows to ${version.buildId}`);
      return Number(completeOperationCount);
    }
    await sleep(500);
  }
}

/**
 * Repeats a call until the workers of its version have polled and Temporal carries it out.
 * @throws the client's error after a minute, and any other
 */
async function whenPolled(call: () => Promise<unknown>): Promise<void> {
  for (const deadline = Date.now() + POLLED_WITHIN_MS; ; await sleep(500)) {
    try {
      await call();
      return;
    } catch (error) {
      const details = isGrpcServiceError(error) ? error.details : '';
      const mayPass = isUnavailable(error) || NOT_POLLED.test(details) || MASKED_ERROR.test(details);
      if (!mayPass || Date.now() > deadline) throw error;
    }
  }
}
