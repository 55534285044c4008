import type { RunEvent } from '../../../../../src/orders/domain/lifecycle/run-events';
import type { RunState } from '../../../../../src/orders/domain/lifecycle/run-state';
import type { CancelRequest, CancelResult } from '../../../../../src/orders/domain/run/run-messages';
import { ClientChanges } from '../../../../../workflows/order/client-changes';
import type { RunContext } from '../../../../../workflows/order/run-context';
import { play, running } from '../../../../src/orders/domain/lifecycle/run-fixture';

/**
 * Cancels in a run whose main loop takes events when something waits until they are settled.
 * @param waiting events that came before the request
 * @returns the result, or the message of the refusal
 */
export async function canceller(request: CancelRequest, waiting: RunEvent[]): Promise<CancelResult | string> {
  let state: RunState = running();
  const run = {
    get state() {
      return state;
    },
    take: (event: RunEvent) => waiting.push(event),
    settled: async () => {
      ({ state } = play(state, ...waiting.splice(0)));
    },
  };
  const handover = { responses: () => Promise.resolve() };
  const changes = new ClientChanges(run as unknown as RunContext, {} as never, handover as never);
  return await changes.cancel(request).catch((error: Error) => error.message);
}
