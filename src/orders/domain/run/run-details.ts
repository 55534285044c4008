import type { Deadline } from '../lifecycle/deadlines';
import { deriveStatus, jobStatus } from '../lifecycle/derive';
import {
  type AttentionReason,
  JOB_PROGRESS,
  type PrintOrderState,
  type RunState,
} from '../lifecycle/run-state';

/** Text for each attention reason. */
const ATTENTION: Readonly<Record<AttentionReason, string>> = {
  not_received: 'a partner has not sent `received` for a print order in time',
  not_printed: 'a partner has not printed by the dispatch date',
  not_dispatched: 'a partner has not requested dispatch by the dispatch date',
  partner_error: 'a partner reported an error',
  partner_refused: 'a partner refused a print order',
  partner_unreachable: 'a print order could not be delivered to its partner',
  partner_cancelled: 'a partner cancelled units',
  short_shipped: 'a partner shipped less than ordered',
  voided_label: 'a parcel was shipped with a voided label: to an older address, or by another method',
  cancel_refused: 'a partner refused to cancel and continues production',
  no_partner: 'no partner can produce the order now; it is planned again automatically',
  dispatch_failed: 'no label could be bought',
  partner_not_updated: 'a partner did not get the changed address or method',
  old_address_shipped:
    'a partner shipped with its own label, and does not have the changed address or method',
  not_rerouted: 'a partner did not agree to stop, so that its units were not given to another partner',
  made_twice: 'two partners make the same units: the first did not stop',
  out_of_step: 'the workflow and the database disagree',
  record_refused: 'the database refused what a step changed',
  workflow_slow: 'the worker is too slow for the workflow’s tasks',
};

/**
 * Returns the current details of a run for the Temporal UI, as Markdown and without personal data.
 * @param replanAt when a parked order is planned again, epoch milliseconds. Null for other orders
 */
export function describeRun(
  state: RunState,
  tasks: readonly string[],
  replanAt: number | null = null,
): string {
  const lines = [`**${deriveStatus(state)}**`];
  for (const reason of state.attention) lines.push('', `**Needs attention:** ${ATTENTION[reason]}.`);
  if (state.held) lines.push('', 'On hold by an operator: no print order is delivered.');
  if (replanAt !== null) {
    lines.push('', `Planned again at ${new Date(replanAt).toISOString()}, or when an operator retries.`);
  } else if (state.printOrders.length === 0 && state.phase === 'preparing') {
    lines.push('', 'Print files are being fetched and checked. Then the order is planned.');
  }
  if (state.printOrders.length > 0) {
    lines.push('', '| Print order | Partner | Ships by | Now |', '| --- | --- | --- | --- |');
    for (const printOrder of state.printOrders) {
      const { id, partnerUid, dispatchDate } = printOrder;
      lines.push(`| ${id} | ${partnerUid} | ${dispatchDate} | ${describePrintOrder(printOrder)} |`);
    }
  }
  for (const { printOrder, until } of state.waitingReplacements ?? []) {
    const { id, partnerUid } = printOrder;
    const limit = new Date(until).toISOString();
    lines.push(
      '',
      `Print order ${id} waits at ${partnerUid} until the present partner stops, at most until ${limit}.`,
    );
  }
  lines.push('', '| Item | Quantity | Status | Jobs |', '| --- | --- | --- | --- |');
  for (const item of state.items) {
    const jobs = state.printOrders.flatMap((printOrder) =>
      printOrder.jobs
        .filter((job) => job.itemId === item.id)
        .map((job) => `${job.id} ${jobStatus(job, printOrder) ?? 'replaced'}`),
    );
    lines.push(`| ${item.id} | ${item.quantity} | ${item.status} | ${jobs.join(', ')} |`);
  }
  if (tasks.length > 0) lines.push('', `Running: ${tasks.join(', ')}`);
  return lines.join('\n');
}

/** Describes the state of a print order and what happens next. */
function describePrintOrder(printOrder: PrintOrderState): string {
  const { partnerUid, delivery, shipment, transit, cancel } = printOrder;
  const jobs = printOrder.jobs.filter((job) => job.ended === null);
  if (jobs.length === 0) return 'ended: cancelled or replaced';
  if (jobs.some(({ stopRequest }) => stopRequest === 'waiting')) return `${partnerUid} was asked to stop`;
  const asked = jobs.some(({ cancelRequest }) => cancelRequest?.refused === false);
  if (cancel === 'requested' || asked) return `${partnerUid} was asked to cancel`;
  const least = Math.min(...jobs.map((job) => job.progress));
  if (least === JOB_PROGRESS.shipped) {
    return transit === null ? 'shipped, waiting for the carrier’s first scan' : transit.replace('_', ' ');
  }
  if (jobs.some((job) => jobStatus(job, printOrder) === 'manual_handling')) return 'waiting for an operator';
  if (delivery === 'pending') return `being delivered to ${partnerUid}`;
  if (shipment !== null) return `label bought, ${partnerUid} must ship`;
  if (least === JOB_PROGRESS.printed) return `printed, ${partnerUid} must request dispatch`;
  if (least === JOB_PROGRESS.received) return `in production at ${partnerUid}`;
  return `accepted, ${partnerUid} must send received`;
}

/** What a partner must have done by a deadline. */
const DUE: Partial<Record<AttentionReason, string>> = {
  not_received: 'received',
  not_printed: 'printed',
  not_dispatched: 'ready for dispatch',
};

/** Returns the summary of a deadline's timer in the Temporal UI. */
export function describeDeadline(deadline: Deadline): string {
  if (deadline.kind === 'close') return 'end of tracking';
  if (deadline.kind === 'stop')
    return `print order ${deadline.printOrderId} waits until the present partner stops`;
  if (deadline.kind === 'check_tracking') return 'check whether a carrier follows the parcels';
  if (deadline.kind === 'reminder') {
    return `reminder ${deadline.count} of print order ${deadline.printOrderId}, unless it is received`;
  }
  return `print order ${deadline.printOrderId} must be ${DUE[deadline.reason] ?? deadline.reason}`;
}
