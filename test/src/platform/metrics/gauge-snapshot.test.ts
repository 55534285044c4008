import { createGaugeSnapshot, type GaugeQuery } from '../../../../src/platform/metrics/gauges';
import type { Sql } from '../../../../src/platform/postgres';
import { testDatabase } from '../../../support/database';

let sql: Sql;
beforeAll(async () => {
  ({ sql } = await testDatabase());
});
beforeEach(async () => {
  await sql`UPDATE gauge_snapshot SET points = '[]', read_at = '-infinity'`;
});

/** A gauge whose value is the number of times that the tables were read. */
function countedReads(): { query: GaugeQuery; reads: () => number } {
  let reads = 0;
  return {
    reads: () => reads,
    query: async (tx) => {
      reads += 1;
      await tx`SELECT pg_sleep(0.1)`;
      return [{ name: 'pressline_orders_open', labels: { status: 'created' }, value: reads }];
    },
  };
}

describe('gauges of the database', () => {
  test('concurrent scrapes of several processes read the tables once', async () => {
    const { query, reads } = countedReads();
    const processes = [1, 2, 3].map(() => createGaugeSnapshot(sql, [query]));
    const scrapes = await Promise.all([...processes, ...processes].map((read) => read()));
    expect(reads()).toBe(1);
    expect(scrapes.flat().map(({ value }) => value)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  test('values older than ten seconds are read again', async () => {
    const { query, reads } = countedReads();
    const read = createGaugeSnapshot(sql, [query]);
    await read();
    await read();
    expect(reads()).toBe(1);
    await sql`UPDATE gauge_snapshot SET read_at = read_at - interval '11 s'`;
    expect(await read()).toMatchObject([{ value: 2 }]);
  });

  test('a scrape fails when the tables cannot be read, and the next one reads them', async () => {
    const { query } = countedReads();
    let broken = true;
    const read = createGaugeSnapshot(sql, [async (tx) => (broken ? Promise.reject(new Error('broken')) : query(tx))]);
    await expect(read()).rejects.toThrow('broken');
    broken = false;
    expect(await read()).toMatchObject([{ value: 1 }]);
  });
});
