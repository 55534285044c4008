import { withComputedProperties } from '../../../../src/catalog/domain/computed-properties';

test.each([
  [{ hex: '#1f2a44' }, { rgb: 'rgb(31, 42, 68)', cmyk: 'cmyk(54%, 38%, 0%, 73%)' }],
  [{ color: '#FFF' }, { rgb: 'rgb(255, 255, 255)', cmyk: 'cmyk(0%, 0%, 0%, 0%)' }],
  [{ hex: '#000000' }, { rgb: 'rgb(0, 0, 0)', cmyk: 'cmyk(0%, 0%, 0%, 100%)' }],
  [
    { widthMm: 210, height_mm: '297' },
    { widthIn: 8.268, height_in: 11.693 },
  ],
  [{ widthMm: ' 210 ' }, { widthIn: 8.268 }],
])('%j adds %j', (properties, computed) => {
  expect(withComputedProperties(properties as never)).toEqual({ ...properties, ...computed });
});

test.each([
  [{ hex: '#12345' }],
  [{ hex: 'red' }],
  [{ hex: ['#ffffff'] }],
  [{ widthMm: 'wide', comm: 3, Mm: 4 }],
  [{ widthMm: '' }],
  [{ widthMm: ' \t ' }],
  [{ widthMm: '1e999' }],
])('%j adds nothing', (properties) => {
  expect(withComputedProperties(properties as never)).toEqual(properties);
});

test('a given property is never replaced', () => {
  expect(withComputedProperties({ hex: '#ff0000', rgb: 'warm', widthMm: 10, widthIn: 1 })).toMatchObject({
    rgb: 'warm',
    widthIn: 1,
  });
});
