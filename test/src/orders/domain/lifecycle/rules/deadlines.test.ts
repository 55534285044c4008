import {
  clockAfterReminder,
  deadlineKey,
  nextDeadline,
  shownDeadlines,
} from '../../../../../../src/orders/domain/lifecycle/rules/deadlines';
import type { RunClock } from '../../../../../../src/orders/domain/lifecycle/run-state';
import { accepted, dispatched, newOrder, POSTER, plan, play, postback, running, tracked } from '../run-fixture';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const settings = { receivedDeadlineMs: 15 * MINUTE, untrackedEndMs: 14 * DAY, stopDeadlineMs: 15 * MINUTE };
const acceptedAt = Date.parse('2026-01-05T10:00:00Z');
const clock: RunClock = { acceptedAt: { '501': acceptedAt }, raised: [], shippedAt: null };
/** The end of the dispatch date, 2026-01-09. */
const dispatchDateEnds = Date.parse('2026-01-10T00:00:00Z');

test('received must arrive within the allowed time', () => {
  expect(nextDeadline(running(), clock, settings)).toEqual({
    kind: 'attention',
    reason: 'not_received',
    printOrderId: '501',
    at: acceptedAt + 15 * MINUTE,
  });
});

test('received for one item does not cover the others', () => {
  const { state } = play(running(), postback('received', { jobId: POSTER.jobId }));
  expect(nextDeadline(state, clock, settings)).toMatchObject({ reason: 'not_received' });
});

test.each([
  ['not printed', 'received', 'not_printed'],
  ['printed, no dispatch requested', 'printed', 'not_dispatched'],
] as const)('%s by the end of the dispatch date', (_what, status, reason) => {
  const { state } = play(running(), postback(status));
  expect(nextDeadline(state, clock, settings)).toMatchObject({ reason, at: dispatchDateEnds });
});

test('the dispatch date ends in the partner’s time zone', () => {
  const dispatchDueAt = '2026-01-10T05:00:00Z';
  const { state } = play(
    newOrder(),
    { type: 'prepared', printOrders: [plan({ dispatchDueAt })] },
    accepted,
    postback('received'),
  );
  expect(nextDeadline(state, clock, settings)).toMatchObject({
    reason: 'not_printed',
    at: Date.parse(dispatchDueAt),
  });
});

test('each deadline is raised once', () => {
  const first = nextDeadline(running(), clock, settings);
  if (first?.kind !== 'attention') throw new Error('no deadline');
  const raised = { ...clock, raised: [deadlineKey(first)] };
  expect(nextDeadline(running(), raised, settings)).toMatchObject({ reason: 'not_printed' });
});

test('a silent partner is reminded again after twice the time each, at most daily', () => {
  const raised = [deadlineKey(nextDeadline(running(), clock, settings) as never), 'not_printed:501'];
  let reminded: RunClock = clockAfterReminder({ ...clock, raised }, '501', acceptedAt + 15 * MINUTE);
  const pauses: number[] = [];
  for (let count = 2; count <= 10; count += 1) {
    const reminder = nextDeadline(running(), reminded, settings)!;
    expect(reminder).toMatchObject({ kind: 'reminder', printOrderId: '501', count });
    pauses.push((reminder.at - reminded.reminders!['501']!.at) / MINUTE);
    reminded = clockAfterReminder(reminded, '501', reminder.at);
  }
  expect(pauses).toEqual([30, 60, 120, 240, 480, 960, 1440, 1440, 1440]);
  expect(shownDeadlines(running(), reminded, settings)).toContainEqual(
    expect.objectContaining({ reason: 'reminder', printOrderId: '501', passed: false }),
  );
  const { state } = play(running(), postback('received'));
  expect(nextDeadline(state, { ...reminded, raised: ['not_printed:501'] }, settings)).toBeNull();
});

test('there is no deadline during preparation, before the partner accepted the print order, and after the labels were bought', () => {
  expect(nextDeadline(newOrder(), clock, settings)).toBeNull();
  const refused = play(running(), {
    type: 'delivery',
    printOrderId: '501',
    outcome: 'refused',
    message: 'no',
  }).state;
  expect(nextDeadline(refused, clock, settings)).toBeNull();
  const labelled = play(running(), postback('printed'), dispatched).state;
  expect(nextDeadline(labelled, clock, settings)).toBeNull();
});

describe('a shipped order', () => {
  const shippedAt = Date.parse('2026-01-09T16:00:00Z');
  const shipped = play(running(), postback('shipped')).state;

  test('is checked once for tracking, before the end of tracking', () => {
    expect(nextDeadline(shipped, { ...clock, shippedAt }, settings)).toEqual({
      kind: 'check_tracking',
      at: shippedAt + 14 * DAY,
    });
    expect(nextDeadline(shipped, { ...clock, shippedAt, trackingChecked: true }, settings)).toEqual({
      kind: 'close',
      at: shippedAt + 90 * DAY,
    });
  });
});

test('operators see every deadline with its time, passed ones included', () => {
  const raised = { ...clock, raised: ['not_received:501'] };
  expect(shownDeadlines(running(), raised, settings)).toEqual([
    { reason: 'not_received', printOrderId: '501', dueAt: '2026-01-05T10:15:00.000Z', passed: true },
    { reason: 'not_printed', printOrderId: '501', dueAt: '2026-01-10T00:00:00.000Z', passed: false },
  ]);
  expect(shownDeadlines(newOrder(), clock, settings)).toEqual([]);
});

test('a shipped order that is not delivered ends after ninety days', () => {
  const shippedAt = Date.parse('2026-01-09T16:00:00Z');
  const { state } = play(running(), postback('shipped'), tracked('in_transit'));
  expect(nextDeadline(state, { ...clock, shippedAt, trackingChecked: true }, settings)).toEqual({
    kind: 'close',
    at: shippedAt + 90 * DAY,
  });
});
