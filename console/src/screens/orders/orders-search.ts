import * as z from 'zod/mini';
import { keyOf, text } from '../../routing/search-params';
import { ORDER_STATUSES, REASONS } from '../../texts/names';

/** Attention as a filter: a reason, or `any`. */
export const ATTENTION = { any: null, ...REASONS };

/** The search and the filters of the list. */
export const ordersSearch = z.object({
  q: text,
  status: keyOf(ORDER_STATUSES),
  attention: keyOf(ATTENTION),
  country: text,
  clientId: text,
  partnerId: text,
  method: text,
  createdFrom: text,
  createdTo: text,
});
export type OrdersSearch = z.infer<typeof ordersSearch>;
