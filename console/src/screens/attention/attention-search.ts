import * as z from 'zod/mini';
import { keyOf, text } from '../../routing/search-params';
import * as texts from '../../texts';
import { REASONS } from '../../texts/names';

/** The filter and the order of the list. */
export const attentionSearch = z.object({
  reason: keyOf(REASONS),
  clientId: text,
  partnerId: text,
  sort: keyOf(texts.attention.sorts),
});
export type AttentionSearch = z.infer<typeof attentionSearch>;
