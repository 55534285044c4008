import fc from 'fast-check';
import { boundedValue, cleanJson, cleanText, cleanValue, cutText } from '../../../../src/platform/domain/foreign-text';

const EMOJI = '\u{1f600}';
const anyText = fc.string({ unit: 'binary' });
/** Strings with halves of surrogate pairs and U+0000. */
const oddText = fc
  .array(fc.oneof(fc.constantFrom('\ud83d', '\ude00', '\0', EMOJI, '\\', '"', 'u0000', '\\ud83d'), anyText))
  .map((parts) => parts.join(''));

const isClean = (text: string) => text.isWellFormed() && !text.includes('\0');

test.each([
  ['half of a pair', 'Wartung \ud83d', 'Wartung \ufffd'],
  ['the second half of a pair', '\ude00 x', '\ufffd x'],
  ['U+0000', 'a\0b', 'a\ufffdb'],
  ['an emoji', EMOJI, EMOJI],
])('%s', (_what, text, clean) => {
  expect(cleanText(text)).toBe(clean);
  expect(JSON.parse(cleanJson(JSON.stringify(text)))).toBe(clean);
});

test('a text is cut between code points, never within a pair', () => {
  const text = `${'x'.repeat(499)}${EMOJI}y`;
  expect(cutText(text, 500)).toBe(`${'x'.repeat(499)}${EMOJI}`);
  expect(cutText(text, 499)).toBe('x'.repeat(499));
  expect(cutText(text, 501)).toBe(text);
  expect(cutText(text, 500, '[…]')).toBe(`${'x'.repeat(497)}[…]`);
});

test('escaped backslashes and escaped pairs in JSON remain', () => {
  expect(JSON.parse(cleanJson('"\\\\ud83d \\ud83d\\ude00 \\uD83D\\uDE00 \\\\\\u0000"'))).toBe(
    `\\ud83d ${EMOJI} ${EMOJI} \\\ufffd`,
  );
  expect(JSON.parse(cleanJson('"\\ud83d\\ud83d\\ude00"'))).toBe(`\ufffd${EMOJI}`);
});

test('any text becomes clean, and a clean text remains', () => {
  fc.assert(
    fc.property(oddText, fc.nat(50), (text, limit) => {
      expect(isClean(cleanText(text))).toBe(true);
      const cut = cutText(text, limit);
      expect(isClean(cut)).toBe(true);
      expect([...cut]).toEqual([...cleanText(text)].slice(0, limit));
    }),
  );
});

test('parsing clean JSON gives the clean strings of any value', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ stringUnit: 'binary' }),
      fc.dictionary(fc.string(), oddText, { noNullPrototype: true }),
      (value, odd) => {
        const whole = JSON.parse(JSON.stringify([value, odd])) as unknown;
        const parsed = JSON.parse(cleanJson(JSON.stringify(whole))) as unknown;
        expect(parsed).toEqual(cleanValue(whole, Number.POSITIVE_INFINITY));
      },
    ),
  );
});

test('a value of another system has bounded depth, size and texts', () => {
  const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown;
  expect(JSON.stringify(boundedValue(deep, 10))).toBe('[[[[[[[["…"]]]]]]]]');
  const wide = Array.from({ length: 1_000 }, () => ({ message: 'x'.repeat(1_000) }));
  expect(JSON.stringify(boundedValue(wide, 10)).length).toBeLessThan(10_000);
  expect(boundedValue({ errors: [{ field: 'zip', message: 'a\0b' }], code: 4, more: null }, 10)).toEqual({
    errors: [{ field: 'zip', message: 'a\ufffdb' }],
    code: 4,
    more: null,
  });
});
