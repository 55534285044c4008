import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';

/** A worker that polls Temporal for tasks. */
export interface Poller {
  /** The process id and host of the worker, unless it has another identity. */
  readonly identity: string;
  readonly types: readonly TaskType[];
  readonly lastSeenAt: Date;
}

const TASK_TYPES = ['workflow', 'activity'] as const;
export type TaskType = (typeof TASK_TYPES)[number];

/** The workers of a task queue, and the tasks that wait for one. */
export interface TaskQueueState {
  readonly pollers: readonly Poller[];
  /** Tasks that wait for a worker. Null when the Temporal server does not count them. */
  readonly backlog: Readonly<Record<TaskType, number | null>>;
}

const TYPES = {
  workflow: temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
  activity: temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
} as const;

/**
 * Returns the workers that polled for tasks in the last five minutes, as Temporal remembers them.
 * @param timeoutMs timeout of the two requests
 * @throws gRPC errors while Temporal is unavailable
 */
export async function readTaskQueue(client: Client, taskQueue: string, timeoutMs: number): Promise<TaskQueueState> {
  const describe = (type: TaskType) =>
    client.withDeadline(Date.now() + timeoutMs, () =>
      client.workflowService.describeTaskQueue({
        namespace: client.options.namespace,
        taskQueue: { name: taskQueue },
        taskQueueType: TYPES[type],
        reportStats: true,
      }),
    );
  const found = new Map<string, { types: TaskType[]; lastSeenAt: Date }>();
  const backlog: Record<TaskType, number | null> = { workflow: null, activity: null };
  const states = await Promise.all(TASK_TYPES.map(async (type) => [type, await describe(type)] as const));
  for (const [type, { pollers, stats }] of states) {
    if (stats?.approximateBacklogCount != null) backlog[type] = Number(stats.approximateBacklogCount);
    for (const { identity, lastAccessTime } of pollers) {
      if (!identity) continue;
      const seen = new Date(Number(lastAccessTime?.seconds ?? 0) * 1_000);
      const poller = found.get(identity) ?? { types: [], lastSeenAt: seen };
      if (!poller.types.includes(type)) poller.types.push(type);
      if (seen > poller.lastSeenAt) poller.lastSeenAt = seen;
      found.set(identity, poller);
    }
  }
  return { pollers: [...found].map(([identity, poller]) => ({ identity, ...poller })), backlog };
}
