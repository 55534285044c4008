import fc from 'fast-check';
import { formatUid, matchUid, parseTemplate, type UidTemplate } from '../../../../src/catalog/domain/product-uid';

function template(text: string): UidTemplate {
  const parsed = parseTemplate(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.template;
}
const accepting =
  (values: Record<string, readonly string[]>, custom: readonly string[] = []) =>
  (id: string) => ({
    values: new Set(values[id]),
    custom: custom.includes(id) ? {} : null,
  });

test('a template is parsed in order', () => {
  expect(template('card_pf_{format}_{orientation}.x')).toMatchObject({
    prefix: 'card_pf_',
    attributeIds: ['format', 'orientation'],
  });
});

test('values that contain the separator are matched by the existing values', () => {
  const uid = template('p_{a}_{b}');
  const accepted = accepting({ a: ['x', 'x_y'], b: ['z', 'y_z'] });
  expect(matchUid(uid, 'p_x_y_z', accepted)).toMatchObject({ ok: true });
  expect(matchUid(uid, 'p_x_y_z', accepting({ a: ['x'], b: ['y_z'] }))).toEqual({
    ok: true,
    values: { a: 'x', b: 'y_z' },
  });
  expect(matchUid(uid, 'p_x_y_z', accepting({ a: ['x_y'], b: ['z'] }))).toEqual({
    ok: true,
    values: { a: 'x_y', b: 'z' },
  });
});

test('an ordinary value takes precedence over custom input', () => {
  const uid = template('book_{pages}_{cover}');
  const accepted = accepting({ pages: ['24'], cover: ['matt'] }, ['pages']);
  expect(matchUid(uid, 'book_24_matt', accepted)).toMatchObject({ ok: true, values: { pages: '24' } });
  expect(matchUid(uid, 'book_36_matt', accepted)).toMatchObject({ ok: true, values: { pages: '36' } });
  expect(matchUid(uid, 'book__matt', accepted)).toMatchObject({ ok: false, attributeId: 'pages' });
  expect(matchUid(uid, 'book_36_shiny', accepted)).toMatchObject({ ok: false, attributeId: 'cover' });
});

test('any values formatted into a template are matched again', () => {
  const ids = ['a', 'b', 'c', 'd'];
  const value = fc.string({ unit: fc.constantFrom('x', '1', '_', '-', '.'), minLength: 1, maxLength: 6 });
  const cases = fc.record({
    separators: fc.tuple(...ids.map(() => fc.constantFrom('_', '-', '_k_', '.'))),
    values: fc.tuple(...ids.map(() => fc.uniqueArray(value, { minLength: 1, maxLength: 5 }))),
    pick: fc.tuple(...ids.map(() => fc.nat(4))),
  });
  fc.assert(
    fc.property(cases, ({ separators, values, pick }) => {
      const uid = template(ids.map((id, at) => `${at === 0 ? 'p' : ''}${separators[at]}{${id}}`).join(''));
      const table = Object.fromEntries(ids.map((id, at) => [id, values[at]!]));
      const chosen = Object.fromEntries(ids.map((id, at) => [id, values[at]![pick[at]! % values[at]!.length]!]));
      const text = formatUid(uid, chosen);
      const match = matchUid(uid, text, accepting(table));
      // Values that contain separators allow several matches. Each formats to the same productUid.
      expect(match.ok && formatUid(uid, match.values)).toBe(text);
      if (match.ok) for (const id of ids) expect(table[id]).toContain(match.values[id]);
    }),
  );
});

test('a productUid that is ambiguous at every position is refused quickly', () => {
  const uid = template('p_{a}_{b}_{c}_{d}_{e}_{f}_{g}_{h}_end');
  const started = performance.now();
  const match = matchUid(uid, `p_${'x_'.repeat(240)}`, accepting({}, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']));
  expect(match.ok).toBe(false);
  // Without remembered dead ends there are about 10^13 paths.
  expect(performance.now() - started).toBeLessThan(60_000);
});

test.each([
  ['p_x_y', 'c', true],
  ['p_x_y_', 'c', true],
  ['p_x', 'b', true],
  ['p_x_y_k', 'c', true],
  ['p_', 'a', true],
  ['p_x_y_k_q', 'c', false],
  ['p_q_y_k_z', 'a', false],
  ['p_x_q_k_z', 'b', false],
])('%s names attribute %s (missing: %s)', (text, attributeId, isMissing) => {
  const accepted = accepting({ a: ['x'], b: ['y'], c: ['z'] });
  expect(matchUid(template('p_{a}_{b}_k_{c}'), text, accepted)).toEqual({ ok: false, attributeId, isMissing });
});
