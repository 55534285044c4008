import * as z from 'zod/mini';
import { keyOf } from '../../app/search-params';
import { texts } from '../../texts';
import { REASONS } from '../../texts/names';

/** The filter and the order of the list. */
export const attentionSearch = z.object({
  reason: keyOf(REASONS),
  sort: keyOf(texts.attention.sorts),
});
