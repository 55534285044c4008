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
