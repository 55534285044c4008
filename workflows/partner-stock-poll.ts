import {
  ActivityFailure,
  ApplicationFailure,
  proxyActivities,
  proxyLocalActivities,
} from '@temporalio/workflow';
import type { PartnerStockActivities } from '../activities/partner-stock';

const database = proxyLocalActivities<Pick<PartnerStockActivities, 'partnersToPoll'>>({
  startToCloseTimeout: '20 seconds',
});

/** A partner has until shortly before the next poll; one that is down then is asked again anyway. */
const partners = proxyActivities<Pick<PartnerStockActivities, 'pollPartnerStock'>>({
  startToCloseTimeout: '8 minutes',
  scheduleToCloseTimeout: '8 minutes',
  heartbeatTimeout: '60 seconds',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumAttempts: 4 },
});

/** What a poll found, by partner account id. */
export interface PartnerStockPollResult {
  readonly partners: number;
  readonly skusAsked: number;
  readonly skusTold: number;
  /** Partners that could not be asked, with the last thing that went wrong. */
  readonly failed: Readonly<Record<string, string>>;
}

/**
 * Asks every partner with an inventory address for its stock (DESIGN "Stock poll"); started by a schedule.
 * Partners are asked side by side: one that is slow or away holds nobody up and fails nothing.
 */
export async function partnerStockPoll(): Promise<PartnerStockPollResult> {
  const partnerIds = await database.partnersToPoll();
  const failed: Record<string, string> = {};
  let skusAsked = 0;
  let skusTold = 0;
  await Promise.all(
    partnerIds.map(async (partnerId) => {
      try {
        const { asked, told } = await partners.pollPartnerStock(partnerId);
        skusAsked += asked;
        skusTold += told;
      } catch (error) {
        if (!(error instanceof ActivityFailure)) throw error;
        const { cause } = error;
        failed[partnerId] = cause instanceof ApplicationFailure ? cause.message : 'timed out';
      }
    }),
  );
  return { partners: partnerIds.length, skusAsked, skusTold, failed };
}
