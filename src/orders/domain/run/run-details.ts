import { deriveStatus } from '../lifecycle/facts/items';
import { jobStatus, printOrderTransit } from '../lifecycle/facts/jobs';
import { ATTENTION } from '../lifecycle/rules/attention';
import type { Deadline } from '../lifecycle/rules/deadlines';
import { JOB_PROGRESS, type PrintOrderState, type RunState } from '../lifecycle/run-state';

/**
 * Returns the current details of a run for the Temporal UI, as Markdown and without personal data.
 * @param replanAt when a parked order is planned again, epoch milliseconds. Null for other orders
 */
export function describeRun(state: RunState, tasks: readonly string[], replanAt: number | null = null): string {
  const lines = [`**${deriveStatus(state)}**`];
  for (const reason of state.attention) lines.push('', `**Needs attention:** ${ATTENTION[reason].text}.`);
  if (state.stalled !== undefined) lines.push('', `The step that has not succeeded: ${state.stalled.message}`);
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
  for (const { printOrder, until } of state.waitingReroutes ?? []) {
    const { id, partnerUid } = printOrder;
    const limit = new Date(until).toISOString();
    lines.push('', `Print order ${id} waits at ${partnerUid} until the current partner stops, at most until ${limit}.`);
  }
  lines.push('', '| Item | Quantity | Status | Jobs |', '| --- | --- | --- | --- |');
  for (const item of state.items) {
    const jobs = state.printOrders.flatMap((printOrder) =>
      printOrder.jobs
        .filter((job) => job.itemId === item.id)
        .map((job) => `${job.id} ${jobStatus(job, printOrder) ?? 'rerouted'}`),
    );
    lines.push(`| ${item.id} | ${item.quantity} | ${item.status} | ${jobs.join(', ')} |`);
  }
  if (tasks.length > 0) lines.push('', `Running: ${tasks.join(', ')}`);
  return lines.join('\n');
}

/** Describes the state of a print order and what happens next. */
function describePrintOrder(printOrder: PrintOrderState): string {
  const { partnerUid, delivery, shipment, cancel } = printOrder;
  const jobs = printOrder.jobs.filter((job) => job.ended === null);
  if (jobs.length === 0) return 'ended: cancelled or rerouted';
  if (jobs.some(({ stopRequest }) => stopRequest === 'waiting')) return `${partnerUid} has a stop request`;
  const asked = jobs.some(({ cancelRequest }) => cancelRequest?.refused === false);
  if (cancel === 'requested' || asked) return `${partnerUid} was asked to cancel`;
  const least = Math.min(...jobs.map((job) => job.progress));
  if (least === JOB_PROGRESS.shipped) {
    const transit = printOrderTransit(printOrder);
    return transit === null ? 'shipped, waiting for the carrier’s first scan' : transit.replace('_', ' ');
  }
  if (jobs.some((job) => jobStatus(job, printOrder) === 'manual_handling')) return 'waiting for an operator';
  if (delivery === 'pending') return `being delivered to ${partnerUid}`;
  if (shipment !== null) return `label bought, ${partnerUid} must ship`;
  if (least === JOB_PROGRESS.printed) return `printed, ${partnerUid} must request dispatch`;
  if (least === JOB_PROGRESS.received) return `in production at ${partnerUid}`;
  return `accepted, ${partnerUid} must send received`;
}

/** Returns the summary of a deadline's timer in the Temporal UI. */
export function describeDeadline(deadline: Deadline): string {
  if (deadline.kind === 'close') return 'end of tracking';
  if (deadline.kind === 'stop') return `print order ${deadline.printOrderId} waits until the current partner stops`;
  if (deadline.kind === 'check_tracking') return 'check whether a carrier follows the parcels';
  if (deadline.kind === 'reminder') {
    return `reminder ${deadline.count} of print order ${deadline.printOrderId}, unless it is received`;
  }
  return `print order ${deadline.printOrderId} must be ${ATTENTION[deadline.reason].deadline!.due}`;
}
