import { stockStorm } from '../../bench/stock-ledger';
import { testDatabase } from '../support/database';
import { stocked, stockPartner } from './stock-fixture';

it('balances after 2,000 random adjustments and reservations from 50 connections', async () => {
  const db = await testDatabase();
  const skus = Array.from({ length: 12 }, (_, index) => `sku-${index}`);
  // A third of the items take no backorders; all are reordered, so that orders are raised in the middle of it.
  const items = skus.map((sku, index) =>
    stocked(sku, 40, {
      allowBackorder: index % 3 !== 0,
      minStock: 10,
      maxStock: 50,
      supplier: { uid: `supplier-${index % 2}`, unitCostMinor: 250, currency: 'EUR' },
    }),
  );
  const partners = await Promise.all([stockPartner(db.sql, items), stockPartner(db.sql, items)]);
  const report = await stockStorm({
    url: db.url,
    partnerIds: partners.map(({ id }) => id),
    skus,
    operations: 2_000,
    connections: 50,
    seed: 20_260_102,
  });
  expect(report).toMatchObject({ errors: [], differences: [] });
  // It was a storm: every kind of thing happened.
  for (const count of [
    report.adjustments,
    report.rejectedReferences,
    report.reservations,
    report.refusedReservations,
    report.settled,
  ]) {
    expect(count).toBeGreaterThan(20);
  }
  const [raised] = await db.sql`SELECT count(*)::int AS orders FROM procurement_orders`;
  expect(raised!.orders).toBeGreaterThan(0);
});
