import type { RunEvent } from './run-events';
import { type AttentionReason, JOB_PROGRESS, type PrintOrderState, type RunState } from './run-state';
import { hasShipped } from './statuses';

/** Times the run remembers beside its state, in epoch milliseconds. */
export interface RunClock {
  /** When each print order's partner accepted it. */
  readonly acceptedAt: Readonly<Record<string, number>>;
  /** Deadlines raised already, as `reason:printOrderId`. */
  readonly raised: readonly string[];
  /** When the last item shipped; null before. */
  readonly shippedAt: number | null;
}

/** The clock after an event that led to this state. @param now epoch milliseconds */
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
  /** Nobody tracks the parcel any more: the run ends as it stands. */
  | { readonly at: number; readonly kind: 'close' };

export interface DeadlineSettings {
  /** Time from acceptance to `received`. */
  readonly receivedMs: number;
}

const DAY_MS = 86_400_000;
/** Postal tracking goes quiet long before this. */
const TRACKING_ENDS_AFTER_MS = 90 * DAY_MS;

function candidates(printOrder: PrintOrderState, clock: RunClock, settings: DeadlineSettings): Deadline[] {
  // One that is still being delivered has the deadline of its delivery.
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
 * The next time at which the run must look up by itself: no `received` in time, nothing printed or
 * dispatched by the end of the dispatch date, or a parcel that was never seen again.
 * @returns null when there is nothing to wait for
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

export function deadlineKey(deadline: Extract<Deadline, { kind: 'attention' }>): string {
  return `${deadline.reason}:${deadline.printOrderId}`;
}
