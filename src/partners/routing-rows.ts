import { type Fragment, json, type Queryable, type Sql, type Statement } from '../platform/postgres';
import { readRunningTotals } from '../platform/running-totals';
import type { CandidatePartner, RoutingDecision } from './domain/routing-decision';
import { type Partner, partnerColumns } from './partner-rows';

/** Lifetime of the cached load of partners. It changes slowly. */
const LOAD_CACHE_MS = 5_000;

export type Candidate = CandidatePartner & Partner;

/** Returns the partners that routing chooses from, with their stock of the given SKUs and their load. */
export type CandidateReader = (partnerSkus: readonly string[]) => Promise<Candidate[]>;

/** Creates a candidate reader: one statement per order, and the load once in `LOAD_CACHE_MS` for all orders. */
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

/** Working days from the start of production to dispatch: of the fastest and of the slowest partner. */
interface LeadDays {
  readonly min: number;
  readonly max: number;
}

/** Returns the lead time of a product at the subscribed partners that make all of its models, or null without such a partner. */
export function leadDaysOf(
  partners: readonly Pick<Candidate, 'capabilities' | 'subscribed'>[],
  modelUids: Iterable<string>,
): LeadDays | null {
  const uids = [...modelUids];
  const days = partners.flatMap(({ capabilities, subscribed }) => {
    const offers = uids.flatMap((uid) => capabilities.models[uid] ?? []);
    return subscribed && offers.length === uids.length ? [Math.max(...offers.map((offer) => offer.leadDays))] : [];
  });
  return days.length === 0 ? null : { min: Math.min(...days), max: Math.max(...days) };
}

interface StoredDecision {
  readonly step: string;
  readonly decision: RoutingDecision;
  readonly createdAt: Date;
}

/** Returns the statement that stores the routing decision of a step. A retry of the step replaces it. */
export function recordRoutingDecision(
  sql: Queryable,
  { orderId, step, decision }: { orderId: string; step: string; decision: RoutingDecision },
): Statement {
  return sql`
    INSERT INTO routing_decisions (order_id, step, routed, decision)
    VALUES (${orderId}, ${step}, ${decision.ok}, ${json(sql, decision)})
    ON CONFLICT (order_id, step) DO UPDATE
    SET routed = excluded.routed, decision = excluded.decision, created_at = now()`;
}

/**
 * Returns all routing decisions of an order, oldest first.
 * @param beginning of the statement: `WITH` and what the names of tables stand for, each with a comma
 * @returns undefined when there is no such order
 */
export async function routingDecisions(
  sql: Queryable,
  orderId: string,
  beginning: Fragment = sql`WITH`,
): Promise<StoredDecision[] | undefined> {
  const rows = await sql<(StoredDecision | { step: null })[]>`
    ${beginning} wanted AS (SELECT ${orderId}::uuid AS id)
    SELECT d.step, d.decision, d.created_at
    FROM wanted JOIN orders o USING (id) LEFT JOIN routing_decisions d ON d.order_id = o.id ORDER BY d.created_at, d.step`;
  if (rows.length === 0) return undefined;
  return rows.filter((row): row is StoredDecision => row.step !== null);
}
