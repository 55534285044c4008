import { inTransaction } from '../../../src/platform/postgres';
import { settleReservations } from '../../../src/procurement/reservations';
import { stocked, stockPartner } from '../../src/procurement/stock-fixture';
import { type ProcurementApi, procurementApi, reserved } from './procurement-api';

let api: ProcurementApi;
beforeAll(async () => {
  api = await procurementApi();
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

  it('ends now when only dateFrom is given', async () => {
    const partner = await stockPartner(api.sql, [stocked('frame', 50)]);
    const past = await reserved(api.sql, partner.id, 'frame', 1);
    await reserved(api.sql, partner.id, 'frame', 1, '2099-01-01T00:00:00Z');
    const { body } = await api.post('inventory/consumption/list', partner, {
      filterBy: { dateFrom: '2020-01-01' },
    });
    expect(body.items).toMatchObject([{ printJobId: past }]);
    expect(body.pagination.totalResult).toBe(1);
  });
});
