import { createHmac } from 'node:crypto';
import { equalBytes } from '../ids';

/** What a signed link gives access to. */
export interface LinkTarget {
  /** Key in the object store. */
  readonly objectKey: string;
  readonly contentType: string;
  /** Name a browser saves it under. */
  readonly fileName: string;
}

/** Seven days, the validity of shipping documents' links (interface "Limits"); also S3's longest presigned link. */
export const DOCUMENT_LINK_SECONDS = 7 * 24 * 60 * 60;

/** Makes and checks links that end at a time and cannot be altered. */
export interface LinkSigner {
  /** @returns an absolute URL under the API's public address, valid for `seconds` from `now` */
  sign(target: LinkTarget, options: { seconds: number; now?: Date }): string;
  /** @returns what a link's token leads to, or why it leads nowhere */
  open(
    token: string,
    now?: Date,
  ): { ok: true; target: LinkTarget } | { ok: false; reason: 'invalid' | 'expired' };
}

interface Claims {
  k: string;
  t: string;
  n: string;
  e: number;
}

/**
 * Links of the form `{publicUrl}/documents/{payload}.{HMAC-SHA256}/{fileName}`; both parts base64url.
 * The token alone decides: the file name at the end is for the reader's eyes and tools.
 */
export function createLinkSigner(options: { secret: string; publicUrl: string }): LinkSigner {
  const signature = (payload: string) =>
    createHmac('sha256', options.secret).update(`link:${payload}`).digest();
  return {
    sign({ objectKey, contentType, fileName }, { seconds, now = new Date() }) {
      const claims: Claims = {
        k: objectKey,
        t: contentType,
        n: fileName,
        e: Math.floor(now.getTime() / 1000) + seconds,
      };
      const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
      const token = `${payload}.${signature(payload).toString('base64url')}`;
      return `${options.publicUrl}/documents/${token}/${encodeURIComponent(fileName)}`;
    },
    open(token, now = new Date()) {
      const [payload, mac, ...rest] = token.split('.');
      if (!payload || !mac || rest.length > 0) return { ok: false, reason: 'invalid' };
      // As text: base64url has spare bits and skips foreign characters, so that altered text can decode to equal bytes.
      const expected = signature(payload).toString('base64url');
      if (!equalBytes(Buffer.from(mac), Buffer.from(expected))) return { ok: false, reason: 'invalid' };
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Claims;
      if (claims.e * 1000 <= now.getTime()) return { ok: false, reason: 'expired' };
      return { ok: true, target: { objectKey: claims.k, contentType: claims.t, fileName: claims.n } };
    },
  };
}
