import pino from 'pino';
import { type CarrierAdapter, type CarrierEvent, CarrierUnavailable } from '../../../src/carriers/carrier';
import { CarrierInquiry } from '../../../src/shipping/tracking/carrier-inquiry';

/** Returns an adapter that only tracks packages. */
function carrier(
  track: (numbers: readonly string[]) => readonly CarrierEvent[],
  trackingLimits = { batch: 20, perSecond: 100_000 },
) {
  const calls: { numbers: readonly string[]; began: number }[] = [];
  const adapter = {
    uid: 'test_post',
    trackingLimits,
    async track(numbers: readonly string[]) {
      calls.push({ numbers, began: performance.now() });
      return track(numbers);
    },
  } as unknown as CarrierAdapter;
  return { calls, inquiry: new CarrierInquiry(adapter, pino({ level: 'silent' })) };
}

const scan = (trackingNumber: string): CarrierEvent => ({
  trackingNumber,
  eventId: 'scan',
  statusUid: 'in_transit',
  message: 'Scanned',
  occurredAt: '2026-02-01T10:00:00Z',
  signedBy: 'Test Post',
});
const numbersOf = (count: number) => Array.from({ length: count }, (_, n) => `P${n}`);
const fails = (bad: readonly string[], error: Error) => (numbers: readonly string[]) => {
  if (numbers.some((number) => bad.includes(number))) throw error;
  return numbers.map(scan);
};
const silent = new CarrierUnavailable('test_post', 'status 500');

test('a batch with a response is one call', async () => {
  const { calls, inquiry } = carrier((numbers) => numbers.map(scan));
  const tracked = await inquiry.track(numbersOf(20));
  expect(calls.map(({ numbers }) => numbers.length)).toEqual([20]);
  expect(tracked).toMatchObject({
    responded: numbersOf(20),
    failed: [],
    notRequested: [],
    isUnavailable: false,
  });
});

test.each([
  ['an error of the server', silent],
  ['an unreadable response', new TypeError('no date')],
])('one bad package does not stop its batch: %s', async (_, error) => {
  const { inquiry } = carrier(fails(['P3', 'P11'], error));
  const tracked = await inquiry.track(numbersOf(20));
  const good = numbersOf(20).filter((number) => number !== 'P3' && number !== 'P11');
  expect(tracked).toEqual({
    events: good.map(scan),
    responded: good,
    failed: ['P3', 'P11'],
    notRequested: [],
    isUnavailable: false,
  });
});

test('a carrier without a response for any package is unavailable, and gets no request for the others', async () => {
  const { calls, inquiry } = carrier(() => {
    throw silent;
  });
  const tracked = await inquiry.track(numbersOf(20));
  expect(tracked).toMatchObject({ responded: [], failed: numbersOf(5), isUnavailable: true });
  expect(tracked.notRequested).toEqual(numbersOf(20).slice(5));
  expect(calls).toHaveLength(6);
});

test('errors of Postgres are thrown, for the sweep to be repeated', async () => {
  const lost = Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' });
  const { inquiry } = carrier(fails(['P1'], lost));
  await expect(inquiry.track(numbersOf(3))).rejects.toBe(lost);
});

test('the rate of the carrier is kept in batches and package by package', async () => {
  const perSecond = 200;
  const { calls, inquiry } = carrier(fails(['P7'], silent), { batch: 20, perSecond });
  const startedAt = performance.now();
  await inquiry.track(numbersOf(20));
  await inquiry.track(numbersOf(20).map((number) => `Q${number}`));
  let before = 0;
  for (const { numbers, began } of calls) {
    // From the start, because the first call itself can be late. Timers may be two milliseconds early.
    expect(began - startedAt).toBeGreaterThanOrEqual((before / perSecond) * 1_000 - 2);
    before += numbers.length;
  }
  expect(before).toBe(60);
});
