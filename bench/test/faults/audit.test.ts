import { audit, type Evidence, isClean, type SeenPrintOrder, type SubmittedOrder } from '../../faults/audit';

const SKU = 'tee-navy-m';

const submission = (over: Partial<SubmittedOrder> = {}): SubmittedOrder => ({
  reference: 'fault-1',
  orderId: 'a',
  end: 'delivered',
  followUp: 'nothing',
  reroutes: 0,
  unexpected: null,
  ...over,
});

const printOrder = (over: Partial<SeenPrintOrder> = {}): SeenPrintOrder => ({
  id: '500001',
  partner: 'prints-ohio',
  reference: 'fault-1',
  lines: ['2 apparel_product'],
  contents: 1,
  webhookIds: 1,
  binding: true,
  shipped: true,
  trackingCodes: ['T1'],
  ...over,
});

const item = (over: object = {}) => ({ id: '10001', status: 'delivered', needs: { [SKU]: 2 }, ...over });
const order = (over: object = {}) => ({
  id: 'a',
  reference: 'fault-1',
  status: 'delivered',
  attention: null,
  items: [item()],
  ...over,
});
const shipment = (over: { readonly trackingNumbers?: string[]; readonly [field: string]: unknown } = {}) => ({
  id: 's1',
  printOrderId: '500001',
  status: 'bought',
  trackingNumbers: ['T1'],
  inUse: over.trackingNumbers ?? ['T1'],
  ...over,
});
const balance = (over: object = {}) => ({
  partner: 'prints-ohio',
  sku: SKU,
  opening: 100,
  now: 103,
  added: 5,
  ...over,
});
const use = (over: object = {}) => ({
  itemId: '10001',
  partner: 'prints-ohio',
  sku: SKU,
  quantity: 2,
  ...over,
});

/** Consistent records of one successful order. */
const good: Evidence = {
  submitted: [submission()],
  orders: [order()],
  shown: new Map([['a', { reference: 'fault-1', status: 'delivered' }]]),
  runs: [{ orderId: 'a', status: 'COMPLETED' }],
  printOrders: [printOrder()],
  parcels: ['T1'],
  shipments: [shipment()],
  purchases: [{ trackingNumber: 'T1', voided: false }],
  stock: { unexplained: [], balances: [balance()], used: [use()] },
  channelOrders: [{ reference: 'fault-1', state: 'submitted', reasons: '[]' }],
  unsent: [],
  unhandledPostbacks: 0,
  notReady: [],
  unexpectedExits: [],
  unreplayable: [],
  internalErrors: [],
  money: [],
};

test('a successful order has no findings', () => {
  const findings = audit(good);
  expect(findings.accepted).toBe(1);
  expect(isClean(findings)).toBe(true);
});

const stock = (over: Partial<Evidence['stock']>) => ({ stock: { ...good.stock, ...over } });

test.each<[string, keyof ReturnType<typeof audit>, Partial<Evidence>]>([
  ['an accepted order that Postgres does not have', 'lost', { orders: [] }],
  ['an accepted order under another reference', 'lost', { orders: [order({ reference: 'fault-2' })] }],
  ['an accepted order that its client cannot read', 'lost', { shown: new Map() }],
  ['an accepted order without a workflow', 'lost', { runs: [] }],
  ['two orders for one reference', 'runTwice', { orders: [order(), order({ id: 'b' })] }],
  ['a row of a file without an order', 'channelOrdersLostOrTwice', { orders: [] }],
  ['a row of a file with two orders', 'channelOrdersLostOrTwice', { orders: [order(), order({ id: 'b' })] }],
  [
    'a row of a file that waits',
    'channelOrdersLostOrTwice',
    { channelOrders: [{ reference: 'fault-1', state: 'waiting', reasons: '[]' }] },
  ],
  ['two workflows of one order', 'runTwice', { runs: [...good.runs, ...good.runs] }],
  ['a print order whose content changed', 'printOrdersMadeTwice', { printOrders: [printOrder({ contents: 2 })] }],
  ['a print order under two message ids', 'printOrdersMadeTwice', { printOrders: [printOrder({ webhookIds: 2 })] }],
  [
    'two print orders for the same item',
    'printOrdersMadeTwice',
    { printOrders: [printOrder(), printOrder({ id: '500002', partner: 'prints-berlin' })] },
  ],
  [
    'two shipments of one print order',
    'labelsBoughtTwice',
    { shipments: [shipment(), shipment({ id: 's2', trackingNumbers: ['T2'] })] },
  ],
  [
    'a label that was paid for and is in no shipment',
    'labelsBoughtTwice',
    { purchases: [...good.purchases, { trackingNumber: 'T2', voided: false }] },
  ],
  [
    'an order that has a label without a parcel',
    'labelsBoughtTwice',
    { orders: [order({ attention: 'label_without_parcel' })] },
  ],
  ['a live label of a package that was left out', 'labelsBoughtTwice', { shipments: [shipment({ inUse: [] })] }],
  [
    'a partner with two labels for one address',
    'labelsBoughtTwice',
    { printOrders: [printOrder({ trackingCodes: ['T1', 'T2'] })] },
  ],
  ['units used twice', 'stockDifferences', stock({ used: [use(), use()], balances: [balance({ now: 101 })] })],
  ['a shipped item that took no stock', 'stockDifferences', stock({ used: [], balances: [balance({ now: 105 })] })],
  ['an adjustment that counted twice', 'stockDifferences', stock({ balances: [balance({ now: 108 })] })],
  ['a level that differs from its ledger', 'stockDifferences', stock({ unexplained: [`${SKU}: level 3, ledger 2`] })],
  [
    'an order that does not progress',
    'stuck',
    { orders: [order({ status: 'printed', items: [item({ status: 'printed' })] })] },
  ],
  [
    'an order that stands still without an attention reason',
    'neitherEndedNorFlagged',
    { orders: [order({ status: 'printed', attention: '', items: [item({ status: 'printed' })] })] },
  ],
  ['a client that never got a response', 'stuck', { submitted: [submission({ orderId: null })] }],
  ['a workflow that failed', 'stuck', { runs: [{ orderId: 'a', status: 'FAILED' }] }],
  ['a dead letter', 'stuck', { unsent: ['signal_workflow order-a'] }],
  ['an API process that is not ready', 'stuck', { notReady: ['http://127.0.0.1:3000: 503'] }],
  ['a postback that no workflow processed', 'stuck', { unhandledPostbacks: 1 }],
  ['a history that cannot be replayed', 'notReplayable', { unreplayable: ['order-1: Nondeterminism error'] }],
  [
    'a request that was answered with 500',
    'internalErrors',
    { internalErrors: ['api-1.log: getOperatorOrder, request r'] },
  ],
  ['receipts that differ from what is made', 'money', { money: ['fault-1: 2 of poster charged, 1 made'] }],
  [
    'an order that is canceled while an item is not',
    'contradictions',
    {
      orders: [order({ status: 'canceled' })],
      shown: new Map([['a', { reference: 'fault-1', status: 'canceled' }]]),
      printOrders: [printOrder({ shipped: false })],
    },
  ],
  ['an order with another status for its client', 'contradictions', { orders: [order({ status: 'in_transit' })] }],
  ['a process that ended by itself', 'endedByThemselves', { unexpectedExits: ['worker-1: exit code 1: Error: no'] }],
  [
    'an order canceled for its client and shipped',
    'contradictions',
    { shown: new Map([['a', { reference: 'fault-1', status: 'canceled' }]]) },
  ],
  ['an order that is shipped for its client only', 'contradictions', { printOrders: [printOrder({ shipped: false })] }],
  [
    'a print order without a submitted order',
    'contradictions',
    { printOrders: [printOrder(), printOrder({ id: '500002', reference: 'fault-9' })] },
  ],
  ['a parcel with an unknown label', 'contradictions', { parcels: ['T9'] }],
])('the audit reports %s', (_what, kind, wrong) => {
  const findings = audit({ ...good, ...wrong });
  expect(findings[kind]).not.toEqual([]);
  expect(isClean(findings)).toBe(false);
});

test('a voided label and a second one after a change of address are no finding', () => {
  const changed: Evidence = {
    ...good,
    submitted: [submission({ followUp: 'change-address' })],
    printOrders: [printOrder({ trackingCodes: ['T1', 'T2'] })],
    shipments: [shipment({ status: 'voided' }), shipment({ id: 's2', trackingNumbers: ['T2'] })],
    purchases: [
      { trackingNumber: 'T1', voided: true },
      { trackingNumber: 'T2', voided: false },
    ],
  };
  expect(isClean(audit(changed))).toBe(true);
});

test('an order of the random partner has ended when its items have left or are cancelled, or when it is flagged', () => {
  const items = [item(), item({ id: '10002', status: 'cancelled', needs: {} })];
  const met = (over: object): Evidence => ({ ...good, submitted: [submission({ end: 'any' })], orders: [order(over)] });
  expect(isClean(audit(met({ items })))).toBe(true);
  const waiting = [item({ status: 'on_hold' })];
  expect(audit(met({ items: waiting, attention: 'stalled' })).stuck).toEqual([]);
  expect(audit(met({ items: waiting })).stuck).toHaveLength(1);
});

test('two partners may produce a rerouted item, and no third', () => {
  const producers = (count: number): Evidence => ({
    ...good,
    submitted: [submission({ reroutes: 1 })],
    printOrders: Array.from({ length: count }, (_, n) => printOrder({ id: `50000${n + 1}` })),
  });
  expect(audit(producers(2)).printOrdersMadeTwice).toEqual([]);
  expect(audit(producers(3)).printOrdersMadeTwice).not.toEqual([]);
});

test('cancelled and rerouted orders count as ended', () => {
  const canceled: Evidence = {
    ...good,
    submitted: [submission({ followUp: 'cancel' })],
    orders: [order({ status: 'canceled', items: [item({ status: 'cancelled' })] })],
    shown: new Map([['a', { reference: 'fault-1', status: 'canceled' }]]),
    printOrders: [printOrder({ binding: false, shipped: false, trackingCodes: [] })],
    parcels: [],
    shipments: [],
    purchases: [],
    stock: { ...good.stock, used: [], balances: [balance({ now: 105 })] },
  };
  expect(isClean(audit(canceled))).toBe(true);
  const halfCancelled = (followUp: SubmittedOrder['followUp']): Evidence => ({
    ...good,
    submitted: [submission({ followUp })],
    orders: [order({ items: [item(), item({ id: '10002', status: 'cancelled', needs: {} })] })],
  });
  // One partner accepted the cancellation. The other had already packed its part.
  expect(isClean(audit(halfCancelled('cancel')))).toBe(true);
  expect(audit(halfCancelled('nothing')).stuck).toHaveLength(1);
  const rerouted: Evidence = {
    ...good,
    submitted: [submission({ end: 'repaired' })],
    printOrders: [printOrder({ id: '500000', binding: false, shipped: false, trackingCodes: [] }), printOrder()],
  };
  expect(isClean(audit(rerouted))).toBe(true);
});
