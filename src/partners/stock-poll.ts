import { z } from 'zod';
import type { SafeClient } from '../platform/http/safe-client';
import { uuidv7 } from '../platform/ids';
import type { Sql } from '../platform/postgres';
import { postToPartner } from './calls';
import { type StockReport, stockReportSchema } from './partner-schemas';
import { recordStockReports, skusToPoll } from './stock-levels';
import { partnerByAccount } from './store';

/** Most SKUs of one question (DESIGN "Stock poll"). */
const SKUS_A_CALL = 100;
const STOCK_POLL_VERSION = '1.0';

/** What came of asking a partner for one page of its SKUs. */
export type PageOutcome =
  /** `lastSku`: the page's last, null when there was none left to ask for. */
  | {
      readonly outcome: 'asked';
      readonly lastSku: string | null;
      readonly asked: number;
      readonly told: number;
    }
  | { readonly outcome: 'retry'; readonly message: string; readonly retryAfterMs: number | null }
  | { readonly outcome: 'refused'; readonly message: string };

const answerSchema = z.object({ items: z.array(z.unknown()).max(10 * SKUS_A_CALL) });

/**
 * Asks a partner for the stock of its next SKUs and stores what it tells. A line that cannot be read, or that nobody
 * asked for, is passed over; SKUs that the answer leaves out keep their last report.
 */
export async function pollStockPage(
  { sql, client }: { readonly sql: Sql; readonly client: SafeClient },
  partnerId: string,
  afterSku: string,
): Promise<PageOutcome> {
  const partner = await partnerByAccount(sql, partnerId);
  const nothingToAsk = { outcome: 'asked', lastSku: null, asked: 0, told: 0 } as const;
  if (partner?.inventoryUrl == null) return nothingToAsk;
  const skus = await skusToPoll(sql, partnerId, { afterSku, limit: SKUS_A_CALL });
  const lastSku = skus.at(-1);
  if (lastSku === undefined) return nothingToAsk;

  const askedAt = new Date();
  const answer = await postToPartner(client, {
    url: partner.inventoryUrl,
    messageId: `stock_${uuidv7()}`,
    body: JSON.stringify({ version: STOCK_POLL_VERSION, SKU: skus }),
    signingSecrets: partner.signingSecrets,
  });
  if (answer.outcome !== 'accepted') return answer;
  const reports = readAnswer(answer.text, new Set(skus));
  if (reports === undefined) return { outcome: 'refused', message: 'the answer is not {items: [...]}' };
  await recordStockReports(sql, partnerId, reports, askedAt);
  return { outcome: 'asked', lastSku, asked: skus.length, told: reports.length };
}

function readAnswer(text: string, asked: ReadonlySet<string>): StockReport[] | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  const answer = answerSchema.safeParse(body);
  if (!answer.success) return undefined;
  return answer.data.items.flatMap((item) => {
    const report = stockReportSchema.safeParse(item);
    return report.success && asked.has(report.data.SKU) ? [report.data] : [];
  });
}
