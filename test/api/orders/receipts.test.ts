import request from 'supertest';
import { readCsv } from '../../../src/platform/csv';
import { type TestStack, testStack } from '../../support/stack';
import { addressIn, poster } from '../../workflows/order/client-orders';
import { accepted } from '../../workflows/order/order-fixture';

/** The books: lines of receipts, their filters, their export and their sums. */

let stack: TestStack;
const month = new Date().toISOString().slice(0, 7);

async function invoiced(orderReferenceId: string, country: keyof typeof addressIn, of: object = {}): Promise<string> {
  const { id } = await stack.client.submitOrder({
    body: {
      orderReferenceId,
      currency: 'EUR',
      shippingAddress: { ...addressIn[country], ...of },
      items: [poster(stack, { quantity: 3 })],
    } as never,
  });
  await accepted(stack, id);
  return id;
}

const cents = (amount: number) => Math.round(amount * 100);
const sumOf = (rows: readonly { net: number; tax: number; gross: number }[], name: 'net' | 'tax' | 'gross') =>
  rows.reduce((sum, row) => sum + cents(row[name]), 0);
const lines = async (query: object = {}) =>
  (await stack.client.listReceipts({ query: { month, limit: 250, ...query } })).lines;

let german: string;
let french: string;

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
  german = await invoiced('german', 'DE');
  french = await invoiced('french', 'FR');
  await invoiced('business', 'FR', { companyName: 'SA', isBusiness: true, federalTaxId: 'FR40303265045' });
  await stack.client.cancelOrder({
    params: { orderId: german },
    body: { items: [{ itemReferenceId: 'poster', quantity: 1 }] },
  });
  await stack.client.updateShipment({ params: { orderId: french }, body: { shippingAddress: addressIn.DE } as never });
});

test('each line of an invoice and a refund is a row with its country and rate; sums agree with the rows to the cent', async () => {
  const all = await lines();
  const { receipts } = await stack.client.getOrder({ params: { orderId: german } });
  expect(receipts.map(({ type }) => type)).toEqual(expect.arrayContaining(['invoice', 'refund']));
  for (const receipt of receipts) {
    const own = all.filter(({ receiptNumber }) => receiptNumber === receipt.receiptNumber);
    expect(own).toHaveLength(receipt.items.length);
    expect([sumOf(own, 'net'), sumOf(own, 'tax'), sumOf(own, 'gross')]).toEqual(
      [receipt.total, receipt.totalVat, receipt.totalInclVat].map(cents),
    );
    expect(own[0]).toMatchObject({ orderReferenceId: 'german', country: 'DE', treatment: 'taxed', rate: 0.19 });
  }
  // Another address moves what is open to the other country: the old invoice is refunded there.
  expect(sumOf(await lines({ country: 'FR', rate: 0.2 }), 'gross')).toBe(0);
  const reversed = await lines({ country: 'FR', rate: 0 });
  expect(new Set(reversed.map(({ treatment }) => treatment))).toEqual(new Set(['reverse_charge']));

  const { sums } = await stack.client.sumReceipts({ query: { month } });
  expect(sums.map(({ country, treatment, rate }) => [country, treatment, rate])).toEqual([
    ['DE', 'taxed', 0.19],
    ['FR', 'taxed', 0.2],
    ['FR', 'reverse_charge', 0],
  ]);
  for (const sum of sums) {
    const own = await lines({ country: sum.country, rate: sum.rate });
    expect(['net', 'tax', 'gross'].map((name) => sumOf(own, name as 'net'))).toEqual(
      [sum.net, sum.tax, sum.gross].map(cents),
    );
    expect(sum.receipts).toBe(new Set(own.map(({ receiptNumber }) => receiptNumber)).size);
  }
  const { sums: refunds } = await stack.client.sumReceipts({ query: { month, type: 'refund' } });
  expect(refunds.every(({ gross }) => gross < 0)).toBe(true);
});

test('pages follow each other without a gap; a month without receipts is empty', async () => {
  const all = await lines();
  const paged = [];
  for (let cursor: string | undefined; ; ) {
    const page = await stack.client.listReceipts({ query: { month, limit: 2, ...(cursor ? { cursor } : {}) } });
    paged.push(...page.lines);
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  expect(paged).toEqual(all);
  expect(await lines({ month: '2020-01' })).toEqual([]);
  await expect(stack.client.listReceipts({ query: { month: '2020-13' } })).rejects.toMatchObject({ status: 400 });
});

test('the export has one row for each line, and no cell with JSON', async () => {
  const all = await lines();
  const { apiKey } = stack.credentials.operator;
  const { text } = await request(stack.baseUrl)
    .get('/v1/receipts')
    .query({ month, format: 'csv' })
    .set('X-API-KEY', apiKey)
    .expect(200);
  const records: (readonly string[])[] = [];
  for await (const { cells } of readCsv([text])) records.push(cells);
  const [names, ...rest] = records;
  const rows = rest.map((cells) => Object.fromEntries(names!.map((name, index) => [name, cells[index]!])));
  expect(
    rows.map(({ receiptNumber, net, tax, gross }) => [receiptNumber, Number(net), Number(tax), Number(gross)]),
  ).toEqual(all.map(({ receiptNumber, net, tax, gross }) => [receiptNumber, net, tax, gross]));
  expect(Object.values(rows[0]!).filter((cell) => /^[[{]/.test(cell))).toEqual([]);
});

test('operators read the receipts of all clients or of one; a client reads its own, whatever it asks for', async () => {
  const other = await stack.operator.createClient({ body: { name: 'other-shop' } });
  const of = async (clientId?: string) =>
    (await stack.operator.listReceipts({ query: { month, limit: 250, ...(clientId ? { clientId } : {}) } })).lines;
  const all = await lines();
  expect(await of()).toEqual(all);
  expect(await of(other.id)).toEqual([]);
  expect(await lines({ clientId: other.id })).toEqual(all);
  const { body } = await request(stack.baseUrl)
    .get('/v1/receipts/sums')
    .query({ month })
    .set('X-API-KEY', `${other.apiKey}:${other.apiSecret}`)
    .expect(200);
  expect(body).toEqual({ sums: [] });
});
