import * as z from 'zod/mini';
import { keyOf, text } from '../../routing/search-params';
import * as texts from '../../texts';

/** The filters of the list. Without a state the list has the dead letters. */
export const outboxSearch = z.object({
  state: keyOf(texts.outbox.states),
  kind: keyOf(texts.outbox.kinds),
  target: text,
});
export type OutboxSearch = z.infer<typeof outboxSearch>;
