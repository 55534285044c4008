import request from 'supertest';
import { createApp } from '../../../api/app';
import { exchangeRateRoutes } from '../../../api/procurement/rates';
import { testAccount, testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';

const letter = (n: number) => String.fromCharCode(65 + Math.floor(n));

it('loaded exchange rates apply from their day on', async () => {
  const { sql } = await testDatabase();
  const deps = await testApiDeps(sql);
  const app = createApp(deps, exchangeRateRoutes(deps));
  const operator = await testAccount(sql, 'operator');
  const get = (path: string) => request(app).get(path).set(operator.key);
  const put = (date: string, perEuro: object) =>
    request(app).put(`/v1/exchange-rates/${date}`).set(operator.key).send({ perEuro });
  await put('2026-04-01', { PLN: '4.30' }).expect(200);
  await put('2026-05-01', { PLN: '4.50' }).expect(200);
  expect((await get('/v1/exchange-rates/2026-04-30').expect(200)).body).toMatchObject({
    date: '2026-04-30',
    perEuro: { PLN: '4.30', USD: '1.17' },
  });
  await put('2026-05-01', { PLN: '0' }).expect(400);
  await put('2026-05-01', { zloty: '4' }).expect(400);
  await put('soon', { PLN: '4' }).expect(400);
  // One request has at most 200 currencies, a day any number.
  const currencies = (first: string) =>
    Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`${first}${letter(n / 26)}${letter(n % 26)}`, '1']));
  await put('2026-06-01', { ...currencies('X'), ...currencies('Y') }).expect(400);
  await put('2026-06-01', currencies('X')).expect(200);
  const { body } = await put('2026-06-01', currencies('Y')).expect(200);
  expect(Object.keys(body.perEuro).length).toBeGreaterThan(300);
});
