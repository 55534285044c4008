import * as z from 'zod/mini';
import { keyOf, text } from '../../routing/search-params';
import * as texts from '../../texts';

/** The month in UTC, YYYY-MM, and the filters. The rate is a decimal fraction. */
export const receiptsSearch = z.object({
  month: z.catch(z.optional(z.string().check(z.regex(/^[12]\d{3}-(0[1-9]|1[0-2])$/))), undefined),
  country: z.catch(z.optional(z.string().check(z.regex(/^[A-Z]{2}$/))), undefined),
  rate: z.catch(z.optional(z.string().check(z.regex(/^[01](\.\d{1,6})?$/))), undefined),
  type: keyOf(texts.receipts.types),
  clientId: text,
});
export type ReceiptsSearch = z.infer<typeof receiptsSearch>;
