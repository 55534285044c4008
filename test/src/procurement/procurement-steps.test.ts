import { auditStock } from '../../../bench/support/stock-audit';
import { inTransaction } from '../../../src/platform/postgres';
import { adjustStock } from '../../../src/procurement/adjust-stock';
import type { ProcurementStep } from '../../../src/procurement/domain/procurement-order';
import { listProcurementOrders, readProcurementOrder } from '../../../src/procurement/procurement-orders';
import { flagOverdue, takeProcurementStep } from '../../../src/procurement/procurement-steps';
import { reserveStock } from '../../../src/procurement/reservations';
import { type StockItemSetup, setUpStockItems } from '../../../src/procurement/stock-items';
import { type TestDatabase, testDatabase } from '../../support/database';
import { levelOf, stocked, stockPartner } from './stock-fixture';

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
});
afterEach(async () => {
  expect(await auditStock(db.sql)).toEqual([]);
});

const supplied = (partnerSku: string, more: Partial<StockItemSetup> = {}): StockItemSetup =>
  stocked(partnerSku, 50, {
    minStock: 10,
    maxStock: 50,
    supplier: { uid: 'ramy', unitCost: 2.5, currency: 'EUR' },
    ...more,
  });

const consume = (partnerSku: string, quantity: number) =>
  ({ partnerSku, adjustmentType: 'consume', quantity }) as const;

async function ordersOf(partnerId: string) {
  return (await listProcurementOrders(db.sql, { partnerId }, { pageNumber: 1, perPage: 100 })).orders;
}

const move = (status: string) => ({ type: 'move', actor: 'operator', status }) as ProcurementStep;
const receipt = (receiptId: string, partnerSku: string, quantity: number): ProcurementStep => ({
  type: 'receipt',
  actor: 'operator',
  receiptId,
  items: [{ partnerSku, quantity }],
});

async function orderInTransit(): Promise<{ partnerId: string; orderId: number }> {
  const { id: partnerId } = await stockPartner(db.sql, [supplied('frame'), supplied('tee')]);
  await adjustStock(db.sql, partnerId, [consume('frame', 40), consume('tee', 45)]);
  const [order] = await ordersOf(partnerId);
  await takeProcurementStep(db.sql, order!.orderId, move('in-transit'));
  return { partnerId, orderId: order!.orderId };
}

describe('a low stock level', () => {
  it('raises one order up to the maximum', async () => {
    const { id } = await stockPartner(db.sql, [supplied('frame')]);
    await adjustStock(db.sql, id, [consume('frame', 39)]);
    expect(await ordersOf(id)).toEqual([]);
    await adjustStock(db.sql, id, [consume('frame', 1)]);
    await adjustStock(db.sql, id, [consume('frame', 5)]);
    expect(await ordersOf(id)).toMatchObject([
      {
        status: 'supplier',
        supplierUid: 'ramy',
        items: [{ partnerSku: 'frame', quantity: 40, quantityReceived: 0 }],
      },
    ]);
    expect(await levelOf(db.sql, id, 'frame')).toMatchObject({ quantity: 5, ordered: 40 });
  });

  it('starts the workflow of the procurement order through the outbox', async () => {
    const { id } = await stockPartner(db.sql, [supplied('frame')]);
    await adjustStock(db.sql, id, [consume('frame', 40)]);
    const [order] = await ordersOf(id);
    const [row] = await db.sql<{ kind: string; payload: object }[]>`
      SELECT kind, payload FROM outbox WHERE target = ${`procurement-order-${order!.orderId}`}`;
    expect(row).toMatchObject({
      kind: 'start_workflow',
      payload: { workflowType: 'procurementOrder', args: [{ orderId: order!.orderId }] },
    });
  });

  it('raises one order per supplier', async () => {
    const other = { uid: 'blanks', unitCost: 3, currency: 'EUR' };
    const { id } = await stockPartner(db.sql, [
      supplied('frame'),
      supplied('mount'),
      supplied('tee', { supplier: other }),
    ]);
    await adjustStock(db.sql, id, [consume('frame', 45), consume('tee', 45), consume('mount', 45)]);
    const orders = await ordersOf(id);
    const skus = orders.map(({ supplierUid, items }) => [supplierUid, items.map(({ partnerSku }) => partnerSku)]);
    expect(skus.sort()).toEqual([
      ['blanks', ['tee']],
      ['ramy', ['frame', 'mount']],
    ]);
  });

  it('raises an order for a new item at once, and never without a supplier', async () => {
    const { id } = await stockPartner(db.sql, [supplied('frame', { openingQuantity: 0 }), stocked('tee', 0)]);
    expect(await ordersOf(id)).toMatchObject([{ items: [{ partnerSku: 'frame', quantity: 50 }] }]);
  });
});

/** Does work during which a write to a table ends its process. */
async function killedAt(table: string, work: () => Promise<unknown>): Promise<void> {
  await db.asOwner(`
    CREATE FUNCTION killed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''killed''; END';
    CREATE TRIGGER killed BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION killed();`);
  await expect(work()).rejects.toThrow('killed');
  await db.asOwner('DROP FUNCTION killed CASCADE');
}

describe('a step that is killed at each of its writes, and after them', () => {
  it('buys once what a print job takes to the minimum', async () => {
    const { id: partnerId } = await stockPartner(db.sql, [supplied('frame')]);
    const line = { partnerId, partnerSku: 'frame', quantity: 40, printJobId: '1' };
    const reserve = () => inTransaction(db.sql, (tx) => reserveStock(tx, { step: 'killed', lines: [line] }));
    const writes = ['stock_items', 'stock_movements', 'stock_reservations'];
    for (const table of [...writes, 'procurement_orders', 'procurement_order_items', 'outbox']) {
      await killedAt(table, reserve);
      expect(await ordersOf(partnerId)).toEqual([]);
      expect(await levelOf(db.sql, partnerId, 'frame')).toMatchObject({ reserved: 0, ordered: 0 });
    }
    for (let attempt = 1; attempt <= 2; attempt += 1) await reserve();
    expect(await ordersOf(partnerId)).toMatchObject([{ items: [{ quantity: 40 }] }]);
    expect(await levelOf(db.sql, partnerId, 'frame')).toMatchObject({ reserved: 40, ordered: 40 });
  });

  it('adds what has arrived once', async () => {
    const { partnerId, orderId } = await orderInTransit();
    const receive = () => takeProcurementStep(db.sql, orderId, receipt('note-1', 'frame', 40));
    const writes = ['stock_items', 'stock_movements', 'procurement_orders', 'procurement_order_items'];
    for (const table of [...writes, 'procurement_order_receipts']) {
      await killedAt(table, receive);
      expect(await levelOf(db.sql, partnerId, 'frame')).toMatchObject({ quantity: 10, ordered: 40 });
    }
    expect(await receive()).toMatchObject({ ok: true, repeated: false });
    expect(await receive()).toMatchObject({ ok: true, repeated: true });
    expect(await levelOf(db.sql, partnerId, 'frame')).toMatchObject({ quantity: 50, ordered: 0 });
  });
});

it('the step verified removes undelivered pieces from the quantity on order, which reorders them', async () => {
  const { partnerId, orderId } = await orderInTransit();
  await takeProcurementStep(db.sql, orderId, receipt('note', 'tee', 45));
  await takeProcurementStep(db.sql, orderId, move('delivered'));
  await takeProcurementStep(db.sql, orderId, move('verified'));
  expect(await levelOf(db.sql, partnerId, 'frame')).toMatchObject({ quantity: 10, ordered: 40 });
  expect(await ordersOf(partnerId)).toMatchObject([
    { status: 'supplier', items: [{ partnerSku: 'frame', quantity: 40 }] },
    { status: 'verified' },
  ]);
});

it('a repeated setup changes limits and supplier, but not the level', async () => {
  const { id } = await stockPartner(db.sql, [supplied('frame')]);
  expect(
    await setUpStockItems(db.sql, id, [supplied('frame', { minStock: 20, openingQuantity: 7 }), supplied('mat')]),
  ).toBe(1);
  expect(await levelOf(db.sql, id, 'frame')).toMatchObject({ quantity: 50 });
});

it('an overdue order is flagged until its next step', async () => {
  const { orderId } = await orderInTransit();
  await flagOverdue(db.sql, orderId, 'supplier', 3);
  expect(await readProcurementOrder(db.sql, orderId)).toMatchObject({ attention: null });
  await flagOverdue(db.sql, orderId, 'in-transit', 30);
  expect(await readProcurementOrder(db.sql, orderId)).toMatchObject({
    attention: 'In status in-transit for more than 30 days',
  });
  await takeProcurementStep(db.sql, orderId, receipt('part', 'frame', 1));
  expect(await readProcurementOrder(db.sql, orderId)).toMatchObject({ attention: expect.any(String) });
  await takeProcurementStep(db.sql, orderId, move('delivered'));
  expect(await readProcurementOrder(db.sql, orderId)).toMatchObject({ attention: null });
});
