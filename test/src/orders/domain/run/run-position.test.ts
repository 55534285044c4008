import fc from 'fast-check';
import { runPosition } from '../../../../../src/orders/domain/run/run-position';

const startedAt = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2060, 0, 1) });
const historyLength = fc.integer({ min: 3, max: 51_200 });

test('the position grows with the history of a run', () => {
  fc.assert(
    fc.property(startedAt, historyLength, historyLength, (run, a, b) => {
      expect(Math.sign(runPosition(run, a) - runPosition(run, b))).toBe(Math.sign(a - b));
    }),
  );
});

test('the position is greater in a run that starts a hundredth of a second later', () => {
  fc.assert(
    fc.property(startedAt, historyLength, historyLength, (run, before, after) => {
      expect(runPosition(run + 10, after)).toBeGreaterThan(runPosition(run, before));
    }),
  );
});

test('the position is an exact integer', () => {
  fc.assert(
    fc.property(startedAt, historyLength, (run, length) =>
      expect(Number.isSafeInteger(runPosition(run, length))).toBe(true),
    ),
  );
});
