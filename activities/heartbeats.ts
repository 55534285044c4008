import { Context } from '@temporalio/activity';
import { observeProgress } from '../src/platform/progress';

/** Milliseconds between heartbeats of an activity at least, and between those that a worker sends to the server at most. */
export const BEAT_MS = 5_000;

/**
 * Sends a heartbeat when the work reports progress (`progressed`) and the latest heartbeat is old. Temporal then notices a
 * worker that has died, and work that has hung: it goes on without progress for the heartbeat timeout.
 * @param details returns what a retry continues with
 */
export async function withHeartbeat<T>(work: () => Promise<T>, details?: () => unknown): Promise<T> {
  const context = Context.current();
  let sentAt = Date.now();
  const beat = () => {
    if (Date.now() - sentAt < BEAT_MS) return;
    sentAt = Date.now();
    context.heartbeat(details?.());
  };
  return await observeProgress(beat, work);
}
