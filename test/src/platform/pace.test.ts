import { setTimeout as sleep } from 'node:timers/promises';
import { createPace } from '../../../src/platform/pace';

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
