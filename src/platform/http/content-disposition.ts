/**
 * `Content-Disposition` with a file name of any script (RFC 6266): an ASCII stand-in for old readers and the
 * exact name in RFC 8187 form. Quotes, control characters and path separators never get through.
 */
export function contentDisposition(disposition: 'inline' | 'attachment', fileName: string): string {
  const plain = fileName.replace(/[\p{Cc}\p{Cs}\\/"]/gu, '_');
  const ascii = plain.replace(/[^\x20-\x7e]/g, '_').replace(/%/g, '_');
  const exact = encodeURIComponent(plain).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${disposition}; filename="${ascii}"; filename*=UTF-8''${exact}`;
}
