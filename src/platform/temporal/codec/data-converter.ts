import type { DataConverter } from '@temporalio/common';
import { encryptionCodec } from './encryption-codec';
import type { PayloadKey } from './payload-keys';

/**
 * Returns the data converter of clients and workers: it encrypts payloads when keys are configured.
 * Search attributes are never encrypted, because Temporal searches by them.
 */
export function dataConverterOf(keys: readonly PayloadKey[] | undefined): DataConverter | undefined {
  const [current, ...older] = keys ?? [];
  if (current === undefined) return undefined;
  return {
    payloadCodecs: [encryptionCodec([current, ...older])],
    failureConverterPath: require.resolve('./encoded-failures'),
  };
}
