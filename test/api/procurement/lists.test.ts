import { stocked, stockPartner } from '../../src/procurement/stock-fixture';
import { type TestAccount, testAccount } from '../../support/api-deps';
import { LISTS, type ProcurementApi, procurementApi, rawOrders } from './procurement-api';

let api: ProcurementApi;
let partner: TestAccount;
beforeAll(async () => {
  api = await procurementApi();
  partner = await stockPartner(api.sql, [stocked('frame', 5)]);
});

describe('pages', () => {
  let partner: TestAccount;
  beforeAll(async () => {
    partner = await stockPartner(api.sql);
    await rawOrders(api.sql, partner.id, 1_001);
    await api.sql`
      INSERT INTO stock_reservations (stock_item_id, partner_id, print_job_id, step, quantity, allocated, state)
      SELECT id, partner_id, n, 'page-' || n, 1, 1, 'consumed'
      FROM stock_items, generate_series(1, 1001) AS n WHERE partner_id = ${partner.id}`;
  });

  it.each([
    ['order/list', 'orders'],
    ['inventory/consumption/list', 'items'],
  ])('of %s have 1,000 rows by default', async (path, rows) => {
    for (const body of [{}, { pagination: {} }, { pagination: { pageNumber: 1 } }]) {
      const response = await api.post(path, partner, body).expect(200);
      expect(response.body[rows]).toHaveLength(1_000);
      expect(response.body.pagination).toEqual({ pageNumber: 1, perPage: 1_000, totalResult: 1_001 });
    }
    const second = await api.post(path, partner, { pagination: { pageNumber: 2 } }).expect(200);
    expect(second.body[rows]).toHaveLength(1);
    const one = await api.post(path, partner, { pagination: { perPage: 1 } }).expect(200);
    expect(one.body[rows]).toHaveLength(1);
    const behind = await api.post(path, partner, { pagination: { pageNumber: 3 } }).expect(200);
    expect(behind.body).toMatchObject({
      [rows]: [],
      pagination: { pageNumber: 3, perPage: 1_000, totalResult: 1_001 },
    });
  });

  it.each(LISTS)('of %s are numbered from 1, in whole numbers', async (path) => {
    for (const value of [0, 1.5, '1']) {
      const { body } = await api.post(path, partner, { pagination: { pageNumber: value, perPage: value } }).expect(400);
      expect(body.error).toMatch(/pagination\.pageNumber:.*pagination\.perPage:/);
    }
  });
});

describe('pagination', () => {
  it.each(LISTS)('%s counts null for pagination and filterBy as absent', async (path) => {
    const absent = await api.post(path, partner, {}).expect(200);
    for (const body of [
      { pagination: null },
      { filterBy: null },
      { pagination: null, filterBy: null },
      { pagination: null, filterBy: {} },
    ]) {
      expect((await api.post(path, partner, body).expect(200)).body).toEqual(absent.body);
    }
    const paged = await api.post(path, partner, { filterBy: null, pagination: { perPage: 1 } }).expect(200);
    expect(paged.body.pagination.perPage).toBe(1);
    await api.post(path, partner, { filterBy: 'null' }).expect(400);
    await api.post(path, partner, { pagination: false }).expect(400);
  });

  it.each([
    ['order/list', 'orders'],
    ['inventory/consumption/list', 'items'],
    ['inventory/list', 'inventoryItem'],
  ])('%s reduces perPage to 10,000 and returns the applied value', async (path, rows) => {
    const { body } = await api.post(path, partner, { pagination: { perPage: 10_001 } }).expect(200);
    expect(body.pagination).toMatchObject({ pageNumber: 1, perPage: 10_000 });
    expect(body[rows].length).toBe(body.pagination.totalResult ?? body.pagination.totalItems);
    const largest = await api.post(path, partner, { pagination: { perPage: 10_000 } }).expect(200);
    expect(largest.body).toEqual(body);
    const second = await api.post(path, partner, { pagination: { pageNumber: 2, perPage: 2_000_000 } }).expect(200);
    expect(second.body).toMatchObject({ [rows]: [], pagination: { pageNumber: 2, perPage: 10_000 } });
  });
});

describe('invalid requests', () => {
  it.each([
    ['order/list', { filterBy: { status: ['lost'] } }, 'filterBy.status[0]'],
    ['order/list', { filterBy: { dateFrom: 'yesterday' } }, 'filterBy.dateFrom'],
    ['order/list', { filterBy: { dateFrom: '2026-02-30' } }, 'filterBy.dateFrom'],
    ['order/list', { filterBy: { dateFrom: '2026-02-02', dateTo: '2026-02-01' } }, 'filterBy.dateTo'],
    ['order/list', { filterBy: 'all' }, 'filterBy'],
    ['inventory/consumption/list', { filterBy: { printJobId: ['7'] } }, 'filterBy.printJobId[0]'],
    ['inventory/consumption/list', { filterBy: { partnerSku: 'frame' } }, 'filterBy.partnerSku'],
    ['inventory/consumption/list', { filterBy: { dateTo: 5 } }, 'filterBy.dateTo'],
    ['inventory/list', { filterBy: { partnerSku: [1] } }, 'filterBy.partnerSku[0]'],
  ])('%s %j is 400 and names %s', async (path, body, reference) => {
    const response = await api.post(path, await testAccount(api.sql, 'partner'), body).expect(400);
    expect(response.body).toEqual({ error: expect.stringContaining(`${reference}:`) });
  });

  it.each(['1970-01-01', '0001-01-01T00:00:00+14:00', '9999-12-31T23:59:59-12:00', '2026-05-10T10:00:00.123456'])(
    'dateTo accepts %s',
    async (dateTo) => {
      const partner = await testAccount(api.sql, 'partner');
      for (const path of LISTS.slice(0, 2)) await api.post(path, partner, { filterBy: { dateTo } }).expect(200);
    },
  );
});
