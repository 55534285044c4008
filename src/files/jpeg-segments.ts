/** A marker segment of a JPEG (ITU-T T.81, B.1.1), with its data behind the length. */
export interface JpegSegment {
  readonly marker: number;
  readonly data: Buffer;
}

export const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;

/** Walks from marker to marker up to the end of the image: metadata and data behind the image can contain the same bytes. */
export function* jpegSegments(jpeg: Buffer): Generator<JpegSegment> {
  let at = 2;
  while (at + 4 <= jpeg.length) {
    const marker = jpeg[at + 1]!;
    if (jpeg[at] !== 0xff || marker === END_OF_IMAGE) return;
    if (marker === 0xff) {
      // A fill byte.
      at += 1;
      continue;
    }
    const end = at + 2 + jpeg.readUInt16BE(at + 2);
    yield { marker, data: jpeg.subarray(at + 4, end) };
    at = marker === START_OF_SCAN ? nextMarker(jpeg, end) : end;
  }
}

/** Returns the position of the first marker in or after pixel data, where 0xff is followed by 0 or a restart marker. */
function nextMarker(jpeg: Buffer, from: number): number {
  for (let at = jpeg.indexOf(0xff, from); at !== -1; at = jpeg.indexOf(0xff, at + 1)) {
    const code = jpeg[at + 1];
    const isRestart = code !== undefined && code >= 0xd0 && code <= 0xd7;
    if (code !== 0 && !isRestart) return at;
  }
  return jpeg.length;
}
