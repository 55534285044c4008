/** Returns a number with separators of thousands. */
export const countOf = (count: number): string => count.toLocaleString('en');

/** Texts that every screen shares. */
export const common = {
  product: 'Pressline',
  documentTitle: (screen: string) => `${screen} · Pressline`,
  skipToContent: 'Skip to content',
  signIn: {
    title: 'Sign in',
    apiKey: 'API key',
    button: 'Sign in',
    show: 'Show the key',
    wrongKey: 'This API key is not valid for an operator.',
    openIdConnect: 'Sign in with your identity provider',
    help: 'Use the API key of an operator. The session ends after 12 hours.',
  },
  signOut: 'Sign out',
  colorScheme: 'Colour scheme',
  colorSchemeHint: 'Dark',
  timeZone: (zone: string) => `Times: ${zone}`,
  navigation: 'Main',
  screens: {
    today: 'Today',
    attention: 'Attention',
    inbox: 'Inbox',
    orders: 'Orders',
    shipments: 'Shipments',
    reports: 'Reports',
    receipts: 'Receipts',
    partners: 'Partners',
    clients: 'Clients',
    catalog: 'Catalog',
    stock: 'Stock',
    outbox: 'Outbox',
    system: 'System',
    team: 'Team',
    sandbox: 'Sandbox',
  },
  goTo: {
    title: 'Go to',
    field: 'Go to',
    placeholder: 'A screen, order, recipient, parcel, invoice, partner, client or product',
    order: (reference: string) => `Order ${reference}`,
    partner: (uid: string) => `Partner ${uid}`,
    client: (name: string) => `Client ${name}`,
    parcel: (number: string) => `Parcel ${number}`,
    model: (name: string) => `Product model ${name}`,
    product: (name: string) => `Product ${name}`,
    orders: (text: string) => `Search orders for “${text}”`,
  },
  keys: {
    title: 'Keys',
    list: [
      ['Ctrl K', 'Go to a screen, or find an order, parcel, partner, client or product'],
      ['j, k', 'Next and previous row under Attention'],
      ['x', 'Select the row'],
      ['Enter', 'Open the row, or the first hit'],
      ['Ctrl Enter', 'Submit a dialog'],
      ['Esc', 'Close a dialog'],
      ['?', 'Show this list'],
    ],
  },
  connection: {
    lost: 'Connection lost. Reconnecting…',
    live: 'Live',
  },
  roles: { viewer: 'Viewer', operator: 'Operator', admin: 'Admin' },
  error: {
    title: 'This could not be loaded',
    changeTitle: 'This could not be done',
    requestId: 'Request id',
    retry: 'Try again',
    entry: (number: number) => `Entry ${number}`,
  },
  loading: 'Loading',
  loadMore: 'Load more',
  exportCsv: 'Export CSV',
  chart: (name: string, span: string) => `${name}, ${span}`,
  /** The numbers of a chart, whose highest bar is its scale. */
  scale: (name: string, total: number | string, most: number | string) =>
    `${name}: ${total} in all, ${most} at the highest bar`,
  /** What a chart says about the period before, which is as long. The line of the chart shows it. */
  compared: (total: number, before: number) => {
    if (before === 0) return total === 0 ? '' : 'none in the period before';
    const percent = Math.round((100 * (total - before)) / Math.abs(before));
    return `${percent < 0 ? '−' : '+'}${countOf(Math.abs(percent))} % against the period before`;
  },
  bar: (at: string, value: number | string) => `${at}: ${value}`,
  notFound: {
    title: 'Page not found',
    text: 'The console has no page at this address.',
    link: 'Go to Today',
  },
  close: 'Close',
  next: 'Next',
  needsReason: 'Give a reason first.',
  reason: 'Reason',
  /** Rows of fields that are added and removed. */
  rows: { remove: 'Remove', cell: (column: string, row: number) => `${column}, row ${row}` },
  differences: {
    title: 'Changes',
    columns: { field: 'Field', before: 'Before', after: 'After' },
    none: 'Nothing differs.',
  },
  /** Header of a column of buttons. */
  actions: 'Actions',
  select: 'Select',
  selectAll: 'Select all',
  selectRow: (name: string) => `Select ${name}`,
  selection: {
    everyLoaded: (rows: string) => `All ${rows} that are loaded are selected.`,
    selectEverything: (total: number | undefined) =>
      total === undefined ? 'Select everything that matches' : `Select all ${countOf(total)} that match`,
    everything: (rows: string | undefined) =>
      rows === undefined ? 'Everything that matches is selected.' : `All ${rows} that match are selected.`,
    tooMany: (matching: string, most: string) =>
      `${matching} match, and one repair takes up to ${most}. Narrow the filter to select all of them.`,
    clear: 'Clear selection',
  },
  filters: {
    button: 'Filters',
    chip: (label: string, value: string) => `${label}: ${value}`,
    remove: (label: string, value: string) => `Remove the filter ${label}: ${value}`,
    clear: 'Clear the filters',
    none: 'Nothing matches these filters',
    noneText: 'Change the filters, or clear them to see all.',
  },
  views: {
    save: 'Save view',
    name: 'Name of the view',
    button: 'Save',
    remove: (name: string) => `Remove the view ${name}`,
  },
  columns: 'Columns',
  copied: 'Copied',
  none: '–',
} as const;
