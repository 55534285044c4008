import { ScanWindow } from '../../../../src/platform/outbox/claims';

const at = (text: string) => new Date(`2026-03-01T${text}Z`);
const EVER = new Date(0);

test('the first scan reads every row, the next ones begin shortly before the time that was reached', () => {
  const window = new ScanWindow();
  expect(window.next(0)).toEqual(EVER);
  window.advanceTo(at('10:00:00'), 0);
  expect(window.next(100)).toEqual(at('09:59:58'));
});

test('rows of slow transactions are found within 5 seconds, all others within a minute', () => {
  const window = new ScanWindow();
  window.next(0);
  window.advanceTo(at('10:00:00'), 0);
  expect(window.next(4_900)).toEqual(at('09:59:58'));
  expect(window.next(5_000)).toEqual(at('09:59:30'));
  expect(window.next(5_100)).toEqual(at('09:59:58'));
  expect(window.next(59_900)).toEqual(at('09:59:30'));
  expect(window.next(60_000)).toEqual(EVER);
  expect(window.next(60_100)).toEqual(at('09:59:58'));
});

test('the scan after the end of a delivery includes what was due since its claim, also when another claim ends in between', () => {
  const window = new ScanWindow();
  window.next(0);
  window.advanceTo(at('10:00:00'), 0);
  window.returnTo(at('09:30:00'));
  window.advanceTo(at('10:00:01'), 0);
  expect(window.next(100)).toEqual(at('09:29:58'));
  expect(window.next(200)).toEqual(at('09:59:59'));
});

test('a scan of every row that takes seconds is made more rarely', () => {
  const window = new ScanWindow();
  window.next(0);
  window.advanceTo(at('10:00:00'), 4_000);
  expect(window.next(60_000)).toEqual(at('09:59:30'));
  window.advanceTo(at('10:01:00'), 60_010);
  expect(window.next(123_900)).toEqual(at('10:00:30'));
  window.advanceTo(at('10:02:00'), 123_910);
  expect(window.next(124_000)).toEqual(EVER);
});

test('a scan that fails at once is repeated', () => {
  const window = new ScanWindow();
  window.next(0);
  window.advanceTo(at('10:00:00'), 0);
  expect(window.next(60_000)).toEqual(EVER);
  window.fail(60_001);
  expect(window.next(60_500)).toEqual(EVER);
});

test('a scan of every row that ends by a timeout does not delay the newest rows', () => {
  const window = new ScanWindow();
  window.next(0);
  window.advanceTo(at('10:00:00'), 0);
  window.returnTo(at('09:50:00'));
  expect(window.next(60_000)).toEqual(EVER);
  window.fail(120_000);
  // It also covers the rows for which the failed scan returned.
  expect(window.next(120_500)).toEqual(at('09:49:30'));
  window.advanceTo(at('10:02:00'), 120_510);
  expect(window.next(200_000)).toEqual(at('10:01:30'));
  window.advanceTo(at('10:03:00'), 200_010);
  expect(window.next(120_000 + 30 * 60_000)).toEqual(EVER);
});
