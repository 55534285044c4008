import { auditStock } from '../../../../bench/support/stock-audit';
import type { JobState, PrintOrderState } from '../../../../src/orders/domain/lifecycle/run-state';
import { buildReceipt } from '../../../../src/orders/domain/receipt';
import type { RunRecord } from '../../../../src/orders/domain/run/run-record';
import { openLines, shippingCharge } from '../../../../src/orders/planning/charges';
import { readCharges, storeReceipts } from '../../../../src/orders/planning/receipts';
import { writeEffects } from '../../../../src/orders/production/record-effects';
import { createRecordWriter } from '../../../../src/orders/run/record-writer';
import type { Logger } from '../../../../src/platform/logging/logging';
import { inTransaction, type Sql } from '../../../../src/platform/postgres';
import { adjustStock } from '../../../../src/procurement/adjust-stock';
import { reserveStock } from '../../../../src/procurement/reservations';
import { testAccount } from '../../../support/api-deps';
import { testDatabase } from '../../../support/database';
import { plannedPrintOrder } from '../../../support/rows/planned-print-order';
import { levelOf, stocked, stockPartner } from '../../procurement/stock-fixture';
import { createOrder } from './order-records';

/** Records that replace what a lost workflow task refunded and released. The order has two units of an item, with one frame each. */

let sql: Sql;
let clientId: string;
let partnerId: string;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  clientId = (await testAccount(sql, 'client')).id;
});

const records = createRecordWriter(writeEffects, () => undefined, {} as Logger);

async function invoicedOrder(stock: { readonly allowBackorder?: boolean } = {}) {
  partnerId = (await stockPartner(sql, [stocked('FRAME', 5, stock)])).id;
  const order = await createOrder(sql, clientId);
  const printOrderId = await plannedPrintOrder(sql, { orderId: order.id, partnerId, body: {} });
  const [job] = await sql<{ id: string }[]>`
    INSERT INTO print_jobs (print_order_id, order_item_id, quantity, status)
    VALUES (${printOrderId}, ${order.itemId}, 2, 'in_production') RETURNING id`;
  const jobId = job!.id;
  const receipt = buildReceipt({
    currency: 'EUR',
    tax: { treatment: 'taxed', country: 'DE' },
    products: [
      {
        referenceId: 'item-1',
        title: 'Framed poster',
        vatRate: '0.19',
        price: { quantity: 2, baseMinor: 1_001, lineMinor: 2_002 },
      },
    ],
    shipments: [{ referenceId: 'parcel', title: 'Parcel', vatRate: '0.19', priceMinor: 499 }],
  });
  await storeReceipts(sql, order.id, [{ step: 'handoff:0', type: 'invoice', printOrderId, receipt }]);
  const line = { partnerId, partnerSku: 'FRAME', quantity: 2, units: 2, printJobId: jobId };
  await inTransaction(sql, (tx) => reserveStock(tx, { step: `reserve:${order.id}`, lines: [line] }));

  /** Returns a record of the run. @param changed facts of the job after it */
  const record = (changed: Partial<JobState>, over: Partial<RunRecord>): RunRecord => {
    const made = order.step(over);
    const job = { id: jobId, itemId: order.itemId, quantity: 2, cancelledQuantity: 0, progress: 1, progressAt: '' };
    const jobs = [{ ...job, error: null, ended: null, ...changed }];
    const printOrders = [{ id: printOrderId, partnerId, delivery: 'accepted', jobs, cancel: null, shipment: null }];
    const state = { ...made.snapshot.state, printOrders: printOrders as unknown as PrintOrderState[] };
    return { ...made, snapshot: { ...made.snapshot, state } };
  };
  const refund = (quantity: number): RunRecord['effects'][number] => ({
    type: 'refund',
    reason: 'fewer guests',
    printOrderId,
    jobIds: [quantity === 2 ? jobId : `${jobId}-2`],
    items: [{ itemId: order.itemId, quantity }],
  });
  const cancelled = (over: Partial<RunRecord>) =>
    record(
      { ended: 'cancelled' },
      { version: 2, follows: FIRST, effects: [refund(2), { type: 'release_stock', jobIds: [jobId] }], ...over },
    );
  const printed = (over: Partial<RunRecord>) =>
    record(
      { progress: 2 },
      { version: 2, follows: FIRST, effects: [{ type: 'consume_stock', jobs: [{ id: jobId, units: 2 }] }], ...over },
    );
  const fewer = (over: Partial<RunRecord>) =>
    record(
      { quantity: 1 },
      {
        version: 2,
        follows: FIRST,
        effects: [refund(1), { type: 'reduce_stock', jobs: [{ id: jobId, units: 1 }] }],
        ...over,
      },
    );
  await records(sql, record({}, {}));
  return { ...order, record, cancelled, printed, fewer };
}

/** The first record of each order. */
const FIRST = { position: 10, version: 1 };

async function charged(orderId: string) {
  const receipts = await sql<{ type: string; total: number }[]>`
    SELECT type, (body #>> '{totals,totalInclVat}')::int AS total FROM receipts WHERE order_id = ${orderId} ORDER BY number`;
  const [charge] = (await readCharges(sql, orderId)).all;
  return {
    receipts: receipts.map(({ type, total }) => `${type} ${total}`),
    units: openLines(charge!).map(({ amount }) => amount),
    shipping: shippingCharge(charge!).price,
  };
}

test('charge again what the run does not refund after all, and take the stock of what is made', async () => {
  const { id, cancelled, printed } = await invoicedOrder();
  await records(sql, cancelled({ position: 15 }));
  expect(await charged(id)).toMatchObject({ receipts: ['invoice 2976', 'refund -2976'], units: [0] });
  expect(await levelOf(sql, partnerId, 'FRAME')).toMatchObject({ quantity: 5, reserved: 0 });

  await records(sql, printed({ position: 18 }));
  const receipts = ['invoice 2976', 'refund -2976', 'invoice 2976'];
  expect(await charged(id)).toEqual({ receipts, units: [2], shipping: 499 });
  expect(await levelOf(sql, partnerId, 'FRAME')).toMatchObject({ quantity: 3, reserved: 0 });
});

test('keep the receipt of a refund that is written again', async () => {
  const { id, cancelled } = await invoicedOrder();
  await records(sql, cancelled({ position: 15 }));
  await records(sql, cancelled({ position: 18 }));
  expect(await charged(id)).toMatchObject({ receipts: ['invoice 2976', 'refund -2976'], units: [0] });
  expect(await levelOf(sql, partnerId, 'FRAME')).toMatchObject({ quantity: 5, reserved: 0 });
});

test('refund units of the same job later, and release their stock, as if the lost refund had not been', async () => {
  const { id, record, printed, fewer } = await invoicedOrder();
  await records(sql, fewer({ position: 15 }));
  expect(await levelOf(sql, partnerId, 'FRAME')).toMatchObject({ quantity: 5, reserved: 1 });
  await records(sql, record({}, { position: 18, version: 2, follows: FIRST, effects: [] }));
  expect(await charged(id)).toMatchObject({ units: [2], shipping: 499 });
  expect(await levelOf(sql, partnerId, 'FRAME')).toMatchObject({ quantity: 5, reserved: 2 });
  const follows = { position: 18, version: 2 };
  await records(sql, fewer({ position: 20, version: 3, follows }));
  const receipts = ['invoice 2976', 'refund -1191', 'invoice 1191', 'refund -1191'];
  expect(await charged(id)).toEqual({ receipts, units: [1], shipping: 499 });
  expect(await levelOf(sql, partnerId, 'FRAME')).toMatchObject({ quantity: 5, reserved: 1 });

  // Printed after all, in place of the later reduction too.
  await records(sql, printed({ position: 22, version: 3, follows }));
  expect(await levelOf(sql, partnerId, 'FRAME')).toMatchObject({ quantity: 3, reserved: 0, backorder: 0 });
  expect(await auditStock(sql)).toEqual([]);
});

test('take the stock of units that are made after all only as far as there is some', async () => {
  const { record, printed, fewer } = await invoicedOrder({ allowBackorder: false });
  await records(sql, fewer({ position: 15 }));
  await adjustStock(sql, partnerId, [
    { partnerSku: 'FRAME', adjustmentType: 'consume', quantity: 4, referenceId: null },
  ]);
  await records(sql, record({}, { position: 18, version: 2, follows: FIRST, effects: [] }));
  expect(await levelOf(sql, partnerId, 'FRAME')).toMatchObject({ quantity: 1, reserved: 1 });
  await records(sql, printed({ position: 20, version: 3, follows: { position: 18, version: 2 } }));
  expect(await levelOf(sql, partnerId, 'FRAME')).toMatchObject({ quantity: 0, reserved: 0, backorder: 0 });
});
