import { open } from 'node:fs/promises';

/** Returns the last lines of a log file, for error messages. Returns an empty text when the file does not exist. */
export async function lastLines(path: string, lines = 12): Promise<string> {
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return '';
  try {
    const { size } = await file.stat();
    const length = Math.min(size, 16_384);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString('utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } finally {
    await file.close();
  }
}
