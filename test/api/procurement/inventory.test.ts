import { inTransaction } from '../../../src/platform/postgres';
import { settleReservations } from '../../../src/procurement/reservations';
import { stocked, stockPartner } from '../../src/procurement/stock-fixture';
import { testAccount } from '../../support/api-deps';
import { type ProcurementApi, procurementApi, reserved } from './procurement-api';

let api: ProcurementApi;
beforeAll(async () => {
  api = await procurementApi();
});

const item = (partnerSku: string, alertUid: string | null, quantity: number, minStock = 0, maxStock = 0) => ({
  partnerSku,
  alertUid,
  quantity,
  minStock,
  maxStock,
  quantityOrdered: 0,
});

describe('POST /procurement/v1/inventory/list', () => {
  it('returns all items with their alerts, and null for pagination when none is requested', async () => {
    const partner = await stockPartner(api.sql, [
      stocked('frame-a', 50, { minStock: 5, maxStock: 60 }),
      stocked('frame-b', 5, { minStock: 5, maxStock: 60 }),
      stocked('frame-c', 0),
      stocked('frame-d', 3),
    ]);
    await api
      .post('inventory/adjust-stock', partner, {
        adjustments: [{ partnerSku: 'frame-d', adjustmentType: 'consume', quantity: 4 }],
      })
      .expect(200);
    for (const body of [{}, { filterBy: {} }, { filterBy: { partnerSku: [] } }]) {
      const response = await api.post('inventory/list', partner, body).expect(200);
      expect(response.body).toEqual({
        inventoryItem: [
          item('frame-a', null, 50, 5, 60),
          item('frame-b', 'low_stock', 5, 5, 60),
          item('frame-c', 'out_of_stock', 0),
          item('frame-d', 'back_order', 0),
        ],
        pagination: null,
      });
    }
  });

  it('returns pages, and filters by SKU', async () => {
    const skus = Array.from({ length: 7 }, (_, index) => `sku-${index}`);
    const partner = await stockPartner(
      api.sql,
      skus.map((sku) => stocked(sku, 1)),
    );
    await stockPartner(api.sql, [stocked('sku-1', 9)]);
    const page = await api.post('inventory/list', partner, { pagination: { pageNumber: 3, perPage: 3 } }).expect(200);
    expect(page.body).toMatchObject({
      inventoryItem: [{ partnerSku: 'sku-6' }],
      pagination: { pageNumber: 3, perPage: 3, totalPages: 3, totalItems: 7 },
    });
    const beyond = await api
      .post('inventory/list', partner, {
        pagination: { pageNumber: 9, perPage: 3 },
      })
      .expect(200);
    expect(beyond.body).toMatchObject({ inventoryItem: [], pagination: { totalItems: 7 } });
    const defaults = await api.post('inventory/list', partner, { pagination: {} }).expect(200);
    expect(defaults.body.pagination).toEqual({ pageNumber: 1, perPage: 1000, totalPages: 1, totalItems: 7 });

    const filterBy = { partnerSku: ['sku-5', 'sku-1', 'sku-1', 'unknown'] };
    const some = await api.post('inventory/list', partner, { filterBy }).expect(200);
    expect(some.body).toMatchObject({
      inventoryItem: [
        { partnerSku: 'sku-1', quantity: 1 },
        { partnerSku: 'sku-5', quantity: 1 },
      ],
      pagination: null,
    });
    const second = await api
      .post('inventory/list', partner, {
        filterBy,
        pagination: { pageNumber: 2, perPage: 1 },
      })
      .expect(200);
    expect(second.body).toMatchObject({
      inventoryItem: [{ partnerSku: 'sku-5' }],
      pagination: { totalPages: 2, totalItems: 2 },
    });
  });

  it('streams a large stock completely, every item once', async () => {
    const partner = await stockPartner(api.sql);
    await api.sql`
      INSERT INTO stock_items (partner_id, position, partner_sku, product_uid, quantity)
      SELECT ${partner.id}, n, 'sku-' || n, 'uid', n FROM generate_series(1, 10001) AS n`;
    await api.sql`
      INSERT INTO stock_item_counts (partner_id, items) VALUES (${partner.id}, 10001)
      ON CONFLICT (partner_id) DO UPDATE SET items = excluded.items`;
    const { body } = await api.post('inventory/list', partner).expect(200).expect('Content-Type', /json/);
    expect(body.pagination).toBeNull();
    expect(body.inventoryItem.map(({ quantity }: { quantity: number }) => quantity)).toEqual(
      Array.from({ length: 10_001 }, (_, index) => index + 1),
    );
    expect(body.inventoryItem[10_000]).toEqual(item('sku-10001', null, 10_001));
  });

  it('is empty for a partner without stock items', async () => {
    const partner = await testAccount(api.sql, 'partner');
    expect((await api.post('inventory/list', partner).expect(200)).body).toEqual({
      inventoryItem: [],
      pagination: null,
    });
    const { body } = await api.post('inventory/list', partner, { pagination: { perPage: 10 } }).expect(200);
    expect(body.pagination).toEqual({ pageNumber: 1, perPage: 10, totalPages: 0, totalItems: 0 });
  });
});

describe('POST /procurement/v1/inventory/consumption/list', () => {
  it('returns open and consumed reservations, newest first, without released ones', async () => {
    const partner = await stockPartner(api.sql, [stocked('frame', 50), stocked('tee', 50)]);
    const first = await reserved(api.sql, partner.id, 'frame', 2);
    const second = await reserved(api.sql, partner.id, 'tee', 1);
    const cancelled = await reserved(api.sql, partner.id, 'tee', 1);
    await inTransaction(api.sql, (tx) => settleReservations(tx, { cancelled: [String(cancelled)] }));
    const { body } = await api.post('inventory/consumption/list', partner).expect(200);
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
    const other = await stockPartner(api.sql);
    expect((await api.post('inventory/consumption/list', other)).body.items).toEqual([]);
  });

  it('filters by period, SKU and print job, and returns pages', async () => {
    const partner = await stockPartner(api.sql, [stocked('frame', 50), stocked('tee', 50)]);
    const may = await reserved(api.sql, partner.id, 'frame', 1, '2026-05-10T10:00:00.123456Z');
    const june = await reserved(api.sql, partner.id, 'tee', 1, '2026-06-10T23:30:00Z');
    const future = await reserved(api.sql, partner.id, 'tee', 1, '2099-01-01T00:00:00Z');
    const jobs = async (body: object) =>
      (await api.post('inventory/consumption/list', partner, body).expect(200)).body.items.map(
        ({ printJobId }: { printJobId: number }) => printJobId,
      );
    expect(await jobs({ filterBy: { partnerSku: ['tee', 'none'] } })).toEqual([future, june]);
    expect(await jobs({ filterBy: { printJobId: [may, june, 1] } })).toEqual([june, may]);
    expect(await jobs({ filterBy: { printJobId: [may], partnerSku: ['tee'] } })).toEqual([]);
    // A period that ends with a time from a response includes that item.
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
});
