import { z } from 'zod';
import { timestamp } from '../platform/domain/fields';
import { uuidv7 } from '../platform/ids';
import { json, type Queryable, type Sql } from '../platform/postgres';
import { type PartnerCallDeps, postToPartner } from './calls';
import { SKUS_PER_POLL, STOCK_POLL_VERSION, type StockPollBody } from './message-schemas';
import { partnerByAccount } from './partner-rows';
import { type StockReport, stockReportSchema } from './partner-schemas';

export const reportedLevelSchema = z.object({
  partnerSku: z.string(),
  status: z.enum(['in-stock', 'out-of-stock']),
  amount: z.int().nullable(),
  replenishmentDate: z.iso.date().nullable(),
  reportedAt: timestamp,
});

type ReportedLevel = z.output<typeof reportedLevelSchema>;

/**
 * Stores a partner's stock report. The newest report of an SKU wins: the response to a slow poll does not replace a push
 * that arrived meanwhile. Of several entries for one SKU the last one counts.
 * @param reportedAt time of the push, or the time at which the poll was sent
 */
export async function recordStockReports(
  sql: Queryable,
  partnerId: string,
  reports: readonly StockReport[],
  reportedAt: Date,
): Promise<void> {
  const bySku = new Map(reports.map((report) => [report.SKU, report]));
  const rows = [...bySku.values()]
    .map(({ SKU, status, amount, replenishmentDate }) => {
      const empty = status === 'out-of-stock' || amount === 0;
      return {
        sku: SKU,
        status: empty ? 'out-of-stock' : 'in-stock',
        amount: empty ? 0 : (amount ?? null),
        replenished: replenishmentDate?.slice(0, 10) || null,
      };
    })
    // All writers lock rows in the same order, so concurrent reports cannot deadlock.
    .sort((a, b) => (a.sku < b.sku ? -1 : 1));
  if (rows.length === 0) return;
  await sql`
    INSERT INTO partner_stock_levels AS kept (partner_id, partner_sku, status, amount, replenishment_date, reported_at)
    SELECT ${partnerId}, sku, status, amount, replenished, ${reportedAt}
    FROM jsonb_to_recordset(${json(sql, rows)}) AS r (sku text, status text, amount bigint, replenished date)
    ON CONFLICT (partner_sku, partner_id) DO UPDATE
    SET status = excluded.status, amount = excluded.amount, replenishment_date = excluded.replenishment_date,
        reported_at = excluded.reported_at
    WHERE kept.reported_at <= excluded.reported_at`;
}

export async function reportedLevels(
  sql: Queryable,
  partnerId: string,
  page: { readonly afterSku: string; readonly limit: number },
): Promise<ReportedLevel[]> {
  return await sql<ReportedLevel[]>`
    SELECT partner_sku, status, amount::float8, replenishment_date::text, reported_at
    FROM partner_stock_levels
    WHERE partner_id = ${partnerId} AND partner_sku > ${page.afterSku}
    ORDER BY partner_sku LIMIT ${page.limit}`;
}

export async function partnersToPoll(sql: Queryable): Promise<string[]> {
  const rows = await sql<{ partnerId: string }[]>`
    SELECT account_id AS partner_id FROM partners WHERE enabled AND inventory_url IS NOT NULL ORDER BY uid`;
  return rows.map(({ partnerId }) => partnerId);
}

/** Returns a page of the SKUs to poll a partner for: its stock items and the SKUs it has reported before. */
export async function skusToPoll(
  sql: Queryable,
  partnerId: string,
  page: { readonly afterSku: string; readonly limit: number },
): Promise<string[]> {
  const rows = await sql<{ partnerSku: string }[]>`
    (SELECT partner_sku FROM stock_items WHERE partner_id = ${partnerId} AND partner_sku > ${page.afterSku}
     ORDER BY partner_sku LIMIT ${page.limit})
    UNION
    (SELECT partner_sku FROM partner_stock_levels WHERE partner_id = ${partnerId} AND partner_sku > ${page.afterSku}
     ORDER BY partner_sku LIMIT ${page.limit})
    ORDER BY partner_sku LIMIT ${page.limit}`;
  return rows.map(({ partnerSku }) => partnerSku);
}

/** Outcome of polling a partner for one page of SKUs. It is stored as an activity result, so the field names stay. */
type PageOutcome =
  | {
      readonly outcome: 'asked';
      /** Cursor for the next page. Null when no SKU was left. */
      readonly lastSku: string | null;
      readonly asked: number;
      readonly told: number;
    }
  | { readonly outcome: 'retry'; readonly message: string; readonly retryAfterMs: number | null }
  | { readonly outcome: 'refused'; readonly message: string };

/** The response to a stock poll. Invalid entries are skipped one by one. */
const responseSchema = z.object({ items: z.array(z.unknown()).max(10 * SKUS_PER_POLL) });

/**
 * Polls a partner for one page of SKUs and stores the reported levels. Invalid entries and SKUs that were not requested
 * are skipped. SKUs missing from the response keep their last report.
 */
export async function pollStockPage(
  deps: PartnerCallDeps & { readonly sql: Sql },
  partnerId: string,
  afterSku: string,
): Promise<PageOutcome> {
  const { sql } = deps;
  const partner = await partnerByAccount(sql, partnerId);
  const emptyPage = { outcome: 'asked', lastSku: null, asked: 0, told: 0 } as const;
  if (partner?.inventoryUrl == null) return emptyPage;
  const skus = await skusToPoll(sql, partnerId, { afterSku, limit: SKUS_PER_POLL });
  const lastSku = skus.at(-1);
  if (lastSku === undefined) return emptyPage;

  const polledAt = new Date();
  const { response } = await postToPartner(deps, {
    partner,
    url: partner.inventoryUrl,
    delivers: false,
    messageId: `stock_${uuidv7()}`,
    body: JSON.stringify({ version: STOCK_POLL_VERSION, SKU: [...skus] } satisfies StockPollBody),
  });
  if (response.outcome !== 'accepted') return response;
  const reports = readReports(response.text, new Set(skus));
  if (reports === undefined) return { outcome: 'refused', message: 'the response is not {items: [...]}' };
  await recordStockReports(sql, partnerId, reports, polledAt);
  return { outcome: 'asked', lastSku, asked: skus.length, told: reports.length };
}

function readReports(text: string, requested: ReadonlySet<string>): StockReport[] | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  const response = responseSchema.safeParse(body);
  if (!response.success) return undefined;
  return response.data.items.flatMap((item) => {
    const report = stockReportSchema.safeParse(item);
    return report.success && requested.has(report.data.SKU) ? [report.data] : [];
  });
}
