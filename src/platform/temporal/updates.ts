import { setTimeout as pause } from 'node:timers/promises';
import { type Client, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';

const PAUSE_MS = 100;

/** Returns true when the server dropped an update because the worker completed its task without processing it. */
export function isUnprocessedUpdate(error: unknown): boolean {
  return (
    error instanceof WorkflowUpdateFailedError &&
    error.cause instanceof ApplicationFailure &&
    error.cause.type === 'UnprocessedUpdate'
  );
}

/**
 * Sends an update to a workflow, and repeats it while it is dropped without being processed. Of two dozen concurrent updates to
 * one workflow with local activities, the server dropped two in this way.
 * @param withinMs timeout for the response. An update that is dropped after it is an error
 * @throws errors of `send`
 */
export async function sendUpdate<T>(
  client: Pick<Client, 'withDeadline'>,
  withinMs: number,
  send: () => Promise<T>,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  return await client.withDeadline(deadline, async () => {
    for (;;) {
      try {
        return await send();
      } catch (error) {
        if (!isUnprocessedUpdate(error) || Date.now() + PAUSE_MS >= deadline) throw error;
        await pause(PAUSE_MS);
      }
    }
  });
}
