import { create } from 'content-disposition';

/**
 * Returns a `Content-Disposition` header with a file name of any script (RFC 6266, RFC 8187).
 * Quotes, control characters and path separators are replaced, so that no file name can leave its folder.
 */
export function contentDisposition(disposition: 'inline' | 'attachment', fileName: string): string {
  const name = fileName.replace(/[\p{Cc}\p{Cs}\\/"]/gu, '_');
  return create(name, { type: disposition, fallback: name.replace(/[^\x20-\x7e]|%/g, '_') });
}
