import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import { clientRoutes } from '../../../api/clients';
import { receiptRoutes } from '../../../api/orders/receipts';
import type { Sql } from '../../../src/platform/postgres';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { binaryBody } from '../../support/binary-body';
import { testDatabase } from '../../support/database';
import { BUYER, LAST_MONTH, MIXED, REFUNDED, receiptsOfMonth, SELLER } from '../../support/rows/receipts-of-month';

/** Statements: what a client owes for the receipts of a month. test/src/documents validates their XML by the official rules. */

let sql: Sql;
let app: Express;
let operator: TestAccount;
let client: TestAccount;
let plain: TestAccount;

const issue = (body: object) => request(app).post('/v1/statements').set(operator.key).send(body);
const list = async (by: TestAccount, query: object = {}) =>
  (await request(app).get('/v1/statements').query(query).set(by.keyAndSecret).expect(200)).body.statements;
const file = (by: TestAccount, number: string, format: string) =>
  request(app).get(`/v1/statements/${number}`).query({ format }).set(by.keyAndSecret).buffer().parse(binaryBody);
const cents = (amount: number) => Math.round(amount * 100);

beforeAll(async () => {
  ({ sql } = await testDatabase());
  const deps = await testApiDeps(sql, { config: { SELLER } });
  app = createApp(deps, [...receiptRoutes(deps), ...clientRoutes(deps)]);
  operator = await testAccount(sql, 'operator');
  client = await testAccount(sql, 'client');
  plain = await testAccount(sql, 'client');
  await request(app).patch(`/v1/connectors/${client.id}`).set(operator.key).send(BUYER).expect(200);
  await receiptsOfMonth(sql, client.id, [...MIXED, { ...MIXED[0]!, currency: 'USD' }]);
  await receiptsOfMonth(sql, plain.id, REFUNDED);
});

test('the statements of a month that has not ended are refused, and without a seller all are', async () => {
  const month = new Date().toISOString().slice(0, 7);
  expect((await issue({ month }).expect(409)).body.message).toMatch(/not ended/);
  const deps = await testApiDeps(sql);
  const { body } = await request(createApp(deps, receiptRoutes(deps)))
    .post('/v1/statements')
    .set(operator.key)
    .send({ month: LAST_MONTH })
    .expect(409);
  expect(body.message).toMatch(/SELLER/);
});

test('each client has one statement for a month and a currency, which agrees with its receipts and stays as it is', async () => {
  expect((await issue({ month: LAST_MONTH }).expect(200)).body).toEqual({ issued: 3 });
  expect((await issue({ month: LAST_MONTH }).expect(200)).body).toEqual({ issued: 0 });
  const statements = await list(client);
  expect(statements.map(({ currency }: { currency: string }) => currency).sort()).toEqual(['EUR', 'USD']);
  for (const { currency, net, tax, gross } of statements) {
    const { sums } = (
      await request(app).get('/v1/receipts/sums').query({ month: LAST_MONTH }).set(client.keyAndSecret).expect(200)
    ).body;
    const of = (name: string) =>
      sums.reduce(
        (sum: number, row: Record<string, number | string>) =>
          row.currency === currency ? sum + cents(Number(row[name])) : sum,
        0,
      );
    expect([net, tax, gross].map(cents)).toEqual([of('net'), of('tax'), of('gross')]);
  }
  const changed = { billingEntity: { ...BUYER.billingEntity, city: 'Gent' } };
  await request(app).patch(`/v1/connectors/${client.id}`).set(operator.key).send(changed).expect(200);
  const { body } = await file(client, statements[0].number, 'ubl').expect(200);
  expect(body.toString()).toContain('<cbc:CityName>Antwerpen</cbc:CityName>');
  expect(body.toString()).toContain('Plakate &amp; Söhne &lt;NV&gt;');
  const audited = await sql`SELECT after FROM audit_log WHERE action = 'statements.issue' ORDER BY id`;
  expect(audited.map(({ after }) => after)).toMatchObject([{ issued: 3 }, { issued: 0 }]);
});

test('the CSV adds up to the statement, the PDF embeds the CII, and the same statement has the same bytes', async () => {
  const statement = (await list(client)).find(({ currency }: { currency: string }) => currency === 'EUR');
  const csv = (await file(client, statement.number, 'csv').expect(200)).body.toString().trimEnd().split('\r\n');
  const names = csv[0].split(',');
  const sum = csv
    .slice(1)
    .reduce((total: number, row: string) => total + cents(Number(row.split(',')[names.indexOf('gross')])), 0);
  expect(sum).toBe(cents(statement.gross));
  const pdf = await file(client, statement.number, 'pdf').expect(200);
  expect(pdf.headers).toMatchObject({
    'content-type': 'application/pdf',
    'content-disposition': `attachment; filename=statement-S${statement.number}.pdf`,
  });
  expect(pdf.body.toString('latin1')).toMatch(/factur-x\.xml/);
  const { body: again } = await file(client, statement.number, 'pdf').expect(200);
  expect(pdf.body.equals(again)).toBe(true);
});

test('a statement with more refunds is a credit note; XML that lacks something is refused with what it lacks', async () => {
  const [statement] = await list(plain);
  expect(statement).toMatchObject({ kind: 'credit_note', notCii: [expect.stringContaining('countryIsoCode')] });
  expect(statement.gross).toBeLessThan(0);
  for (const format of ['ubl', 'cii']) {
    const { body } = await file(plain, statement.number, format).expect(409);
    expect(JSON.parse(body.toString()).message).toContain('countryIsoCode');
  }
  await file(plain, statement.number, 'pdf').expect(200);
});

test('a client reads its own statements only', async () => {
  const [foreign] = await list(plain);
  for (const number of [foreign.number, `S${foreign.number}`, 'none']) await file(client, number, 'pdf').expect(404);
  await file(plain, `S${foreign.number}`, 'pdf').expect(200);
  expect(await list(client, { clientId: plain.id })).toEqual(await list(client));
  expect(await list(operator, { clientId: plain.id })).toEqual([foreign]);
  await request(app).post('/v1/statements').set(client.keyAndSecret).send({ month: LAST_MONTH }).expect(403);
});
