import type { Express } from 'express';
import request from 'supertest';
import { auditRoute } from '../../../api/accounts/audit-route';
import { createApp } from '../../../api/app';
import { stockRoutes } from '../../../api/procurement/stock-routes';
import type { Sql } from '../../../src/platform/postgres';
import { setUpStockItems } from '../../../src/procurement/stock-items';
import { stockPartner } from '../../src/procurement/stock-fixture';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';
import { everyPage } from '../../support/every-page';

/** Operators set up, correct and list the stock of all partners. */

let sql: Sql;
let app: Express;
let operator: TestAccount;
let viewer: TestAccount;
let partners: TestAccount[];

beforeAll(async () => {
  ({ sql } = await testDatabase());
  const deps = await testApiDeps(sql);
  app = createApp(deps, [...stockRoutes(deps), auditRoute(deps)]);
  operator = await testAccount(sql, 'operator');
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

const get = (query = '') => request(app).get(`/v1/operator/stock-items${query}`).set(viewer.key);
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
  const page = async (cursor: object) =>
    (
      await get()
        .query({ limit: 1, ...cursor })
        .expect(200)
    ).body;
  expect(await everyPage(page, 'items')).toEqual(all);
});

test('bad input gets 400', async () => {
  for (const query of ['?alert=lost', '?cursor=x', '?limit=0', '?partnerId=x', '?partnerSku='])
    await get(query).expect(400);
});

test('the error names every invalid field of a stock setup', async () => {
  const post = (path: string, body: object) => request(app).post(path).set(operator.key).send(body);
  const partner = await stockPartner(sql);
  const { body } = await post(`/v1/partners/${partner.id}/stock-items`, {
    items: [
      { partnerSku: 'a', minStock: 5, maxStock: 1 },
      { partnerSku: '', supplier: { uid: 'x', unitCost: -1, currency: 'XXX' } },
    ],
  }).expect(400);
  expect(body.errors.map(({ reference }: { reference: string }) => reference)).toEqual(
    expect.arrayContaining([
      'items[0].maxStock',
      'items[1].partnerSku',
      'items[1].supplier.unitCost',
      'items[1].supplier.currency',
    ]),
  );
  const twice = await post(`/v1/partners/${partner.id}/stock-items`, {
    items: [{ partnerSku: 'a' }, { partnerSku: 'a' }],
  });
  expect(twice.body.errors).toMatchObject([{ reference: 'items[1].partnerSku' }]);
});

test('an operator corrects the stock of a partner, with a reason in the audit log', async () => {
  const partner = await stockPartner(sql);
  const path = `/v1/partners/${partner.id}/stock-items`;
  await request(app)
    .post(path)
    .set(operator.key)
    .send({ items: [{ partnerSku: 'tee', openingQuantity: 10 }] })
    .expect(200);
  const correct = (sku: string, body: object) =>
    request(app).post(`${path}/${sku}/corrections`).set(operator.key).send(body);

  const reason = 'Counted: three shirts are missing.';
  const { body } = await correct('tee', { adjustmentType: 'consume', quantity: 3, reason }).expect(200);
  expect(body).toMatchObject({ partnerSku: 'tee', success: true, previousQuantity: 10, newQuantity: 7 });
  const ledger = await request(app).get(`${path}/tee/movements`).set(operator.key).expect(200);
  const audit = await request(app).get(`/v1/operator/audit?object=partner:${partner.id}`).set(operator.key).expect(200);
  expect(audit.body.entries[0]).toMatchObject({
    action: 'stock.correct',
    before: { partnerSku: 'tee', quantity: 10 },
    after: { quantity: 7, reason, reference: ledger.body.movements[0].reference },
  });

  await correct('unknown', { adjustmentType: 'add', quantity: 1, reason }).expect(404);
  const { body: missing } = await correct('tee', { adjustmentType: 'add', quantity: 1 }).expect(400);
  expect(missing.errors).toMatchObject([{ reference: 'reason' }]);
});

test('an item has what its partner reports itself, and says when that differs from the ledger', async () => {
  const [first, second] = partners;
  await sql`
    INSERT INTO partner_stock_levels (partner_id, partner_sku, status, amount, reported_at)
    VALUES (${first!.id}, 'a full', 'in-stock', 40, now()), (${second!.id}, 'a full', 'in-stock', 39, now()),
      (${first!.id}, 'b low', 'in-stock', NULL, now()), (${second!.id}, 'b low', 'out-of-stock', NULL, now())`;
  const reported = async (partnerSku: string, { id }: { readonly id: string }) =>
    (await get(`?partnerSku=${encodeURIComponent(partnerSku)}&partnerId=${id}`).expect(200)).body.items[0].reported;
  expect(await reported('a full', first!)).toMatchObject({ status: 'in-stock', amount: 40, differs: false });
  expect(await reported('a full', second!)).toMatchObject({ amount: 39, differs: true });
  expect(await reported('b low', first!)).toMatchObject({ amount: null, differs: false });
  expect(await reported('b low', second!)).toMatchObject({ status: 'out-of-stock', differs: true });
  expect(await reported('c none', first!)).toBeNull();
});
