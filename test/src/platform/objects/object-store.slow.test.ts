import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { createObjectStore } from '../../../../src/platform/objects/create-object-store';
import type { ObjectStore } from '../../../../src/platform/objects/object-store';
import { type S3Server, startS3Server, wantsS3Server } from './s3-server';

const folder = mkdtempSync(join(tmpdir(), 'pressline-objects-'));
const TEXT = { contentType: 'text/plain' };
const s3Settings = {
  S3_REGION: 'us-east-1',
  S3_FORCE_PATH_STYLE: true,
  S3_ENDPOINT: undefined,
  S3_BUCKET: undefined,
};
let s3Server: S3Server | undefined;

const kinds: [string, () => Promise<ObjectStore>][] = [
  ['folder', () => createObjectStore({ DATA_DIR: folder, ...s3Settings })],
];
if (wantsS3Server()) {
  kinds.push([
    'S3',
    async () => {
      s3Server = await startS3Server();
      return createObjectStore({
        DATA_DIR: folder,
        ...s3Settings,
        S3_ENDPOINT: s3Server.endpoint,
        S3_BUCKET: 'pressline-objects',
      });
    },
  ]);
} else {
  console.warn('S3 conformance is not run: neither a built S3 server nor Go is here.');
}

afterAll(async () => {
  await s3Server?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function contentOf(store: ObjectStore, key: string): Promise<Buffer> {
  const found = await store.get(key);
  if (found === null) throw new Error(`${key} is not there`);
  return Buffer.concat(await found.body.toArray());
}

describe.each(kinds)('the %s object store', (kind, create) => {
  let store: ObjectStore;
  beforeAll(async () => {
    store = await create();
  }, 900_000);

  it('returns the bytes, the size and the content type', async () => {
    const bytes = randomBytes(10_000);
    expect(await store.put('labels/a/1.pdf', bytes, { contentType: 'application/pdf' })).toEqual({
      size: 10_000,
    });
    expect(await store.stat('labels/a/1.pdf')).toEqual({ size: 10_000, contentType: 'application/pdf' });
    const found = (await store.get('labels/a/1.pdf'))!;
    expect(found).toMatchObject({ size: 10_000, contentType: 'application/pdf' });
    expect(Buffer.concat(await found.body.toArray()).equals(bytes)).toBe(true);
  });

  it('returns a range of the bytes', async () => {
    const bytes = randomBytes(1_000);
    await store.put('files/part', bytes, TEXT);
    const found = (await store.get('files/part', { start: 100, end: 250 }))!;
    expect(found).toMatchObject({ size: 150, contentType: 'text/plain' });
    expect(Buffer.concat(await found.body.toArray()).equals(bytes.subarray(100, 250))).toBe(true);
  });

  it('stores a stream of unknown length, larger than one upload part', async () => {
    const chunks = Array.from({ length: 12 }, () => randomBytes(1_048_576));
    expect(await store.put('files/large', Readable.from(chunks), { contentType: 'image/png' })).toEqual({
      size: 12 * 1_048_576,
    });
    expect((await contentOf(store, 'files/large')).equals(Buffer.concat(chunks))).toBe(true);
  });

  it('stores an empty object', async () => {
    await store.put('files/empty', Readable.from([]), TEXT);
    expect(await store.stat('files/empty')).toEqual({ size: 0, contentType: 'text/plain' });
  });

  it('replaces an existing object', async () => {
    await store.put('files/twice', Buffer.from('first'), TEXT);
    await store.put('files/twice', Buffer.from('second one'), { contentType: 'image/jpeg' });
    expect(await store.stat('files/twice')).toEqual({ size: 10, contentType: 'image/jpeg' });
    expect((await contentOf(store, 'files/twice')).toString()).toBe('second one');
  });

  it('a body that ends with an error leaves nothing behind and keeps the existing object', async () => {
    const breaking = () =>
      Readable.from(
        (async function* () {
          yield randomBytes(6 * 1_048_576);
          throw new Error('the sender hung up');
        })(),
      );
    await expect(store.put('files/broken', breaking(), TEXT)).rejects.toThrow('hung up');
    expect(await store.stat('files/broken')).toBeNull();
    await store.put('files/whole', Buffer.from('whole'), TEXT);
    await expect(store.put('files/whole', breaking(), { contentType: 'image/png' })).rejects.toThrow('hung up');
    expect(await store.stat('files/whole')).toEqual({ size: 5, contentType: 'text/plain' });
  });

  it('returns null for a missing object, and deletes it without an error', async () => {
    expect(await store.get('files/none')).toBeNull();
    expect(await store.stat('files/none')).toBeNull();
    await store.delete(['files/none']);
    await store.put('files/doomed', Buffer.from('x'), TEXT);
    await store.delete(['files/doomed']);
    expect(await store.get('files/doomed')).toBeNull();
  });

  it('deletes more objects at once than one request of S3 takes', async () => {
    const keys = Array.from({ length: 1_001 }, (_, n) => `many/${n}`);
    const kept = [keys[0]!, keys[999]!, keys[1_000]!];
    for (const key of kept) await store.put(key, Buffer.from('x'), TEXT);
    await store.put('many/other', Buffer.from('x'), TEXT);
    await store.delete([]);
    await store.delete(keys);
    expect(await Promise.all(kept.map((key) => store.stat(key)))).toEqual([null, null, null]);
    expect(await store.stat('many/other')).not.toBeNull();
  });

  it('two concurrent writers of one key leave one complete object', async () => {
    const bodies = [Buffer.alloc(200_000, 'a'), Buffer.alloc(100_000, 'b')];
    await Promise.all(bodies.map((body) => store.put('files/raced', body, TEXT)));
    const left = await contentOf(store, 'files/raced');
    expect(bodies.some((body) => body.equals(left))).toBe(true);
  });

  it.each([
    '../escape',
    '/absolute',
    'a/../b',
    'a//b',
    '.hidden',
    'a/.b',
    '',
    'a/',
    'a\\b',
    'a\0b',
    'ü',
    'x'.repeat(129),
    `${'a/'.repeat(9)}b`,
  ])('refuses %p as a key', async (key) => {
    await expect(store.put(key, Buffer.from('x'), TEXT)).rejects.toThrow(RangeError);
    await expect(store.get(key)).rejects.toThrow(RangeError);
    await expect(store.stat(key)).rejects.toThrow(RangeError);
    await expect(store.delete([key])).rejects.toThrow(RangeError);
  });

  it('a direct link, which only S3 has, serves the object with the given name and type', async () => {
    await store.put('labels/linked', Buffer.from('%PDF-'), { contentType: 'application/octet-stream' });
    const link = await store.directLink('labels/linked', {
      seconds: 60,
      fileName: 'Étiquette 1.pdf',
      contentType: 'application/pdf',
    });
    expect(link === null).toBe(kind === 'folder');
    if (link === null) return;
    const response = await fetch(link);
    expect(await response.text()).toBe('%PDF-');
    expect(response.headers.get('content-type')).toBe('application/pdf');
    expect(response.headers.get('content-disposition')).toContain("filename*=UTF-8''%C3%89tiquette%201.pdf");
    expect((await fetch(link.replace(/X-Amz-Expires=60/, 'X-Amz-Expires=6000'))).status).toBe(403);
  });
});

const versioned = wantsS3Server() ? describe : describe.skip;
versioned('a bucket with versioning', () => {
  it('keeps nothing of a deleted object, and every version of its neighbours', async () => {
    const Bucket = 'pressline-versions';
    const store = await createObjectStore({
      DATA_DIR: folder,
      ...s3Settings,
      S3_ENDPOINT: s3Server!.endpoint,
      S3_BUCKET: Bucket,
    });
    const client = new S3Client({ region: 'us-east-1', endpoint: s3Server!.endpoint, forcePathStyle: true });
    await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }));
    const put = (key: string, text: string) => store.put(key, Buffer.from(text), TEXT);
    for (const text of ['first', 'second', 'third']) await put('files/erased', text);
    await put('files/erased.2', 'neighbour');
    const left = async () => {
      const { Versions = [], DeleteMarkers = [] } = await client.send(new ListObjectVersionsCommand({ Bucket }));
      return [...Versions, ...DeleteMarkers].map(({ Key }) => Key).sort();
    };
    expect(await left()).toEqual(['files/erased', 'files/erased', 'files/erased', 'files/erased.2']);
    await store.delete(['files/erased']);
    expect(await left()).toEqual(['files/erased.2']);
    // As an earlier deletion would have left it: hidden behind a delete marker.
    await put('files/erased', 'hidden');
    await client.send(new DeleteObjectCommand({ Bucket, Key: 'files/erased' }));
    await store.delete(['files/erased']);
    expect(await left()).toEqual(['files/erased.2']);
    client.destroy();
  }, 900_000);
});

describe('the folder store', () => {
  it('keeps objects across a restart and deletes abandoned writes', async () => {
    const store = await createObjectStore({ DATA_DIR: folder, ...s3Settings });
    await store.put('files/kept', Buffer.from('kept'), TEXT);
    const partial = join(folder, 'objects/partial');
    expect(await readdir(partial)).toEqual([]);
    await writeFile(join(partial, 'old'), 'x');
    await writeFile(join(partial, 'new'), 'x');
    await utimes(join(partial, 'old'), new Date(0), new Date(0));
    const again = await createObjectStore({ DATA_DIR: folder, ...s3Settings });
    expect(await readdir(partial)).toEqual(['new']);
    expect((await contentOf(again, 'files/kept')).toString()).toBe('kept');
  });
});
