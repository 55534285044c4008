import type { DataConverter } from '@temporalio/common';
import type { KeyRing } from '../../sealing/named-keys';
import { encryptionCodec } from './encryption-codec';

/**
 * Returns the data converter of clients and workers: it encrypts payloads when keys are configured.
 * Search attributes are never encrypted, because Temporal searches by them.
 */
export function dataConverterOf(keys: KeyRing | undefined): DataConverter | undefined {
  if (keys === undefined) return undefined;
  return {
    payloadCodecs: [encryptionCodec(keys)],
    failureConverterPath: require.resolve('./encoded-failures'),
  };
}
