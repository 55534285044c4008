import { type WorkflowInterceptors, workflowInfo } from '@temporalio/workflow';

/**
 * Interceptor that abandons stale workflow tasks.
 *
 * When a worker is too slow (its machine was suspended, say), Temporal times out its workflow task and may give the worker
 * the next one while a local activity of the first is still running. The SDK's core then continues as if both were one
 * task, and writes a history that cannot be replayed: the workflow is stuck. The interceptor fails such a task instead.
 * The worker evicts the workflow and takes the next task from its history.
 *
 * A local activity that really runs for this long looks the same and runs again. All local activities are idempotent.
 */
export const interceptors = (): WorkflowInterceptors => ({
  outbound: [
    {
      async scheduleLocalActivity(input, next) {
        const { taskTimeoutMs, unsafe } = workflowInfo();
        // A workflow's clock does not advance within a task. A replayed task cannot be stale.
        const startedAt = unsafe.isReplaying ? Number.POSITIVE_INFINITY : Date.now();
        try {
          return await next(input);
        } finally {
          // biome-ignore lint/correctness/noUnsafeFinally: the task is stale, whatever the result of the activity
          if (Date.now() - startedAt >= taskTimeoutMs) throw new StaleWorkflowTask(input.activityType);
        }
      },
    },
  ],
});

/** Not a Temporal failure: it fails the workflow task, not the workflow. */
class StaleWorkflowTask extends Error {
  constructor(activityType: string) {
    super(`Temporal timed out the workflow task of ${activityType} before the activity was done`);
  }
}
