import { open, readFile } from 'node:fs/promises';

const CHUNK_BYTES = 1024 * 1024;
/** Bytes at the end of a chunk that are read again with the next one: no keyword is longer. */
const OVERLAP_BYTES = 16;
/** Bytes of a dictionary that are looked at. A palette of 256 colours in hexadecimal has 1.5 kB. */
const DICTIONARY_BYTES = 4096;

const START = 'stream';
const END = 'endstream';

/**
 * Returns the bytes of a PDF with zeros in place of the data of its images. Images are most of a print file, and nothing
 * measured depends on their data. Memory pages of zeros that nobody has written take no memory.
 *
 * An encrypted file is returned as it is, because its data is decrypted with its objects, as are images of JPEG 2000, whose
 * colours stand in their data, and a file whose last image has no end.
 */
export async function readStructure(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const structure = Buffer.alloc(size);
    const chunk = Buffer.allocUnsafe(Math.min(size, CHUNK_BYTES));
    let inImage = false;
    /** End of the last keyword. A dictionary stands behind it, so that each byte is looked at once. */
    let keywordEnd = 0;
    for (let at = 0; at < size; ) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
      const bytes = chunk.subarray(0, bytesRead);
      const isLast = at + bytesRead >= size;
      if (bytesRead === 0 || bytes.includes('/Encrypt')) return await readFile(path);
      const known = isLast ? bytesRead : Math.max(1, bytesRead - OVERLAP_BYTES);
      let done = 0;
      while (done < known) {
        const found: number = bytes.indexOf(inImage ? END : START, done);
        if (inImage) {
          inImage = found === -1;
          done = inImage ? known : found;
        } else {
          const end = found === -1 ? known : found + START.length;
          bytes.copy(structure, at + done, done, end);
          if (found !== -1) {
            inImage = isImage(structure.subarray(Math.max(keywordEnd, at + found - DICTIONARY_BYTES), at + found));
            keywordEnd = at + end;
          }
          done = end;
        }
      }
      at += done;
    }
    return inImage ? await readFile(path) : structure;
  } finally {
    await file.close();
  }
}

/** Returns true when the dictionary at the end of these bytes describes an image (ISO 32000-1, 8.9.5). */
function isImage(bytes: Buffer): boolean {
  const before = bytes.toString('latin1');
  const start = before.lastIndexOf(' obj');
  if (start === -1) return false;
  const dictionary = before.slice(start);
  return (
    />>\s*$/.test(dictionary) && /\/Subtype\s*\/Image\b/.test(dictionary) && !/\/(Form|JPXDecode)\b/.test(dictionary)
  );
}
