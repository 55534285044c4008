import { inTransaction } from '../../../src/platform/postgres';
import { type ConsumptionItem, listConsumption } from '../../../src/procurement/consumption';
import { reserveStock, settleReservations } from '../../../src/procurement/reservations';
import { type TestDatabase, testDatabase } from '../../support/database';
import { stocked, stockPartner } from './stock-fixture';

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
});

const everything = { from: null, before: null, partnerSku: [], printJobId: [] };

/** Inserts two reservations per hour for ten days, every seventh released. Returns the others, newest first. */
async function tenDays(): Promise<{ partnerId: string; kept: { printJobId: number; createdAt: Date }[] }> {
  const { id: partnerId } = await stockPartner(db.sql, [stocked('frame', 1_000)]);
  await db.sql`
    INSERT INTO stock_reservations (stock_item_id, partner_id, print_job_id, step, quantity, allocated, state, created_at)
    SELECT i.id, i.partner_id, n, ${`bulk-${partnerId}`} || n, 1, 1, CASE WHEN n % 7 = 0 THEN 'released' ELSE 'consumed' END,
           '2026-03-01T00:00:00Z'::timestamptz + n * interval '30 minutes'
    FROM stock_items i, generate_series(0, 479) AS n WHERE i.partner_id = ${partnerId}`;
  const kept = Array.from({ length: 480 }, (_, n) => n)
    .filter((n) => n % 7 !== 0)
    .map((n) => ({ printJobId: n, createdAt: new Date(Date.UTC(2026, 2, 1, 0, 30 * n)) }))
    .reverse();
  return { partnerId, kept };
}

const jobsOf = (items: readonly ConsumptionItem[]) => items.map(({ printJobId }) => printJobId);

it('the pages of a list over many days have each item once and in order', async () => {
  const { partnerId, kept } = await tenDays();
  const seen: number[] = [];
  for (let pageNumber = 1; pageNumber <= 12; pageNumber += 1) {
    const { items, total } = await listConsumption(db.sql, partnerId, everything, {
      pageNumber,
      perPage: 37,
    });
    expect(total).toBe(kept.length);
    seen.push(...jobsOf(items));
  }
  expect(seen).toEqual(kept.map(({ printJobId }) => printJobId));
  const beyond = await listConsumption(db.sql, partnerId, everything, { pageNumber: 13, perPage: 37 });
  expect(beyond).toEqual({ items: [], total: kept.length });
});

it.each([
  ['2026-03-03T05:15:00Z', '2026-03-07T21:30:00Z'],
  ['2026-03-03T00:00:00Z', '2026-03-05T23:59:59.999Z'],
  ['2026-03-04T10:00:00Z', '2026-03-04T12:00:00Z'],
  ['2026-03-09T10:00:00Z', '2026-04-01T00:00:00Z'],
  ['2025-01-01T00:00:00Z', '2026-03-02T00:00:00Z'],
  ['2027-01-01T00:00:00Z', '2027-02-01T00:00:00Z'],
])('a list from %s to %s counts and returns the items of that time', async (from, to) => {
  const { partnerId, kept } = await tenDays();
  const period = { from: new Date(from), before: new Date(Date.parse(to) + 1) };
  const expected = kept.filter(({ createdAt }) => createdAt >= period.from && createdAt < period.before);
  const list = (pageNumber: number) =>
    listConsumption(db.sql, partnerId, { ...everything, ...period }, { pageNumber, perPage: 20 });
  const pages = await Promise.all(Array.from({ length: 25 }, (_, page) => list(page + 1)));
  expect(pages.map(({ total }) => total)).toEqual(Array(25).fill(expected.length));
  expect(jobsOf(pages.flatMap(({ items }) => items))).toEqual(expected.map(({ printJobId }) => printJobId));
});

it('the total stays correct under concurrent reservations, prints and cancellations', async () => {
  const { id: partnerId } = await stockPartner(db.sql, [stocked('frame', 50), stocked('tee', 50)]);
  const jobs = Array.from({ length: 40 }, (_, n) => 900_000 + n);
  await Promise.all(
    jobs.map((job) =>
      inTransaction(db.sql, (tx) =>
        reserveStock(tx, {
          step: `count-${job}`,
          lines: ['frame', 'tee'].map((partnerSku) => ({
            partnerId,
            partnerSku,
            quantity: 1,
            printJobId: String(job),
          })),
        }),
      ),
    ),
  );
  await Promise.all(
    jobs.map((job, n) =>
      inTransaction(db.sql, (tx) =>
        settleReservations(tx, n % 4 === 0 ? { cancelled: [String(job)] } : { printed: [{ id: String(job) }] }),
      ),
    ),
  );
  const { items, total } = await listConsumption(db.sql, partnerId, everything, {
    pageNumber: 1,
    perPage: 100,
  });
  expect(total).toBe(60);
  expect(items).toHaveLength(60);
});
