import { orderIdOf } from '../../../../bench/reads/stored-orders';
import { fillHotOrders } from '../../../../bench/year/fill';
import { seedDemoCatalog } from '../../../../sandbox/demo/catalog';
import { eraseRows, PERSONAL_TABLES } from '../../../../src/orders/domain/personal-columns';
import { ARCHIVED_TABLES, deleteRows, rowsOfOrder } from '../../../../src/orders/reading/archived-tables';
import { uuidv7 } from '../../../../src/platform/ids';
import type { Queryable, Sql } from '../../../../src/platform/postgres';
import { testAccount } from '../../../support/api-deps';
import { testDatabase } from '../../../support/database';

const ORDERS = 6_000;
const DAY_MS = 86_400_000;
/** Pages of one index that may be read for one order. An index of postbacks has more than a hundred here. */
const FEW_PAGES = 40;

const WEEK_MS = 7 * DAY_MS;
/** The begin of this week in UTC. 1970 began on a Thursday. */
const monday = Math.floor((Date.now() + 3 * DAY_MS) / WEEK_MS) * WEEK_MS - 3 * DAY_MS;

const series = {
  // Partitions begin on Mondays. One that held only the last hours of the orders would be read as a whole.
  begin: monday - 2.5 * WEEK_MS,
  everyMs: Math.floor((15 * DAY_MS) / ORDERS),
  statuses: ['delivered'],
  filesKeptFrom: ORDERS + 1,
};
let owner: Sql;

beforeAll(async () => {
  const { sql, ...database } = await testDatabase();
  owner = database.owner;
  const [client, partner] = [await testAccount(sql, 'client'), await testAccount(sql, 'partner')];
  await sql`
    INSERT INTO partners (account_id, uid, name, country, currency, sender_address, capabilities)
    VALUES (${partner.id}, ${partner.name}, 'Inkwerk', 'DE', 'EUR', '{}', '{}')`;
  const endpointId = uuidv7();
  await sql`
    INSERT INTO webhook_endpoints (id, client_id, url, events, secret)
    VALUES (${endpointId}, ${client.id}, 'https://shop.example/hook', '{}', 'whsec_x')`;
  await seedDemoCatalog(sql);
  const filled = { ...series, clientIds: [client.id], partnerId: partner.id };
  await fillHotOrders(owner, filled, endpointId, ORDERS);
  await owner`VACUUM (ANALYZE)`;
});

/** Tables with rows of orders, and their partitions. Other sessions read the catalog, and Postgres counts that late. */
const OF_ORDERS = `^(${[...PERSONAL_TABLES, ...ARCHIVED_TABLES].map(({ table }) => table).join('|')})(_[0-9]{8}|_default)?$`;

/** Returns the pages of each index that some work reads, and the rows of each table that it reads as a whole. */
async function pagesReadBy(work: (sql: Queryable) => Promise<unknown>): Promise<Map<string, number>> {
  const read = async () => {
    await owner`SELECT pg_stat_force_next_flush()`;
    const rows = await owner<{ name: string; pages: number }[]>`
      SELECT indexrelname AS name, (idx_blks_hit + idx_blks_read)::int AS pages FROM pg_statio_user_indexes
      WHERE relname ~ ${OF_ORDERS}
      UNION ALL SELECT 'rows of ' || relname, seq_tup_read::int FROM pg_stat_user_tables WHERE relname ~ ${OF_ORDERS}`;
    return new Map(rows.map(({ name, pages }) => [name, pages]));
  };
  const before = await read();
  await owner.begin(async (tx) => await work(tx as unknown as Queryable));
  return new Map([...(await read())].map(([name, pages]) => [name, pages - (before.get(name) ?? 0)]));
}

const works: Record<string, (sql: Queryable, orderId: string) => Promise<unknown>> = {
  erasure: async (sql, orderId) => await eraseRows(sql, [orderId]),
  archive: async (sql, orderId) =>
    await sql`SELECT ${rowsOfOrder(sql, { isErased: true })} FROM orders o WHERE o.id = ${orderId}`,
  deletion: async (sql, orderId) => await deleteRows(sql, [orderId]),
};

test.each(Object.entries(works))('the %s of an order reads a few pages of each index', async (_, work) => {
  const orderId = orderIdOf(series, ORDERS / 2);
  const pages = await pagesReadBy(async (sql) => await work(sql, orderId));
  expect([...pages.values()].some((count) => count > 0)).toBe(true);
  expect([...pages].filter(([, count]) => count > FEW_PAGES)).toEqual([]);
});
