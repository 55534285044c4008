import * as z from 'zod/mini';
import { flag, keyOf, text } from '../../routing/search-params';
import { PARCEL_STATUSES } from '../../texts/names';

/** The search and the filters of the lists. */
export const shipmentsSearch = z.object({ q: text, problem: flag, status: keyOf(PARCEL_STATUSES) });
export type ShipmentsSearch = z.infer<typeof shipmentsSearch>;
