import fc from 'fast-check';
import { CsvError, type CsvRecord, readCsv, readJsonObjects } from '../../../src/catalog/import-lines';

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

test('JSON objects are split from an array or from lines, for any chunks', async () => {
  const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 6 });
  const form = fc.constantFrom(
    (list: object[]) => JSON.stringify(list),
    (list: object[]) => JSON.stringify(list, null, 2),
    (list: object[]) => list.map((entry) => JSON.stringify(entry)).join('\n'),
  );
  await fc.assert(
    fc.asyncProperty(
      fc
        .tuple(objects, form)
        .chain(([list, write]) => chunked(fc.constant(write(list))).map(({ chunks }) => ({ list, chunks }))),
      async ({ list, chunks }) => {
        const read = await all(readJsonObjects(chunks));
        expect(read.map(({ text }) => JSON.parse(text) as object)).toEqual(JSON.parse(JSON.stringify(list)));
      },
    ),
  );
});

test('text between objects is returned separately, with its line', async () => {
  expect(await all(readJsonObjects(['{"a":1}\nrubbish\n{"b":', '2}\n{"open']))).toEqual([
    { line: 1, text: '{"a":1}' },
    { line: 2, text: 'rubbish' },
    { line: 3, text: '{"b":2}' },
    { line: 4, text: '{"open' },
  ]);
});
