import * as z from 'zod/mini';
import { keyOf, text } from '../../routing/search-params';
import { DELIVERY_STATES } from '../../texts/names';

/** The endpoint and the filter of the deliveries. */
export const clientSearch = z.object({ endpoint: text, state: keyOf(DELIVERY_STATES) });
export type ClientSearch = z.infer<typeof clientSearch>;
