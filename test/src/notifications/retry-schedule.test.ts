import { ATTEMPT_DELAYS_MS, delayAfter } from '../../../src/notifications/domain/retry-schedule';

describe('the schedule of attempts', () => {
  it('is that of the standard: ten attempts within about three days', () => {
    expect(ATTEMPT_DELAYS_MS.map((ms) => ms / 1000)).toEqual([
      0, 5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400,
    ]);
  });

  it('waits a fifth more or less', () => {
    expect(delayAfter(1, 0)).toBe(4_000);
    expect(delayAfter(1, 0.5)).toBe(5_000);
    expect(delayAfter(1, 1)).toBe(6_000);
    expect(delayAfter(9, 0.5)).toBe(86_400_000);
  });

  it('ends after the tenth', () => {
    expect(delayAfter(10, 0.5)).toBeNull();
    expect(delayAfter(11, 0.5, 60_000)).toBeNull();
  });

  it('waits as long as the receiver asks, never shorter than the schedule', () => {
    expect(delayAfter(1, 0.5, 60_000)).toBe(60_000);
    expect(delayAfter(3, 0.5, 60_000)).toBe(1_800_000);
  });
});
