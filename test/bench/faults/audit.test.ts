import {
  audit,
  type Evidence,
  isClean,
  type SeenPrintOrder,
  type ToldOrder,
} from '../../../bench/faults/audit';

const SKU = 'tee-navy-m';

const told = (over: Partial<ToldOrder> = {}): ToldOrder => ({
  reference: 'fault-1',
  orderId: 'a',
  end: 'delivered',
  wish: 'nothing',
  reroutes: 0,
  odd: null,
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
const shipment = (over: object = {}) => ({
  id: 's1',
  printOrderId: '500001',
  status: 'bought',
  trackingNumbers: ['T1'],
  ...over,
});
const shelf = (over: object = {}) => ({
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

/** One order that went as it should, as every side has it. */
const good: Evidence = {
  told: [told()],
  orders: [order()],
  shown: new Map([['a', { reference: 'fault-1', status: 'delivered' }]]),
  runs: [{ orderId: 'a', status: 'COMPLETED' }],
  printOrders: [printOrder()],
  parcels: ['T1'],
  shipments: [shipment()],
  purchases: [{ trackingNumber: 'T1', voided: false }],
  stock: { unexplained: [], shelves: [shelf()], used: [use()] },
  unsent: [],
  unhandledPostbacks: 0,
};

test('an order that went as it should is accepted and nothing else', () => {
  const findings = audit(good);
  expect(findings.accepted).toBe(1);
  expect(isClean(findings)).toBe(true);
});

const stock = (over: Partial<Evidence['stock']>) => ({ stock: { ...good.stock, ...over } });

test.each<[string, keyof ReturnType<typeof audit>, Partial<Evidence>]>([
  ['an accepted order that Postgres does not have', 'lost', { orders: [] }],
  ['an accepted order under another reference', 'lost', { orders: [order({ reference: 'fault-2' })] }],
  ['an accepted order that its client cannot read', 'lost', { shown: new Map() }],
  ['an accepted order without a run', 'lost', { runs: [] }],
  ['two orders for one reference', 'runTwice', { orders: [order(), order({ id: 'b' })] }],
  ['two runs of one order', 'runTwice', { runs: [...good.runs, ...good.runs] }],
  [
    'a print order whose content changed',
    'printOrdersMadeTwice',
    { printOrders: [printOrder({ contents: 2 })] },
  ],
  [
    'a print order under two message ids',
    'printOrdersMadeTwice',
    { printOrders: [printOrder({ webhookIds: 2 })] },
  ],
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
    'a label that was paid for and is nowhere',
    'labelsBoughtTwice',
    { purchases: [...good.purchases, { trackingNumber: 'T2', voided: false }] },
  ],
  [
    'a partner with two labels for one address',
    'labelsBoughtTwice',
    { printOrders: [printOrder({ trackingCodes: ['T1', 'T2'] })] },
  ],
  ['pieces used twice', 'stockDifferences', stock({ used: [use(), use()], shelves: [shelf({ now: 101 })] })],
  [
    'a shipped item that took no stock',
    'stockDifferences',
    stock({ used: [], shelves: [shelf({ now: 105 })] }),
  ],
  ['a booking that counted twice', 'stockDifferences', stock({ shelves: [shelf({ now: 108 })] })],
  ['a level without a ledger', 'stockDifferences', stock({ unexplained: [`${SKU}: level 3, ledger 2`] })],
  [
    'an order that stands still',
    'stuck',
    { orders: [order({ status: 'printed', items: [item({ status: 'printed' })] })] },
  ],
  ['a client that never got an answer', 'stuck', { told: [told({ orderId: null })] }],
  ['a run that failed', 'stuck', { runs: [{ orderId: 'a', status: 'FAILED' }] }],
  ['a message that was given up', 'stuck', { unsent: ['signal_workflow order-a'] }],
  ['a postback that no run heard', 'stuck', { unhandledPostbacks: 1 }],
  [
    'an order canceled for its client and shipped',
    'contradictions',
    { shown: new Map([['a', { reference: 'fault-1', status: 'canceled' }]]) },
  ],
  [
    'an order shipped for its client alone',
    'contradictions',
    { printOrders: [printOrder({ shipped: false })] },
  ],
  [
    'a print order that nobody ordered',
    'contradictions',
    { printOrders: [printOrder(), printOrder({ id: '500002', reference: 'fault-9' })] },
  ],
  ['a parcel under a label of nobody’s', 'contradictions', { parcels: ['T9'] }],
])('%s is found', (_what, kind, wrong) => {
  const findings = audit({ ...good, ...wrong });
  expect(findings[kind]).not.toEqual([]);
  expect(isClean(findings)).toBe(false);
});

test('a voided label, and a second one after a change of address, are in order', () => {
  const changed: Evidence = {
    ...good,
    told: [told({ wish: 'change-address' })],
    printOrders: [printOrder({ trackingCodes: ['T1', 'T2'] })],
    shipments: [shipment({ status: 'voided' }), shipment({ id: 's2', trackingNumbers: ['T2'] })],
    purchases: [
      { trackingNumber: 'T1', voided: true },
      { trackingNumber: 'T2', voided: false },
    ],
  };
  expect(isClean(audit(changed))).toBe(true);
});

test('what an operator gave to another partner is made by both when the first had packed it already, and by no third', () => {
  const makers = (count: number): Evidence => ({
    ...good,
    told: [told({ reroutes: 1 })],
    printOrders: Array.from({ length: count }, (_, n) => printOrder({ id: `50000${n + 1}` })),
  });
  expect(audit(makers(2)).printOrdersMadeTwice).toEqual([]);
  expect(audit(makers(3)).printOrdersMadeTwice).not.toEqual([]);
});

test('an order that its client cancelled has ended, and so has one that an operator gave to another partner', () => {
  const canceled: Evidence = {
    ...good,
    told: [told({ wish: 'cancel' })],
    orders: [order({ status: 'canceled', items: [item({ status: 'cancelled' })] })],
    shown: new Map([['a', { reference: 'fault-1', status: 'canceled' }]]),
    printOrders: [printOrder({ binding: false, shipped: false, trackingCodes: [] })],
    parcels: [],
    shipments: [],
    purchases: [],
    stock: { ...good.stock, used: [], shelves: [shelf({ now: 105 })] },
  };
  expect(isClean(audit(canceled))).toBe(true);
  const halfCancelled = (wish: ToldOrder['wish']): Evidence => ({
    ...good,
    told: [told({ wish })],
    orders: [order({ items: [item(), item({ id: '10002', status: 'cancelled', needs: {} })] })],
  });
  // One partner let go, the other had packed already.
  expect(isClean(audit(halfCancelled('cancel')))).toBe(true);
  expect(audit(halfCancelled('nothing')).stuck).toHaveLength(1);
  const rerouted: Evidence = {
    ...good,
    told: [told({ end: 'repaired' })],
    printOrders: [
      printOrder({ id: '500000', binding: false, shipped: false, trackingCodes: [] }),
      printOrder(),
    ],
  };
  expect(isClean(audit(rerouted))).toBe(true);
});
