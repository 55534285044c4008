import request from 'supertest';
import { type TestAccount, testAccount } from '../../support/api-deps';
import { type CatalogApi, catalogApi, PRODUCTS, references } from './catalog-api';

let api: CatalogApi;
beforeAll(async () => {
  api = await catalogApi();
});

describe('GET /product/v1/customer-products', () => {
  let mine: string[];
  let viewer: TestAccount;
  let stranger: TestAccount;

  beforeAll(async () => {
    viewer = await testAccount(api.sql, 'client');
    stranger = await testAccount(api.sql, 'client');
    mine = [];
    for (const name of ['Zebra 100%', 'zebra_two', 'Zebra three']) {
      mine.push(await api.created({ name, customerIds: [viewer.id] }, viewer));
    }
    mine.push(
      (
        await api.create(
          {
            name: 'Zebra poster',
            customerIds: [viewer.id, stranger.id],
            productModelId: 'poster',
            variantOptions: [],
          },
          api.operator,
        )
      ).body.id,
    );
  });
  const list = (query: object, by = viewer) => api.list(query, by);
  const ids = (body: { customerProducts: { id: string }[] }) => body.customerProducts.map(({ id }) => id);

  test('returns the newest first, with offset, limit and total', async () => {
    const body = await list({ customerIds: viewer.id });
    expect(ids(body)).toEqual([...mine].reverse());
    expect(body.meta).toEqual({ offset: 0, limit: 250, total: 4 });
    const page = await list({ customerIds: viewer.id, offset: 1, limit: 2 });
    expect(ids(page)).toEqual([mine[2], mine[1]]);
    expect(page.meta).toEqual({ offset: 1, limit: 2, total: 4 });
  });

  test('returns 250 products by default, and one with limit 1', async () => {
    const crowd = await testAccount(api.sql, 'client');
    await api.sql`
      INSERT INTO customer_products (id, name, customer_ids, product_model_id, variant_options)
      SELECT gen_random_uuid(), 'Crowd ' || n, ARRAY[${crowd.id}], 'mug', '[]' FROM generate_series(1, 251) AS n`;
    for (const query of [{}, { limit: 250 }, { search: 'crowd' }]) {
      const body = await list({ ...query, customerIds: crowd.id }, crowd);
      expect(body.customerProducts).toHaveLength(250);
      expect(body.meta).toEqual({ offset: 0, limit: 250, total: 251 });
    }
    const rest = await list({ customerIds: crowd.id, offset: 250 }, crowd);
    expect(rest.customerProducts).toHaveLength(1);
    const one = await list({ customerIds: crowd.id, limit: 1 }, crowd);
    expect(one.customerProducts).toHaveLength(1);
    const behind = await list({ customerIds: crowd.id, offset: 9_000 }, crowd);
    expect(behind).toEqual({ customerProducts: [], meta: { offset: 9_000, limit: 250, total: 251 } });
    await api.sql`DELETE FROM customer_products WHERE customer_ids = ARRAY[${crowd.id}]`;
  });

  test('ignores a filter without entries', async () => {
    const all = await list({ customerIds: viewer.id });
    for (const empty of ['', ',', ' , ']) {
      expect(await list({ customerIds: viewer.id, customerProductIds: empty, productModelIds: empty })).toEqual(all);
    }
  });

  test.each([
    { limit: 251, offset: -1 },
    { limit: 0, offset: 1_000_001 },
  ])('refuses %j', async (query) => {
    const { body } = await request(api.app).get(PRODUCTS).query(query).set(viewer.key).expect(400);
    expect(references(body)).toEqual(['offset', 'limit']);
  });

  test.each([
    ['zebra', 4],
    ['ZEBRA P', 1],
    ['%', 1],
    ['_', 1],
    ['\\', 0],
    ['ebra t', 1],
    ['', undefined],
  ])('search for %j finds %j', async (search, total) => {
    const body = await list({ search, customerIds: viewer.id });
    expect(body.meta.total).toBe(total ?? 4);
  });

  test('filters by comma-separated ids, customers and product models', async () => {
    expect(ids(await list({ customerProductIds: `${mine[0]}, ${mine[3]},nothing` }))).toEqual([mine[3], mine[0]]);
    expect(ids(await list({ productModelIds: 'poster,mug', customerIds: viewer.id }))).toEqual([mine[3]]);
    const all = await list({ customerIds: `${viewer.id},*`, limit: 250 });
    expect(ids(all)).toEqual(expect.arrayContaining(mine));
    expect(all.meta.total).toBe(all.customerProducts.length);
    expect((await list({ productModelIds: 'hat' })).meta.total).toBe(0);
  });

  test('shows a client only what it may order', async () => {
    const seen = await list({ search: 'Zebra' }, stranger);
    expect(ids(seen)).toEqual([mine[3]]);
    // Other customers of the product are hidden.
    expect(seen.customerProducts[0]!.customerIds).toEqual([stranger.id]);
    expect(ids(await list({ customerIds: viewer.id }, stranger))).toEqual([]);
    expect(ids(await list({ customerIds: stranger.id }, stranger))).toEqual([mine[3]]);
    expect(ids(await list({ customerProductIds: mine.join(',') }, stranger))).toEqual([mine[3]]);
    expect((await list({ search: 'Zebra' }, api.operator)).meta.total).toBe(4);
  });

  test('finds products by each customer that they name, also together with all customers', async () => {
    const both = await api.created({ name: 'Both', customerIds: ['*', 'customer-7'] }, viewer);
    const one = await api.created({ name: 'One', customerIds: ['customer-7', 'customer-8'] }, viewer);
    const all = await api.created({ name: 'Everybody’s own', customerIds: ['*'] }, viewer);
    const forAll = await api.created({ name: 'For everybody', customerIds: ['*', viewer.id] }, api.operator);
    expect(ids(await list({ customerIds: 'customer-7' }))).toEqual([one, both]);
    expect(ids(await list({ customerIds: 'customer-8' }))).toEqual([one]);
    expect(ids(await list({ customerIds: 'customer-7,customer-8' }))).toEqual([one, both]);
    expect(ids(await list({ customerIds: 'customer-9' }))).toEqual([]);
    expect(ids(await list({ customerIds: viewer.id, search: 'For everybody' }))).toEqual([forAll]);
    expect(ids(await list({ customerIds: '*', search: 'everybody' }))).toEqual([forAll, all]);
    // An operator finds the products of every owner.
    expect(ids(await list({ customerIds: 'customer-7' }, api.operator))).toEqual([one, both]);
    expect(ids(await list({ customerIds: viewer.id, search: 'For everybody' }, api.operator))).toEqual([forAll]);
    // Another client finds neither the products of the client nor who may order an operator's product.
    expect(ids(await list({ customerIds: 'customer-7' }, stranger))).toEqual([]);
    expect(ids(await list({ customerIds: viewer.id, search: 'For everybody' }, stranger))).toEqual([]);
    expect(ids(await list({ customerIds: '*', search: 'For everybody' }, stranger))).toEqual([forAll]);
  });
});
