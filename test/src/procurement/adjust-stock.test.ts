import { createLoadItems, runStockLoad } from '../../../bench/stock-ledger';
import { auditStock } from '../../../bench/support/stock-audit';
import { adjustStock } from '../../../src/procurement/adjust-stock';
import { type TestDatabase, testDatabase } from '../../support/database';
import { levelOf, stocked, stockPartner } from './stock-fixture';

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
});

const add = (partnerSku: string, quantity: number, referenceId?: string) =>
  ({ partnerSku, adjustmentType: 'add', quantity, referenceId }) as const;
const consume = (partnerSku: string, quantity: number, referenceId?: string) =>
  ({ partnerSku, adjustmentType: 'consume', quantity, referenceId }) as const;

it('the result has the stock after each adjustment, in order, also for one SKU', async () => {
  const { id } = await stockPartner(db.sql, [stocked('frame', 10), stocked('tee', 0)]);
  const results = await adjustStock(db.sql, id, [
    consume('frame', 15),
    add('tee', 3),
    add('frame', 2),
    add('frame', 9),
  ]);
  expect(results).toMatchObject([
    { partnerSku: 'frame', success: true, previousQuantity: 10, newQuantity: 0, backorderQuantity: 5 },
    { partnerSku: 'tee', success: true, previousQuantity: 0, newQuantity: 3, backorderQuantity: 0 },
    { partnerSku: 'frame', success: true, previousQuantity: 0, newQuantity: 0, backorderQuantity: 3 },
    { partnerSku: 'frame', success: true, previousQuantity: 0, newQuantity: 6, backorderQuantity: 0 },
  ]);
  expect(await levelOf(db.sql, id, 'frame')).toMatchObject({ quantity: 6, backorder: 0 });
  expect(await auditStock(db.sql)).toEqual([]);
});

it('an adjustment of an unknown SKU fails alone, and names it', async () => {
  const { id } = await stockPartner(db.sql, [stocked('frame', 1)]);
  const stranger = await stockPartner(db.sql, [stocked('foreign', 1)]);
  const [unknown, foreign, known] = await adjustStock(db.sql, id, [
    add('nothing', 1),
    add('foreign', 1),
    add('frame', 1),
  ]);
  expect(unknown).toMatchObject({ success: false, message: expect.stringContaining('nothing') });
  expect(foreign).toMatchObject({ success: false, message: expect.stringContaining('foreign') });
  expect(known).toMatchObject({ success: true, newQuantity: 2 });
  expect(await levelOf(db.sql, stranger.id, 'foreign')).toMatchObject({ quantity: 1 });
});

describe('a repeated referenceId', () => {
  it('is rejected for five minutes, and accepted afterwards', async () => {
    const { id } = await stockPartner(db.sql, [stocked('frame', 10), stocked('tee', 0)]);
    await adjustStock(db.sql, id, [add('frame', 1, 'note-1')]);
    expect((await adjustStock(db.sql, id, [add('tee', 1, 'note-1')]))[0]!.success).toBe(false);
    const [repeated] = await adjustStock(db.sql, id, [add('frame', 1, 'note-1')]);
    expect(repeated).toMatchObject({
      success: false,
      message: expect.stringContaining('note-1'),
      previousQuantity: 11,
      newQuantity: 11,
    });

    await db.sql`UPDATE stock_adjustment_references SET claimed_at = claimed_at - interval '4 minutes 55 seconds'`;
    expect((await adjustStock(db.sql, id, [add('frame', 1, 'note-1')]))[0]!.success).toBe(false);
    await db.sql`UPDATE stock_adjustment_references SET claimed_at = claimed_at - interval '10 seconds'`;
    expect((await adjustStock(db.sql, id, [add('frame', 1, 'note-1')]))[0]!.success).toBe(true);
  });

  it('is forgotten after ten minutes by an adjustment that adds another, and by no failed one', async () => {
    const { id } = await stockPartner(db.sql, [stocked('frame', 10)]);
    await adjustStock(db.sql, id, [add('frame', 1, 'old')]);
    await db.sql`UPDATE stock_adjustment_references SET claimed_at = claimed_at - interval '11 minutes'`;
    const kept = async () =>
      (await db.sql`SELECT reference_id FROM stock_adjustment_references WHERE partner_id = ${id}`).map(
        ({ referenceId }) => referenceId,
      );
    await adjustStock(db.sql, id, [add('unknown', 1, 'failed')]);
    expect(await kept()).toEqual(['old']);
    await adjustStock(db.sql, id, [add('frame', 1, 'new')]);
    expect(await kept()).toEqual(['new']);
  });

  it('is not claimed by a failed adjustment', async () => {
    const { id } = await stockPartner(db.sql, [stocked('frame', 10)]);
    await adjustStock(db.sql, id, [add('nothing', 1, 'note')]);
    expect((await adjustStock(db.sql, id, [add('frame', 1, 'note')]))[0]!.success).toBe(true);
  });

  it('is accepted from another partner', async () => {
    const one = await stockPartner(db.sql, [stocked('frame', 10)]);
    const other = await stockPartner(db.sql, [stocked('frame', 10)]);
    await adjustStock(db.sql, one.id, [add('frame', 1, 'note')]);
    expect((await adjustStock(db.sql, other.id, [add('frame', 1, 'note')]))[0]!.success).toBe(true);
  });
});

it('an adjustment is rolled back when the alongside callback fails', async () => {
  const { id } = await stockPartner(db.sql, [stocked('frame', 5)]);
  const failed = adjustStock(db.sql, id, [add('frame', 3, 'note')], () => Promise.reject(new Error('gone')));
  await expect(failed).rejects.toThrow('gone');
  expect(await levelOf(db.sql, id, 'frame')).toMatchObject({ quantity: 5 });
  expect((await adjustStock(db.sql, id, [add('frame', 3, 'note')]))[0]!.success).toBe(true);
});

it('the ledger is append-only', async () => {
  const { id } = await stockPartner(db.sql, [stocked('frame', 5)]);
  await adjustStock(db.sql, id, [consume('frame', 2, 'scrap')]);
  const movements = await db.sql`
    SELECT m.type, m.quantity, m.reference FROM stock_movements m JOIN stock_items i ON i.id = m.stock_item_id
    WHERE i.partner_id = ${id} ORDER BY m.id`;
  expect([...movements]).toEqual([
    { type: 'add', quantity: '5', reference: 'opening stock' },
    { type: 'consume', quantity: '2', reference: 'scrap' },
  ]);
  await expect(db.sql`UPDATE stock_movements SET quantity = 1`).rejects.toThrow('append-only');
  await expect(db.sql`DELETE FROM stock_movements`).rejects.toThrow('append-only');
});

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
