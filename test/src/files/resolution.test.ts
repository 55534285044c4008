import { printDpi } from '../../../src/files/domain/content-checks';

describe('the resolution at print size', () => {
  it('is in dots per inch, rounded down', () => {
    expect(printDpi({ widthPx: 2480, heightPx: 3508 }, { widthMm: 210, heightMm: 297 })).toBe(299);
    expect(printDpi({ widthPx: 3000, heightPx: 3000 }, { widthMm: 254, heightMm: 254 })).toBe(300);
  });
  it('is that of the direction with the lower resolution', () => {
    expect(printDpi({ widthPx: 3000, heightPx: 1000 }, { widthMm: 254, heightMm: 254 })).toBe(100);
  });
  it('rotates the image to match the print', () => {
    expect(printDpi({ widthPx: 3508, heightPx: 2480 }, { widthMm: 210, heightMm: 297 })).toBe(299);
  });
});
