import { createDiskBudget } from '../../../src/files/disk-budget';

/** Opens files of a budget of 100 bytes: a name that begins with `a` is a file of the client a. */
function filesOf(...names: readonly string[]) {
  const budget = createDiskBudget(100);
  const files = Object.fromEntries(names.map((name) => [name, budget.open(name[0]!)]));
  return {
    add: (name: string, bytes: number) => files[name]!.add(bytes),
    release: (name: string) => files[name]!.release(),
    gaveWay: () => names.filter((name) => files[name]!.signal.aborted),
  };
}

describe('the budget of a disk', () => {
  test('counts bytes as they come: files that have sent little take little', () => {
    const { add, gaveWay } = filesOf('a1', 'a2', 'a3', 'a4', 'b1');
    for (const name of ['a1', 'a2', 'a3', 'a4']) add(name, 5);
    add('b1', 60);
    expect(gaveWay()).toEqual([]);
  });

  test('leaves as much free as a client holds: its newest file gives way to the older ones', () => {
    const { add, gaveWay } = filesOf('a1', 'a2', 'a3');
    add('a3', 10);
    add('a2', 20);
    add('a1', 20);
    expect(gaveWay()).toEqual([]);
    add('a1', 1);
    expect(gaveWay()).toEqual(['a3']);
    // What the newest held is free at once, and what it adds does not count.
    add('a3', 50);
    add('a1', 9);
    expect(gaveWay()).toEqual(['a3']);
  });

  test('lets the only file of a client take all that is free, however large it is', () => {
    const { add, gaveWay } = filesOf('a1');
    add('a1', 1_000);
    expect(gaveWay()).toEqual([]);
  });

  test('takes space from the client that holds most when nothing is free', () => {
    const { add, gaveWay } = filesOf('a1', 'b1');
    add('a1', 90);
    add('b1', 11);
    expect(gaveWay()).toEqual(['a1']);
  });

  test('gives the space of a file back once', () => {
    const { add, release, gaveWay } = filesOf('a1', 'a2', 'a3', 'b1');
    add('a1', 50);
    release('a1');
    release('a1');
    add('a2', 50);
    add('a3', 1);
    expect(gaveWay()).toEqual(['a3']);
  });
});
