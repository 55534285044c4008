import { activityInfo, cancellationSignal } from '@temporalio/activity';
import type { PartnerCallDeps } from '../src/partners/calls';
import { partnersToPoll, pollStockPage } from '../src/partners/stock-levels';
import type { Sql } from '../src/platform/postgres';
import { carry } from './interceptors/attempts';
import { transient } from './refusals';

export interface StockPollResult {
  readonly asked: number;
  readonly told: number;
  /** Why the partner refused the poll. Absent when it did not. */
  readonly refusal?: string;
}

interface Progress extends StockPollResult {
  readonly afterSku: string;
}

export function createPartnerStockActivities(deps: PartnerCallDeps & { readonly sql: Sql }) {
  return {
    partnersToPoll: (): Promise<string[]> => partnersToPoll(deps.sql),

    /**
     * Polls one partner for the stock of all its SKUs, page by page. A retry continues after the last stored page.
     * @throws ApplicationFailure `StockPollFailed` for a transient failure
     */
    async pollPartnerStock(partnerId: string): Promise<StockPollResult> {
      let progress: Progress = { afterSku: '', asked: 0, told: 0, ...activityInfo().heartbeatDetails };
      for (;;) {
        cancellationSignal().throwIfAborted();
        const page = await pollStockPage(deps, partnerId, progress.afterSku);
        const { asked, told } = progress;
        if (page.outcome === 'refused') return { asked, told, refusal: page.message };
        if (page.outcome === 'retry') throw transient(page.message, 'StockPollFailed', page.retryAfterMs);
        if (page.lastSku === null) return { asked, told };
        progress = { afterSku: page.lastSku, asked: asked + page.asked, told: told + page.told };
        carry(progress);
      }
    },
  };
}

export type PartnerStockActivities = ReturnType<typeof createPartnerStockActivities>;
