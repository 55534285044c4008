import { Readable } from 'node:stream';
import {
  CreateBucketCommand,
  type DeletedObject,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListObjectVersionsCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { assertObjectKey, contentDisposition, deleteEach, type ObjectStore, ObjectsNotDeleted } from './object-store';

/** Objects of one request, and requests at the same time. */
const BATCH = 1_000;
const DELETIONS = 4;
/** The SDK's default is to wait for ever. A stalled connection is one without a byte in this time. In milliseconds. */
const TIMEOUTS = { connectionTimeout: 5_000, socketTimeout: 60_000 };

export interface S3StoreOptions {
  readonly bucket: string;
  readonly region: string;
  /** Endpoint of an S3-compatible server. Default: AWS. */
  readonly endpoint: string | undefined;
  readonly forcePathStyle: boolean;
}

/**
 * Stores objects in a bucket. Credentials come from the AWS SDK's standard chain (environment, profile, instance role).
 * Creates the bucket when it does not exist.
 * @throws S3ServiceException when the bucket neither exists nor can be created
 */
export async function createS3Store(options: S3StoreOptions): Promise<ObjectStore> {
  const { bucket: Bucket, region, endpoint, forcePathStyle } = options;
  const client = new S3Client({
    region,
    forcePathStyle,
    requestHandler: TIMEOUTS,
    ...(endpoint === undefined ? {} : { endpoint }),
    // Stores other than AWS often do not support the newer checksum headers.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  await ensureBucket(client, Bucket);

  return {
    async put(key, body, { contentType: ContentType }) {
      const input = { Bucket, Key: assertObjectKey(key), ContentType };
      if (!(body instanceof Readable)) {
        await client.send(new PutObjectCommand({ ...input, Body: body }));
        return { size: body.length };
      }
      let size = 0;
      const counted = async function* () {
        for await (const chunk of body as AsyncIterable<Uint8Array>) {
          size += chunk.length;
          yield chunk;
        }
      };
      // Multipart, so that a body of unknown length is never held in memory. A failure aborts the upload.
      const upload = new Upload({
        client,
        params: { ...input, Body: Readable.from(counted(), { objectMode: false }) },
        queueSize: 2,
        leavePartsOnError: false,
      });
      await upload.done();
      return { size };
    },

    async get(key, range) {
      try {
        const part = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end - 1}` };
        const found = await client.send(new GetObjectCommand({ Bucket, Key: assertObjectKey(key), ...part }));
        return { ...infoOf(found), body: found.Body as Readable };
      } catch (error) {
        return nullWhenMissing(error);
      }
    },

    async stat(key) {
      try {
        return infoOf(await client.send(new HeadObjectCommand({ Bucket, Key: assertObjectKey(key) })));
      } catch (error) {
        return nullWhenMissing(error);
      }
    },

    async delete(keys) {
      const batches: string[][] = [];
      for (const [index, key] of keys.entries()) {
        if (index % BATCH === 0) batches.push([]);
        batches.at(-1)!.push(assertObjectKey(key));
      }
      await deleteEach(
        batches,
        DELETIONS,
        (batch) => batch,
        async (batch) => {
          const Objects = batch.map((Key) => ({ Key }));
          for (const { Key, DeleteMarker } of await deleteObjects(client, Bucket, Objects)) {
            // The bucket keeps versions, and has hidden the object behind a delete marker.
            if (DeleteMarker) await deleteVersions(client, Bucket, Key!);
          }
        },
      );
    },

    async directLink(key, { seconds, fileName, contentType }) {
      const command = new GetObjectCommand({
        Bucket,
        Key: assertObjectKey(key),
        ResponseContentType: contentType,
        ResponseContentDisposition: contentDisposition('inline', fileName),
      });
      return getSignedUrl(client, command, { expiresIn: seconds });
    },
  };
}

/** Deletes objects or versions. @returns what was deleted @throws ObjectsNotDeleted when some are left */
async function deleteObjects(
  client: S3Client,
  Bucket: string,
  Objects: { Key: string; VersionId?: string | undefined }[],
): Promise<DeletedObject[]> {
  const { Errors = [], Deleted = [] } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  const [first] = Errors;
  if (first === undefined) return Deleted;
  const left = Errors.flatMap(({ Key }) => (Key === undefined ? [] : [Key]));
  throw new ObjectsNotDeleted(left, { cause: new Error(`${first.Code}: ${first.Message}`) });
}

/** Deletes every version of an object and its delete markers. The list begins with the keys that equal the prefix. */
async function deleteVersions(client: S3Client, Bucket: string, Key: string): Promise<void> {
  let after: { KeyMarker: string | undefined; VersionIdMarker: string | undefined } | undefined;
  do {
    const page = await client.send(new ListObjectVersionsCommand({ Bucket, Prefix: Key, ...after }));
    const found = [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])];
    const own = found.filter((version) => version.Key === Key);
    if (own.length > 0) {
      await deleteObjects(
        client,
        Bucket,
        own.map(({ VersionId }) => ({ Key, VersionId })),
      );
    }
    const more = page.IsTruncated && own.length === found.length;
    after = more ? { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker } : undefined;
  } while (after !== undefined);
}

const infoOf = ({ ContentLength, ContentType }: HeadObjectCommandOutput) => ({
  size: ContentLength ?? 0,
  contentType: ContentType ?? 'application/octet-stream',
});

function nullWhenMissing(error: unknown): null {
  if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404) return null;
  throw error;
}

async function ensureBucket(client: S3Client, Bucket: string): Promise<void> {
  try {
    await client.send(new HeadBucketCommand({ Bucket }));
  } catch (error) {
    nullWhenMissing(error);
    await client.send(new CreateBucketCommand({ Bucket })).catch((failure: unknown) => {
      // Another process created it first.
      if (!(failure instanceof S3ServiceException && failure.name === 'BucketAlreadyOwnedByYou')) throw failure;
    });
  }
}
