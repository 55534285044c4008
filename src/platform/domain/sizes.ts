/**
 * The greatest sizes of orders and of what partners and operators add to them. Schemas, checks and docs/limits.md take them
 * from this table. Every other array, number and text has its greatest value in the schema of its route.
 */
export const SIZES = {
  bodyBytes: { most: 1_048_576, counts: 'bytes of a request body', costs: 'Parsed in 10 ms' },
  orderItems: {
    most: 500,
    counts: 'items of an order',
    costs: 'Routed among 60 partners in 0.3 s of CPU, in slices of 20 ms',
  },
  itemUnits: { most: 100_000, counts: 'units of an item', costs: 'The same as one unit: equal parcels are counted' },
  orderUnits: { most: 50_000, counts: 'units of an order', costs: 'The same as one unit of each item' },
  orderParcels: { most: 500, counts: 'parcels of an order', costs: 'A label and its papers for each' },
  itemFiles: { most: 100, counts: 'files of an item', costs: 'A download and a check for each' },
  packages: {
    most: 500,
    counts: 'packaging instructions of an order',
    costs: 'A packing slip for each that names one',
  },
  packageItems: { most: 500, counts: 'items of a packaging instruction', costs: 'A line of a packing list for each' },
  shippingPackages: { most: 100, counts: 'packages of a shipping order', costs: 'A label for each' },
  shippingItems: { most: 500, counts: 'items of such a package', costs: 'A line of a customs form for each' },
  dispatchItems: { most: 1_000, counts: 'item ids of a dispatch request', costs: 'A comparison with each item' },
  replacedLabels: {
    most: 100,
    counts: 'labels replaced by one dispatch request',
    costs: 'A label and its papers for each',
  },
  shippingChanges: {
    most: 100,
    counts: 'changes of address or method of an order',
    costs: 'A plan and receipts for each',
  },
  unitCancels: {
    most: 100,
    counts: 'cancellations of units of an order by its client',
    costs: 'A receipt, and an update to each partner',
  },
  postbacks: {
    most: 3_000,
    counts: 'different postbacks of a print order',
    costs: 'A row and a step of the workflow for each',
  },
  postbackLetters: { most: 2_000, counts: 'characters of a postback’s message', costs: 'Longer ones are cut' },
  notes: { most: 1_000, counts: 'notes of an order', costs: 'A row for each, listed in pages' },
  noteLetters: { most: 2_000, counts: 'characters of a note', costs: 'Stored as it is' },
  carrierEvents: { most: 1_000, counts: 'events of a message of a carrier', costs: 'A row for each' },
  channels: { most: 50, counts: 'channels of a client', costs: 'A row for each' },
  channelFileBytes: {
    most: 10_000_000,
    counts: 'bytes of a CSV file of orders',
    costs: 'Read twice, in slices of 64 kB; an order of it is a submission',
  },
  channelMappings: { most: 10_000, counts: 'product mappings of a channel', costs: 'A row for each, listed in pages' },
} as const satisfies Record<string, { readonly most: number; readonly counts: string; readonly costs: string }>;

/** Returns a number as messages and pages show it. */
export const shownSize = (size: number): string => size.toLocaleString('en');
