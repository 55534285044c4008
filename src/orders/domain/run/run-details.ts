import type { Deadline } from '../lifecycle/deadlines';
import { deriveStatus, jobStatus } from '../lifecycle/derive';
import {
  type AttentionReason,
  JOB_PROGRESS,
  type PrintOrderState,
  type RunState,
} from '../lifecycle/run-state';

/** What an operator reads for each reason. */
const ATTENTION: Readonly<Record<AttentionReason, string>> = {
  not_received: 'a partner has not confirmed a print order in time',
  not_printed: 'a partner has not printed by the day it promised',
  not_dispatched: 'a partner has not asked for shipping documents by the day it promised',
  partner_error: 'a partner reports an error',
  partner_refused: 'a partner refused a print order',
  partner_unreachable: 'a print order could not be delivered to its partner',
  partner_cancelled: 'a partner has cancelled units',
  short_shipped: 'a partner shipped less than it was asked for',
  voided_label:
    'a parcel travels under a label that was taken back: to an older address, or by another method',
  cancel_refused: 'a partner would not cancel, and goes on',
  no_partner: 'no partner can make it now; it is planned again by itself',
  dispatch_failed: 'no label could be made',
  out_of_step: 'this run and the database disagree',
};

/** What the Temporal UI shows of a run at a glance: Markdown, what matters first, no personal data. */
export function describeRun(state: RunState, tasks: readonly string[]): string {
  const lines = [`**${deriveStatus(state)}**`];
  for (const reason of state.attention) lines.push('', `**Needs attention:** ${ATTENTION[reason]}.`);
  if (state.held) lines.push('', 'On hold by an operator: nothing new is handed over.');
  if (state.printOrders.length === 0 && state.phase === 'preparing') {
    lines.push('', 'Print files are fetched and checked, then the order is planned.');
  }
  if (state.printOrders.length > 0) {
    lines.push('', '| Print order | Partner | Ships by | Now |', '| --- | --- | --- | --- |');
    for (const printOrder of state.printOrders) {
      const { id, partnerUid, dispatchDate } = printOrder;
      lines.push(`| ${id} | ${partnerUid} | ${dispatchDate} | ${standing(printOrder)} |`);
    }
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
  if (tasks.length > 0) lines.push('', `Under way: ${tasks.join(', ')}`);
  return lines.join('\n');
}

/** Where a print order stands, and whose turn it is. */
function standing(printOrder: PrintOrderState): string {
  const { partnerUid, delivery, shipment, transit, cancel } = printOrder;
  const jobs = printOrder.jobs.filter((job) => job.ended === null);
  if (jobs.length === 0) return 'ended: cancelled, or replaced by another';
  const asked = jobs.some(({ cancelRequest }) => cancelRequest?.refused === false);
  if (cancel === 'requested' || asked) return `${partnerUid} was asked to cancel`;
  const least = Math.min(...jobs.map((job) => job.progress));
  if (least === JOB_PROGRESS.shipped) {
    return transit === null ? 'shipped, waits for the carrier’s first scan' : transit.replace('_', ' ');
  }
  if (jobs.some((job) => jobStatus(job, printOrder) === 'manual_handling')) return 'waits for an operator';
  if (delivery === 'pending') return `is being delivered to ${partnerUid}`;
  if (shipment !== null) return `label made, ${partnerUid} has to ship`;
  if (least === JOB_PROGRESS.printed) return `printed, ${partnerUid} has to ask for dispatch`;
  if (least === JOB_PROGRESS.received) return `in production at ${partnerUid}`;
  return `accepted, ${partnerUid} has to confirm`;
}

/** What a partner is to have done by a deadline. */
const DUE: Partial<Record<AttentionReason, string>> = {
  not_received: 'received',
  not_printed: 'printed',
  not_dispatched: 'ready for dispatch',
};

/** What a timer of the run is for, in the words of the Temporal UI's history. */
export function describeDeadline(deadline: Deadline): string {
  if (deadline.kind === 'close') return 'then nobody tracks the parcels any more';
  return `print order ${deadline.printOrderId} to be ${DUE[deadline.reason] ?? deadline.reason}`;
}
