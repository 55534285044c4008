import type { Inspection } from '../../../src/files/inspection';
import { createInspectionCache } from '../../../src/files/inspection-cache';

const facts = { pageCount: 1, widthPx: 10, heightPx: 10, widthMm: null, heightMm: null };
const drawn = (bytes: number): Inspection => ({
  ok: true,
  facts,
  previews: [{ type: 'preview_flat', contentType: 'image/jpeg', bytes: new Uint8Array(bytes) }],
});

describe('inspections by content', () => {
  it('are made once, also when asked for at the same time', async () => {
    const cache = createInspectionCache();
    let made = 0;
    const inspect = async () => {
      made++;
      await new Promise((resolve) => setTimeout(resolve, 10));
      return drawn(100);
    };
    await Promise.all([cache.get('a', inspect), cache.get('a', inspect)]);
    await cache.get('a', inspect);
    expect(made).toBe(1);
    await cache.get('b', inspect);
    expect(made).toBe(2);
  });

  it('are dropped, longest unasked first, when there are too many bytes', async () => {
    const cache = createInspectionCache(3_500);
    const made: string[] = [];
    const inspect = (key: string) => async () => {
      made.push(key);
      return drawn(600);
    };
    const get = (key: string) => cache.get(key, inspect(key));
    for (const key of ['a', 'b', 'c']) await get(key);
    await get('a');
    await get('d');
    await get('a');
    await get('b');
    expect(made).toEqual(['a', 'b', 'c', 'd', 'b']);
  });

  it('without previews, refused or failed are made anew', async () => {
    const cache = createInspectionCache();
    const answers: (() => Promise<Inspection>)[] = [
      async () => {
        throw new Error('the thread broke');
      },
      async () => ({ ok: false, reason: 'damaged' }),
      async () => ({ ok: true, facts, previews: [] }),
      async () => drawn(10),
    ];
    await expect(cache.get('a', answers[0]!)).rejects.toThrow('broke');
    expect(await cache.get('a', answers[1]!)).toMatchObject({ ok: false });
    expect(await cache.get('a', answers[2]!)).toMatchObject({ previews: [] });
    expect(await cache.get('a', answers[3]!)).toMatchObject({ previews: { length: 1 } });
  });
});
