import type { DataConverter } from '@temporalio/common';
import { encryptionCodec } from './encryption-codec';
import type { PayloadKey } from './payload-keys';

/**
 * How a client or worker writes what Temporal keeps: encrypted with keys, plainly without.
 * Search attributes are never encrypted, since Temporal searches by them.
 */
export function dataConverterOf(keys: readonly PayloadKey[] | undefined): DataConverter | undefined {
  const [current, ...older] = keys ?? [];
  if (current === undefined) return undefined;
  return {
    payloadCodecs: [encryptionCodec([current, ...older])],
    failureConverterPath: require.resolve('./encoded-failures'),
  };
}
