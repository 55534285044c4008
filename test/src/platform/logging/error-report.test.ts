import {
  createErrorReporter,
  createLogger,
  fingerprintOf,
  wasReported,
} from '../../../../src/platform/logging/logging';
import { createMetrics } from '../../../../src/platform/metrics/metrics';

const withStack = (message: string, ...frames: string[]) =>
  Object.assign(new Error(message), {
    stack: [`Error: ${message}`, ...frames.map((frame) => `    at ${frame}`)].join('\n'),
  });

describe('the fingerprint of an exception', () => {
  test('is equal for equal places, whatever the message, the folder and the lines', () => {
    const before = withStack('order 1', 'record (/app/dist/src/run.js:10:5)', '/app/dist/src/main.js:1:2');
    const after = withStack('order 2', 'record (/srv/dist/src/run.js:99:1)', '/srv/dist/src/main.js:7:7');
    expect(fingerprintOf(after)).toBe(fingerprintOf(before));
    expect(fingerprintOf(before)).toMatch(/^[0-9a-f]{12}$/);
  });

  test('differs for another function, another file and another class', () => {
    const error = withStack('x', 'record (/app/run.js:10:5)');
    const others = [
      withStack('x', 'read (/app/run.js:10:5)'),
      withStack('x', 'record (/app/walk.js:10:5)'),
      Object.assign(new TypeError('x'), { stack: error.stack }),
      'text',
    ];
    const all = [error, ...others].map(fingerprintOf);
    expect(new Set(all).size).toBe(all.length);
  });
});

test('a reported exception is known, so that the Temporal SDK’s line about it is not a second report', () => {
  const lines: string[] = [];
  const log = createLogger({ LOG_LEVEL: 'error', LOG_FORMAT: 'json' }, 'test', {
    write: (line) => void lines.push(line),
  });
  const error = new Error('a bug');
  expect(wasReported(error)).toBe(false);
  createErrorReporter(createMetrics(), 'activity')(error, log, 'an activity failed with an unexpected error');
  expect(lines).toHaveLength(1);
  expect(wasReported(error)).toBe(true);
  expect(wasReported(new Error('a bug'))).toBe(false);
  expect(wasReported(undefined)).toBe(false);
});
