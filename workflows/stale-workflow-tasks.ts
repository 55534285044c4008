import { type WorkflowInterceptors, workflowInfo } from '@temporalio/workflow';

/**
 * A worker that is too slow for Temporal (a machine that stood still, say) may be given a run's next task while a local
 * activity of the one before, which Temporal has taken back, is under way. The SDK's core then goes on as if it were
 * one task: what it leaves in the history cannot be replayed, and the run stands still for good. So such a task is given
 * up; the worker forgets the run, and takes the next task from its history.
 *
 * A local activity that has really lasted so long looks the same, and is done once more for nothing: all of them may be.
 */
export const interceptors = (): WorkflowInterceptors => ({
  outbound: [
    {
      async scheduleLocalActivity(input, next) {
        const { taskTimeoutMs, unsafe } = workflowInfo();
        // The clock of a run stands still within a task, and a replayed task cannot be lost.
        const began = unsafe.isReplaying ? Number.POSITIVE_INFINITY : Date.now();
        try {
          return await next(input);
        } finally {
          // biome-ignore lint/correctness/noUnsafeFinally: whatever the activity ended with, the task is lost
          if (Date.now() - began >= taskTimeoutMs) throw new StaleWorkflowTask(input.activityType);
        }
      },
    },
  ],
});

/** No failure of Temporal's kind: it fails the workflow task, and not the run. */
class StaleWorkflowTask extends Error {
  constructor(activityType: string) {
    super(`Temporal gave the task of ${activityType} to another worker, or again, before it was done`);
  }
}
