import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import { procurementRoutes } from '../../../api/procurement/routes';
import { inTransaction, type Sql } from '../../../src/platform/postgres';
import { loadExchangeRates } from '../../../src/procurement/exchange-rates';
import { releaseReservation, reserveStock } from '../../../src/procurement/reservations';
import { stocked, stockPartner } from '../../src/procurement/stock-fixture';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';

let sql: Sql;
let app: Express;
beforeAll(async () => {
  ({ sql } = await testDatabase());
  const deps = await testApiDeps(sql);
  app = createApp(deps, procurementRoutes(deps));
});

const GROUP = '/procurement/v1';
const LISTS = ['order/list', 'inventory/consumption/list', 'inventory/list'];
const post = (path: string, as: TestAccount, body: object = {}) =>
  request(app).post(`${GROUP}/${path}`).set(as.key).send(body);

let serial = 0;
async function reserved(
  partnerId: string,
  partnerSku: string,
  quantity: number,
  createdAt?: string,
): Promise<number> {
  const job = 800_000 + ++serial;
  const lines = [{ partnerId, partnerSku, quantity, printJobId: String(job), productName: `Job ${job}` }];
  await inTransaction(sql, (tx) => reserveStock(tx, { step: `test-${job}`, lines }));
  if (createdAt !== undefined) {
    await sql`UPDATE stock_reservations SET created_at = ${createdAt} WHERE print_job_id = ${job}`;
  }
  return job;
}

describe('keys', () => {
  it.each([...LISTS, 'inventory/adjust-stock'])(
    '%s: 403 without a good key, in the group’s error body',
    async (path) => {
      const missing = await request(app).post(`${GROUP}/${path}`).send({});
      const wrong = await request(app).post(`${GROUP}/${path}`).set('X-API-KEY', 'nonsense').send({});
      const client = await post(path, await testAccount(sql, 'client'));
      for (const { status, body } of [missing, wrong, client]) {
        expect(status).toBe(403);
        expect(body).toEqual(
          path.endsWith('adjust-stock')
            ? { success: false, data: [{ partnerSku: '', success: false, message: expect.any(String) }] }
            : { error: expect.any(String) },
        );
      }
    },
  );
});

describe('inventory list', () => {
  it('gives everything, with its alerts, and null for pagination when none was asked for', async () => {
    const partner = await stockPartner(sql, [
      stocked('frame-a', 50, { minStock: 5, maxStock: 60 }),
      stocked('frame-b', 5, { minStock: 5, maxStock: 60 }),
      stocked('frame-c', 0),
      stocked('frame-d', 3),
    ]);
    await post('inventory/adjust-stock', partner, {
      adjustments: [{ partnerSku: 'frame-d', adjustmentType: 'consume', quantity: 4 }],
    }).expect(200);
    for (const body of [{}, { filterBy: {} }, { filterBy: { partnerSku: [] } }]) {
      const answer = await post('inventory/list', partner, body).expect(200);
      expect(answer.body).toEqual({
        inventoryItem: [
          {
            partnerSku: 'frame-a',
            alertUid: null,
            quantity: 50,
            minStock: 5,
            maxStock: 60,
            quantityOrdered: 0,
          },
          {
            partnerSku: 'frame-b',
            alertUid: 'low_stock',
            quantity: 5,
            minStock: 5,
            maxStock: 60,
            quantityOrdered: 0,
          },
          {
            partnerSku: 'frame-c',
            alertUid: 'out_of_stock',
            quantity: 0,
            minStock: 0,
            maxStock: 0,
            quantityOrdered: 0,
          },
          {
            partnerSku: 'frame-d',
            alertUid: 'back_order',
            quantity: 0,
            minStock: 0,
            maxStock: 0,
            quantityOrdered: 0,
          },
        ],
        pagination: null,
      });
    }
  });

  it('is cut into pages, and filtered by sku', async () => {
    const skus = Array.from({ length: 7 }, (_, index) => `sku-${index}`);
    const partner = await stockPartner(
      sql,
      skus.map((sku) => stocked(sku, 1)),
    );
    await stockPartner(sql, [stocked('sku-1', 9)]);
    const page = await post('inventory/list', partner, { pagination: { pageNumber: 3, perPage: 3 } }).expect(
      200,
    );
    expect(page.body).toMatchObject({
      inventoryItem: [{ partnerSku: 'sku-6' }],
      pagination: { pageNumber: 3, perPage: 3, totalPages: 3, totalItems: 7 },
    });
    const beyond = await post('inventory/list', partner, {
      pagination: { pageNumber: 9, perPage: 3 },
    }).expect(200);
    expect(beyond.body).toMatchObject({ inventoryItem: [], pagination: { totalItems: 7 } });
    const defaults = await post('inventory/list', partner, { pagination: {} }).expect(200);
    expect(defaults.body.pagination).toEqual({ pageNumber: 1, perPage: 1000, totalPages: 1, totalItems: 7 });

    const filterBy = { partnerSku: ['sku-5', 'sku-1', 'sku-1', 'unknown'] };
    const some = await post('inventory/list', partner, { filterBy }).expect(200);
    expect(some.body).toMatchObject({
      inventoryItem: [
        { partnerSku: 'sku-1', quantity: 1 },
        { partnerSku: 'sku-5', quantity: 1 },
      ],
      pagination: null,
    });
    const second = await post('inventory/list', partner, {
      filterBy,
      pagination: { pageNumber: 2, perPage: 1 },
    }).expect(200);
    expect(second.body).toMatchObject({
      inventoryItem: [{ partnerSku: 'sku-5' }],
      pagination: { totalPages: 2, totalItems: 2 },
    });
  });

  it('gives a large stock whole, every item once', async () => {
    const partner = await stockPartner(sql);
    await sql`
      INSERT INTO stock_items (partner_id, position, partner_sku, product_uid, quantity)
      SELECT ${partner.id}, n, 'sku-' || n, 'uid', n FROM generate_series(1, 10001) AS n`;
    await sql`
      INSERT INTO stock_item_counts (partner_id, items) VALUES (${partner.id}, 10001)
      ON CONFLICT (partner_id) DO UPDATE SET items = excluded.items`;
    const { body } = await post('inventory/list', partner).expect(200).expect('Content-Type', /json/);
    expect(body.pagination).toBeNull();
    expect(body.inventoryItem.map(({ quantity }: { quantity: number }) => quantity)).toEqual(
      Array.from({ length: 10_001 }, (_, index) => index + 1),
    );
    expect(body.inventoryItem[10_000]).toEqual({
      partnerSku: 'sku-10001',
      alertUid: null,
      quantity: 10_001,
      minStock: 0,
      maxStock: 0,
      quantityOrdered: 0,
    });
  });

  it('is empty for a partner that keeps nothing here', async () => {
    const partner = await testAccount(sql, 'partner');
    expect((await post('inventory/list', partner).expect(200)).body).toEqual({
      inventoryItem: [],
      pagination: null,
    });
    const { body } = await post('inventory/list', partner, { pagination: { perPage: 10 } }).expect(200);
    expect(body.pagination).toEqual({ pageNumber: 1, perPage: 10, totalPages: 0, totalItems: 0 });
  });
});

describe('consumption list', () => {
  it('shows what print jobs have reserved or used, newest first, without what was released', async () => {
    const partner = await stockPartner(sql, [stocked('frame', 50), stocked('tee', 50)]);
    const first = await reserved(partner.id, 'frame', 2);
    const second = await reserved(partner.id, 'tee', 1);
    const cancelled = await reserved(partner.id, 'tee', 1);
    await inTransaction(sql, (tx) => releaseReservation(tx, { printJobIds: [String(cancelled)] }));
    const { body } = await post('inventory/consumption/list', partner).expect(200);
    expect(body).toEqual({
      items: [
        {
          printJobId: second,
          partnerSku: 'tee',
          productName: `Job ${second}`,
          quantity: 1,
          createdAt: expect.any(String),
        },
        {
          printJobId: first,
          partnerSku: 'frame',
          productName: `Job ${first}`,
          quantity: 2,
          createdAt: expect.any(String),
        },
      ],
      pagination: { pageNumber: 1, perPage: 1000, totalResult: 2 },
    });
    expect(new Date(body.items[0].createdAt).toISOString()).toBe(body.items[0].createdAt);
    const other = await stockPartner(sql);
    expect((await post('inventory/consumption/list', other)).body.items).toEqual([]);
  });

  it('is filtered by period, sku and print job, and cut into pages', async () => {
    const partner = await stockPartner(sql, [stocked('frame', 50), stocked('tee', 50)]);
    const may = await reserved(partner.id, 'frame', 1, '2026-05-10T10:00:00.123456Z');
    const june = await reserved(partner.id, 'tee', 1, '2026-06-10T23:30:00Z');
    const future = await reserved(partner.id, 'tee', 1, '2099-01-01T00:00:00Z');
    const jobs = async (body: object) =>
      (await post('inventory/consumption/list', partner, body).expect(200)).body.items.map(
        ({ printJobId }: { printJobId: number }) => printJobId,
      );
    expect(await jobs({ filterBy: { partnerSku: ['tee', 'none'] } })).toEqual([future, june]);
    expect(await jobs({ filterBy: { printJobId: [may, june, 1] } })).toEqual([june, may]);
    expect(await jobs({ filterBy: { printJobId: [may], partnerSku: ['tee'] } })).toEqual([]);
    // A moment that an answer has shown is within the period that ends with it.
    expect(
      await jobs({ filterBy: { dateFrom: '2026-05-10T10:00:00.123Z', dateTo: '2026-05-10T10:00:00.123Z' } }),
    ).toEqual([may]);
    expect(await jobs({ filterBy: { dateFrom: '2026-05-11', dateTo: '2026-06-10' } })).toEqual([june]);
    expect(
      await jobs({
        filterBy: { dateFrom: '2026-06-11T01:29:00+02:00', dateTo: '2026-06-11T01:31:00+02:00' },
      }),
    ).toEqual([june]);
    expect(await jobs({ filterBy: { dateTo: '2026-05-31' } })).toEqual([may]);
    expect(await jobs({ pagination: { pageNumber: 2, perPage: 2 } })).toEqual([may]);
  });

  it('ends now when only dateFrom is given', async () => {
    const partner = await stockPartner(sql, [stocked('frame', 50)]);
    const past = await reserved(partner.id, 'frame', 1);
    await reserved(partner.id, 'frame', 1, '2099-01-01T00:00:00Z');
    const { body } = await post('inventory/consumption/list', partner, {
      filterBy: { dateFrom: '2020-01-01' },
    });
    expect(body.items).toMatchObject([{ printJobId: past }]);
    expect(body.pagination.totalResult).toBe(1);
  });
});

describe('order list', () => {
  const supplied = (partnerSku: string, currency = 'EUR') =>
    stocked(partnerSku, 10, {
      productUid: `uid-${partnerSku}`,
      productName: `The ${partnerSku}`,
      minStock: 10,
      maxStock: 110,
      supplier: { uid: 'ramy', unitCostMinor: 3_690, currency, vatPercentage: 19 },
    });

  it('shows orders with items, invoices and costs in the partner’s currency by the rates of their day', async () => {
    await loadExchangeRates(sql, { date: '2026-02-01', perEuro: { PLN: '4.10', USD: '1.20' } });
    await loadExchangeRates(sql, { date: '2026-03-01', perEuro: { PLN: '5', USD: '2' } });
    const partner = await stockPartner(sql, [supplied('frame', 'PLN')], 'USD');
    await sql`
      UPDATE procurement_orders SET created_at = '2026-02-20T12:00:00Z', shipping_cost_minor = 5000
      WHERE partner_id = ${partner.id}`;
    await sql`
      INSERT INTO procurement_order_invoices (procurement_order_id, url, original_filename, due_date)
      SELECT id, 'https://supplier.example/1.pdf', '1.pdf', '2026-03-31' FROM procurement_orders WHERE partner_id = ${partner.id}`;
    const { body } = await post('order/list', partner).expect(200);
    // 36.90 PLN / 4.10 * 1.20 = 10.80 USD; 50.00 PLN = 14.63 USD.
    expect(body).toEqual({
      orders: [
        {
          orderId: expect.any(Number),
          partnerPoNumber: null,
          supplierUid: 'ramy',
          status: 'supplier',
          currency: 'USD',
          shippingCost: 14.63,
          totalCost: 1094.63,
          createdAt: '2026-02-20T12:00:00.000Z',
          items: [
            {
              productUid: 'uid-frame',
              partnerSku: 'frame',
              productName: 'The frame',
              quantity: 100,
              unitCost: 10.8,
              vatPercentage: 19,
              quantityReceived: 0,
            },
          ],
          invoices: [
            {
              url: 'https://supplier.example/1.pdf',
              originalFilename: '1.pdf',
              referenceId: null,
              dueDate: '2026-03-31',
            },
          ],
        },
      ],
      pagination: { pageNumber: 1, perPage: 1000, totalResult: 1 },
      currency: 'USD',
    });
  });

  it('is filtered by status and period, cut into pages, and a partner’s own', async () => {
    const partner = await stockPartner(sql, []);
    const stranger = await stockPartner(sql, [supplied('frame')]);
    for (const [status, createdAt] of [
      ['supplier', '2026-01-10T00:00:00Z'],
      ['in-transit', '2026-02-10T00:00:00Z'],
      ['invoiced', '2026-03-10T00:00:00Z'],
    ] as const) {
      await sql`
        WITH raised AS (
          INSERT INTO procurement_orders (partner_id, supplier_uid, currency, status, created_at)
          VALUES (${partner.id}, ${status}, 'EUR', ${status}, ${createdAt}) RETURNING id
        )
        INSERT INTO procurement_order_items (procurement_order_id, position, stock_item_id, quantity, unit_cost_minor)
        SELECT raised.id, 1, i.id, 1, 100 FROM raised, stock_items i WHERE i.partner_id = ${stranger.id}`;
    }
    const found = async (body: object) =>
      (await post('order/list', partner, body).expect(200)).body.orders.map(
        ({ status }: { status: string }) => status,
      );
    expect(await found({})).toEqual(['invoiced', 'in-transit', 'supplier']);
    expect(await found({ filterBy: { status: [] } })).toHaveLength(3);
    expect(await found({ filterBy: { status: ['supplier', 'invoiced'] } })).toEqual(['invoiced', 'supplier']);
    expect(await found({ filterBy: { dateFrom: '2026-02-01', dateTo: '2026-02-28' } })).toEqual([
      'in-transit',
    ]);
    expect(await found({ filterBy: { dateFrom: '2026-02-01', status: ['invoiced', 'supplier'] } })).toEqual([
      'invoiced',
    ]);
    expect(await found({ pagination: { pageNumber: 2, perPage: 2 } })).toEqual(['supplier']);
    expect((await post('order/list', stranger)).body.pagination.totalResult).toBe(1);
  });

  it('knows the six statuses, and gives all of them by default', async () => {
    const statuses = ['supplier', 'confirmed', 'in-transit', 'delivered', 'verified', 'invoiced'];
    const partner = await stockPartner(sql);
    await rawOrders(partner.id, statuses.length);
    await sql`
      UPDATE procurement_orders o SET status = (${statuses}::text[])[n] FROM (
        SELECT id, row_number() OVER (ORDER BY id) AS n FROM procurement_orders WHERE partner_id = ${partner.id}
      ) AS numbered WHERE numbered.id = o.id`;
    const found = async (body: object) =>
      (await post('order/list', partner, body).expect(200)).body.orders.map(
        ({ status }: { status: string }) => status,
      );
    expect((await found({})).sort()).toEqual([...statuses].sort());
    for (const status of statuses) expect(await found({ filterBy: { status: [status] } })).toEqual([status]);
  });

  it('ends now when only dateFrom is given, and nowhere without it', async () => {
    const partner = await stockPartner(sql);
    await rawOrders(partner.id, 2);
    await sql`
      UPDATE procurement_orders SET created_at = '2099-01-01' WHERE id = (
        SELECT max(id) FROM procurement_orders WHERE partner_id = ${partner.id})`;
    const total = async (filterBy: object) =>
      (await post('order/list', partner, { filterBy }).expect(200)).body.pagination.totalResult;
    expect(await total({ dateFrom: '2020-01-01' })).toBe(1);
    expect(await total({ dateFrom: '2020-01-01', dateTo: '2099-01-01' })).toBe(2);
    expect(await total({})).toBe(2);
  });
});

/** Orders of one piece each, without a run. */
async function rawOrders(partnerId: string, count: number): Promise<void> {
  const [item] = await sql<{ id: string }[]>`
    INSERT INTO stock_items (partner_id, position, partner_sku, product_uid) VALUES (${partnerId}, 1, 'raw', 'raw') RETURNING id`;
  await sql`
    WITH raised AS (
      INSERT INTO procurement_orders (partner_id, supplier_uid, currency)
      SELECT ${partnerId}, 'ramy', 'EUR' FROM generate_series(1, ${count}::int) RETURNING id
    )
    INSERT INTO procurement_order_items (procurement_order_id, position, stock_item_id, quantity, unit_cost_minor)
    SELECT id, 1, ${item!.id}, 1, 100 FROM raised`;
}

describe('pages', () => {
  let partner: TestAccount;
  beforeAll(async () => {
    partner = await stockPartner(sql);
    await rawOrders(partner.id, 1_001);
    await sql`
      INSERT INTO stock_reservations (stock_item_id, partner_id, print_job_id, step, quantity, allocated, state)
      SELECT id, partner_id, n, 'page-' || n, 1, 1, 'consumed'
      FROM stock_items, generate_series(1, 1001) AS n WHERE partner_id = ${partner.id}`;
  });

  it.each([
    ['order/list', 'orders'],
    ['inventory/consumption/list', 'items'],
  ])('of %s hold 1000 when perPage is not given', async (path, rows) => {
    for (const body of [{}, { pagination: {} }, { pagination: { pageNumber: 1 } }]) {
      const answer = await post(path, partner, body).expect(200);
      expect(answer.body[rows]).toHaveLength(1_000);
      expect(answer.body.pagination).toEqual({ pageNumber: 1, perPage: 1_000, totalResult: 1_001 });
    }
    const second = await post(path, partner, { pagination: { pageNumber: 2 } }).expect(200);
    expect(second.body[rows]).toHaveLength(1);
    const one = await post(path, partner, { pagination: { perPage: 1 } }).expect(200);
    expect(one.body[rows]).toHaveLength(1);
    const behind = await post(path, partner, { pagination: { pageNumber: 3 } }).expect(200);
    expect(behind.body).toMatchObject({
      [rows]: [],
      pagination: { pageNumber: 3, perPage: 1_000, totalResult: 1_001 },
    });
  });

  it.each(LISTS)('of %s are numbered from 1, by whole numbers', async (path) => {
    for (const [field, value] of [
      ['pageNumber', 0],
      ['pageNumber', -1],
      ['pageNumber', 1.5],
      ['pageNumber', '1'],
      ['perPage', 0],
      ['perPage', -5],
    ] as const) {
      const answer = await post(path, partner, { pagination: { [field]: value } }).expect(400);
      expect(answer.body).toEqual({ error: expect.stringContaining(`pagination.${field}:`) });
    }
  });
});

describe('what lists refuse', () => {
  it.each([
    ['order/list', { filterBy: { status: ['lost'] } }, 'filterBy.status[0]'],
    ['order/list', { filterBy: { dateFrom: 'yesterday' } }, 'filterBy.dateFrom'],
    ['order/list', { filterBy: { dateFrom: '2026-02-30' } }, 'filterBy.dateFrom'],
    ['order/list', { filterBy: { dateFrom: '2026-02-02', dateTo: '2026-02-01' } }, 'filterBy.dateTo'],
    ['order/list', { pagination: { pageNumber: 0 } }, 'pagination.pageNumber'],
    ['order/list', { pagination: { perPage: 1.5 } }, 'pagination.perPage'],
    ['order/list', { filterBy: 'all' }, 'filterBy'],
    ['inventory/consumption/list', { filterBy: { printJobId: ['7'] } }, 'filterBy.printJobId[0]'],
    ['inventory/consumption/list', { filterBy: { partnerSku: 'frame' } }, 'filterBy.partnerSku'],
    ['inventory/consumption/list', { filterBy: { dateTo: 5 } }, 'filterBy.dateTo'],
    ['inventory/list', { filterBy: { partnerSku: [1] } }, 'filterBy.partnerSku[0]'],
    ['inventory/list', { pagination: { perPage: '10' } }, 'pagination.perPage'],
  ])('%s %j: 400 naming %s', async (path, body, reference) => {
    const answer = await post(path, await testAccount(sql, 'partner'), body).expect(400);
    expect(answer.body).toEqual({ error: expect.stringContaining(`${reference}:`) });
  });

  it.each([
    '1970-01-01',
    '0001-01-01T00:00:00+14:00',
    '9999-12-31T23:59:59-12:00',
    '2026-05-10T10:00:00.123456',
  ])('takes %s', async (dateTo) => {
    const partner = await testAccount(sql, 'partner');
    for (const path of LISTS.slice(0, 2)) await post(path, partner, { filterBy: { dateTo } }).expect(200);
  });
});

describe('adjust-stock', () => {
  const adjust = (partner: TestAccount, ...adjustments: object[]) =>
    post('inventory/adjust-stock', partner, { adjustments });
  const add = { adjustmentType: 'add', quantity: 5 };

  it('answers each adjustment, 200 even where one failed', async () => {
    const partner = await stockPartner(sql, [stocked('frame', 2)]);
    const { body } = await adjust(
      partner,
      { partnerSku: 'frame', adjustmentType: 'consume', quantity: 6, referenceId: 'r-1' },
      { partnerSku: 'ghost', ...add },
      { partnerSku: 'frame', ...add, referenceId: 'r-1' },
      { partnerSku: 'frame', ...add },
    ).expect(200);
    expect(body).toEqual({
      updates: [
        {
          partnerSku: 'frame',
          success: true,
          message: expect.any(String),
          previousQuantity: 2,
          newQuantity: 0,
          backorderQuantity: 4,
        },
        {
          partnerSku: 'ghost',
          success: false,
          message: expect.stringContaining('ghost'),
          previousQuantity: 0,
          newQuantity: 0,
          backorderQuantity: 0,
        },
        {
          partnerSku: 'frame',
          success: false,
          message: expect.stringContaining('r-1'),
          previousQuantity: 0,
          newQuantity: 0,
          backorderQuantity: 4,
        },
        {
          partnerSku: 'frame',
          success: true,
          message: expect.any(String),
          previousQuantity: 0,
          newQuantity: 1,
          backorderQuantity: 0,
        },
      ],
    });
  });

  it('adds to the backorder first, and the rest to the stock', async () => {
    const partner = await stockPartner(sql, [stocked('frame', 3)]);
    const told = async (adjustmentType: string, quantity: number) => {
      const { body } = await adjust(partner, { partnerSku: 'frame', adjustmentType, quantity }).expect(200);
      const { previousQuantity, newQuantity, backorderQuantity } = body.updates[0];
      return [previousQuantity, newQuantity, backorderQuantity];
    };
    expect(await told('consume', 3)).toEqual([3, 0, 0]);
    expect(await told('consume', 1)).toEqual([0, 0, 1]);
    expect(await told('consume', 9)).toEqual([0, 0, 10]);
    expect(await told('add', 4)).toEqual([0, 0, 6]);
    expect(await told('add', 6)).toEqual([0, 0, 0]);
    expect(await told('add', 1)).toEqual([0, 1, 0]);
  });

  it('rejects a repeated referenceId for five minutes, and takes it after them', async () => {
    const partner = await stockPartner(sql, [stocked('frame', 2), stocked('tee', 0)]);
    const told = async (partnerSku: string) => {
      const { body } = await adjust(partner, { partnerSku, ...add, referenceId: 'note-7' }).expect(200);
      return body.updates[0];
    };
    expect(await told('frame')).toMatchObject({ success: true, newQuantity: 7 });
    expect(await told('frame')).toEqual({
      partnerSku: 'frame',
      success: false,
      message: expect.stringContaining('note-7'),
      previousQuantity: 7,
      newQuantity: 7,
      backorderQuantity: 0,
    });
    expect(await told('tee')).toMatchObject({ success: false, newQuantity: 0 });
    await sql`UPDATE stock_adjustment_references SET claimed_at = claimed_at - interval '5 minutes 1 second'`;
    expect(await told('frame')).toMatchObject({ success: true, previousQuantity: 7, newQuantity: 12 });
  });

  it('books a referenceId once when it comes twelve times at once', async () => {
    const partner = await stockPartner(sql, [stocked('frame', 0)]);
    const answers = await Promise.all(
      Array.from({ length: 12 }, () =>
        adjust(partner, { partnerSku: 'frame', ...add, referenceId: 'delivery' }).expect(200),
      ),
    );
    const booked = answers.filter(({ body }) => body.updates[0].success);
    expect(booked.map(({ body }) => body.updates[0].newQuantity)).toEqual([5]);
    const { body } = await post('inventory/list', partner);
    expect(body.inventoryItem).toMatchObject([{ quantity: 5 }]);
  });

  it('takes a hundred adjustments, and not one more', async () => {
    const partner = await stockPartner(sql, [stocked('frame', 0)]);
    const many = (count: number) => Array.from({ length: count }, () => ({ partnerSku: 'frame', ...add }));
    const { body } = await adjust(partner, ...many(100)).expect(200);
    expect(body.updates[99]).toMatchObject({ previousQuantity: 495, newQuantity: 500 });
    const refused = await adjust(partner, ...many(101)).expect(400);
    expect(refused.body).toEqual({
      success: false,
      data: [{ partnerSku: '', success: false, message: expect.stringContaining('adjustments') }],
    });
  });

  it.each([
    ['an unknown type', { partnerSku: 'frame', adjustmentType: 'set', quantity: 1 }],
    ['quantity 0', { partnerSku: 'frame', adjustmentType: 'add', quantity: 0 }],
    ['a negative quantity', { partnerSku: 'frame', adjustmentType: 'add', quantity: -1 }],
    ['a broken quantity', { partnerSku: 'frame', adjustmentType: 'add', quantity: 1.5 }],
    ['a quantity as text', { partnerSku: 'frame', adjustmentType: 'add', quantity: '1' }],
    ['a huge quantity', { partnerSku: 'frame', adjustmentType: 'add', quantity: 1e18 }],
    ['no quantity', { partnerSku: 'frame', adjustmentType: 'add' }],
    ['no type', { partnerSku: 'frame', quantity: 1 }],
    ['a blank referenceId', { partnerSku: 'frame', ...add, referenceId: '' }],
  ])('refuses the whole request for %s, and books nothing of it', async (_, wrong) => {
    const partner = await stockPartner(sql, [stocked('frame', 1), stocked('tee', 1)]);
    const { body } = await adjust(partner, { partnerSku: 'tee', ...add }, wrong).expect(400);
    expect(body).toEqual({
      success: false,
      data: [{ partnerSku: 'frame', success: false, message: expect.stringContaining('adjustments[1].') }],
    });
    const { body: inventory } = await post('inventory/list', partner);
    expect(inventory.inventoryItem.map(({ quantity }: { quantity: number }) => quantity)).toEqual([1, 1]);
  });

  it('names no sku where an adjustment has none', async () => {
    const partner = await stockPartner(sql, [stocked('frame', 1)]);
    for (const wrong of [add, { ...add, partnerSku: '' }, { ...add, partnerSku: 7 }]) {
      const { body } = await adjust(partner, { ...add, partnerSku: 'frame' }, wrong).expect(400);
      expect(body).toEqual({
        success: false,
        data: [
          { partnerSku: '', success: false, message: expect.stringContaining('adjustments[1].partnerSku') },
        ],
      });
    }
  });

  it('says what is wrong with the body as a whole', async () => {
    const { body } = await post('inventory/adjust-stock', await testAccount(sql, 'partner'), []).expect(400);
    expect(body.data).toEqual([
      {
        partnerSku: '',
        success: false,
        message: expect.stringMatching(/^The submitted data has errors\. \w/),
      },
    ]);
  });

  it.each([[{}], [{ adjustments: [] }], [{ adjustments: null }], [{ adjustments: {} }]])(
    'refuses %j',
    async (body) => {
      const answer = await post('inventory/adjust-stock', await testAccount(sql, 'partner'), body).expect(
        400,
      );
      expect(answer.body).toMatchObject({ success: false, data: [{ success: false }] });
    },
  );

  it('told again with its Idempotency-Key, gives the stored answer and books nothing', async () => {
    const partner = await stockPartner(sql, [stocked('frame', 1)]);
    const once = () =>
      adjust(partner, { partnerSku: 'frame', ...add })
        .set('Idempotency-Key', 'delivery-9')
        .expect(200);
    const first = await once();
    const second = await once();
    expect(second.body).toEqual(first.body);
    expect((await post('inventory/list', partner)).body.inventoryItem[0].quantity).toBe(6);
  });
});
