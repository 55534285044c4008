import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { partnersToPoll } from '../src/partners/stock-levels';
import { pollStockPage } from '../src/partners/stock-poll';
import type { SafeClient } from '../src/platform/http/safe-client';
import type { Sql } from '../src/platform/postgres';

/** How many SKUs a partner was asked for and told about. */
export interface StockPollResult {
  readonly asked: number;
  readonly told: number;
}

interface Progress extends StockPollResult {
  readonly afterSku: string;
}

export function createPartnerStockActivities(deps: { readonly sql: Sql; readonly client: SafeClient }) {
  return {
    async partnersToPoll(): Promise<string[]> {
      return await partnersToPoll(deps.sql);
    },

    /**
     * Asks one partner for all its SKUs, a page at a time. A retry goes on after the last page that was stored.
     * @throws ApplicationFailure `StockPollFailed`, retryable unless the partner refused the question
     */
    async pollPartnerStock(partnerId: string): Promise<StockPollResult> {
      let progress: Progress = (activityInfo().heartbeatDetails as Progress | undefined) ?? {
        afterSku: '',
        asked: 0,
        told: 0,
      };
      for (;;) {
        cancellationSignal().throwIfAborted();
        const page = await pollStockPage(deps, partnerId, progress.afterSku);
        if (page.outcome !== 'asked') {
          throw ApplicationFailure.create({
            type: 'StockPollFailed',
            message: page.message,
            nonRetryable: page.outcome === 'refused',
            category: ApplicationFailureCategory.BENIGN,
            ...(page.outcome === 'retry' && page.retryAfterMs !== null
              ? { nextRetryDelay: page.retryAfterMs }
              : {}),
          });
        }
        if (page.lastSku === null) return { asked: progress.asked, told: progress.told };
        progress = {
          afterSku: page.lastSku,
          asked: progress.asked + page.asked,
          told: progress.told + page.told,
        };
        heartbeat(progress);
      }
    },
  };
}

export type PartnerStockActivities = ReturnType<typeof createPartnerStockActivities>;
