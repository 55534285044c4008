import { openImage } from '../open-image';
import { sampleImage } from './samples';

/** The picture of an image shows it as it is printed. The left half of the images is red, their right half blue. */

const RED = [255, 0, 0, 255];
const BLUE = [0, 0, 255, 255];
const EMPTY = [0, 0, 0, 0];

async function drawn(image: readonly [number, number], print: Parameters<ReturnType<typeof openImage>['render']>[1]) {
  const opened = openImage(sampleImage('png', ...image, 'blue'), 'image/png');
  const { canvas } = (await opened.render(200, print))!;
  const at = (x: number, y: number) => [
    ...canvas
      .getContext('2d')
      .getImageData(Math.floor(x * (canvas.width - 1)), Math.floor(y * (canvas.height - 1)), 1, 1).data,
  ];
  const row = [0.01, 0.2, 0.4, 0.6, 0.8, 0.99].map((x) => at(x, 0.5));
  return { size: [canvas.width, canvas.height], row, top: at(0.1, 0.01) };
}

describe('an image of another shape than its print', () => {
  const square = { widthMm: 90, heightMm: 90 };

  test('fills the print, and two of its sides are cut off', async () => {
    const { size, row, top } = await drawn([800, 400], { ...square, fitMethod: 'cover' });
    expect({ size, row, top }).toEqual({ size: [200, 200], row: [RED, RED, RED, BLUE, BLUE, BLUE], top: RED });
  });

  test('is whole inside of the print, and two sides are empty', async () => {
    const wide = await drawn([800, 400], { ...square, fitMethod: 'contain' });
    expect(wide).toMatchObject({ size: [200, 200], row: [RED, RED, RED, BLUE, BLUE, BLUE], top: EMPTY });
    const high = await drawn([400, 800], { ...square, fitMethod: 'contain' });
    expect(high).toMatchObject({ size: [200, 200], row: [EMPTY, EMPTY, RED, BLUE, EMPTY, EMPTY] });
  });

  test('is distorted to the print', async () => {
    const { size, row, top } = await drawn([400, 800], { ...square, fitMethod: 'stretch' });
    expect({ size, row, top }).toEqual({ size: [200, 200], row: [RED, RED, RED, BLUE, BLUE, BLUE], top: RED });
  });
});

test.each(['contain', 'cover', 'stretch'] as const)(
  'an image of nearly the shape of its print fills it (%s)',
  async (fitMethod) => {
    expect(await drawn([800, 403], { widthMm: 200, heightMm: 100, fitMethod })).toMatchObject({
      size: [200, fitMethod === 'cover' ? 100 : expect.closeTo(100.5, -0.1)],
      top: RED,
    });
  },
);

test('an image is not enlarged, whatever the size of its print', async () => {
  expect(await drawn([100, 50], { widthMm: 900, heightMm: 900, fitMethod: 'cover' })).toMatchObject({ size: [50, 50] });
  expect(await drawn([100, 50], null)).toMatchObject({ size: [100, 50] });
});

test('a JPEG has a picture without transparency, unless its sides are empty', async () => {
  const jpeg = openImage(sampleImage('jpeg', 400, 200), 'image/jpeg');
  const square = { widthMm: 90, heightMm: 90 };
  for (const fitMethod of ['cover', 'stretch', 'contain'] as const)
    expect(await jpeg.render(200, { ...square, fitMethod })).toMatchObject({ opaque: fitMethod !== 'contain' });
});
