import request from 'supertest';
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
