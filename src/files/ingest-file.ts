import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { FileFacts, FileProperties } from '../../packages/file-reader/facts';
import type { PreviewType, PrintFileType } from '../../packages/file-reader/file-types';
import type { Preview } from '../../packages/file-reader/inspection-entry';
import type { Rendering } from '../../packages/file-reader/inspection-process';
import type { FileInspector, InspectionRequest } from '../../packages/file-reader/inspector';
import type { SafeClient } from '../platform/http/safe-client';
import type { ObjectStore } from '../platform/objects/object-store';
import type { DiskBudget } from './disk-budget';
import { type FileFault, noDiskSpace, permanentFault, transientFault } from './domain/file-fault';
import { type Download, downloadFile } from './download';

export interface FileDeps {
  readonly client: SafeClient;
  readonly objects: ObjectStore;
  readonly inspector: FileInspector;
  /** Space in the work folder. */
  readonly disk: DiskBudget;
  /** Folder of this process for files that are being inspected (`openWorkFolder`). */
  readonly workFolder: string;
}

/** A file to download and inspect. */
export interface FileSource extends Omit<Download, 'path' | 'onBytes'> {
  /** The account whose file it is. It has a share of the disk, and turns at the inspector. */
  readonly client: string;
  /** A rule of the product about the properties of the file. Its fault refuses the file. */
  readonly refuse?: (properties: FileProperties) => FileFault | null;
  readonly countInspection?: InspectionRequest['countInspection'];
  readonly print?: InspectionRequest['print'];
}

export interface FileRequest extends FileSource {
  /** Key of the stored copy. Previews have the keys `<objectKey>.<preview type>`. */
  readonly objectKey: string;
  /** Key of the copy that another order has of the file. It is used, when it exists, instead of a download. */
  readonly copyOf?: string | null;
  readonly withPreviews: boolean;
}

export interface StoredPreview {
  readonly type: PreviewType;
  readonly objectKey: string;
  readonly mimeType: 'image/png' | 'image/jpeg';
}

export interface InspectedFile extends FileProperties {
  readonly ok: true;
  readonly mimeType: PrintFileType;
  readonly sizeBytes: number;
  readonly facts: FileFacts;
  readonly unrendered: Rendering['unrendered'];
}

export interface IngestedFile extends InspectedFile {
  readonly previews: readonly StoredPreview[];
}

/** A file that was read, in its temporary folder. */
interface OpenedFile {
  readonly path: string;
  /** True when it is the stored copy. */
  readonly isStored: boolean;
  readonly inspected: InspectedFile;
  readonly previews: readonly Preview[];
}

/**
 * Downloads a file, inspects it, and stores a copy with its previews. A refused file is not stored.
 * When the key is stored already, inspects the stored copy and downloads nothing.
 * @throws the reason of the signal when the caller aborts
 */
export async function ingestFile(deps: FileDeps, request: FileRequest): Promise<IngestedFile | FileFault> {
  const { objectKey, copyOf } = request;
  const copies = [objectKey, ...(copyOf == null ? [] : [copyOf])];
  return await withFile(deps, request, copies, async ({ path, isStored, inspected, previews }) => {
    const storedPreviews = await Promise.all(
      (request.withPreviews ? previews : []).map(async ({ type, contentType, bytes }) => {
        const previewKey = `${objectKey}.${type}`;
        await deps.objects.put(previewKey, bytes, { contentType });
        return { type, objectKey: previewKey, mimeType: contentType };
      }),
    );
    // The file is stored after its previews, so that every stored file has them.
    if (!isStored) {
      await deps.objects.put(objectKey, createReadStream(path), { contentType: inspected.mimeType });
    }
    return { ...inspected, previews: storedPreviews };
  });
}

/** Downloads a file and inspects it. Stores nothing. @throws the reason of the signal when the caller aborts */
export async function inspectFile(deps: FileDeps, request: FileSource): Promise<InspectedFile | FileFault> {
  return await withFile(deps, request, [], async ({ inspected }) => inspected);
}

/**
 * Downloads a file into a temporary folder, inspects it there, and removes it afterwards.
 * @param copies keys of stored copies that are used, when they exist, instead of a download
 * @param use is called with a file that is not refused
 */
async function withFile<T>(
  deps: FileDeps,
  request: FileSource,
  copies: readonly string[],
  use: (file: OpenedFile) => Promise<T>,
): Promise<T | FileFault> {
  // A cleaner of the temporary folder may have removed it.
  await mkdir(deps.workFolder, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(deps.workFolder, 'file-'));
  const { client, countInspection, print } = request;
  const space = deps.disk.open(client);
  const signal = AbortSignal.any([space.signal, ...(request.signal === undefined ? [] : [request.signal])]);
  try {
    const path = join(folder, 'content');
    let copied: Awaited<ReturnType<typeof copyStored>> = null;
    let copy = -1;
    while (copied === null && ++copy < copies.length)
      copied = await copyStored(deps.objects, copies[copy]!, path, { onBytes: space.add, signal });
    const local = copied ?? (await downloadFile(deps.client, { ...request, path, onBytes: space.add, signal }));
    if (!local.ok) return local;

    const { mimeType, sizeBytes, sha256 } = local;
    const inspection = await deps.inspector.inspect({
      ...{ client, signal, path, mimeType, sha256 },
      ...{ countInspection, print },
    });
    signal.throwIfAborted();
    if (!inspection.ok) {
      const { code, reason, isFinal, error } = inspection;
      return isFinal ? permanentFault(code, reason) : transientFault(reason, { code, error });
    }
    const { properties, facts, previews, unrendered } = inspection;
    const refusal = request.refuse?.(properties) ?? null;
    if (refusal !== null) return refusal;
    const inspected = { ok: true, mimeType, sizeBytes, ...properties, facts, unrendered } as const;
    return await use({ path, isStored: copied !== null && copy === 0, inspected, previews });
  } catch (error) {
    request.signal?.throwIfAborted();
    if (space.signal.aborted) return noDiskSpace();
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
    space.release();
  }
}

async function copyStored(
  objects: ObjectStore,
  key: string,
  path: string,
  { onBytes, signal }: { readonly onBytes: Download['onBytes']; readonly signal: AbortSignal },
) {
  const found = await objects.get(key);
  if (found === null) return null;
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const counted = async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      sizeBytes += chunk.length;
      hash.update(chunk);
      onBytes(chunk.length);
      yield chunk;
    }
  };
  await pipeline(found.body, counted, createWriteStream(path), { signal });
  return { ok: true as const, mimeType: found.contentType as PrintFileType, sizeBytes, sha256: hash.digest('hex') };
}

/** Longer than any download. */
const ABANDONED_MS = 24 * 60 * 60 * 1000;

/** Begin of the names of work folders. */
const PREFIX = 'pressline-files-';

/**
 * Creates a folder that only this process's user can enter, with a random name: other users of the machine can neither read
 * print files nor prepare a folder or a link in its place. Removes the folders that killed processes left.
 * @param parent the system's folder for temporary files
 * @returns the folder; the caller removes it at its end
 */
export async function openWorkFolder(parent: string = tmpdir()): Promise<string> {
  const before = Date.now() - ABANDONED_MS;
  for (const name of await readdir(parent)) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(parent, name);
    const found = await lstat(path).catch(() => null);
    if (found === null || !found.isDirectory()) continue;
    const isOurs = found.uid === (process.getuid?.() ?? found.uid);
    if (isOurs && found.mtimeMs < before) await rm(path, { recursive: true, force: true });
  }
  // mkdtemp creates the folder with the mode 0700.
  return await mkdtemp(join(parent, PREFIX));
}
