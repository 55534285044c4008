import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** The stored form of an answer that contains a secret. */
export interface SealedAnswer {
  /** base64 of IV (12 bytes), tag (16) and AES-256-GCM ciphertext of the JSON text. */
  readonly sealed: string;
}

function sealingKey(apiKey: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', apiKey, '', 'pressline stored answer', 32));
}

/**
 * Encrypts an answer with a key derived from the caller's API key. The database stores only a hash of that key, so the
 * table reveals no secret; a caller that repeats the request with the same API key gets the same answer.
 */
export function sealAnswer(apiKey: string, answer: unknown): SealedAnswer {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', sealingKey(apiKey), iv);
  const text = Buffer.concat([cipher.update(JSON.stringify(answer), 'utf8'), cipher.final()]);
  return { sealed: Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64') };
}

/** Decrypts an answer. Returns undefined when it was sealed with another API key. */
export function openAnswer(apiKey: string, { sealed }: SealedAnswer): unknown {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', sealingKey(apiKey), bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  try {
    const text = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
