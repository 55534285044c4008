import {
  type ActivateInput,
  type ConcludeActivationInput,
  proxySinks,
  type Sinks,
  type WorkflowInterceptors,
  workflowInfo,
} from '@temporalio/workflow';
import { CurrentTask } from './workflow-task';

/**
 * Interceptor for local activities that are still running when the worker gets the next workflow task. The SDK's core
 * then activates the workflow twice, with the events of the new task and with the result. A replay delivers both in
 * one activation, so the workflow can take another path and be stuck (docs/development/upstream.md). There are three cases.
 *
 * Heartbeat: after 80 % of the task's timeout the core completes the task, and the server returns the next one with the
 * events that arrived meanwhile. The interceptor holds these events back and delivers them together with the result, as
 * the replay does.
 *
 * Stale task: the server timed the task out and gave the worker the next one. Nothing of the first task is in the history.
 * The interceptor fails the new task. The worker evicts the workflow, and the next attempt starts from the history.
 *
 * The time between the starts of the two tasks, by the server's clock, tells these cases apart: a task that completed by a
 * heartbeat did not time out. A local activity that was scheduled by a replayed task belongs to a heartbeat too: the
 * task is in the history. A failed attempt is therefore not repeated for the same reason.
 *
 * Query: a local activity ends while the workflow answers a query of its task. The core completes the task with the answer
 * and the marker, and delivers the result together with the events of the next task. A replay delivers the result with the
 * first task. The interceptor holds the answer back until no local activity runs: the task is not complete before.
 *
 * Requires that a workflow runs one local activity at a time.
 */
export const interceptors = (): WorkflowInterceptors => {
  /** Start of the task that scheduled each running local activity, in epoch milliseconds. Null: a replayed task. */
  const running = new Map<number, number | null>();
  let held: Jobs = [];
  let answers: Commands = [];
  const task = new CurrentTask();

  /** @throws StaleWorkflowTask when the running local activities may belong to a task that has timed out */
  function assertHeartbeat(): void {
    const { taskTimeoutMs } = workflowInfo();
    const mayBeStale = [...running.values()].some(
      (startedAt) => startedAt !== null && task.startedAt - startedAt >= taskTimeoutMs,
    );
    // Events of two tasks are held back only when a local activity runs longer than a whole task. A replay would not
    // deliver them together.
    if (!mayBeStale && held.length === 0) return;
    staleWorkflowTasks.abandoned();
    throw new StaleWorkflowTask();
  }

  return {
    internals: [
      {
        activate(input, next) {
          const jobs = input.activation.jobs ?? [];
          if (jobs.some((job) => job.queryWorkflow != null)) return next(input);
          const { historyLength, unsafe } = workflowInfo();
          const results = jobs.filter((job) => job.resolveActivity?.isLocal === true);
          task.begins({ historyLength, clock: Date.now(), endsLocalActivity: results.length > 0 });
          if (!unsafe.isReplaying && running.size > 0 && results.length < jobs.length) {
            if (results.length > 0) throw new LateResult();
            assertHeartbeat();
            held = jobs;
            return;
          }
          for (const { resolveActivity } of results) running.delete(resolveActivity!.seq!);
          const due = [...held, ...jobs];
          held = [];
          next({ ...input, activation: { ...input.activation, jobs: due } });
        },

        concludeActivation(input, next) {
          for (const { scheduleLocalActivity } of input.commands) {
            if (scheduleLocalActivity?.seq == null) continue;
            const { isReplaying } = workflowInfo().unsafe;
            running.set(scheduleLocalActivity.seq, isReplaying ? null : task.startedAt);
          }
          // The core completes a task when it gets the answer to a query.
          const commands = [...input.commands, ...answers];
          answers = running.size === 0 ? [] : commands.filter(isAnswerOfTask);
          return next({ ...input, commands: commands.filter((command) => !answers.includes(command)) });
        },
      },
    ],
  };
};

type Jobs = NonNullable<ActivateInput['activation']['jobs']>;
type Commands = ConcludeActivationInput['commands'];

/** Returns true for the answer to a query that came with events, not in a task of its own. */
const isAnswerOfTask = ({ respondToQuery }: Commands[number]) =>
  respondToQuery != null && respondToQuery.queryId !== QUERY_WITHOUT_EVENTS;
/** The core's id of such a query. */
const QUERY_WITHOUT_EVENTS = 'legacy_query';

/** Reports abandoned workflow tasks to the worker process, which counts them (src/orders/run/stale-tasks.ts). */
export interface StaleTaskSinks extends Sinks {
  staleWorkflowTasks: { abandoned(): void };
}

const { staleWorkflowTasks } = proxySinks<StaleTaskSinks>();

// No Temporal failures: they fail the workflow task, not the workflow.

class StaleWorkflowTask extends Error {
  constructor() {
    super('Temporal timed out a workflow task while one of its local activities was running');
  }
}

class LateResult extends Error {
  constructor() {
    super('a local activity ended between two workflow tasks, and its result came with the events of the second');
  }
}
