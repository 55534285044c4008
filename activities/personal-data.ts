import { heartbeat } from '@temporalio/activity';
import { eraseUnsubmitted } from '../src/channels/unsubmitted';
import type { Config } from '../src/platform/config';
import type { Logger } from '../src/platform/logging/logging';
import type { ErasureDeps } from '../src/privacy/erase';
import { eraseExpired, eraseWaiting } from '../src/privacy/erasures';

export interface PersonalDataDeps extends ErasureDeps {
  readonly log: Logger;
  readonly config: Pick<Config, 'PERSONAL_DATA_RETENTION'>;
}

type Batch = { readonly erased: number; readonly next: string };

/** Activities that erase personal data. Each works in batches, can be retried, and can run twice at the same time. */
export function createPersonalDataActivities(deps: PersonalDataDeps) {
  const allBatches = async (step: (after: string) => Promise<Batch>): Promise<number> => {
    let erased = 0;
    let after = '';
    do {
      const batch = await step(after);
      erased += batch.erased;
      after = batch.next;
      heartbeat();
    } while (after !== '');
    return erased;
  };
  return {
    /** Erases orders of earlier requests that have ended meanwhile. Returns their number. */
    async eraseWaiting(): Promise<number> {
      const erased = await allBatches((after) => eraseWaiting(deps, after));
      if (erased > 0) deps.log.info({ erased }, 'personal data erased: orders of earlier requests have ended');
      return erased;
    },

    /** Erases orders that ended before PERSONAL_DATA_RETENTION. Returns their number. */
    async eraseExpired(): Promise<number> {
      const before = new Date(Date.now() - deps.config.PERSONAL_DATA_RETENTION);
      const unsubmitted = await eraseUnsubmitted(deps, { before });
      const erased = unsubmitted + (await allBatches((after) => eraseExpired(deps, before, after)));
      if (erased > 0) deps.log.info({ erased }, 'personal data erased: its retention time is over');
      return erased;
    },
  };
}

export type PersonalDataActivities = ReturnType<typeof createPersonalDataActivities>;
