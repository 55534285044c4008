import { hkdfSync } from 'node:crypto';
import { decrypt, encrypt } from '../platform/sealing/aes-gcm';

/** The stored form of an answer that contains a secret. */
export interface SealedAnswer {
  /** base64 of the encrypted JSON text (AES-256-GCM). */
  readonly sealed: string;
}

const CONTEXT = 'pressline stored answer';

export function isSealed(body: unknown): body is SealedAnswer {
  return typeof (body as { sealed?: unknown } | null)?.sealed === 'string';
}

function sealingKey(apiKey: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', apiKey, '', CONTEXT, 32));
}

/**
 * Encrypts an answer with a key derived from the caller's API key. The database stores only a hash of that key, so the
 * table reveals no secret; a caller that repeats the request with the same API key gets the same answer.
 */
export function sealAnswer(apiKey: string, answer: unknown): SealedAnswer {
  const text = Buffer.from(JSON.stringify(answer));
  return { sealed: encrypt(sealingKey(apiKey), text, CONTEXT).toString('base64') };
}

/** Decrypts an answer. Returns undefined when it was sealed with another API key. */
export function openAnswer(apiKey: string, { sealed }: SealedAnswer): unknown {
  try {
    const text = decrypt(sealingKey(apiKey), Buffer.from(sealed, 'base64'), CONTEXT);
    return JSON.parse(text.toString('utf8'));
  } catch {
    return undefined;
  }
}
