import { join } from 'node:path';
import type { Config } from '../config';
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
