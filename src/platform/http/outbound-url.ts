import { z } from 'zod';
import { checkOutboundUrl } from './address-check';

/** Returns the schema of an address that Pressline calls. @param allowPrivate whether plain http and private networks are allowed */
export const outboundUrl = (allowPrivate: boolean) =>
  z
    .string()
    .min(1)
    .max(2_000)
    .superRefine((url, context) => {
      const fault = url === '' ? undefined : checkOutboundUrl(url, allowPrivate);
      if (fault !== undefined) context.addIssue({ code: 'custom', message: fault.message });
    });

/** Returns a URL with its path and query replaced by `…`. Receivers of webhooks put tokens into them. Other text stays. */
export function withoutTokens(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return text;
  return url.pathname === '/' && url.search === '' && url.username === '' ? text : `${url.origin}/…`;
}
