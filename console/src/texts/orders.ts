export const orders = {
  title: 'Orders',
  search: 'Search orders',
  placeholder: 'Order id or reference',
  status: 'Status',
  allStatuses: 'All statuses',
  columns: {
    reference: 'Reference',
    status: 'Status',
    client: 'Client',
    recipient: 'Recipient',
    country: 'Country',
    created: 'Created',
  },
  empty: 'No order found',
  emptyText:
    'Orders appear here when clients submit them. Clear the search and the filters to see all orders.',
} as const;
