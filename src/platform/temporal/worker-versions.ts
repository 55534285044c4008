import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, isGrpcServiceError } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import type { Config } from '../config';
import { uuidv7 } from '../ids';
import { isUnavailable } from '../unavailable';

/** The worker versions of a deployment, which has the name of the task queue. */
export interface WorkerVersions {
  /**
   * Gives a version new workflows and the next task of every running one, except those of a ramping version. Resolves when all
   * task queues do so.
   * @throws VersionWithoutWorkers after a minute
   */
  makeCurrent(buildId: string): Promise<void>;
  /** Gives a version a share of the workflows in percent, by their ids. 0 takes them back. Resolves as `makeCurrent` does. */
  ramp(buildId: string, percentage: number): Promise<void>;
  /**
   * Keeps on a version the running workflows whose last task it completed, whichever version is current. Resets those whose
   * next task another version has failed to their last completed task.
   * @returns the number of workflows
   */
  pin(buildId: string): Promise<number>;
}

const { BATCH_OPERATION_STATE_RUNNING } = temporal.api.enums.v1.BatchOperationState;
const { ROUTING_CONFIG_UPDATE_STATE_IN_PROGRESS } = temporal.api.enums.v1.RoutingConfigUpdateState;
const { PINNED_OVERRIDE_BEHAVIOR_PINNED } = temporal.api.workflow.v1.VersioningOverride.PinnedOverrideBehavior;

const IDENTITY = 'pressline worker-version';
/** Temporal accepts a version when its workers have polled every task queue, a second or two after their start. */
const POLLED_WITHIN_MS = 60_000;
/** Task queues follow a change within a second. */
const ROUTED_WITHIN_MS = 60_000;
/** Temporal's list of workflows follows their tasks within a second or two. */
const LIST_FOLLOWS_MS = 3_000;
/** The first pins nearly all workflows, the second those that the list did not show yet. */
const ROUNDS = 5;
const NOT_POLLED = /not found|no worker deployment|no poller|missing active task queues/i;
/** Text in place of an internal error of the server, for example when the deployment's own workflow asks to repeat an update. */
const MASKED_ERROR = /^something went wrong, please retry/;

/** No worker of a version has polled every task queue. The message is for the user. */
export class VersionWithoutWorkers extends Error {
  override readonly name = 'VersionWithoutWorkers';
}

/** @param polledWithinMs how long `makeCurrent` and `ramp` wait for the workers of a version */
export function workerVersions(
  client: Client,
  config: Pick<Config, 'TEMPORAL_TASK_QUEUE'>,
  polledWithinMs = POLLED_WITHIN_MS,
): WorkerVersions {
  const { workflowService, options } = client;
  const deploymentName = config.TEMPORAL_TASK_QUEUE;
  const common = { namespace: options.namespace, deploymentName, identity: IDENTITY };
  const whenWorkersPoll = async (buildId: string, call: () => Promise<unknown>) => {
    try {
      await whenPolled(call, polledWithinMs);
    } catch (error) {
      if (!isGrpcServiceError(error) || !NOT_POLLED.test(error.details)) throw error;
      const message =
        `Temporal knows no workers of ${deploymentName}:${buildId} that poll every task queue (${error.details}). ` +
        `Start them with WORKER_BUILD_ID=${buildId}, or check the build id.`;
      throw new VersionWithoutWorkers(message, { cause: error });
    }
  };
  return {
    async makeCurrent(buildId) {
      await whenWorkersPoll(buildId, () => workflowService.setWorkerDeploymentCurrentVersion({ ...common, buildId }));
      await untilRouted(client, deploymentName);
    },
    async ramp(buildId, percentage) {
      await whenWorkersPoll(buildId, () =>
        workflowService.setWorkerDeploymentRampingVersion({ ...common, buildId, percentage }),
      );
      await untilRouted(client, deploymentName);
    },
    async pin(buildId) {
      const unpinned =
        `TemporalWorkerDeploymentVersion = '${deploymentName}:${buildId}' AND ExecutionStatus = 'Running' ` +
        `AND TemporalWorkflowVersioningBehavior != 'Pinned'`;
      const toVersion = {
        workflowExecutionOptions: {
          versioningOverride: {
            pinned: { behavior: PINNED_OVERRIDE_BEHAVIOR_PINNED, version: { deploymentName, buildId } },
          },
        },
        updateMask: { paths: ['versioning_override'] },
      };
      const anyLeft = async () => (await client.workflow.count(unpinned)).count > 0;
      let pinned = 0;
      for (let round = 1; await eventuallyTrue(anyLeft, LIST_FOLLOWS_MS); round += 1) {
        if (round > ROUNDS) throw new Error(`workflows of ${buildId} could not be pinned to it`);
        const updateWorkflowOptionsOperation = { ...toVersion, identity: IDENTITY };
        pinned += await runBatch(client, unpinned, { updateWorkflowOptionsOperation });
        await sleep(LIST_FOLLOWS_MS);
        if (!(await anyLeft())) continue;
        // Another version has got a task of these and failed it. Until it completes one, Temporal sends it their tasks, pinned
        // or not.
        const resetOperation = {
          identity: IDENTITY,
          options: { lastWorkflowTask: {} },
          postResetOperations: [{ updateWorkflowOptions: toVersion }],
        };
        await runBatch(client, unpinned, { resetOperation });
      }
      return pinned;
    },
  };
}

/**
 * Waits until every task queue routes by the last change. Until then, some give tasks to the version before.
 * @throws the client's error, and Error when the queues have not followed after a minute
 */
async function untilRouted({ workflowService, options: { namespace } }: Client, deploymentName: string): Promise<void> {
  const isRouted = async () => {
    const { workerDeploymentInfo } = await whenPolled(() =>
      workflowService.describeWorkerDeployment({ namespace, deploymentName }),
    );
    return workerDeploymentInfo?.routingConfigUpdateState !== ROUTING_CONFIG_UPDATE_STATE_IN_PROGRESS;
  };
  if (!(await eventuallyTrue(isRouted, ROUTED_WITHIN_MS)))
    throw new Error(`some task queues of ${deploymentName} still use the version before`);
}

async function eventuallyTrue(condition: () => Promise<boolean>, withinMs: number): Promise<boolean> {
  for (const deadline = Date.now() + withinMs; ; await sleep(500)) {
    if (await condition()) return true;
    if (Date.now() > deadline) return false;
  }
}

type BatchOperation = Pick<
  temporal.api.workflowservice.v1.IStartBatchOperationRequest,
  'updateWorkflowOptionsOperation' | 'resetOperation'
>;

/** Changes the workflows that match a query. @returns their number @throws Error when none could be changed */
async function runBatch(
  { workflowService, options: { namespace } }: Client,
  visibilityQuery: string,
  operation: BatchOperation,
): Promise<number> {
  const jobId = uuidv7();
  await workflowService.startBatchOperation({ namespace, jobId, reason: IDENTITY, visibilityQuery, ...operation });
  for (;;) {
    const { state, completeOperationCount, failureOperationCount } = await workflowService.describeBatchOperation({
      namespace,
      jobId,
    });
    if (state !== BATCH_OPERATION_STATE_RUNNING) {
      if (Number(completeOperationCount) === 0 && Number(failureOperationCount) > 0)
        throw new Error(`Temporal could not change ${failureOperationCount} workflows: ${visibilityQuery}`);
      return Number(completeOperationCount);
    }
    await sleep(500);
  }
}

/** Repeats a call until the workers of its version have polled and Temporal carries it out. */
async function whenPolled<T>(call: () => Promise<T>, withinMs = POLLED_WITHIN_MS): Promise<T> {
  for (const deadline = Date.now() + withinMs; ; await sleep(500)) {
    try {
      return await call();
    } catch (error) {
      const details = isGrpcServiceError(error) ? error.details : '';
      const mayPass = isUnavailable(error) || NOT_POLLED.test(details) || MASKED_ERROR.test(details);
      if (!mayPass || Date.now() > deadline) throw error;
    }
  }
}
