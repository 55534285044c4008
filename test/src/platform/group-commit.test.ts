import postgres from 'postgres';
import { groupCommit } from '../../../src/platform/group-commit';

const refusal = () =>
  Object.assign(Object.create(postgres.PostgresError.prototype) as Error, { message: 'violates a check' });

/** A writer that completes on request and records its batches. */
function heldUp() {
  const statements: { all: readonly number[]; end: (error?: Error) => void }[] = [];
  const write = (all: readonly number[]) =>
    new Promise<number[]>((resolve, reject) => {
      statements.push({ all, end: (error) => (error ? reject(error) : resolve(all.map((one) => one * 10))) });
    });
  const given = () => statements.map(({ all }) => all);
  return { write, statements, given };
}
const aTurn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

test('the first item is written at once and the items that arrive meanwhile in one batch; each gets its own result', async () => {
  const { write, statements, given } = heldUp();
  const one = groupCommit(write, 3);
  const first = one(1);
  await aTurn();
  const others = [2, 3, 4, 5].map(one);
  await aTurn();
  expect(given()).toEqual([[1]]);
  statements[0]!.end();
  expect(await first).toBe(10);
  await aTurn();
  expect(given()).toEqual([[1], [2, 3, 4]]);
  statements[1]!.end();
  await aTurn();
  expect(given()).toEqual([[1], [2, 3, 4], [5]]);
  statements[2]!.end();
  expect(await Promise.all(others)).toEqual([20, 30, 40, 50]);
});

test('a rejected batch is split, so that only the faulty item fails', async () => {
  const write = jest.fn(async (all: readonly number[]) => {
    if (all.includes(2)) throw refusal();
    return all.map((one) => one * 10);
  });
  const one = groupCommit(write, 10);
  const outcomes = await Promise.allSettled([1, 2, 3].map(one));
  expect(outcomes).toMatchObject([
    { status: 'fulfilled', value: 10 },
    { status: 'rejected', reason: { message: 'violates a check' } },
    { status: 'fulfilled', value: 30 },
  ]);
  expect(write.mock.calls.map(([all]) => all)).toEqual([[1, 2, 3], [1], [2], [3]]);
});

test('a statement with an unknown outcome is not repeated', async () => {
  const write = jest.fn(() => Promise.reject(Object.assign(new Error('cut'), { code: 'ECONNRESET' })));
  const one = groupCommit(write, 10);
  const outcomes = await Promise.allSettled([1, 2].map(one));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(write).toHaveBeenCalledTimes(1);
});
