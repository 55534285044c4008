import { Context } from '@temporalio/activity';

const HEARTBEAT_MS = 10_000;

/**
 * Sends heartbeats while the work runs, so that Temporal notices a worker that dies within the heartbeat timeout.
 * @param details returns the progress that a retry continues with
 */
export async function withHeartbeat<T>(work: () => Promise<T>, details?: () => unknown): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(details?.()), HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
