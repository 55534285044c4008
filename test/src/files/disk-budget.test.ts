import { createDiskBudget } from '../../../src/files/disk-budget';

describe('a budget of disk', () => {
  test('admits waiting requests in their order, as soon as enough space is free', async () => {
    const budget = createDiskBudget(100, 60_000);
    const first = await budget.take(60);
    const admitted: string[] = [];
    const large = budget.take(80).then((release) => {
      admitted.push('large');
      return release!;
    });
    const small = budget.take(10).then((release) => {
      admitted.push('small');
      return release!;
    });
    // There is space for the small one, but the large one came first.
    await Promise.resolve();
    expect(admitted).toEqual([]);
    first!();
    (await large)();
    (await small)();
    expect(admitted).toEqual(['large', 'small']);
    expect(await budget.take(100)).not.toBeNull();
  });

  test('gives up a request that gets no space in time, and admits the next one', async () => {
    const budget = createDiskBudget(100, 50);
    const held = await budget.take(60);
    const [large, small] = await Promise.all([budget.take(80), budget.take(40)]);
    expect(large).toBeNull();
    expect(small).not.toBeNull();
    held!();
    small!();
    expect(await budget.take(100)).not.toBeNull();
  });

  test('admits a request for more than all of it alone, and takes space back once', async () => {
    const budget = createDiskBudget(100, 20);
    const all = await budget.take(1_000);
    expect(await budget.take(1)).toBeNull();
    all!();
    all!();
    expect(await budget.take(100)).not.toBeNull();
    expect(await budget.take(1)).toBeNull();
  });
});
