import { hasOpenJobs, openJobs } from './changes';
import type { DeadlineSettings, RunClock } from './deadlines';
import { departedParcelOf } from './derive';
import { JOB_PROGRESS, type JobState, type PrintOrderState, type RunState } from './run-state';
import type { OrderStatus } from './statuses';

/** A reason that follows from facts: the order has it while `holds` is true for one of its print orders. */
interface DerivedReason {
  /** The cause. Operators read it in the Temporal UI, in the API's document and in docs/how-to/attention.md. */
  readonly text: string;
  holds(printOrder: PrintOrderState): boolean;
}

/** A reason that an event raises. The order has it until it is resolved or dismissed. */
interface RaisedReason {
  readonly text: string;
  /** Set when a deadline of a print order raises the reason. */
  readonly deadline?: {
    /** What the partner must have done. */
    readonly due: string;
    /** Returns the deadline in epoch milliseconds, also when it has passed. Null: the partner has done it. */
    at(printOrder: PrintOrderState, clock: RunClock, settings: DeadlineSettings): number | null;
  };
  /** Returns true when the cause no longer exists. Absent when the facts do not show it. */
  isResolved?(state: RunState): boolean;
  /** True when only an operator can settle it, with the partner or the client. Clears it while the order is open. */
  readonly dismissable?: true;
}

/** A reason that an order has when it ends with a status, until an operator has looked at it. Its workflow does not have it. */
interface EndReason {
  readonly text: string;
  readonly endsAs: OrderStatus;
}

/** Every reason why an operator should look at an order. */
export const ATTENTION = {
  not_received: {
    text: 'a partner has not sent `received` for a print order in time',
    deadline: {
      due: 'received',
      at({ id, jobs }, { acceptedAt }, { receivedDeadlineMs }) {
        const accepted = acceptedAt[id];
        const isSilent = jobs.some(({ ended, progress }) => ended === null && progress === JOB_PROGRESS.none);
        return accepted === undefined || !isSilent ? null : accepted + receivedDeadlineMs;
      },
    },
    isResolved: (state) => liveJobs(state).every(({ progress }) => progress >= JOB_PROGRESS.received),
  },
  not_printed: {
    text: 'a partner has not printed by the dispatch date',
    deadline: {
      due: 'printed',
      at: (printOrder) => (isPrinted(printOrder) ? null : dispatchDue(printOrder)),
    },
    isResolved: (state) => liveJobs(state).every(({ progress }) => progress >= JOB_PROGRESS.printed),
  },
  not_dispatched: {
    text: 'a partner has not requested dispatch by the dispatch date',
    deadline: {
      due: 'ready for dispatch',
      at: (printOrder) => (isPrinted(printOrder) ? dispatchDue(printOrder) : null),
    },
    isResolved: isDispatched,
  },
  partner_error: {
    text: 'a partner reported an error',
    holds: (printOrder) =>
      openJobs(printOrder).some(({ error, progressAt }) => error !== null && error.at >= progressAt),
  },
  partner_refused: {
    text: 'a partner refused a print order',
    holds: (printOrder) => printOrder.delivery === 'refused' && isUnmade(printOrder),
  },
  partner_unreachable: {
    text: 'a print order could not be delivered to its partner',
    holds: (printOrder) => printOrder.delivery === 'undeliverable' && isUnmade(printOrder),
  },
  print_order_unbuildable: {
    text: 'no print order can be made from the order',
    holds: (printOrder) => printOrder.delivery === 'unbuildable' && isUnmade(printOrder),
  },
  partner_cancelled: {
    text: 'a partner cancelled units',
    holds: (printOrder) => openJobs(printOrder).some(({ cancelledQuantity }) => cancelledQuantity > 0),
  },
  short_shipped: {
    text: 'a partner shipped less than ordered',
    // Units that the partner cancels after shipping are in the parcel.
    holds: ({ jobs }) =>
      jobs.some(
        ({ ended, progress, progressAt, cancelledQuantity, cancelledAt = '' }) =>
          ended === null && progress === JOB_PROGRESS.shipped && cancelledQuantity > 0 && cancelledAt <= progressAt,
      ),
  },
  voided_label: {
    text: 'a parcel was shipped with a voided label: to an older address, or by another method',
    holds: travelsOnVoidedLabel,
  },
  cancel_refused: {
    text: 'a partner refused to cancel and continues production',
    holds: (printOrder) =>
      openJobs(printOrder).some(
        ({ cancelRequest, unitsRequest }) =>
          printOrder.cancel === 'refused' || cancelRequest?.refused === true || unitsRequest?.refused === true,
      ),
  },
  no_partner: {
    text: 'no partner can produce the order now; it is planned again automatically',
    isResolved: ({ phase }) => phase !== 'preparing',
  },
  file_check: {
    text: 'a print file does not fit its product; the order waits until the file is replaced or accepted',
    isResolved: ({ phase }) => phase !== 'preparing',
  },
  dispatch_failed: { text: 'no label could be bought', isResolved: isDispatched },
  partner_not_updated: {
    text: 'a partner did not get the changed address, method, units or file',
    isResolved: ({ printOrders }) =>
      printOrders.every(
        (printOrder) =>
          printOrder.update?.status !== 'failed' || printOrder.shipment !== null || !hasOpenJobs(printOrder),
      ),
    dismissable: true,
  },
  cancelled_shipped: {
    text: 'a partner shipped units after they were cancelled and refunded',
    dismissable: true,
  },
  old_address_shipped: {
    text: 'a partner shipped with its own label, and does not have the changed address or method',
    dismissable: true,
  },
  not_rerouted: {
    text: 'a partner did not agree to stop, so that its units were not given to another partner',
    isResolved: ({ printOrders }) =>
      printOrders
        .flatMap(openJobs)
        .every(({ stopRequest }) => stopRequest !== 'refused' && stopRequest !== 'unanswered'),
    dismissable: true,
  },
  made_twice: {
    text: 'two partners make the same units: the first did not stop',
    holds: ({ jobs }) => jobs.some(isMadeTwice),
  },
  out_of_step: { text: 'the workflow and the database disagree', dismissable: true },
  record_refused: { text: 'the database refused what a step changed', dismissable: true },
  parcel_exception: {
    text: 'a carrier reports trouble with a parcel, or that nobody picks it up',
    isResolved: ({ printOrders }) =>
      printOrders.every(
        ({ transit, jobs }) =>
          transit === 'delivered' || transit === 'returned' || jobs.every(({ ended }) => ended !== null),
      ),
    dismissable: true,
  },
  order_failed: { text: 'the order was refused, and no operator has looked at it', endsAs: 'failed' },
  order_returned: {
    text: 'the parcels of the order were returned, and no operator has looked at it',
    endsAs: 'returned',
  },
  stalled: {
    text: 'a step of the order has not succeeded for a long time; it is repeated automatically',
    isResolved: ({ stalled }) => stalled === undefined,
  },
  // Set outside the workflow, which cannot progress meanwhile. The next record of the workflow does not have it.
  workflow_slow: { text: 'the worker is too slow for the workflow’s tasks' },
} as const satisfies Readonly<Record<string, DerivedReason | RaisedReason | EndReason>>;

/** Why an operator should look at an order. */
export type AttentionReason = keyof typeof ATTENTION;
/** Why an order is not planned yet, with the entry in its log. It has one of these reasons at a time. */
export const PARKING_REASONS = { no_partner: 'order_parked', file_check: 'files_held' } as const satisfies Partial<
  Record<AttentionReason, string>
>;
export type ParkingReason = keyof typeof PARKING_REASONS;
export const ATTENTION_REASONS = Object.keys(ATTENTION) as [AttentionReason, ...AttentionReason[]];

const RULES: Readonly<Record<AttentionReason, DerivedReason | RaisedReason | EndReason>> = ATTENTION;

/** The reasons that an operator can dismiss while the order is open. */
export const DISMISSABLE = ATTENTION_REASONS.filter((reason) => 'dismissable' in ATTENTION[reason]);
export const isDismissable = (reason: AttentionReason): boolean => DISMISSABLE.includes(reason);

/** Returns the deadline of a reason. Undefined when no deadline raises it. */
export function attentionDeadline(reason: AttentionReason): RaisedReason['deadline'] {
  const rule = RULES[reason];
  return 'holds' in rule || 'endsAs' in rule ? undefined : rule.deadline;
}

/** Returns the reasons why an operator should look at the order, sorted. */
export function deriveAttention(state: RunState): AttentionReason[] {
  return ATTENTION_REASONS.filter((reason) => {
    const rule = RULES[reason];
    if ('endsAs' in rule) return false;
    if ('holds' in rule) return state.printOrders.some((printOrder) => rule.holds(printOrder));
    return state.attention.includes(reason) && rule.isResolved?.(state) !== true;
  }).sort();
}

/** Returns the reasons that an order has because it ended with a status. */
export const endReasons = (status: OrderStatus): AttentionReason[] =>
  ATTENTION_REASONS.filter((reason) => {
    const rule = RULES[reason];
    return 'endsAs' in rule && rule.endsAs === status;
  });

/** Returns the jobs that have not ended, shipped ones included. */
function liveJobs({ printOrders }: RunState): JobState[] {
  return printOrders.flatMap(({ jobs }) => jobs.filter(({ ended }) => ended === null));
}

/** Returns true when the partner has not confirmed a job. */
function isUnmade(printOrder: PrintOrderState): boolean {
  return openJobs(printOrder).some(({ progress }) => progress === JOB_PROGRESS.none);
}

function isPrinted(printOrder: PrintOrderState): boolean {
  return openJobs(printOrder).every(({ progress }) => progress >= JOB_PROGRESS.printed);
}

function isDispatched({ printOrders }: RunState): boolean {
  return printOrders.every((printOrder) => printOrder.shipment !== null || !hasOpenJobs(printOrder));
}

/** Returns the end of the dispatch date in the partner's time zone. Null when the partner has requested dispatch. */
function dispatchDue({ shipment, dispatchDueAt }: PrintOrderState): number | null {
  return shipment === null ? Date.parse(dispatchDueAt) : null;
}

/** Returns true when a carrier scanned a voided label, or the partner shipped after the label was voided and requested no other. */
function travelsOnVoidedLabel(printOrder: PrintOrderState): boolean {
  const { strayParcel, labelTakenBack, shipment, jobs } = printOrder;
  if (strayParcel === true) return true;
  const shipped = jobs.some(
    (job) =>
      job.ended === null && job.progress === JOB_PROGRESS.shipped && departedParcelOf(job, printOrder) === undefined,
  );
  return labelTakenBack === true && shipment === null && shipped;
}

/**
 * Returns true for a job whose units were rerouted, while its own partner still makes them: it shipped
 * units that it had agreed to stop, or it refused or went on after the deadline. Not when an operator decided so.
 */
function isMadeTwice({ ended, stopRequest, progress, progressAt, error }: JobState): boolean {
  if (ended !== 'superseded' || stopRequest === undefined || stopRequest === 'forced') return false;
  if (stopRequest === 'refused' || progress === JOB_PROGRESS.shipped) return true;
  const isStopped = error !== null && error.at >= progressAt;
  return stopRequest === 'unanswered' && progress >= JOB_PROGRESS.received && !isStopped;
}
