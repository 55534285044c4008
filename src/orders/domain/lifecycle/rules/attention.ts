import { ATTENTION_REASONS, type AttentionReason } from '../attention-reasons';
import { hasCancelledUnits, hasError, hasLeft, hasOpenJobs, hasSettled, openJobs } from '../facts/jobs';
import {
  type DeadlineSettings,
  JOB_PROGRESS,
  type JobState,
  type PrintOrderState,
  type RunClock,
  type RunState,
} from '../run-state';
import type { OrderStatus } from '../statuses';

/** When an order has an attention reason. */
export interface AttentionRule {
  /** The cause. Operators read it in the Temporal UI, in the API's document and in docs/how-to/attention.md. */
  readonly text: string;
  /** A reason that follows from facts: the order has it while `holds` is true for one of its print orders. */
  readonly holds?: (printOrder: PrintOrderState) => boolean;
  /** A deadline of a print order raises the reason. Without `holds` and `deadline`, an event does. */
  readonly deadline?: {
    /** What the partner must have done. */
    readonly due: string;
    /** Returns the deadline in epoch milliseconds, also when it has passed. Null: the partner has done it. */
    at(printOrder: PrintOrderState, clock: RunClock, settings: DeadlineSettings): number | null;
  };
  /** Returns true when the cause of a raised reason no longer exists. Absent when the facts do not show it. */
  readonly isResolved?: (state: RunState) => boolean;
  /** True when only an operator can settle it, with the partner or the client. Clears it while the order is open. */
  readonly dismissable?: true;
  /** The order has the reason when it ends with this status, until an operator has looked at it. Its workflow does not have it. */
  readonly endsAs?: OrderStatus;
}

/** The rule of each reason why an operator should look at an order. */
export const ATTENTION: Readonly<Record<AttentionReason, AttentionRule>> = {
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
    holds: (printOrder) => openJobs(printOrder).some(hasError),
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
    holds: (printOrder) =>
      printOrder.jobs.some(
        (job) => hasCancelledUnits(job) && hasLeft(job, printOrder) && (job.cancelledAt ?? '') <= job.progressAt,
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
  address_check: {
    text: 'the address has findings; the order waits until the address is changed or accepted',
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
    text: 'a partner shipped units that were cancelled, or confirmed a cancel of units that it had shipped',
    dismissable: true,
  },
  label_without_parcel: {
    text: 'a carrier did not void a label that no parcel has',
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
    isResolved: ({ printOrders }) => printOrders.every(hasSettled),
    dismissable: true,
  },
  parcel_silent: {
    text: 'no carrier has scanned a parcel for `PARCEL_SILENT_AFTER` working days',
    isResolved: ({ printOrders }) => printOrders.every(hasSettled),
    dismissable: true,
  },
  // It clears when an operator decides on the claim.
  claim: { text: 'units were reported as lost, damaged or wrong, and no operator has decided on the claim' },
  channel_change_missed: {
    text: 'the shop has changed the order in its channel, and it could not be changed any more',
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
  step_fails_process: {
    text: 'a step of the order ends the worker’s process, or makes it unresponsive; it is not tried again by itself',
    dismissable: true,
  },
  // Set outside the workflow, which cannot progress meanwhile. The next record of the workflow does not have it.
  workflow_slow: { text: 'the worker is too slow for the workflow’s tasks' },
};

export const isDismissable = (reason: AttentionReason): boolean => ATTENTION[reason].dismissable === true;
/** The reasons that an operator can dismiss while the order is open. */
export const DISMISSABLE = ATTENTION_REASONS.filter(isDismissable);

/** Returns the reasons why an operator should look at the order, sorted. */
export function deriveAttention(state: RunState): AttentionReason[] {
  return ATTENTION_REASONS.filter((reason) => {
    const { holds, endsAs, isResolved } = ATTENTION[reason];
    if (endsAs !== undefined) return false;
    if (holds !== undefined) return state.printOrders.some(holds);
    return state.attention.includes(reason) && isResolved?.(state) !== true;
  }).sort();
}

/** The reasons that orders have because they have ended. */
export const END_REASONS = ATTENTION_REASONS.filter((reason) => ATTENTION[reason].endsAs !== undefined);

/** Returns the reasons that an order has because it ended with a status. */
export const endReasons = (status: OrderStatus): AttentionReason[] =>
  ATTENTION_REASONS.filter((reason) => ATTENTION[reason].endsAs === status);

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
  const shipped = jobs.some((job) => job.ended === null && hasLeft(job, printOrder) && job.leftWith === undefined);
  return labelTakenBack === true && shipment === null && shipped;
}

/**
 * Returns true for a job whose units were rerouted, while its own partner still makes them: it shipped
 * units that it had agreed to stop, or it refused or went on after the deadline. Not when an operator decided so.
 */
function isMadeTwice(job: JobState): boolean {
  const { ended, stopRequest, progress } = job;
  if (ended !== 'superseded' || stopRequest === undefined || stopRequest === 'forced') return false;
  if (stopRequest === 'refused' || progress === JOB_PROGRESS.shipped) return true;
  return stopRequest === 'unanswered' && progress >= JOB_PROGRESS.received && !hasError(job);
}
