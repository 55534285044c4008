import { createSharedWork } from '../shared-work';

interface Result {
  readonly size: number;
  readonly isFinal: boolean;
}

const shared = (maxSize = 1_000) => createSharedWork<Result>(2, maxSize, ({ size }) => size);
const asking = (key: string | null, client = 'shop') => ({ client, key });
const final = async () => ({ size: 100, isFinal: true });

/** Returns work that the test ends, and how often it has started. */
function held() {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  let runs = 0;
  return {
    work: () => {
      runs += 1;
      return promise;
    },
    runs: () => runs,
    end: resolve,
    fail: reject,
  };
}

describe('work that is shared by content', () => {
  test('runs once for each content, also for concurrent requests', async () => {
    const share = shared();
    const first = held();
    const both = [share(asking('a'), first.work), share(asking('a', 'other'), first.work)];
    first.end({ size: 1, isFinal: true });
    await Promise.all(both);
    await share(asking('a'), first.work);
    expect(first.runs()).toBe(1);
    await share(asking('b'), first.work);
    expect(first.runs()).toBe(2);
  });

  test('runs for each request without a content', async () => {
    const share = shared();
    let runs = 0;
    const work = async () => ({ size: ++runs, isFinal: true });
    await share(asking(null), work);
    expect(await share(asking(null), work)).toMatchObject({ size: 2 });
  });

  test('evicts the least recently used results above the limit', async () => {
    const share = shared(350);
    const ran: string[] = [];
    const get = (key: string) =>
      share(asking(key), () => {
        ran.push(key);
        return final();
      });
    for (const key of ['a', 'b', 'c', 'a', 'd', 'a', 'b']) await get(key);
    expect(ran).toEqual(['a', 'b', 'c', 'd', 'b']);
  });

  test('runs again when the result was not final, or the work failed', async () => {
    const share = shared();
    const failing = share(asking('a'), async () => {
      throw new Error('no process starts');
    });
    await expect(failing).rejects.toThrow('no process starts');
    expect(await share(asking('a'), async () => ({ size: 1, isFinal: false }))).toMatchObject({ size: 1 });
    expect(await share(asking('a'), final)).toMatchObject({ size: 100 });
    expect(await share(asking('a'), async () => ({ size: 2, isFinal: true }))).toMatchObject({ size: 100 });
  });

  test('runs for whoever waits for it, when the client that ran it cancels', async () => {
    const share = shared();
    const cancelled = held();
    const one = share(asking('a'), cancelled.work);
    const other = share(asking('a', 'other'), final);
    cancelled.fail(new Error('cancelled'));
    await expect(one).rejects.toThrow('cancelled');
    expect(await other).toMatchObject({ size: 100 });
  });
});
