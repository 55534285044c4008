import { join } from 'node:path';
import type { Config } from '../config';
import { TransferError } from '../http/responses';
import type { Metrics } from '../metrics/metrics';
import { createFolderStore } from './folder-store';
import type { ObjectStore } from './object-store';
import { createS3Store } from './s3-store';

/** Opens the object store of the configuration: the bucket `S3_BUCKET`, or the folder `objects` in `DATA_DIR`. */
export async function createObjectStore(
  config: Pick<Config, 'DATA_DIR' | 'S3_BUCKET' | 'S3_ENDPOINT' | 'S3_REGION' | 'S3_FORCE_PATH_STYLE'>,
): Promise<ObjectStore> {
  if (config.S3_BUCKET === undefined) return createFolderStore(join(config.DATA_DIR, 'objects'));
  return createS3Store({
    bucket: config.S3_BUCKET,
    region: config.S3_REGION,
    endpoint: config.S3_ENDPOINT,
    forcePathStyle: config.S3_FORCE_PATH_STYLE,
  });
}

/** Returns a store that counts its failures as `pressline_errors_total{where="file_store"}`. The caller handles and logs them. */
export function measuredStore(store: ObjectStore, metrics: Metrics): ObjectStore {
  const where = { where: 'file_store' };
  metrics.count('pressline_errors_total', where, 0);
  const counted = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      // A body that breaks off, or that the caller aborts, is no fault of the store.
      const { name } = error as { name?: unknown };
      if (!(error instanceof TransferError) && name !== 'AbortError') metrics.count('pressline_errors_total', where);
      throw error;
    }
  };
  return {
    put: (key, body, options) => counted(store.put(key, body, options)),
    get: (key, range) => counted(store.get(key, range)),
    stat: (key) => counted(store.stat(key)),
    delete: (keys) => counted(store.delete(keys)),
    directLink: (key, options) => counted(store.directLink(key, options)),
  };
}
