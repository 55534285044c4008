import type { Sql } from '../platform/postgres';
import { readRunningTotals } from '../platform/running-totals';
import type { CandidatePartner } from './domain/routing-decision';
import { type Partner, partnerColumns } from './partner-rows';

/** Lifetime of the cached load of partners. It changes slowly. */
const LOAD_CACHE_MS = 5_000;

export type Candidate = CandidatePartner & Partner;

/** Returns the partners that routing chooses from, with their stock of the given SKUs and their load. */
export type CandidateReader = (partnerSkus: readonly string[]) => Promise<Candidate[]>;

/**
 * Creates a candidate reader. It runs one statement per order; the load is read once in `LOAD_CACHE_MS` for all orders of
 * the process.
 */
export function createCandidateReader(sql: Sql): CandidateReader {
  let load: { readonly until: number; readonly units: Promise<ReadonlyMap<string, number>> } | undefined;

  async function openUnits(): Promise<ReadonlyMap<string, number>> {
    if (load !== undefined && load.until > Date.now()) return await load.units;
    const units = readRunningTotals(sql, 'open_units');
    load = { until: Date.now() + LOAD_CACHE_MS, units };
    // Do not cache a failed count.
    units.catch(() => {
      load = undefined;
    });
    return await units;
  }

  return async (partnerSkus) => {
    const [partners, units] = await Promise.all([readCandidates(sql, partnerSkus), openUnits()]);
    return partners.map((partner) => ({ ...partner, openUnits: units.get(partner.partnerId) ?? 0 }));
  };
}

/**
 * Reads partners with their available stock: the smaller of the ledger's level and the partner's report, minus the
 * units reserved for print jobs. An SKU that neither source knows is left out.
 */
async function readCandidates(sql: Sql, partnerSkus: readonly string[]): Promise<Omit<Candidate, 'openUnits'>[]> {
  const skus = [...new Set(partnerSkus)];
  return await sql<Omit<Candidate, 'openUnits'>[]>`
    SELECT ${partnerColumns(sql)}, order_submit_url IS NOT NULL AS subscribed, coalesce(s.stock, '{}') AS stock
    FROM partners p
    LEFT JOIN (
      SELECT coalesce(i.partner_id, l.partner_id) AS stock_partner_id,
             jsonb_object_agg(coalesce(i.partner_sku, l.partner_sku), jsonb_build_object(
               'available', CASE WHEN l.status = 'out-of-stock' THEN 0
                                 WHEN coalesce(i.quantity, l.amount) IS NOT NULL
                                 THEN greatest(least(i.quantity, l.amount) - coalesce(i.reserved, 0), 0) END,
               'replenishmentDate', l.replenishment_date,
               'allowBackorder', coalesce(i.allow_backorder, false))) AS stock
      FROM (SELECT * FROM stock_items WHERE partner_sku = ANY(${skus})) i
      FULL JOIN (SELECT * FROM partner_stock_levels WHERE partner_sku = ANY(${skus})) l
        ON l.partner_sku = i.partner_sku AND l.partner_id = i.partner_id
      GROUP BY 1
    ) s ON s.stock_partner_id = p.account_id
    ORDER BY p.uid`;
}
