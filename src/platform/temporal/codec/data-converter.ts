import type { DataConverter } from '@temporalio/common';
import type { KeyRing } from '../../sealing/named-keys';
import { encryptionCodec } from './encryption-codec';

/**
 * Returns the data converter of clients and workers. It makes texts clean, and encrypts payloads when keys are configured.
 * Search attributes are never encrypted, because Temporal searches by them.
 */
export function dataConverterOf(keys: KeyRing | undefined): DataConverter {
  return {
    payloadConverterPath: require.resolve('./payloads'),
    failureConverterPath: require.resolve(keys === undefined ? './workflow-failures' : './encoded-failures'),
    payloadCodecs: keys === undefined ? [] : [encryptionCodec(keys)],
  };
}
