import { fingerprintOf } from '../../../src/platform/error-report';

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
