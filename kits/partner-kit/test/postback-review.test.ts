import { reviewPostbacks, type SeenDispatch, type SeenPostback } from '../postback-review';
import type { SamplePrintOrder } from '../sample-print-orders';

/** The postbacks and dispatch requests of a print order in a conformance check. */

const printOrder = { id: '900001', itemIds: ['1'] } as unknown as SamplePrintOrder;
const postback = (status: string, minute: number, trackingCode: string | null): SeenPostback => ({
  orderId: printOrder.id,
  orderItemId: null,
  status,
  timestamp: new Date(Date.UTC(2026, 0, 5, 8, minute)).toISOString(),
  message: null,
  trackingCode,
  arrivedAt: 0,
  problems: [],
});
const faultsOf = (trackingCode: string | null, dispatch: Partial<SeenDispatch> = {}) => {
  const dispatches = [
    { orderId: printOrder.id, at: 0, isPending: false, voidLabels: ['VOID'], problems: [], ...dispatch },
  ];
  const postbacks = [postback('received', 1, null), postback('shipped', 2, trackingCode)];
  return reviewPostbacks(
    { arrived: () => postbacks, dispatched: () => dispatches },
    { printOrder, deliveries: 'once' },
  ).map(({ fault }) => fault);
};

test.each([
  ['a valid label', 'VALID', []],
  ['no tracking code', null, []],
  ['a label that a dispatch response names as void', 'VOID', ['void-label-used']],
])('a shipment with %s', (_, trackingCode, faults) => {
  expect(faultsOf(trackingCode)).toEqual(faults);
});

test('a shipment after a dispatch request that got 202 alone is a fault', () => {
  expect(faultsOf(null, { isPending: true })).toEqual(['dispatch-not-repeated']);
});

test('an invalid dispatch request is a fault of its print order alone', () => {
  const problems = ['replaceLabels: there is no label X'];
  expect(faultsOf(null, { problems })).toEqual(['dispatch-invalid']);
  expect(faultsOf(null, { problems, orderId: 'other' })).toEqual([]);
});
