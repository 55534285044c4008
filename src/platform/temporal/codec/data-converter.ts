import { readFile } from 'node:fs/promises';
import {
  type DataConverter,
  encodingTypes,
  METADATA_ENCODING_KEY,
  type Payload,
  type PayloadCodec,
} from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { cutText } from '../../domain/foreign-text';
import type { KeyRing, NamedKey } from '../../sealing/named-keys';
import { decrypt, encrypt } from '../../sealing/named-keys';
import { ENCODES_FAILURES } from './failures';

/**
 * Returns the data converter of clients and workers. It makes texts clean, and encrypts payloads when keys are configured.
 * Search attributes are never encrypted, because Temporal searches by them.
 */
export function dataConverterOf(keys: KeyRing | undefined): DataConverter {
  return {
    payloadConverterPath: require.resolve('./payloads'),
    failureConverterPath: require.resolve(keys === undefined ? './failures' : './encoded-failures'),
    payloadCodecs: keys === undefined ? [] : [encryptionCodec(keys)],
  };
}

const ENCODING = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';

const { Payload: WirePayload } = temporal.api.common.v1;

/** A payload that was encrypted with a key that this process does not have, or that was altered. */
export class UndecryptablePayload extends Error {
  override readonly name = 'UndecryptablePayload';
}

/**
 * Encrypts every payload with its metadata. The stored payload contains `nonce | ciphertext | tag` and the name of its key. The
 * name is authenticated, so that a payload cannot be attributed to another key. Payloads that are not encrypted are read
 * unchanged, so that workflows continue when encryption is turned on. Null stays as it is: it has nothing to hide, and
 * the server recognizes by it the memo fields to remove.
 * @param keys at least one; the first one encrypts
 */
export function encryptionCodec(keys: KeyRing): PayloadCodec {
  const [current] = keys;
  const byId = new Map(keys.map(({ id, key }) => [id, key]));
  return {
    async encode(payloads) {
      return payloads.map((payload) =>
        isEncrypted(payload) || isNull(payload) ? payload : encryptPayload(current, payload),
      );
    },
    async decode(payloads) {
      return payloads.map((payload) => (isEncrypted(payload) ? decryptPayload(byId, payload) : payload));
    },
  };
}

const text = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString('utf8');

const encodingOf = ({ metadata }: Payload) => text(metadata?.[METADATA_ENCODING_KEY]);

const isEncrypted = (payload: Payload): boolean => encodingOf(payload) === ENCODING;

/** Returns true for a null without data. Other payloads with that encoding are encrypted. */
const isNull = (payload: Payload): boolean =>
  encodingOf(payload) === encodingTypes.METADATA_ENCODING_NULL && !payload.data?.length;

function encryptPayload({ id, key }: NamedKey, payload: Payload): Payload {
  return {
    metadata: { [METADATA_ENCODING_KEY]: Buffer.from(ENCODING), [KEY_ID]: Buffer.from(id) },
    data: encrypt(key, WirePayload.encode(payload).finish(), id),
  };
}

function decryptPayload(keys: ReadonlyMap<string, Buffer>, { metadata, data }: Payload): Payload {
  const id = text(metadata?.[KEY_ID]);
  const key = keys.get(id);
  if (key === undefined) {
    throw new UndecryptablePayload(`payload key ${JSON.stringify(cutText(id, 64))} is not in PAYLOAD_KEYS`);
  }
  try {
    return WirePayload.decode(decrypt(key, Buffer.from(data ?? []), id));
  } catch {
    throw new UndecryptablePayload(`a payload of key ${id} is damaged, or its key is another one of that name`);
  }
}

/**
 * Returns the workflow bundle for a worker. With encryption, workflow code also encodes the messages of its failures. It cannot read
 * the configuration, so a statement in front of the bundle tells it. A second bundle would double the build time.
 */
export async function bundleFor(
  keys: KeyRing | undefined,
  { codePath }: { readonly codePath: string },
): Promise<{ readonly codePath: string } | { readonly code: string }> {
  if (keys === undefined) return { codePath };
  return { code: `globalThis.${ENCODES_FAILURES} = true; ${await readFile(codePath, 'utf8')}` };
}
