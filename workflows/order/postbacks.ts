import { condition } from '@temporalio/workflow';
import type { RunEvent } from '../../src/orders/domain/lifecycle/run-events';
import type { RunState } from '../../src/orders/domain/lifecycle/run-state';

/**
 * The inbox of an order run: partners' postbacks, carriers' scans, requests and the results of background tasks, in the order of
 * their arrival. A postback of a print order that the run does not have waits for it: after a reset, Temporal signals the
 * postbacks of the former run again before the order is planned.
 */
export class Inbox {
  private waiting: Entry[] = [];
  private inProcess: Entry[] = [];
  private added = 0;

  add(event: RunEvent): void {
    this.added += 1;
    this.waiting.push({ number: this.added, event });
  }

  isDue(state: RunState): boolean {
    return this.waiting.some(({ event }) => !isEarly(state, event));
  }

  /** Takes the events that can be applied. They are in process until `processed` is called. */
  takeDue(state: RunState): RunEvent[] {
    this.inProcess = this.waiting.filter(({ event }) => !isEarly(state, event));
    this.waiting = this.waiting.filter(({ event }) => isEarly(state, event));
    return this.inProcess.map(({ event }) => event);
  }

  processed(): void {
    this.inProcess = [];
  }

  /** Resolves when all events that were added so far have been processed, but for those that wait for a print order. */
  async settled(state: () => RunState): Promise<void> {
    const { added } = this;
    await condition(() =>
      [...this.inProcess, ...this.waiting].every(({ number, event }) => number > added || isEarly(state(), event)),
    );
  }
}

interface Entry {
  readonly number: number;
  readonly event: RunEvent;
}

/** Returns true for an event about a print order that the run does not have, and may get. */
function isEarly({ phase, printOrders }: RunState, event: RunEvent): boolean {
  if (event.type !== 'postback' && event.type !== 'tracking') return false;
  // A running order ignores scans of parcels that it does not have.
  if (phase === 'closed' || (event.type === 'tracking' && phase !== 'preparing')) return false;
  return !printOrders.some(({ id }) => id === event.printOrderId);
}

export const postbackIds = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'postback' ? [event.eventId] : []));
