/** The orders of the list of attention. `age`: the oldest first. */
export const SORTS = ['age', 'reason', 'newest'] as const;
export type AttentionSort = (typeof SORTS)[number];
