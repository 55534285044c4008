import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileInspector, MAX_INSPECTIONS } from '../../../packages/file-reader/inspector';
import { createDiskBudget } from '../../../src/files/disk-budget';
import { fetchOrderFiles } from '../../../src/orders/planning/order-files';
import { eventually, type TestStack, testStack } from '../../support/stack';
import {
  atOnce,
  faultyFile,
  goodFile,
  isAt,
  type Order,
  type OrderBody,
  ordered,
  orderOf,
  poster,
  read,
  readUntil,
  tShirt,
} from './client-orders';

/**
 * Hosts of print files and packing slips. A faulty file refuses the order and is named in the reason, and nothing else
 * changes. Transient failures are tested on a second stack with a short retry window: attempts after 0, 2, 6 and 14
 * seconds. A busy machine fetches the good files within it.
 */

const WINDOW_MS = 16_000;

interface Refused {
  readonly code: string;
  /** Part of the reason. */
  readonly says: string;
  /** Set for a transient failure: the window must have passed. */
  readonly waits?: true;
}

/** Files under /faulty-files that refuse the order. */
const REFUSED: Readonly<Record<string, Refused>> = {
  'missing.pdf': { code: 'file_not_found', says: 'responded with 404' },
  'broken.pdf': { code: 'file_unreachable', says: 'responded with 500', waits: true },
  'slow.pdf?ms=60000': { code: 'file_unreachable', says: 'took longer than', waits: true },
  'drips.pdf?ms=60000': { code: 'file_unreachable', says: 'sent less than', waits: true },
  'corrupt.pdf': { code: 'file_unreadable', says: 'damaged' },
  'many-pages.pdf': { code: 'file_too_large', says: '1000000 pages' },
  'too-large.pdf?megabytes=3': { code: 'file_too_large', says: 'the limit is 1 MB' },
};
/** Files that are stored in the end. */
const STORED = [
  'recovers.pdf?failures=1',
  'busy.pdf?failures=1',
  'redirect.pdf',
  'misnamed.png',
  'zipped.pdf',
  'slow.pdf?ms=500',
];

const slipOf = (fileUrl: string): Partial<OrderBody> => ({
  packagingInstructions: [
    { packageItems: [{ orderItemReferenceId: 'poster', quantity: 1 }], packingSlip: { fileUrl } },
  ],
});

let stack: TestStack;
/** Has the short retry window. */
let hasty: TestStack;
/** Has the same window. Its worker stopped while it fetched the file of an order. */
let stopped: TestStack;
let stoppedAt: number;
let stoppedOrder: string;
let stockBefore: unknown;
let runs: Record<string, Promise<Order>>;

const stackFor = (waits: true | undefined) => (waits ? hasty : stack);
const stockOf = ({ services }: TestStack) => services.sql`
  SELECT partner_sku, quantity, reserved, backorder FROM stock_items ORDER BY id`;
const stock = async () => [await stockOf(stack), await stockOf(hasty)];

/** A t-shirt from stock with good files, beside a poster with the given file. */
const withFile = (at: TestStack, url: string) => ({
  retailCurrency: 'EUR',
  retailShippingPriceInclVat: 5,
  items: [
    tShirt(at, { retailPriceInclVat: 30 }),
    poster(at, { retailPriceInclVat: 20, files: [{ type: 'default', url }] }),
  ],
});

beforeAll(async () => {
  stack = await testStack({ config: { FILE_SIZE_LIMIT_MB: 1 } });
  hasty = await testStack({ config: { FILE_RETRY_WINDOW: WINDOW_MS } });
  stockBefore = await stock();
  // The sandbox draws a file on its first request.
  for (const at of [stack, hasty]) {
    for (const name of ['t-shirt-front.png', 't-shirt-back.png']) await (await fetch(goodFile(at, name))).arrayBuffer();
  }
  const bad = Object.entries(REFUSED).flatMap(([name, { waits }]) => {
    const at = stackFor(waits);
    const url = faultyFile(at, name);
    return [
      [`file ${name}`, () => ordered(at, orderOf(at, withFile(at, url)))],
      [`slip ${name}`, () => ordered(at, orderOf(at, slipOf(url)))],
    ] as const;
  });
  const good = STORED.map((name) => {
    const url = `${faultyFile(stack, name)}${name.includes('?') ? '&' : '?'}key=`;
    return [
      name,
      () =>
        ordered(
          stack,
          orderOf(stack, {
            items: [poster(stack, { files: [{ type: 'default', url: `${url}file` }] })],
            ...slipOf(`${url}slip`),
          }),
        ),
    ] as const;
  });
  runs = atOnce(Object.fromEntries<() => Promise<Order>>([...bad, ...good]));
  stopped = await testStack({ config: { FILE_RETRY_WINDOW: WINDOW_MS } });
  const url = faultyFile(stopped, 'slow.pdf?ms=2500');
  const body = orderOf(stopped, { items: [poster(stopped, { files: [{ type: 'default', url }] })] });
  ({ id: stoppedOrder } = await ordered(stopped, body, isAt('uploading')));
  await stopped.stopWorker();
  stoppedAt = Date.now();
});

/** Counts rows that an order must not have when it was never produced. */
async function traces({ services }: TestStack, orderId: string) {
  const [counts] = await services.sql`
    SELECT (SELECT count(*)::int FROM print_orders WHERE order_id = ${orderId}) AS print_orders,
      (SELECT count(*)::int FROM planned_shipments WHERE order_id = ${orderId}) AS shipments,
      (SELECT count(*)::int FROM shipments WHERE order_id = ${orderId}) AS labels,
      (SELECT count(*)::int FROM receipts WHERE order_id = ${orderId}) AS receipts`;
  return counts;
}

/** Returns the names of an order's stored objects. */
async function stored({ services }: TestStack, orderId: string): Promise<string[]> {
  const folder = join(services.config.DATA_DIR, 'objects', 'orders', orderId);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

const untouched = { printOrders: 0, shipments: 0, labels: 0, receipts: 0 };

describe.each(Object.entries(REFUSED))('%s', (name, { code, says, waits }) => {
  const path = name.replace(/\?.*/, '');

  test.each([
    ['as a print file', 'file', 'items[1].files[0]', { itemReferenceId: 'poster', type: 'default' }],
    [
      'as a packing slip',
      'slip',
      'packagingInstructions[0].packingSlip',
      { itemReferenceId: null, type: 'packing_slip' },
    ],
  ])('refuses the order %s', async (_as, kind, reference, of) => {
    const at = stackFor(waits);
    const order = await runs[`${kind} ${name}`]!;
    expect(order).toMatchObject({
      fulfillmentStatus: 'failed',
      financialStatus: 'canceled',
      refusalReasonCode: code,
      refusalReasonDetails: { code, reference, ...of },
      shipment: null,
      receipts: [],
      connectedOrderIds: [],
    });
    expect(order.refusalReasonDetails).toHaveProperty('url', `${at.sandbox.url}/faulty-files/${path}`);
    expect(order.refusalReason).toContain(kind === 'file' ? 'Item poster, file default: ' : `${reference}: `);
    expect(order.refusalReason).toContain(says);
    expect(order.items.map(({ fulfillmentStatus, printJobs }) => [fulfillmentStatus, printJobs])).toEqual(
      order.items.map(() => ['failed', []]),
    );
    const [first, last] = [order.items[0]!.eventLog[0]!, order.items[0]!.eventLog.at(-1)!];
    const tookMs = Date.parse(last.createdAt) - Date.parse(first.createdAt);
    if (waits) expect(tookMs).toBeGreaterThanOrEqual(WINDOW_MS - 1_000);
    expect(await traces(at, order.id)).toEqual(untouched);
    // The refused file is not stored.
    const [bad] = await at.services.sql<{ id: string }[]>`
      SELECT f.id FROM order_files f JOIN order_items i ON i.id = f.order_item_id
      WHERE i.order_id = ${order.id} AND f.url LIKE '%faulty%'
      UNION ALL SELECT id FROM packing_slips WHERE order_id = ${order.id}`;
    expect((await stored(at, order.id)).filter((key) => key.startsWith(bad!.id))).toEqual([]);
  });
});

test.each([
  ['bomb.png', 'file_too_large', '1600 megapixels'],
  ['many-scans.jpg?scans=101', 'file_unreadable', 'more than 100 scans'],
])('%s refuses the order before it is decoded', async (name, code, says) => {
  const items = [poster(stack, { files: [{ type: 'default', url: faultyFile(stack, name) }] })];
  const order = await ordered(stack, orderOf(stack, { items }));
  expect(order).toMatchObject({ fulfillmentStatus: 'failed', refusalReasonCode: code });
  expect(order.refusalReason).toContain(says);
});

test.each(STORED)('%s is stored, as print file and as packing slip', async (name) => {
  expect(await runs[name]).toMatchObject({ fulfillmentStatus: 'delivered', refusalReason: null });
});

test('refused orders reserve no stock and reach no partner', async () => {
  await Promise.all(Object.values(runs));
  expect(await stock()).toEqual(stockBefore);
  const printOrders = ({ sandbox }: TestStack) =>
    Object.values(sandbox.seen().partners).flatMap((partner) => partner.printOrders);
  expect(printOrders(stack)).toHaveLength(STORED.length);
  expect(printOrders(hasty)).toEqual([]);
});

test('an order stays at uploading while a host fails, and can be cancelled at once', async () => {
  const items = [poster(stack, { files: [{ type: 'default', url: faultyFile(stack, 'slow.pdf?ms=60000') }] })];
  const order = await ordered(stack, orderOf(stack, { items }), isAt('uploading'));
  expect(order).toMatchObject({ financialStatus: 'pending', items: [{ fulfillmentStatus: 'uploading' }] });
  await stack.client.cancelOrder({ params: { orderId: order.id }, body: {} });
  expect(await read(stack.client, order.id)).toMatchObject({
    fulfillmentStatus: 'canceled',
    financialStatus: 'canceled',
    refusalReasonCode: null,
  });
  expect(await traces(stack, order.id)).toEqual(untouched);
});

test('a packing slip that is an image, and a file with the wrong number of pages, refuse the order', async () => {
  const picture = await ordered(stack, orderOf(stack, slipOf(goodFile(stack, 'sticker-75.png'))));
  expect(picture).toMatchObject({
    refusalReasonCode: 'file_type_not_supported',
    refusalReasonDetails: { type: 'packing_slip' },
  });
  const pages = await ordered(
    stack,
    orderOf(stack, {
      items: [
        poster(stack, {
          productUid: 'photobook_hard_cover_product_pf_a5_pt_170-gsm-silk_fin_matt_pc_24',
          files: [{ type: 'default', url: goodFile(stack, 'photo-book-a5.pdf?pages=22') }],
        }),
      ],
    }),
  );
  expect(pages).toMatchObject({ refusalReasonCode: 'file_page_count_mismatch' });
  expect(pages.refusalReason).toContain('the file has 22 pages, expected 24');
});

test('a two-sided product accepts a default file and a back file with one page each', async () => {
  const productUid = 'flat_product_pf_a4_pt_200-gsm-uncoated_cl_4-4_ver';
  const files = ['default', 'back'].map((type) => ({ type, url: goodFile(stack, 'poster-a4.pdf?pages=1') }));
  const order = await ordered(stack, orderOf(stack, { items: [poster(stack, { productUid, files })] }));
  expect(order).toMatchObject({ fulfillmentStatus: 'delivered', refusalReasonCode: null });
});

test('a worker that is stopped for longer than the window still attempts the fetch when it is back', async () => {
  // The tests before this one have waited for the window too.
  await eventually(async () => (Date.now() > stoppedAt + WINDOW_MS ? true : undefined));
  await stopped.startWorker();
  expect(await readUntil(stopped.client, stoppedOrder, isAt('delivered', 'failed'))).toMatchObject({
    fulfillmentStatus: 'delivered',
  });
});

// Runs last: it stops the worker.
test('a file whose inspections all ended with their process refuses the order', async () => {
  await stack.stopWorker();
  // No other test has this content: the result of an inspection is cached for all stacks of a jest worker.
  const items = [poster(stack, { files: [{ type: 'default', url: goodFile(stack, 'poster-a4.pdf?pages=7') }] })];
  const { id } = await stack.client.submitOrder({ body: orderOf(stack, { items }) });
  const { services } = stack;
  const inspections = async () => {
    const [file] = await services.sql<{ inspections: number }[]>`
      SELECT f.inspections FROM order_files f JOIN order_items i ON i.id = f.order_item_id WHERE i.order_id = ${id}`;
    return file!.inspections;
  };
  // Given five workers that were killed while they inspected the file
  const dying: FileInspector = {
    async inspect({ countInspection }) {
      await countInspection?.();
      return await new Promise<never>(() => undefined);
    },
    close: async () => undefined,
  };
  for (let killed = 1; killed <= MAX_INSPECTIONS; killed += 1) {
    const limits = { signal: new AbortController().signal, timeoutMs: 600_000 };
    const deps = { ...services, inspector: dying, limitBytes: 1_000_000, disk: createDiskBudget(1_000_000) };
    void fetchOrderFiles(deps, id, limits);
    await eventually(async () => ((await inspections()) === killed ? true : undefined));
  }
  await stack.startWorker();
  const order = await readUntil(stack.client, id, isAt('failed'));
  expect(order).toMatchObject({ refusalReasonCode: 'file_unreadable' });
  expect(order.refusalReason).toContain('5 attempts to read it have failed');
});
