import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { SafeClient } from '../platform/http/safe-client';
import type { ObjectStore } from '../platform/objects/object-store';
import type { FileFacts, PreviewType, PrintFileType } from './domain/file-facts';
import { type FileFault, lastingFault } from './domain/file-fault';
import { downloadFile } from './download';
import type { FileInspector } from './inspector';

export interface FileDeps {
  readonly client: SafeClient;
  readonly objects: ObjectStore;
  readonly inspector: FileInspector;
  /** Where files lie while they are looked into (`openWorkFolder`); processes may share it. */
  readonly workFolder: string;
}

export interface FileWanted {
  readonly url: string;
  /** Where our copy goes; previews go beside it, as `<objectKey>.<preview type>`. */
  readonly objectKey: string;
  readonly limitBytes: number;
  readonly accept?: readonly PrintFileType[];
  /** A rule of the product's over what the file turns out to be: its fault refuses the file before it is kept. */
  readonly refuse?: (facts: FileFacts) => FileFault | null;
  readonly withPreviews: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called now and then while it goes on, with the bytes fetched. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
}

export interface StoredPreview {
  readonly type: PreviewType;
  readonly objectKey: string;
  readonly mimeType: 'image/png' | 'image/jpeg';
}

export interface TakenFile extends FileFacts {
  readonly ok: true;
  readonly mimeType: PrintFileType;
  readonly sizeBytes: number;
  readonly previews: readonly StoredPreview[];
}

/**
 * Fetches a file, looks into it, and keeps a copy with its previews. What is refused never reaches the store.
 * Asked again for a key that is stored already, it looks into the stored copy and does not fetch.
 * @throws the signal's reason when the caller ends it
 */
export async function ingestFile(deps: FileDeps, wanted: FileWanted): Promise<TakenFile | FileFault> {
  const folder = await mkdtemp(join(deps.workFolder, 'file-'));
  try {
    const path = join(folder, 'content');
    const stored = await copyStored(deps.objects, wanted.objectKey, path);
    const local = stored ?? (await downloadFile(deps.client, { ...wanted, path }));
    if (!local.ok) return local;

    const inspection = await deps.inspector.inspect({
      path,
      mimeType: local.mimeType,
      sha256: local.sha256,
    });
    wanted.signal?.throwIfAborted();
    if (!inspection.ok) return lastingFault('file_unreadable', inspection.reason);
    const { facts } = inspection;
    const refusal = wanted.refuse?.(facts) ?? null;
    if (refusal !== null) return refusal;

    const previews = wanted.withPreviews ? inspection.previews : [];
    const kept = await Promise.all(
      previews.map(async ({ type, contentType, bytes }) => {
        const objectKey = `${wanted.objectKey}.${type}`;
        await deps.objects.put(objectKey, bytes, { contentType });
        return { type, objectKey, mimeType: contentType };
      }),
    );
    // Last, so that a stored file has its previews.
    if (stored === null) {
      await deps.objects.put(wanted.objectKey, createReadStream(path), { contentType: local.mimeType });
    }
    return { ok: true, mimeType: local.mimeType, sizeBytes: local.sizeBytes, ...facts, previews: kept };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function copyStored(objects: ObjectStore, key: string, path: string) {
  const found = await objects.get(key);
  if (found === null) return null;
  await pipeline(found.body, createWriteStream(path));
  const { size } = await stat(path);
  return {
    ok: true as const,
    mimeType: found.contentType as PrintFileType,
    sizeBytes: size,
    sha256: undefined,
  };
}

/** Older than any download can last. */
const ABANDONED_MS = 24 * 60 * 60 * 1000;

/** Makes the work folder and clears away what killed processes left in it. @returns the folder */
export async function openWorkFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const before = Date.now() - ABANDONED_MS;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    if (found !== null && found.mtimeMs < before) await rm(path, { recursive: true, force: true });
  }
  return folder;
}
