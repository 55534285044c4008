import type { RunEvent } from './run-events';
import { type AttentionReason, JOB_PROGRESS, type PrintOrderState, type RunState } from './run-state';
import { hasShipped } from './statuses';

/** Times that an order run keeps beside its state, in epoch milliseconds. */
export interface RunClock {
  /** When each print order was accepted, by print order id. */
  readonly acceptedAt: Readonly<Record<string, number>>;
  /** Keys of the deadlines that have already passed, see `deadlineKey`. */
  readonly raised: readonly string[];
  /** When the last item shipped. Null before. */
  readonly shippedAt: number | null;
}

/**
 * Returns the clock after an event.
 * @param state after the event
 * @param now epoch milliseconds
 */
export function clockAfter(clock: RunClock, event: RunEvent, state: RunState, now: number): RunClock {
  let { acceptedAt, shippedAt } = clock;
  const accepted = event.type === 'delivery' && event.outcome === 'accepted';
  if (accepted && !(event.printOrderId in acceptedAt))
    acceptedAt = { ...acceptedAt, [event.printOrderId]: now };
  const shipped = state.items.every((item) => hasShipped(item.status) || item.status === 'cancelled');
  if (shipped) shippedAt ??= now;
  return { ...clock, acceptedAt, shippedAt };
}

export type Deadline =
  | {
      readonly at: number;
      readonly kind: 'attention';
      readonly reason: AttentionReason;
      readonly printOrderId: string;
    }
  /** The run ends without a final status: no carrier reports the parcels any more. */
  | { readonly at: number; readonly kind: 'close' };

export interface DeadlineSettings {
  /** Longest time from acceptance to the postback `received`, in milliseconds. */
  readonly receivedMs: number;
}

const DAY_MS = 86_400_000;
/** Postal services stop reporting a parcel long before this. */
const TRACKING_ENDS_AFTER_MS = 90 * DAY_MS;

/** Returns the deadlines of one print order, passed ones included. */
function candidates(printOrder: PrintOrderState, clock: RunClock, settings: DeadlineSettings): Deadline[] {
  // The delivery activity has its own time-out.
  if (printOrder.delivery !== 'accepted') return [];
  const open = printOrder.jobs.filter((job) => job.ended === null && job.progress !== JOB_PROGRESS.shipped);
  if (open.length === 0) return [];
  const deadlines: Deadline[] = [];
  const acceptedAt = clock.acceptedAt[printOrder.id];
  if (acceptedAt !== undefined && open.some((job) => job.progress === JOB_PROGRESS.none)) {
    deadlines.push({
      kind: 'attention',
      reason: 'not_received',
      printOrderId: printOrder.id,
      at: acceptedAt + settings.receivedMs,
    });
  }
  if (printOrder.shipment === null) {
    const printed = open.every((job) => job.progress >= JOB_PROGRESS.printed);
    deadlines.push({
      kind: 'attention',
      reason: printed ? 'not_dispatched' : 'not_printed',
      printOrderId: printOrder.id,
      at: Date.parse(`${printOrder.dispatchDate}T00:00:00Z`) + DAY_MS,
    });
  }
  return deadlines;
}

/**
 * Returns the earliest deadline that has not been raised: `received` is missing, the dispatch date ends without print or
 * dispatch, or a shipped parcel is no longer reported. Null when there is none.
 */
export function nextDeadline(state: RunState, clock: RunClock, settings: DeadlineSettings): Deadline | null {
  if (state.phase !== 'running') return null;
  const deadlines = state.printOrders
    .flatMap((printOrder) => candidates(printOrder, clock, settings))
    .filter((deadline) => deadline.kind !== 'attention' || !clock.raised.includes(deadlineKey(deadline)));
  if (
    clock.shippedAt !== null &&
    state.items.every((item) => hasShipped(item.status) || item.status === 'cancelled')
  ) {
    deadlines.push({ kind: 'close', at: clock.shippedAt + TRACKING_ENDS_AFTER_MS });
  }
  return deadlines.reduce<Deadline | null>(
    (first, deadline) => (first === null || deadline.at < first.at ? deadline : first),
    null,
  );
}

/** Returns the key under which a passed deadline is kept in `RunClock.raised`. */
export function deadlineKey(deadline: Extract<Deadline, { kind: 'attention' }>): string {
  return `${deadline.reason}:${deadline.printOrderId}`;
}
