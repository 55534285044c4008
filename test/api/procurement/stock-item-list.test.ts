import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import { stockRoutes } from '../../../api/procurement/stock-routes';
import type { Sql } from '../../../src/platform/postgres';
import { setUpStockItems } from '../../../src/procurement/stock-items';
import { stockPartner } from '../../src/procurement/stock-fixture';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';

/** Operators list the stock of all partners. */

let sql: Sql;
let app: Express;
let viewer: TestAccount;
let partners: TestAccount[];

beforeAll(async () => {
  ({ sql } = await testDatabase());
  const deps = await testApiDeps(sql);
  app = createApp(deps, stockRoutes(deps));
  viewer = await testAccount(sql, 'operator', 'viewer', 'viewer');
  partners = [await stockPartner(sql), await stockPartner(sql)];
  for (const { id } of partners) {
    await setUpStockItems(sql, id, [
      { partnerSku: 'a full', minStock: 5, maxStock: 50, openingQuantity: 40 },
      { partnerSku: 'b low', minStock: 5, maxStock: 50, openingQuantity: 5 },
      { partnerSku: 'c none', minStock: 5, maxStock: 50 },
    ]);
  }
  await sql`
    UPDATE stock_items SET backorder = 3 WHERE partner_sku = 'c none' AND partner_id = ${partners[1]!.id}`;
});

const get = (query = '', by = viewer) => request(app).get(`/v1/operator/stock-items${query}`).set(by.key);
const skus = async (query: string) =>
  (await get(query).expect(200)).body.items.map(({ partnerSku }: { partnerSku: string }) => partnerSku);

test('items of all partners are listed by SKU with their level and alert', async () => {
  const { items, nextCursor } = (await get().expect(200)).body;
  expect(nextCursor).toBeNull();
  expect(items.map((item: { partnerSku: string }) => item.partnerSku)).toEqual([
    ...['a full', 'a full', 'b low', 'b low', 'c none', 'c none'],
  ]);
  expect(new Set(items.map((item: { partnerId: string }) => item.partnerId))).toEqual(
    new Set(partners.map(({ id }) => id)),
  );
  expect(items[0]).toMatchObject({
    quantity: 40,
    reserved: 0,
    alertUid: null,
    partnerUid: expect.any(String),
  });
});

test('items are filtered by partner, SKU and alert', async () => {
  const partner = `partnerId=${partners[1]!.id}`;
  expect(await skus(`?${partner}`)).toEqual(['a full', 'b low', 'c none']);
  expect(await skus('?partnerSku=b%20low')).toEqual(['b low', 'b low']);
  expect(await skus(`?alert=any&${partner}`)).toEqual(['b low', 'c none']);
  expect(await skus('?alert=low_stock')).toEqual(['b low', 'b low']);
  expect(await skus('?alert=out_of_stock')).toEqual(['c none']);
  expect(await skus('?alert=back_order')).toEqual(['c none']);
});

test('every alert of a listed item is the one by which it is found', async () => {
  const { items } = (await get().expect(200)).body;
  for (const alert of ['back_order', 'out_of_stock', 'low_stock'])
    expect((await get(`?alert=${alert}`)).body.items).toEqual(
      items.filter(({ alertUid }: { alertUid: string | null }) => alertUid === alert),
    );
});

test('pages have no gaps, also within one SKU', async () => {
  const all = (await get().expect(200)).body.items;
  const paged: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body }: request.Response = await get(`?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`).expect(200);
    paged.push(...body.items);
    cursor = body.nextCursor;
  }
  expect(paged).toEqual(all);
});

test('levels are exported as CSV', async () => {
  const { text, headers } = await get('?format=csv&alert=back_order').expect(200);
  expect(headers['content-disposition']).toBe('attachment; filename="stock-items.csv"');
  expect(text.trimEnd().split('\r\n')).toEqual([
    'partnerSku,alertUid,quantity,minStock,maxStock,quantityOrdered,productUid,productName,reserved,backorder,allowBackorder,supplierUid,partnerId,partnerUid',
    expect.stringMatching(/^c none,back_order,0,5,50,0,c none,,0,3,(true|false),,/),
  ]);
});

test('bad input gets 400, partners 403', async () => {
  for (const query of ['?alert=lost', '?cursor=x', '?limit=0', '?partnerId=x', '?partnerSku='])
    await get(query).expect(400);
  await get('', partners[0]!).expect(403);
});
