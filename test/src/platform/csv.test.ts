import fc from 'fast-check';
import { CsvError, type CsvRecord, readCsv } from '../../../src/platform/csv';

async function all<T>(records: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = [];
  for await (const record of records) read.push(record);
  return read;
}
const csv = async (...chunks: string[]): Promise<[number, ...string[]][]> =>
  (await all<CsvRecord>(readCsv(chunks))).map(({ line, cells }) => [line, ...cells]);

test.each([
  [
    'a,b\n1,2\n',
    [
      [1, 'a', 'b'],
      [2, '1', '2'],
    ],
  ],
  [
    'a,b\r\n1,2',
    [
      [1, 'a', 'b'],
      [2, '1', '2'],
    ],
  ],
  [
    '\uFEFFa\nx',
    [
      [1, 'a'],
      [2, 'x'],
    ],
  ],
  ['"a ""quoted"" word","b,c"\n', [[1, 'a "quoted" word', 'b,c']]],
  [
    '"two\nlines",x\nlast',
    [
      [1, 'two\nlines', 'x'],
      [3, 'last'],
    ],
  ],
  [
    'a,,\n,\n',
    [
      [1, 'a', '', ''],
      [2, '', ''],
    ],
  ],
  ['\n\r\na\n\n', [[3, 'a']]],
  ['""\n', [[1, '']]],
  ['5" pipe\n', [[1, '5" pipe']]],
  ['', []],
])('%j is read as %j', async (text, records) => {
  expect(await csv(text)).toEqual(records);
});

test.each([
  ['"never closed\nx', 1],
  ['a\n"b"c\n', 2],
])('%j is refused with its line', async (text, line) => {
  await expect(csv(text)).rejects.toThrow(CsvError);
  await expect(csv(text)).rejects.toThrow(`line ${line}`);
});

/** Splits text into chunks at random places. */
const chunked = (text: fc.Arbitrary<string>) =>
  text.chain((whole) =>
    fc.array(fc.nat(whole.length)).map((cuts) => {
      const places = [0, ...cuts.sort((a, b) => a - b), whole.length];
      return { whole, chunks: places.slice(1).map((end, at) => whole.slice(places[at], end)) };
    }),
  );

test('any table is read back as written, for any chunks', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é', '😀') });
  const table = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 6 });
  const written = table.map((rows) => ({
    rows,
    text: rows.map((cells) => cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(',')).join('\r\n'),
  }));
  await fc.assert(
    fc.asyncProperty(
      written.chain(({ rows, text }) => chunked(fc.constant(text)).map(({ chunks }) => ({ rows, chunks }))),
      async ({ rows, chunks }) => {
        expect((await csv(...chunks)).map(([, ...cells]) => cells)).toEqual(rows);
      },
    ),
  );
});

test('a table with another delimiter is read with it', async () => {
  expect((await all<CsvRecord>(readCsv(['a;"b;c";1,5'], ';'))).map(({ cells }) => cells)).toEqual([
    ['a', 'b;c', '1,5'],
  ]);
});
