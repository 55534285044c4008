import { healthPages, type Readiness, shutdownDelayMs } from '../../../src/platform/health';

const pagesOf = (readiness: Readiness) => healthPages({ readiness: async () => readiness, beginStop: () => undefined });

test.each([
  ['ready', 200],
  ['unavailable', 503],
  ['stopping', 503],
] as const)(
  'the page /readyz of a process that is %s has status %i and the state of each server',
  async (status, code) => {
    const readiness = { status, postgres: 'ready', temporal: 'unavailable', objectStore: 'ready' } as const;
    const page = await pagesOf(readiness)['/readyz']();
    expect(page.status).toBe(code);
    expect(JSON.parse(page.text)).toEqual(readiness);
    expect((await pagesOf(readiness)['/livez']()).status).toBe(200);
  },
);

test('SHUTDOWN_DELAY is 5 s in a container and 0 elsewhere, unless it is set', () => {
  expect(shutdownDelayMs({ SHUTDOWN_DELAY: undefined }, true)).toBe(5_000);
  expect(shutdownDelayMs({ SHUTDOWN_DELAY: undefined }, false)).toBe(0);
  expect(shutdownDelayMs({ SHUTDOWN_DELAY: 700 }, true)).toBe(700);
});
