import { MOST_OF_QUOTA, QUOTA_NAMES, type QuotaLimits, type QuotaName } from '../domain/quotas';
import { parseNamedList } from './named-list';

/**
 * Parses `drafts:500,exports:4`.
 * @returns undefined for any other text, an unknown quota, and a quota that is named twice
 */
export function parseClientQuotas(text: string): Partial<QuotaLimits> | undefined {
  const entries = parseNamedList(text, /^(\w+):(\d{1,16})$/);
  const isGood = entries?.every(
    ([name, limit]) => QUOTA_NAMES.includes(name as QuotaName) && Number(limit) <= MOST_OF_QUOTA,
  );
  const limits = Object.fromEntries((entries ?? []).map(([name, limit]) => [name, Number(limit)]));
  return isGood && Object.keys(limits).length === entries?.length ? limits : undefined;
}
