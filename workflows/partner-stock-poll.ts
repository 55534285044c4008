import { ActivityFailure, ApplicationFailure, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { PartnerStockActivities } from '../activities/partner-stock';

const database = proxyLocalActivities<Pick<PartnerStockActivities, 'partnersToPoll'>>({
  startToCloseTimeout: '20 seconds',
});

/** A partner has until shortly before the next poll, which calls it again. */
const partners = proxyActivities<Pick<PartnerStockActivities, 'pollPartnerStock'>>({
  startToCloseTimeout: '8 minutes',
  scheduleToCloseTimeout: '8 minutes',
  heartbeatTimeout: '60 seconds',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumAttempts: 4 },
});

export interface PartnerStockPollResult {
  readonly partners: number;
  readonly skusAsked: number;
  readonly skusTold: number;
  /** Why partners could not be polled, by partner account id. */
  readonly failed: Readonly<Record<string, string>>;
}

/**
 * Polls every partner that has an inventory address for its stock. A Temporal Schedule starts it. Partners are polled in
 * parallel: a slow or unavailable partner does not delay or fail the others.
 */
export async function partnerStockPoll(): Promise<PartnerStockPollResult> {
  const partnerIds = await database.partnersToPoll();
  const failed: Record<string, string> = {};
  let skusAsked = 0;
  let skusTold = 0;
  await Promise.all(
    partnerIds.map(async (partnerId) => {
      try {
        const { asked, told, refusal } = await partners.pollPartnerStock(partnerId);
        skusAsked += asked;
        skusTold += told;
        if (refusal !== undefined) failed[partnerId] = refusal;
      } catch (error) {
        if (!(error instanceof ActivityFailure)) throw error;
        const { cause } = error;
        failed[partnerId] = cause instanceof ApplicationFailure ? cause.message : 'timed out';
      }
    }),
  );
  return { partners: partnerIds.length, skusAsked, skusTold, failed };
}
