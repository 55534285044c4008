import fc from 'fast-check';
import { readJsonObjects } from '../../../src/catalog/import-lines';

async function all<T>(records: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = [];
  for await (const record of records) read.push(record);
  return read;
}

/** Splits text into chunks at random places. */
const chunked = (text: fc.Arbitrary<string>) =>
  text.chain((whole) =>
    fc.array(fc.nat(whole.length)).map((cuts) => {
      const places = [0, ...cuts.sort((a, b) => a - b), whole.length];
      return { whole, chunks: places.slice(1).map((end, at) => whole.slice(places[at], end)) };
    }),
  );

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
