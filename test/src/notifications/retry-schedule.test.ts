import { ATTEMPT_DELAYS_MS, delayAfter } from '../../../src/notifications/delivery';

describe('the retry schedule', () => {
  it('has ten attempts within about three days, as Standard Webhooks recommends', () => {
    expect(ATTEMPT_DELAYS_MS.map((ms) => ms / 1000)).toEqual([
      0, 5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400,
    ]);
  });

  it('has a jitter of 20 %', () => {
    expect(delayAfter(1, 0)).toBe(4_000);
    expect(delayAfter(1, 0.5)).toBe(5_000);
    expect(delayAfter(1, 1)).toBe(6_000);
    expect(delayAfter(9, 0.5)).toBe(86_400_000);
  });

  it('ends after the tenth attempt', () => {
    expect(delayAfter(10, 0.5)).toBeNull();
    expect(delayAfter(11, 0.5, 60_000)).toBeNull();
  });

  it('honours a Retry-After that is longer than the schedule', () => {
    expect(delayAfter(1, 0.5, 60_000)).toBe(60_000);
    expect(delayAfter(3, 0.5, 60_000)).toBe(1_800_000);
  });
});
