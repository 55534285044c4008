import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { randomToken } from '../ids';
import { assertObjectKey, deleteEach, type ObjectStore } from './object-store';

/** Age at which an unfinished write counts as abandoned. */
const STALE_WRITE_MS = 24 * 60 * 60 * 1000;
/** Files that are deleted at the same time. */
const DELETIONS = 8;

/**
 * Stores objects as files in `folder/data` and their content types as JSON in `folder/meta`.
 * A write goes to `folder/partial` and is renamed when it is complete and on disk, first the content type, then the bytes.
 * After a crash at any moment an object exists with both or not at all.
 */
export async function createFolderStore(folder: string): Promise<ObjectStore> {
  const partial = join(folder, 'partial');
  await mkdir(partial, { recursive: true });
  await removeStaleWrites(partial);

  const dataPath = (key: string) => join(folder, 'data', assertObjectKey(key));
  const metaPath = (key: string) => join(folder, 'meta', `${assertObjectKey(key)}.json`);

  const contentTypeOf = async (key: string): Promise<string> => {
    const { contentType } = JSON.parse(await readFile(metaPath(key), 'utf8')) as { contentType: string };
    return contentType;
  };

  return {
    async put(key, body, { contentType }) {
      const [data, meta] = [dataPath(key), metaPath(key)];
      const unfinished = join(partial, randomToken(12));
      try {
        const size = await writeDurably(unfinished, body);
        await writeFile(`${unfinished}.json`, JSON.stringify({ contentType }));
        await Promise.all([data, meta].map((path) => mkdir(dirname(path), { recursive: true })));
        await rename(`${unfinished}.json`, meta);
        await rename(unfinished, data);
        return { size };
      } catch (error) {
        await Promise.all([unfinished, `${unfinished}.json`].map((path) => rm(path, { force: true })));
        throw error;
      }
    },

    async get(key, range) {
      const handle = await open(dataPath(key), 'r').catch(nullWhenMissing);
      if (handle === null) return null;
      try {
        const { size } = await handle.stat();
        const part = range === undefined ? {} : { start: range.start, end: range.end - 1 };
        return {
          size: range === undefined ? size : range.end - range.start,
          contentType: await contentTypeOf(key),
          body: handle.createReadStream(part),
        };
      } catch (error) {
        await handle.close();
        throw error;
      }
    },

    async stat(key) {
      const found = await stat(dataPath(key)).catch(nullWhenMissing);
      return found === null ? null : { size: found.size, contentType: await contentTypeOf(key) };
    },

    async delete(keys) {
      for (const key of keys) assertObjectKey(key);
      await deleteEach(
        keys,
        DELETIONS,
        (key) => [key],
        async (key) => {
          await rm(dataPath(key), { force: true });
          await rm(metaPath(key), { force: true });
        },
      );
    },

    async directLink() {
      return null;
    },
  };
}

async function writeDurably(path: string, body: Readable | Uint8Array): Promise<number> {
  const handle = await open(path, 'wx');
  try {
    let size = 0;
    const chunks = body instanceof Readable ? body : [body];
    for await (const chunk of chunks as AsyncIterable<Uint8Array>) {
      await handle.writeFile(chunk);
      size += chunk.length;
    }
    await handle.sync();
    return size;
  } finally {
    await handle.close();
  }
}

function nullWhenMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

async function removeStaleWrites(partial: string): Promise<void> {
  const before = Date.now() - STALE_WRITE_MS;
  for (const name of await readdir(partial)) {
    const path = join(partial, name);
    const found = await stat(path).catch(nullWhenMissing);
    if (found !== null && found.mtimeMs < before) await rm(path, { force: true });
  }
}
