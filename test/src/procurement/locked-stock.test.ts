import { createLoadItems, runStockLoad } from '../../../bench/stock-ledger';
import { testDatabase } from '../../support/database';

it('the ledger balances after 2,000 random adjustments and reservations from 50 connections', async () => {
  const { url, sql } = await testDatabase();
  const items = await createLoadItems(sql);
  const report = await runStockLoad({ url, ...items, operations: 2_000, connections: 50, seed: 20_260_102 });
  expect(report).toMatchObject({ errors: [], differences: [] });
  // Every kind of operation occurred.
  const { adjustments, rejectedReferences, reservations, refusedReservations, settled } = report;
  for (const count of [adjustments, rejectedReferences, reservations, refusedReservations, settled]) {
    expect(count).toBeGreaterThan(20);
  }
  const [raised] = await sql`SELECT count(*)::int AS orders FROM procurement_orders`;
  expect(raised!.orders).toBeGreaterThan(0);
});
