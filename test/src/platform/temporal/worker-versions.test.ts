import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { VersionWithoutWorkers, workerVersions } from '../../../../src/platform/temporal/worker-versions';

/** gRPC statuses. */
const status = { UNKNOWN: 2, NOT_FOUND: 5, PERMISSION_DENIED: 7, UNAVAILABLE: 14 } as const;
const CONFIG = { TEMPORAL_TASK_QUEUE: 'orders' };
const { ROUTING_CONFIG_UPDATE_STATE_IN_PROGRESS: IN_PROGRESS, ROUTING_CONFIG_UPDATE_STATE_COMPLETED: COMPLETED } =
  temporal.api.enums.v1.RoutingConfigUpdateState;

/** Returns a client whose calls about versions fail with each of the errors, and then succeed. */
function clientThatFails(...errors: { code: number; details: string }[]) {
  let calls = 0;
  const setWorkerDeploymentCurrentVersion = async () => {
    const error = errors[calls++];
    if (error === undefined) return {};
    throw Object.assign(new Error(`${error.code}: ${error.details}`), { ...error, metadata: {} });
  };
  const states = [IN_PROGRESS, COMPLETED];
  const describeWorkerDeployment = async () => ({
    workerDeploymentInfo: { routingConfigUpdateState: states.shift() },
  });
  const workflowService = { setWorkerDeploymentCurrentVersion, describeWorkerDeployment };
  const client = { options: { namespace: 'default' }, workflowService } as unknown as Client;
  return { client, calls: () => calls, statesLeft: () => states.length };
}

test('a version is current when every task queue has followed', async () => {
  const { client, statesLeft } = clientThatFails();
  await workerVersions(client, CONFIG).makeCurrent('v2');
  expect(statesLeft()).toBe(0);
});

test.each([
  ['has no workers yet', status.NOT_FOUND, 'no Worker Deployment found with name orders'],
  ['is not available', status.UNAVAILABLE, 'connection refused'],
  ['has an internal error', status.UNKNOWN, 'something went wrong, please retry (577b851e)'],
])('a version is made current again while Temporal %s', async (_, code, details) => {
  const { client, calls } = clientThatFails({ code, details });
  await workerVersions(client, CONFIG).makeCurrent('v2');
  expect(calls()).toBe(2);
});

test('an error that does not pass is thrown at once', async () => {
  const { client, calls } = clientThatFails({ code: status.PERMISSION_DENIED, details: 'no access' });
  await expect(workerVersions(client, CONFIG).makeCurrent('v2')).rejects.toThrow('no access');
  expect(calls()).toBe(1);
});

test('a version without workers is reported with its build id', async () => {
  const { client } = clientThatFails({
    code: status.NOT_FOUND,
    details: 'no Worker Deployment found with name orders',
  });
  const making = workerVersions(client, CONFIG, -1).makeCurrent('v9');
  await expect(making).rejects.toThrow(VersionWithoutWorkers);
  await expect(making).rejects.toThrow('Start them with WORKER_BUILD_ID=v9, or check the build id.');
});
