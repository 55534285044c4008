import { hkdfSync } from 'node:crypto';
import { decrypt, encrypt } from '../platform/sealing/aes-gcm';

/** The stored form of a response that contains a secret. */
export interface SealedResponse {
  /** base64 of the encrypted JSON text (AES-256-GCM). */
  readonly sealed: string;
}

const CONTEXT = 'pressline stored response';

export function isSealed(body: unknown): body is SealedResponse {
  return typeof (body as { sealed?: unknown } | null)?.sealed === 'string';
}

function sealingKey(apiKey: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', apiKey, '', CONTEXT, 32));
}

/**
 * Encrypts a response with a key derived from the caller's API key. The database stores only a hash of that key, so the
 * table reveals no secret; a caller that repeats the request with the same API key gets the same response.
 */
export function sealResponse(apiKey: string, response: unknown): SealedResponse {
  const text = Buffer.from(JSON.stringify(response));
  return { sealed: encrypt(sealingKey(apiKey), text, CONTEXT).toString('base64') };
}

/** Decrypts a response. Returns undefined when it was sealed with another API key. */
export function openSealedResponse(apiKey: string, { sealed }: SealedResponse): unknown {
  try {
    const text = decrypt(sealingKey(apiKey), Buffer.from(sealed, 'base64'), CONTEXT);
    return JSON.parse(text.toString('utf8'));
  } catch {
    return undefined;
  }
}
