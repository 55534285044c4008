import { Context } from '@temporalio/activity';
import { observeProgress } from '../src/platform/progress';

/**
 * Sends a heartbeat at the start of the work and whenever it reports progress (`progressed`). Temporal then notices a worker
 * that has died, and work that has hung: it goes on without progress for the heartbeat timeout.
 * @param details returns what a retry continues with
 */
export async function withHeartbeat<T>(work: () => Promise<T>, details?: () => unknown): Promise<T> {
  const context = Context.current();
  const beat = () => context.heartbeat(details?.());
  beat();
  return await observeProgress(beat, work);
}
