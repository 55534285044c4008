import request from 'supertest';
import { auditRoute } from '../../../api/accounts/audit-route';
import { createApp } from '../../../api/app';
import { stockRoutes } from '../../../api/procurement/stock-routes';
import { stockPartner } from '../../src/procurement/stock-fixture';
import { testAccount, testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';

it('the error names every invalid field of a stock setup', async () => {
  const { sql } = await testDatabase();
  const deps = await testApiDeps(sql);
  const app = createApp(deps, stockRoutes(deps));
  const operator = await testAccount(sql, 'operator');
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

it('an operator corrects the stock of a partner, with a reason in the audit log', async () => {
  const { sql } = await testDatabase();
  const deps = await testApiDeps(sql);
  const app = createApp(deps, [...stockRoutes(deps), auditRoute(deps)]);
  const operator = await testAccount(sql, 'operator');
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
