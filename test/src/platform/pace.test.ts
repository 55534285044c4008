import { setTimeout as sleep } from 'node:timers/promises';
import { createAccountPaces, createPace } from '../../../src/platform/pace';

/** Uses the processor for some milliseconds. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('parts run one after the other, and another task of the process has its turn between two of them', async () => {
  const pace = createPace(3);
  const seen: string[] = [];
  const part = (name: string) =>
    pace(async () => {
      seen.push(name);
      setImmediate(() => seen.push('another task'));
      await sleep(1);
      seen.push(`${name} ends`);
      return name;
    });
  expect(await Promise.all([part('a'), part('b'), part('c')])).toEqual(['a', 'b', 'c']);
  expect(seen).toEqual(['a', 'b', 'c'].flatMap((name) => [name, 'another task', `${name} ends`]));
});

test('work of more than 50 parts pauses after a part for four times its CPU time', async () => {
  const pace = createPace(51);
  let ended = 0;
  let usedMs = 0;
  await pace(async () => {
    const before = process.cpuUsage();
    work(15);
    const { user, system } = process.cpuUsage(before);
    usedMs = Math.min(25, (user + system) / 1_000);
    ended = performance.now();
  });
  // A timer of Node may fire a millisecond early.
  expect(await pace(async () => performance.now() - ended)).toBeGreaterThanOrEqual(4 * usedMs - 1);
  await expect(pace(() => Promise.reject(new Error('a part fails')))).rejects.toThrow('a part fails');
  expect(await pace(async () => 'the next part runs')).toBe('the next part runs');
});

test('long requests of an account run one at a time, beside those of another account and beside short ones', async () => {
  const paced = createAccountPaces();
  const open = new Set<string>();
  const together: string[] = [];
  const request = (name: string, account: string, parts: number) =>
    paced(account, parts, async () => {
      open.add(name);
      await sleep(20);
      together.push([...open].join(' '));
      open.delete(name);
    });
  await Promise.all([
    request('long 1', 'a', 51),
    request('long 2', 'a', 51),
    request('long', 'b', 500),
    request('short', 'a', 50),
  ]);
  expect(together.some((names) => names.includes('long 1') && names.includes('long 2'))).toBe(false);
  expect(together[0]).toBe('short long 1 long');
});
