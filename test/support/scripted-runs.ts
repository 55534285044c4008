import { NativeConnection, Worker } from '@temporalio/worker';
import { loadConfig } from '../../src/platform/config';
import { connectTemporal } from '../../src/platform/temporal/connection';
import type { History } from './histories';
import { testTemporalAddress, workflowBundle } from './servers';

/** A path through a workflow, with scripted activities. */
export interface ScriptedRun {
  readonly workflow: string;
  readonly args: readonly unknown[];
  readonly steps: Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;
  readonly fails?: true;
}

/** Returns an activity that returns one result after the other. */
export function inTurn<T>(...results: readonly (() => Promise<T>)[]): () => Promise<T> {
  let turn = 0;
  return () => results[turn++]!();
}

/**
 * Executes the present workflow code with scripted activities.
 * @returns its result, and the history of its first run
 */
export async function playScriptedRun(
  workflowId: string,
  { workflow, args, steps, fails }: ScriptedRun,
): Promise<{ result: unknown; history: History }> {
  const taskQueue = `scripted-${workflowId}`;
  const temporal = connectTemporal({ ...loadConfig({}), TEMPORAL_ADDRESS: testTemporalAddress() });
  const connection = await NativeConnection.connect({ address: testTemporalAddress() });
  try {
    const worker = await Worker.create({
      connection,
      taskQueue,
      workflowBundle: workflowBundle(),
      activities: steps,
      identity: taskQueue,
    });
    return await worker.runUntil(async () => {
      const started = await temporal.workflow.start(workflow, { workflowId, taskQueue, args: [...args] });
      const outcome = await started.result().then(
        (result: unknown) => ({ result, failed: false }),
        (error: unknown) => ({ result: error, failed: true }),
      );
      if (outcome.failed !== (fails === true)) throw outcome.result;
      const first = temporal.workflow.getHandle(workflowId, started.firstExecutionRunId);
      return { result: outcome.result, history: await first.fetchHistory() };
    });
  } finally {
    await connection.close();
    await temporal.connection.close();
  }
}
