import { stocked, stockPartner } from '../../src/procurement/stock-fixture';
import { testAccount } from '../../support/api-deps';
import { type ProcurementApi, procurementApi } from './procurement-api';

let api: ProcurementApi;
beforeAll(async () => {
  api = await procurementApi();
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
    expect(body.inventoryItem[10_000]).toEqual({
      partnerSku: 'sku-10001',
      alertUid: null,
      quantity: 10_001,
      minStock: 0,
      maxStock: 0,
      quantityOrdered: 0,
    });
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
