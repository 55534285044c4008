import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import { operatorPartnerRoutes } from '../../../api/operator/partners/partners';
import { stockStatusRoute } from '../../../api/partner/stock-status';
import { ensureDemoPartners } from '../../../sandbox/demo/partners';
import { createCandidateReader } from '../../../src/partners/routing-rows';
import type { Sql } from '../../../src/platform/postgres';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';

let sql: Sql;
let app: Express;
let ohio: TestAccount;
let berlin: TestAccount;
let operator: TestAccount;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  const deps = await testApiDeps(sql);
  app = createApp(deps, [stockStatusRoute(deps), ...operatorPartnerRoutes(deps)]);
  ohio = await testAccount(sql, 'partner', 'prints-ohio');
  berlin = await testAccount(sql, 'partner', 'prints-berlin');
  operator = await testAccount(sql, 'operator');
  await ensureDemoPartners(sql, [ohio, berlin]);
});

const push = (items: unknown, as = ohio) => request(app).post('/v3/stock/status').set(as.key).send({ items });

describe('pushed stock levels', () => {
  test('apply to routing for that partner only, and operators can read them', async () => {
    await push([
      { SKU: 'tee-white-m', status: 'in-stock', amount: 12 },
      { SKU: 'tee-white-l', status: 'out-of-stock', replenishmentDate: '2026-12-24T08:00:00Z' },
      { SKU: 'tee-white-s', status: 'in-stock', amount: 0, replenishmentDate: null },
    ]).expect(200, {
      message: 'Stock status received.',
      updated_skus: ['tee-white-m', 'tee-white-l', 'tee-white-s'],
    });
    const candidates = await createCandidateReader(sql)(['tee-white-m', 'tee-white-l', 'tee-white-s']);
    expect(candidates.map(({ uid, stock }) => [uid, stock])).toEqual([
      ['prints-berlin', {}],
      [
        'prints-ohio',
        {
          'tee-white-m': { available: 12, replenishmentDate: null, allowBackorder: false },
          'tee-white-l': { available: 0, replenishmentDate: '2026-12-24', allowBackorder: false },
          'tee-white-s': { available: 0, replenishmentDate: null, allowBackorder: false },
        },
      ],
    ]);
    const { body } = await request(app)
      .get(`/v1/partners/${ohio.id}/stock`)
      .query({ limit: 2, afterSku: 'tee-white-l' })
      .set(operator.key)
      .expect(200);
    expect(body.items).toMatchObject([
      { partnerSku: 'tee-white-m', status: 'in-stock', amount: 12 },
      { partnerSku: 'tee-white-s', status: 'out-of-stock', amount: 0 },
    ]);
  });

  test('the last of two entries for one SKU wins', async () => {
    await push([
      { SKU: 'twice', status: 'in-stock', amount: 3 },
      { SKU: 'twice', status: 'in-stock', amount: 8 },
    ]).expect(200);
    const [candidate] = (await createCandidateReader(sql)(['twice'])).filter(({ uid }) => uid === 'prints-ohio');
    expect(candidate!.stock.twice!.available).toBe(8);
  });

  test('the error names every invalid field, and nothing is stored', async () => {
    const { body } = await push([
      { SKU: 'good', status: 'in-stock' },
      { SKU: '', status: 'plenty', amount: -1, replenishmentDate: 'soon' },
      { status: 'in-stock', amount: '4' },
    ]).expect(400);
    expect(Object.keys(body)).toEqual(['error']);
    const problems: string[] = body.error.split(/, (?=items\[)/);
    expect(problems.map((problem) => problem.split(':')[0])).toEqual([
      ...['SKU', 'status', 'amount', 'replenishmentDate'].map((field) => `items[1].${field}`),
      ...['SKU', 'amount'].map((field) => `items[2].${field}`),
    ]);
    expect([problems[0], problems[4]]).toEqual([
      'items[1].SKU: This field must not be blank',
      'items[2].SKU: This field is required',
    ]);
    expect(await sql`SELECT 1 FROM partner_stock_levels WHERE partner_sku = 'good'`).toHaveLength(0);
    await push([]).expect(400);
  });

  test('quantity counts as amount; two different values are refused', async () => {
    const { body } = await push([
      { SKU: 'by-quantity', status: 'in-stock', quantity: 6 },
      { SKU: 'by-both', status: 'in-stock', quantity: 4, amount: 4 },
      { SKU: 'empty', status: 'in-stock', quantity: 0 },
      { SKU: 'by-quantity', status: 'in-stock', quantity: 7 },
    ]).expect(200);
    expect(body.updated_skus).toEqual(['by-quantity', 'by-both', 'empty']);
    const candidates = await createCandidateReader(sql)(['by-quantity', 'by-both', 'empty']);
    const { stock } = candidates.find(({ uid }) => uid === 'prints-ohio')!;
    expect(stock).toMatchObject({
      'by-quantity': { available: 7 },
      'by-both': { available: 4 },
      empty: { available: 0 },
    });
    const refused = await push([{ SKU: 'by-both', status: 'in-stock', quantity: 4, amount: 5 }]).expect(400);
    expect(refused.body).toEqual({ error: 'items[0].quantity: quantity and amount must be equal' });
  });

  test('100 items are accepted, 101 are refused', async () => {
    const items = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ SKU: `many-${index}`, status: 'in-stock' }));
    const { body } = await push(items(100)).expect(200);
    expect(body.updated_skus).toHaveLength(100);
    await push(items(101)).expect(400);
  });

  test('twenty concurrent reports of the same SKUs do not deadlock', async () => {
    const skus = Array.from({ length: 50 }, (_, index) => `rush-${index}`);
    const pushes = Array.from({ length: 20 }, (_, turn) => {
      const items = skus.map((SKU) => ({ SKU, status: 'in-stock', amount: turn }));
      return push(turn % 2 ? items : items.reverse());
    });
    for (const { status } of await Promise.all(pushes)) expect(status).toBe(200);
  });

  test('only partners that are set up may push', async () => {
    const unset = await testAccount(sql, 'partner');
    await push([{ SKU: 'x', status: 'in-stock' }], unset).expect(409);
  });
});
