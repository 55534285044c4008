import { jobStatus } from './derive';
import type { RunState } from './run-state';
import { deriveOrderStatus } from './statuses';

/** What the Temporal UI shows of a run at a glance: Markdown, no personal data. */
export function describeRun(state: RunState, tasks: readonly string[]): string {
  const lines = [`**${deriveOrderStatus(state.items.map((item) => item.status))}**`];
  if (state.attention.length > 0) lines.push('', `Needs attention: ${state.attention.join(', ')}`);
  if (state.held) lines.push('', 'On hold by an operator.');
  lines.push('', '| Item | Quantity | Status |', '| --- | --- | --- |');
  for (const item of state.items) lines.push(`| ${item.id} | ${item.quantity} | ${item.status} |`);
  if (state.printOrders.length > 0) {
    lines.push(
      '',
      '| Print order | Partner | Delivery | Jobs | Label | Ships by |',
      '| --- | --- | --- | --- | --- | --- |',
    );
    for (const printOrder of state.printOrders) {
      const jobs = printOrder.jobs
        .map((job) => `${job.id} ${jobStatus(job, printOrder) ?? 'superseded'}`)
        .join(', ');
      const label = printOrder.shipment === null ? 'none' : 'made';
      lines.push(
        `| ${printOrder.id} | ${printOrder.partnerUid} | ${printOrder.delivery} | ${jobs} | ${label} | ${printOrder.dispatchDate} |`,
      );
    }
  }
  if (tasks.length > 0) lines.push('', `Under way: ${tasks.join(', ')}`);
  return lines.join('\n');
}
