export const attention = {
  title: 'Attention',
  intro: 'Orders that wait for an operator.',
  columns: {
    select: 'Select',
    reason: 'Reason',
    order: 'Order',
    client: 'Client',
    partner: 'Partner',
    status: 'Status',
    country: 'Country',
    age: 'Age',
  },
  filter: 'Reason',
  all: 'All reasons',
  sort: 'Sort by',
  sorts: { age: 'Oldest first', reason: 'Reason', newest: 'Newest order first' },
  empty: 'No order needs attention',
  emptyText:
    'Orders appear here when a partner refuses, fails or is late, and when a request needs a decision.',
  selectAll: 'Select all',
  selected: (count: number) => (count === 1 ? '1 order selected' : `${count} orders selected`),
  progress: 'Orders repaired',
  repaired: (done: number, refused: number) =>
    refused === 0 ? `${done} repaired` : `${done} repaired, ${refused} refused`,
  button: (act: string, count: number) => `${act} ${count === 1 ? '1 order' : `${count} orders`}`,
  select: (reference: string) => `Select ${reference}`,
} as const;
