import { z } from 'zod';
import { uuidv7 } from '../platform/ids';
import type { Sql } from '../platform/postgres';
import { type PartnerCallDeps, postToPartner } from './calls';
import { SKUS_PER_POLL, STOCK_POLL_VERSION, type StockPollBody } from './message-schemas';
import { partnerByAccount } from './partner-rows';
import { type StockReport, stockReportSchema } from './partner-schemas';
import { recordStockReports, skusToPoll } from './stock-levels';

/** Outcome of polling a partner for one page of SKUs. It is stored as an activity result, so the field names stay. */
export type PageOutcome =
  | {
      readonly outcome: 'asked';
      /** Cursor for the next page. Null when no SKU was left. */
      readonly lastSku: string | null;
      /** Number of SKUs in the request. */
      readonly asked: number;
      /** Number of SKUs whose level the response reported. */
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
