import { createHmac } from 'node:crypto';
import { equalBytes } from '../ids';
import { parseNamedList, uniquelyNamed } from '../sealing/named-keys';

export interface LinkTarget {
  readonly objectKey: string;
  readonly contentType: string;
  readonly fileName: string;
}

/** Seven days: the validity of links to shipping documents (docs/shipping.md), and S3's longest presigned link. */
export const DOCUMENT_LINK_SECONDS = 7 * 24 * 60 * 60;

/** Creates and verifies links that expire and cannot be altered. */
export interface LinkSigner {
  /** @returns an absolute URL under the API's public base URL, valid for `seconds` from `now` */
  sign(target: LinkTarget, options: { seconds: number; now?: Date }): string;
  /** @returns the object of a link's token, or the reason why the token is not valid */
  open(token: string, now?: Date): { ok: true; target: LinkTarget } | { ok: false; reason: 'invalid' | 'expired' };
}

interface Claims {
  k: string;
  t: string;
  n: string;
  e: number;
}

/**
 * Creates links of the form `{publicUrl}/documents/{payload}.{HMAC-SHA256}.{key id}/{fileName}`, payload and HMAC in base64url.
 * A key without an id leaves out the last part. Only the token is verified. The file name at the end is informative.
 * @param options.keys the first one signs. A token without a key id is verified with every key: its key had no id then
 */
export function createLinkSigner(options: { keys: LinkKeys; publicUrl: string }): LinkSigner {
  const { keys, publicUrl } = options;
  const signature = (secret: string, payload: string) =>
    createHmac('sha256', secret).update(`link:${payload}`).digest().toString('base64url');
  return {
    sign({ objectKey, contentType, fileName }, { seconds, now = new Date() }) {
      const claims: Claims = {
        k: objectKey,
        t: contentType,
        n: fileName,
        e: Math.floor(now.getTime() / 1000) + seconds,
      };
      const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
      const [key] = keys;
      const token = [payload, signature(key.secret, payload), ...(key.id === null ? [] : [key.id])].join('.');
      return `${publicUrl}/documents/${token}/${encodeURIComponent(fileName)}`;
    },
    open(token, now = new Date()) {
      const [payload, mac, keyId, ...rest] = token.split('.');
      if (!payload || !mac || rest.length > 0) return { ok: false, reason: 'invalid' };
      // Compares text, not bytes: base64url has unused bits and ignores foreign characters, so altered text can decode to equal bytes.
      const isSigned = keys
        .filter(({ id }) => keyId === undefined || id === keyId)
        .some(({ secret }) => equalBytes(Buffer.from(mac), Buffer.from(signature(secret, payload))));
      if (!isSigned) return { ok: false, reason: 'invalid' };
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Claims;
      if (claims.e * 1000 <= now.getTime()) return { ok: false, reason: 'expired' };
      return { ok: true, target: { objectKey: claims.k, contentType: claims.t, fileName: claims.n } };
    },
  };
}

interface LinkKey {
  /** In the token of the link. Null for a secret without an id, whose tokens have none. */
  readonly id: string | null;
  /** At least 32 characters. */
  readonly secret: string;
}

export type LinkKeys = readonly [LinkKey, ...LinkKey[]];

/** A secret without an id. */
const SECRET = /^(?![A-Za-z0-9_-]{1,64}:[^,:]+$)[^,]{32,}$/;

/** Parses `id:secret,id2:secret2`, or one secret without an id. Returns undefined for any other text. */
export function parseLinkKeys(text: string): LinkKeys | undefined {
  if (SECRET.test(text)) return [{ id: null, secret: text }];
  const entries = parseNamedList(text, /^([A-Za-z0-9_-]{1,64}):([^,:]{32,})$/);
  return uniquelyNamed(entries?.map(([id, secret]) => ({ id, secret })));
}
