import {
  type ActivateInput,
  type ConcludeActivationInput,
  defaultPayloadConverter,
  type WorkflowInterceptors,
  workflowInfo,
} from '@temporalio/workflow';
import { CurrentTask } from './workflow-task';

/**
 * Interceptor for workflow tasks that would leave no event: something has happened (a timer fired, an activity ended), and the
 * workflow has no command. A worker that replays the run can take such a task for a heartbeat, and deliver its jobs together
 * with those of the next task. A later replay delivers them separately when the next task accepted an update
 * (docs/development/upstream.md). The workflow can take another path there, and is then stuck.
 *
 * The interceptor adds a command, so that the task is not empty: it upserts a memo field that is null, which leaves the memo as
 * it is.
 */
export const interceptors = (): WorkflowInterceptors => {
  const task = new CurrentTask();
  /** True when the current task, which can take several activations, writes to the history. */
  let taskLeavesEvent = false;
  /** True when the current activation delivers an event to the workflow. */
  let delivers = false;
  /** Updates that were accepted. Their result is written, also when it is a failure. */
  const accepted = new Set<string>();

  /** Returns true when one of the commands is written to the history. A timer that is cancelled at once is not. */
  function leavesEvent(commands: Commands): boolean {
    const cancelled = new Set(commands.map(({ cancelTimer }) => cancelTimer?.seq));
    const started = new Set(commands.map(({ startTimer }) => startTimer?.seq));
    return commands.some(({ startTimer, cancelTimer, updateResponse, respondToQuery }) => {
      if (updateResponse?.rejected != null) return accepted.has(updateResponse.protocolInstanceId!);
      if (updateResponse?.accepted != null) accepted.add(updateResponse.protocolInstanceId!);
      if (startTimer != null) return !cancelled.has(startTimer.seq);
      if (cancelTimer != null) return !started.has(cancelTimer.seq);
      return respondToQuery == null;
    });
  }

  return {
    internals: [
      {
        activate(input, next) {
          const jobs = input.activation.jobs ?? [];
          const { historyLength } = workflowInfo();
          const endsLocalActivity = jobs.some(({ resolveActivity }) => resolveActivity?.isLocal === true);
          if (task.begins({ historyLength, clock: Date.now(), endsLocalActivity })) taskLeavesEvent = false;
          // The result of a local activity is written by this task.
          if (endsLocalActivity) taskLeavesEvent = true;
          delivers = jobs.some(isEvent);
          next(input);
        },

        concludeActivation(input, next) {
          if (leavesEvent(input.commands)) taskLeavesEvent = true;
          const isEmpty = delivers && !taskLeavesEvent;
          delivers = false;
          return next(isEmpty ? { ...input, commands: [NO_CHANGE, ...input.commands] } : input);
        },
      },
    ],
  };
};

type Job = NonNullable<ActivateInput['activation']['jobs']>[number];
type Commands = ConcludeActivationInput['commands'];

/** The server removes memo fields that are null, and refuses a command without a field. */
const NO_CHANGE: Commands[number] = {
  modifyWorkflowProperties: {
    upsertedMemo: { fields: { 'no-empty-tasks': defaultPayloadConverter.toPayload(undefined) } },
  },
};

/** Returns true for a job that stands for an event of the history, except accepted updates and local activities. */
function isEvent(job: Job): boolean {
  if (job.resolveActivity != null) return job.resolveActivity.isLocal !== true;
  const other = [job.notifyHasPatch, job.updateRandomSeed, job.queryWorkflow, job.doUpdate, job.removeFromCache];
  return other.every((variant) => variant == null);
}
