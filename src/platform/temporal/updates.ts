import { setTimeout as pause } from 'node:timers/promises';
import { type Client, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';

const PAUSE_MS = 100;

/** Whether the server took an update back because its worker ended a task without looking at it; nothing was done. */
export function isUnprocessedUpdate(error: unknown): boolean {
  return (
    error instanceof WorkflowUpdateFailedError &&
    error.cause instanceof ApplicationFailure &&
    error.cause.type === 'UnprocessedUpdate'
  );
}

/**
 * Sends an update to a run, and again while it was not looked at: of two dozen at once to one run whose steps are local
 * activities, the server gave two back so.
 * @param withinMs how long the answer may take; what is given back after it is thrown
 * @throws what `send` throws
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
