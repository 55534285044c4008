/**
 * The quotas of a client. The configuration, the settings of clients, the check, the console and docs/limits.md take them from
 * this table. `limit`: the default of CLIENT_QUOTAS; 0 is no limit. `retryAfter`: seconds until a refused request can succeed,
 * for a quota that requests alone do not use up.
 */
export const QUOTAS = {
  ordersPerMinute: { limit: 10_000, retryAfter: 60, counts: 'orders and drafts submitted within a minute' },
  ordersUnderWay: { limit: 100_000, retryAfter: 60, counts: 'orders that have neither shipped nor ended' },
  drafts: { limit: 10_000, retryAfter: 60, counts: 'drafts' },
  fileBytes: { limit: 1e12, retryAfter: 3_600, counts: 'bytes of stored print files and packing slips' },
  customerProducts: { limit: 10_000, retryAfter: 60, counts: 'customer products, archived ones included' },
  endpoints: { limit: 20, retryAfter: 60, counts: 'endpoints for notifications' },
  exports: { limit: 2, retryAfter: 5, counts: 'exports of lists at once, in each API process' },
} as const satisfies Record<string, { limit: number; retryAfter: number; counts: string }>;

export type QuotaName = keyof typeof QUOTAS;
export const QUOTA_NAMES = Object.keys(QUOTAS) as [QuotaName, ...QuotaName[]];

export type QuotaLimits = Readonly<Record<QuotaName, number>>;

export const MOST_OF_QUOTA = 1e15;

/** Returns limits with the defaults of the table where none is given. */
export function withDefaults(given: Partial<QuotaLimits>): QuotaLimits {
  return Object.fromEntries(QUOTA_NAMES.map((name) => [name, given[name] ?? QUOTAS[name].limit])) as QuotaLimits;
}
