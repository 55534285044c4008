/**
 * What a reconciliation can find, and what it does about each finding. The keys appear in the log and in
 * docs/operation/backup-and-recovery.md.
 */
export const DIFFERENCES = {
  started: 'orders without a workflow: the workflow is started',
  flagged: 'open orders whose workflow failed: flagged out_of_step',
  failing: 'orders whose workflow task keeps failing, or whose step no worker executes: flagged stalled',
  caughtUp: 'orders whose rows were behind their workflow: updated',
  printOrdersLost: 'workflows with print orders that have no rows: flagged out_of_step',
  settled: 'shipped orders whose workflow has completed, or was deleted after its retention: no longer compared',
  unchecked: 'orders and messages that could not be checked: the log has the error',
  redelivered: 'postbacks that the workflow had not handled: signalled again',
  late: 'postbacks for a workflow that has completed: closed',
  undelivered: 'postbacks that wait for a workflow that is busy or missing',
  incompletePurchases: 'label purchases that a dispatch may still complete, or that are being voided',
  voided: 'label purchases that no order needs any more: voided',
  voidFailed: 'labels that a carrier did not void',
  replayed: 'dead signals whose workflow exists after all: sent again',
  dead: 'dead letters that stay until an operator replays them',
  withoutOrder: 'workflows whose order has no row',
  outdated:
    'workflows whose state is older than the rows of their order: ended, and started again from the stored state when the order is open',
  lingering: 'workflows that still run days after their order has ended',
} as const;
export type Difference = keyof typeof DIFFERENCES;

/** How often each finding occurred. Findings that did not occur are absent. */
export type Counts = Readonly<Partial<Record<Difference, number>>>;

/** Returns the sum of several counts. */
export function tally(...counts: readonly Counts[]): Counts {
  const sum: Partial<Record<Difference, number>> = {};
  for (const count of counts) {
    for (const [name, n] of Object.entries(count) as [Difference, number][]) {
      if (n > 0) sum[name] = (sum[name] ?? 0) + n;
    }
  }
  return sum;
}
