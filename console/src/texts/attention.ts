import { countOf } from './common';

/** Orders that a reason lists by name. */
const LISTED = 5;

interface Counts {
  readonly total: number;
  readonly done: number;
  readonly refused: number;
  readonly failed: number;
  readonly canceled: number;
}

const ordersOf = (count: number) => (count === 1 ? '1 order' : `${countOf(count)} orders`);

export const attention = {
  title: 'Attention',
  intro: 'Orders that wait for an operator.',
  columns: {
    reason: 'Reason',
    order: 'Order',
    client: 'Client',
    partner: 'Partner',
    status: 'Status',
    recipient: 'Recipient',
    amount: 'Amount',
    age: 'Age',
  },
  recipient: (name: string, country: string) => `${name}, ${country}`,
  filter: 'Reason',
  all: 'All reasons',
  sort: 'Sort by',
  sorts: { age: 'Oldest first', reason: 'Reason', newest: 'Newest order first' },
  empty: 'No order needs attention',
  emptyText:
    'Orders appear here when a partner refuses, fails or is late, when they fail or return, and when a request needs a decision.',
  orders: ordersOf,
  selected: (count: number) => `${ordersOf(count)} selected`,
  bulk: {
    dryRun: 'Dry run',
    noDryRun: 'The API did not return a dry run.',
    possible: (possible: number, checked: number, total: number) => {
      if (possible === total && total === 1) return 'The order accepts this now.';
      if (possible === total) return `All ${ordersOf(total)} accept this now.`;
      const accepting = `${countOf(possible)} of ${ordersOf(checked)} accept this now.`;
      if (checked === total) return accepting;
      return `${accepting} The other ${countOf(total - checked)} are checked when their turn comes.`;
    },
    notRepaired: (message: string, count: number, references: readonly string[]) => {
      const listed = references.slice(0, LISTED);
      const more = count > listed.length ? ` and ${count - listed.length} more` : '';
      return `${message}: ${listed.join(', ')}${more}`;
    },
    button: (repair: string, count: number) => `${repair} ${ordersOf(count)}`,
    progress: 'Orders done',
    statuses: { running: 'In progress', canceling: 'Stopping', ended: 'Finished' },
    counts: (counts: Counts) =>
      [
        `${countOf(counts.done)} of ${countOf(counts.total)} repaired`,
        counts.refused === 0 ? '' : `${counts.refused} refused`,
        counts.failed === 0 ? '' : `${counts.failed} failed`,
        counts.canceled === 0 ? '' : `${counts.canceled} not started`,
      ]
        .filter((part) => part !== '')
        .join(', '),
    background: 'The repair continues when you close this window.',
    stop: 'Stop',
  },
} as const;
