import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { METADATA_ENCODING_KEY, type Payload, type PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import type { PayloadKey } from './payload-keys';

const CIPHER = 'aes-256-gcm';
/** Nonce of 96 bits, which GCM uses without hashing (NIST SP 800-38D, 5.2.1.1), and a tag of full length. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
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
 * unchanged, so that workflows from before continue.
 * @param keys at least one; the first one encrypts
 */
export function encryptionCodec(keys: readonly [PayloadKey, ...PayloadKey[]]): PayloadCodec {
  const [current] = keys;
  const byId = new Map(keys.map(({ id, key }) => [id, key]));
  return {
    async encode(payloads) {
      return payloads.map((payload) => (isEncrypted(payload) ? payload : encrypt(current, payload)));
    },
    async decode(payloads) {
      return payloads.map((payload) => (isEncrypted(payload) ? decrypt(byId, payload) : payload));
    },
  };
}

const text = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString('utf8');

export function isEncrypted({ metadata }: Payload): boolean {
  return text(metadata?.[METADATA_ENCODING_KEY]) === ENCODING;
}

function encrypt({ id, key }: PayloadKey, payload: Payload): Payload {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(id));
  const ciphertext = [cipher.update(WirePayload.encode(payload).finish()), cipher.final()];
  return {
    metadata: { [METADATA_ENCODING_KEY]: Buffer.from(ENCODING), [KEY_ID]: Buffer.from(id) },
    data: Buffer.concat([nonce, ...ciphertext, cipher.getAuthTag()]),
  };
}

function decrypt(keys: ReadonlyMap<string, Buffer>, { metadata, data }: Payload): Payload {
  const id = text(metadata?.[KEY_ID]);
  const key = keys.get(id);
  if (key === undefined) {
    throw new UndecryptablePayload(`payload key ${JSON.stringify(id.slice(0, 64))} is not in PAYLOAD_KEYS`);
  }
  const sealed = Buffer.from(data ?? []);
  try {
    const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(id));
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    const ciphertext = sealed.subarray(NONCE_BYTES, -TAG_BYTES);
    return WirePayload.decode(Buffer.concat([decipher.update(ciphertext), decipher.final()]));
  } catch {
    throw new UndecryptablePayload(
      `a payload of key ${id} is damaged, or its key is another one of that name`,
    );
  }
}
