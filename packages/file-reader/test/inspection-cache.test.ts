import { unmeasured } from '../facts';
import type { Inspection } from '../inspection-process';
import { createInspectionCache } from '../inspector';

const properties = { pageCount: 1, widthPx: 10, heightPx: 10, widthMm: null, heightMm: null };
const facts = unmeasured('not needed here');
const rendered = (bytes: number): Inspection => ({
  ok: true,
  properties,
  facts,
  previews: [{ type: 'preview_flat', contentType: 'image/jpeg', bytes: new Uint8Array(bytes) }],
});

describe('the inspection cache', () => {
  it('inspects each content once, also for concurrent requests', async () => {
    const cache = createInspectionCache();
    let inspections = 0;
    const inspect = async () => {
      inspections++;
      await new Promise((resolve) => setTimeout(resolve, 10));
      return rendered(100);
    };
    await Promise.all([cache('a', inspect), cache('a', inspect)]);
    await cache('a', inspect);
    expect(inspections).toBe(1);
    await cache('b', inspect);
    expect(inspections).toBe(2);
  });

  it('evicts least recently used inspections above the size limit', async () => {
    const cache = createInspectionCache(3_500);
    const inspected: string[] = [];
    const inspect = (key: string) => async () => {
      inspected.push(key);
      return rendered(600);
    };
    const get = (key: string) => cache(key, inspect(key));
    for (const key of ['a', 'b', 'c']) await get(key);
    await get('a');
    await get('d');
    await get('a');
    await get('b');
    expect(inspected).toEqual(['a', 'b', 'c', 'd', 'b']);
  });

  it('does not cache inspections that failed or have no previews', async () => {
    const cache = createInspectionCache();
    const results: (() => Promise<Inspection>)[] = [
      async () => {
        throw new Error('the thread failed');
      },
      async () => ({ ok: false, code: 'file_unreadable', reason: 'damaged', isFinal: true }),
      async () => ({ ok: true, properties, facts, previews: [] }),
      async () => rendered(10),
    ];
    await expect(cache('a', results[0]!)).rejects.toThrow('the thread failed');
    expect(await cache('a', results[1]!)).toMatchObject({ ok: false });
    expect(await cache('a', results[2]!)).toMatchObject({ previews: [] });
    expect(await cache('a', results[3]!)).toMatchObject({ previews: { length: 1 } });
  });
});
