import { jobStatus, unitsToShip } from '../../../../../../src/orders/domain/lifecycle/facts/jobs';
import { deriveAttention } from '../../../../../../src/orders/domain/lifecycle/rules/attention';
import {
  JOB_PROGRESS,
  type JobState,
  type ParcelState,
  type PrintOrderState,
  type Transit,
} from '../../../../../../src/orders/domain/lifecycle/run-state';
import { deriveOrderStatus, type ItemStatus } from '../../../../../../src/orders/domain/lifecycle/statuses';
import { POSTER, play, postback, printOrder, running, STICKER } from '../run-fixture';

const aJob: JobState = {
  id: '701',
  itemId: '1',
  quantity: 3,
  progress: JOB_PROGRESS.none,
  progressAt: '',
  error: null,
  cancelledQuantity: 0,
  ended: null,
};
const aPrintOrder: PrintOrderState = { ...printOrder(running()), jobs: [aJob] };

const inParcel = (transit: Transit): ParcelState => ({ number: 'OWN-1', shipmentId: null, jobIds: null, transit });

const { received, printed, shipped } = JOB_PROGRESS;
const early = { at: '2026-01-05T10:00:00.000Z', message: 'no ink' };
const late = '2026-01-05T11:00:00.000Z';

describe('the status of a job is derived from its facts', () => {
  test.each<[string, Partial<JobState>, Partial<PrintOrderState>, ItemStatus | null]>([
    ['not yet received', {}, {}, 'passed'],
    ['refused by its partner', {}, { delivery: 'refused' }, 'manual_handling'],
    ['undeliverable', {}, { delivery: 'undeliverable' }, 'manual_handling'],
    ['undeliverable, with a received postback', { progress: received }, { delivery: 'undeliverable' }, 'in_production'],
    ['received', { progress: received }, {}, 'in_production'],
    ['printed', { progress: printed }, {}, 'printed'],
    ['in error', { error: early }, {}, 'manual_handling'],
    [
      'in error after printing',
      { error: { ...early, at: late }, progress: printed, progressAt: early.at },
      {},
      'manual_handling',
    ],
    ['printed after an error', { error: early, progress: printed, progressAt: late }, {}, 'printed'],
    ['partly cancelled', { cancelledQuantity: 1, progress: printed }, {}, 'manual_handling'],
    ['shipped', { progress: shipped }, {}, 'shipped'],
    ['shipped and partly cancelled', { progress: shipped, cancelledQuantity: 1 }, {}, 'shipped'],
    ['shipped after it ended as cancelled', { progress: shipped, ended: 'cancelled' }, {}, 'shipped'],
    ['scanned', { progress: shipped }, { parcels: [inParcel('in_transit')] }, 'in_transit'],
    ['returned', { progress: shipped }, { parcels: [inParcel('returned')] }, 'returned'],
    ['not in a delivered parcel', { progress: received }, { parcels: [inParcel('delivered')] }, 'in_production'],
    ['ended as cancelled', { ended: 'cancelled', error: early }, {}, 'cancelled'],
    ['rerouted', { ended: 'superseded', progress: shipped }, {}, null],
  ])('%s', (_what, job, order, status) => {
    const jobNow = { ...aJob, ...job };
    expect(jobStatus(jobNow, { ...aPrintOrder, ...order, jobs: [jobNow] })).toBe(status);
  });
});

describe('the status of an order is derived from its items', () => {
  test.each<[ItemStatus[], string]>([
    [['printed', 'shipped'], 'printed'],
    [['delivered', 'shipped'], 'shipped'],
    [['delivered', 'cancelled'], 'delivered'],
    [['cancelled', 'cancelled'], 'canceled'],
    [['delivered', 'manual_handling'], 'on_hold'],
    [['on_hold', 'printed'], 'on_hold'],
    [['failed', 'failed'], 'failed'],
    [['delivered', 'returned'], 'delivered'],
  ])('%j is %s', (items, status) => {
    expect(deriveOrderStatus(items)).toBe(status);
  });
});

test('attention is raised by facts, and removed when its cause no longer exists', () => {
  const half = play(running(), postback('cancelled', { items: [{ jobId: POSTER.jobId, quantity: 1 }] })).state;
  expect(half.attention).toEqual(['partner_cancelled']);
  const shippedShort = play(half, postback('shipped')).state;
  expect(shippedShort.attention).toEqual(['short_shipped']);
  const cancelledRest = play(running(), postback('shipped', { jobId: POSTER.jobId }), postback('cancelled'));
  expect(cancelledRest.state.attention).toEqual(['partner_cancelled']);
  const whole = play(running(), postback('cancelled'), postback('printed'), postback('shipped')).state;
  expect([whole.attention, whole.items.map(({ status }) => status)]).toEqual([
    ['partner_cancelled'],
    ['manual_handling', 'manual_handling'],
  ]);
  // A carrier has the parcel after all.
  const parcels = [{ number: 'X1', transit: 'in_transit' as const, itemIds: [POSTER.itemId] }];
  const scanned = play(whole, { type: 'tracking', eventId: 't', printOrderId: '501', shipmentId: 's1', parcels }).state;
  expect(scanned.items.map(({ status }) => status)).toEqual(['in_transit', 'manual_handling']);
  expect(scanned.attention).toContain('short_shipped');
  const deadlines = play(
    running(),
    { type: 'deadline', reason: 'not_received', printOrderId: '501' },
    { type: 'deadline', reason: 'not_printed', printOrderId: '501' },
  ).state;
  expect(deadlines.attention).toEqual(['not_printed', 'not_received']);
  expect(play(deadlines, postback('received')).state.attention).toEqual(['not_printed']);
  expect(play(deadlines, postback('printed')).state.attention).toEqual([]);
  expect(deriveAttention(running())).toEqual([]);
});

test('parcels hold the units that have not ended and were not cancelled', () => {
  const { state } = play(
    running(),
    postback('cancelled', {
      items: [
        { jobId: POSTER.jobId, quantity: 1 },
        { jobId: STICKER.jobId, quantity: null },
      ],
    }),
  );
  expect(unitsToShip(printOrder(state))).toEqual([{ itemId: POSTER.itemId, quantity: 2 }]);
});
