import { readFileSync } from 'node:fs';
import { create, type Font } from 'fontkit';
import { fontPath, type Script } from '../../../src/documents/fonts';
import { TrueTypeFile, TrueTypeSubset } from '../../../src/documents/truetype-subset';

const TEXTS: Readonly<Record<Script, string>> = {
  latin: 'Große Köpenicker Straße ÅÇŐ Ελλάδα Київ ffi 0123',
  arabic: 'شارع الشيخ زايد',
  hebrew: 'רחוב דיזנגוף',
  thai: 'ถนนสุขุมวิท',
  japanese: '株式会社サンプル印刷東京都',
  korean: '강남대로서울특별시',
  chinese: '南京东路上海市黄浦区',
};

test.each(Object.entries(TEXTS) as [Script, string][])(
  'a subset of the %s font has the same outlines and widths',
  (script, text) => {
    const bytes = readFileSync(fontPath(script, 'regular'));
    const whole = create(bytes) as Font;
    const file = new TrueTypeFile(bytes);
    const subset = new TrueTypeSubset(file);
    const ids = whole.layout(text).glyphs.map(({ id }) => id);
    const places = ids.map((id) => subset.includeGlyph(id));

    const part = create(Buffer.from(subset.encode())) as Font;

    expect(part.numGlyphs).toBeLessThan(ids.length * 4 + 2);
    expect(part.unitsPerEm).toBe(whole.unitsPerEm);
    ids.forEach((id, index) => {
      const [original, copy] = [whole.getGlyph(id), part.getGlyph(places[index]!)];
      expect(copy.path.toSVG()).toBe(original.path.toSVG());
      expect(copy.advanceWidth).toBe(original.advanceWidth);
    });
  },
);

test('a glyph is included once, and the glyph for missing characters is always included', () => {
  const subset = new TrueTypeSubset(new TrueTypeFile(readFileSync(fontPath('latin', 'bold'))));

  expect([subset.includeGlyph(36), subset.includeGlyph(37), subset.includeGlyph(36), subset.includeGlyph(0)]).toEqual([
    1, 2, 1, 0,
  ]);
});
