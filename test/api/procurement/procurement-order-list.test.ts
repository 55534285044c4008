import request from 'supertest';
import { loadExchangeRates } from '../../../src/platform/exchange-rates';
import { stocked, stockPartner } from '../../src/procurement/stock-fixture';
import { testAccount } from '../../support/api-deps';
import { type ProcurementApi, procurementApi, rawOrders } from './procurement-api';

let api: ProcurementApi;
beforeAll(async () => {
  api = await procurementApi();
});

describe('POST /procurement/v1/order/list', () => {
  const supplied = (partnerSku: string, currency = 'EUR') =>
    stocked(partnerSku, 10, {
      productUid: `uid-${partnerSku}`,
      productName: `The ${partnerSku}`,
      minStock: 10,
      maxStock: 110,
      supplier: { uid: 'ramy', unitCost: 36.9, currency, vatPercentage: 19 },
    });

  it('returns orders with items, invoices and costs in the currency of the partner, at the rates of their day', async () => {
    await loadExchangeRates(api.sql, { date: '2026-02-01', perEuro: { PLN: '4.10', USD: '1.20' } });
    await loadExchangeRates(api.sql, { date: '2026-03-01', perEuro: { PLN: '5', USD: '2' } });
    const partner = await stockPartner(api.sql, [supplied('frame', 'PLN')], 'USD');
    await api.sql`
      UPDATE procurement_orders SET created_at = '2026-02-20T12:00:00Z', shipping_cost_minor = 5000
      WHERE partner_id = ${partner.id}`;
    await api.sql`
      INSERT INTO procurement_order_invoices (procurement_order_id, url, original_filename, due_date)
      SELECT id, 'https://supplier.example/1.pdf', '1.pdf', '2026-03-31' FROM procurement_orders WHERE partner_id = ${partner.id}`;
    const { body } = await api.post('order/list', partner).expect(200);
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

  it('keeps six decimals of unit costs, and rounds only the total', async () => {
    await loadExchangeRates(api.sql, { date: '2026-02-01', perEuro: { CHF: '0.9' } });
    const item = (partnerSku: string, unitCost: number, currency = 'EUR') => ({
      partnerSku,
      minStock: 10,
      maxStock: 1_010,
      openingQuantity: 10,
      supplier: { uid: `${partnerSku}-supplier`, unitCost, currency },
    });
    const partner = await stockPartner(api.sql);
    const operator = await testAccount(api.sql, 'operator');
    await request(api.app)
      .post(`/v1/partners/${partner.id}/stock-items`)
      .set(operator.key)
      .send({
        items: [
          item('pin', 0.004),
          item('staple', 0.000_001_4),
          item('dust', 0.000_000_4),
          item('washer', 0.0036, 'CHF'),
          item('bead', 0.5, 'JPY'),
        ],
      })
      .expect(200);
    await api.sql`
      UPDATE procurement_orders SET created_at = '2026-02-20T12:00:00Z' WHERE partner_id = ${partner.id}`;
    const { body } = await api.post('order/list', partner).expect(200);
    const costs = body.orders.map(
      ({ items, totalCost }: { items: { partnerSku: string; unitCost: number }[]; totalCost: number }) => [
        items[0]!.partnerSku,
        items[0]!.unitCost,
        totalCost,
      ],
    );
    expect(costs.sort()).toEqual([
      // 0.50 JPY / 184
      ['bead', 0.002717, 2.72],
      ['dust', 0, 0],
      ['pin', 0.004, 4],
      ['staple', 0.000001, 0],
      // 0.0036 CHF / 0.9
      ['washer', 0.004, 4],
    ]);
  });

  it('filters by status and period, returns pages, and only orders of the partner', async () => {
    const partner = await stockPartner(api.sql, []);
    const stranger = await stockPartner(api.sql, [supplied('frame')]);
    for (const [status, createdAt] of [
      ['supplier', '2026-01-10T00:00:00Z'],
      ['in-transit', '2026-02-10T00:00:00Z'],
      ['invoiced', '2026-03-10T00:00:00Z'],
    ] as const) {
      await api.sql`
        WITH raised AS (
          INSERT INTO procurement_orders (partner_id, supplier_uid, currency, status, created_at)
          VALUES (${partner.id}, ${status}, 'EUR', ${status}, ${createdAt}) RETURNING id
        )
        INSERT INTO procurement_order_items (procurement_order_id, position, stock_item_id, quantity, unit_cost_minor)
        SELECT raised.id, 1, i.id, 1, 100 FROM raised, stock_items i WHERE i.partner_id = ${stranger.id}`;
    }
    const found = async (body: object) =>
      (await api.post('order/list', partner, body).expect(200)).body.orders.map(
        ({ status }: { status: string }) => status,
      );
    expect(await found({})).toEqual(['invoiced', 'in-transit', 'supplier']);
    expect(await found({ filterBy: { status: [] } })).toHaveLength(3);
    expect(await found({ filterBy: { status: ['supplier', 'invoiced'] } })).toEqual(['invoiced', 'supplier']);
    expect(await found({ filterBy: { dateFrom: '2026-02-01', dateTo: '2026-02-28' } })).toEqual(['in-transit']);
    expect(await found({ filterBy: { dateFrom: '2026-02-01', status: ['invoiced', 'supplier'] } })).toEqual([
      'invoiced',
    ]);
    expect(await found({ pagination: { pageNumber: 2, perPage: 2 } })).toEqual(['supplier']);
    expect((await api.post('order/list', stranger)).body.pagination.totalResult).toBe(1);
  });

  it('ends now when only dateFrom is given, and has no end without it', async () => {
    const partner = await stockPartner(api.sql);
    await rawOrders(api.sql, partner.id, 2);
    await api.sql`
      UPDATE procurement_orders SET created_at = '2099-01-01' WHERE id = (
        SELECT max(id) FROM procurement_orders WHERE partner_id = ${partner.id})`;
    const total = async (filterBy: object) =>
      (await api.post('order/list', partner, { filterBy }).expect(200)).body.pagination.totalResult;
    expect(await total({ dateFrom: '2020-01-01' })).toBe(1);
    expect(await total({ dateFrom: '2020-01-01', dateTo: '2099-01-01' })).toBe(2);
    expect(await total({})).toBe(2);
  });
});
