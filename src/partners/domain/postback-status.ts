/** What partners report about print orders. */
export const POSTBACK_STATUSES = ['received', 'error', 'printed', 'shipped', 'cancelled'] as const;
export type PostbackStatus = (typeof POSTBACK_STATUSES)[number];
