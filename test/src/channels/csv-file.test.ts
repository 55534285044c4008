import fc from 'fast-check';
import type { ArrivedOrder } from '../../../src/channels/adapter';
import { ordersOf, surveyFile, withErrors } from '../../../src/channels/csv-file';
import { type CsvRaw, csvSettings } from '../../../src/channels/domain/csv-order';

/** How a file is written is detected, its rows are grouped by order, and its errors are written beside them. */

const settings = csvSettings.parse({});

async function read(content: Buffer): Promise<ArrivedOrder[]> {
  const survey = await surveyFile(content, settings, 'a.csv');
  const orders: ArrivedOrder[] = [];
  for await (const order of ordersOf(content, survey, settings, { id: 'file', name: 'a.csv' })) orders.push(order);
  return orders;
}
const linesOf = (order: ArrivedOrder | undefined) => (order!.raw as CsvRaw).lines;
const TABLE = [
  ['orderReferenceId', 'shippingAddress.lastName'],
  ['1', 'Müller; "Ö", & €'],
];
const written = (delimiter: string, rows = TABLE) =>
  rows.map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(delimiter)).join('\r\n');

test.each<[string, Buffer]>([
  ['commas', Buffer.from(written(','))],
  ['semicolons', Buffer.from(written(';'))],
  ['tabs', Buffer.from(written('\t'))],
  ['a byte order mark', Buffer.from(`\uFEFF${written(';')}`)],
  ['UTF-16', Buffer.from(`\uFEFF${written('\t')}`, 'utf16le')],
])('a file with %s is read', async (_name, content) => {
  expect(linesOf((await read(content))[0])).toEqual([
    { line: 2, fields: { orderReferenceId: '1', 'shippingAddress.lastName': 'Müller; "Ö", & €' } },
  ]);
});

test('a file in Windows-1252 is read', async () => {
  const content = Buffer.concat([
    Buffer.from('orderReferenceId,note\n1,M'),
    Buffer.from([0xfc, 0x80]),
    Buffer.from('\n'),
  ]);
  expect(linesOf((await read(content))[0])[0]!.fields.note).toBe('Mü€');
});

test('rows are grouped by order wherever they are, each order once', async () => {
  const references = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(references, async (rows) => {
      const orders = await read(
        Buffer.from(`orderReferenceId,n\n${rows.map((name, at) => `${name},${at + 1}`).join('\n')}\n`),
      );
      expect(orders.map(({ externalId }) => externalId).sort()).toEqual([...new Set(rows)].sort());
      for (const order of orders) {
        const own = rows.flatMap((name, at) => (name === order.externalId ? [String(at + 1)] : []));
        expect(linesOf(order).map(({ fields }) => fields.n)).toEqual(own);
      }
    }),
  );
});

test('the content of an order is that of its fields, not of other columns or its place', async () => {
  const header = 'orderReferenceId,items.sku,items.quantity,Status';
  const [first] = await read(Buffer.from(`${header}\n1,x,1,open\n`));
  const [moved] = await read(Buffer.from(`${header}\n0,x,1,open\n1,x,1,done\n`).subarray(0)).then((orders) =>
    orders.slice(1),
  );
  const [changed] = await read(Buffer.from(`${header}\n1,x,2,open\n`));
  expect(moved!.contentSha256).toEqual(first!.contentSha256);
  expect(changed!.contentSha256).not.toEqual(first!.contentSha256);
});

test('errors are written in a column of their own, and other cells as they were', async () => {
  const content = Buffer.from('orderReferenceId;name\n=1+1;"a ""b"""\n2;x\n');
  const lines: string[] = [];
  for await (const text of withErrors(content, new Map([[2, '=bad']]))) lines.push(text);
  expect(lines.join('')).toBe('\uFEFF"orderReferenceId";"name";"error"\r\n"=1+1";"a ""b""";"\'=bad"\r\n"2";"x";""\r\n');
});
