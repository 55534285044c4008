import { ATTENTION_REASONS, type AttentionReason } from '../attention-reasons';
import { hasOpenJobs } from '../facts/jobs';
import type { RunEvent } from '../run-events';
import type { DeadlineSettings, PrintOrderState, RunClock, RunState } from '../run-state';
import { hasShipped } from '../statuses';
import { ATTENTION } from './attention';

/** Returns the clock after a reminder. */
export function clockAfterReminder(clock: RunClock, printOrderId: string, now: number): RunClock {
  const count = (clock.reminders?.[printOrderId]?.count ?? 0) + 1;
  return { ...clock, reminders: { ...clock.reminders, [printOrderId]: { count, at: now } } };
}

/**
 * Returns the clock after an event.
 * @param state after the event
 * @param now epoch milliseconds
 */
export function clockAfter(clock: RunClock, event: RunEvent, state: RunState, now: number): RunClock {
  let { acceptedAt, shippedAt } = clock;
  const accepted = event.type === 'delivery' && event.outcome === 'accepted';
  if (accepted && !(event.printOrderId in acceptedAt)) acceptedAt = { ...acceptedAt, [event.printOrderId]: now };
  if (isShipped(state)) shippedAt ??= now;
  return { ...clock, acceptedAt, shippedAt };
}

const isShipped = ({ items }: RunState): boolean =>
  items.every((item) => hasShipped(item.status) || item.status === 'cancelled');

/** What happens at a time (`at`, epoch milliseconds) unless something else does before. */
export type Deadline = { readonly at: number } & (
  | { readonly kind: 'attention'; readonly reason: AttentionReason; readonly printOrderId: string }
  /** The partners of a waiting reroute's units must have agreed to stop. */
  | { readonly kind: 'stop'; readonly printOrderId: string }
  /** The partner has still not sent `received`: the print order is delivered once more. */
  | { readonly kind: 'reminder'; readonly printOrderId: string; readonly count: number }
  /** Check whether a carrier follows the parcels. When none does, the run ends. */
  | { readonly kind: 'check_tracking' }
  /** The run ends without a final status: no carrier reports the parcels any more. */
  | { readonly kind: 'close' }
);
type AttentionDeadline = Deadline & { readonly kind: 'attention' };

const DAY_MS = 86_400_000;
/** Longest time between two reminders of a silent partner. */
const LONGEST_REMINDER_PAUSE_MS = DAY_MS;
/** Postal services stop reporting a parcel long before this. */
const TRACKING_ENDS_AFTER_MS = 90 * DAY_MS;

/** Returns the deadlines of one print order, passed ones included. */
function partnerDeadlines(
  printOrder: PrintOrderState,
  clock: RunClock,
  settings: DeadlineSettings,
): AttentionDeadline[] {
  // The delivery activity has its own timeout.
  if (printOrder.delivery !== 'accepted' || !hasOpenJobs(printOrder)) return [];
  return ATTENTION_REASONS.flatMap((reason) => {
    const at = ATTENTION[reason].deadline?.at(printOrder, clock, settings) ?? null;
    return at === null ? [] : [{ kind: 'attention', reason, printOrderId: printOrder.id, at }];
  });
}

/**
 * Returns the next reminders of partners that have not sent `received`, after the first ones. The time between reminders
 * doubles, up to a day.
 */
function reminders(silent: readonly AttentionDeadline[], clock: RunClock, settings: DeadlineSettings): Deadline[] {
  return silent.flatMap(({ reason, printOrderId }): Deadline[] => {
    const sent = clock.reminders?.[printOrderId];
    if (reason !== 'not_received' || sent === undefined) return [];
    const pause = Math.min(settings.receivedDeadlineMs * 2 ** sent.count, LONGEST_REMINDER_PAUSE_MS);
    return [{ kind: 'reminder', printOrderId, count: sent.count + 1, at: sent.at + pause }];
  });
}

/** Returns when the next print order must be handed to its carrier, in epoch milliseconds. Null when nothing is left to ship. */
export function dispatchDueOf({ phase, printOrders }: Pick<RunState, 'phase' | 'printOrders'>): number | null {
  if (phase !== 'running') return null;
  const due = printOrders.filter(hasOpenJobs).map(({ dispatchDueAt }) => Date.parse(dispatchDueAt));
  return due.length === 0 ? null : Math.min(...due);
}

/** Returns the deadlines after shipping. */
function trackingDeadlines(state: RunState, clock: RunClock, { untrackedEndMs }: DeadlineSettings): Deadline[] {
  if (clock.shippedAt === null || !isShipped(state)) return [];
  const close: Deadline = { kind: 'close', at: clock.shippedAt + TRACKING_ENDS_AFTER_MS };
  if (clock.trackingChecked === true) return [close];
  return [close, { kind: 'check_tracking', at: clock.shippedAt + untrackedEndMs }];
}

/** Returns all deadlines of a run, passed ones included. */
function deadlinesOf(state: RunState, clock: RunClock, settings: DeadlineSettings): Deadline[] {
  if (state.phase !== 'running') return [];
  const { printOrders, waitingReroutes = [] } = state;
  const ofPartners = printOrders.flatMap((printOrder) => partnerDeadlines(printOrder, clock, settings));
  return [
    ...ofPartners,
    ...waitingReroutes.map(
      ({ printOrder, until }): Deadline => ({ kind: 'stop', printOrderId: printOrder.id, at: until }),
    ),
    ...reminders(ofPartners, clock, settings),
    ...trackingDeadlines(state, clock, settings),
  ];
}

const isRaised = (deadline: Deadline, { raised }: RunClock): boolean =>
  deadline.kind === 'attention' && raised.includes(deadlineKey(deadline));

/**
 * Returns the earliest deadline that has not been raised: `received` is missing, the dispatch date ends without print or
 * dispatch, or the time for tracking after shipping ends. Null when there is none.
 */
export function nextDeadline(state: RunState, clock: RunClock, settings: DeadlineSettings): Deadline | null {
  return deadlinesOf(state, clock, settings)
    .filter((deadline) => !isRaised(deadline, clock))
    .reduce<Deadline | null>((first, next) => (first === null || next.at < first.at ? next : first), null);
}

/** A deadline as operators see it. */
export interface ShownDeadline {
  readonly reason: AttentionReason | 'reminder' | 'stop' | 'tracking_check' | 'tracking_end';
  /** Null for the deadlines of the whole order. */
  readonly printOrderId: string | null;
  /** ISO 8601. */
  readonly dueAt: string;
  readonly passed: boolean;
}

/** Returns all deadlines of the run, earliest first. A partner's deadline leaves the list when the partner has met it. */
export function shownDeadlines(state: RunState, clock: RunClock, settings: DeadlineSettings): ShownDeadline[] {
  return deadlinesOf(state, clock, settings)
    .sort((a, b) => a.at - b.at)
    .map((deadline) => ({
      reason: deadline.kind === 'attention' ? deadline.reason : SHOWN_REASONS[deadline.kind],
      printOrderId: 'printOrderId' in deadline ? deadline.printOrderId : null,
      dueAt: new Date(deadline.at).toISOString(),
      passed: isRaised(deadline, clock),
    }));
}

const SHOWN_REASONS = {
  stop: 'stop',
  reminder: 'reminder',
  check_tracking: 'tracking_check',
  close: 'tracking_end',
} as const;

/** Returns the key under which a passed deadline is kept in `RunClock.raised`. */
export function deadlineKey(deadline: AttentionDeadline): string {
  return `${deadline.reason}:${deadline.printOrderId}`;
}
