import { carriersToSweep, sweepCarrier } from '../../src/shipping/tracking-sweep/carrier-sweep';
import { findPartnerCarriers } from '../../src/shipping/tracking-sweep/partner-code-search';
import {
  addSweeps,
  type SweepBounds,
  type SweepDeps,
  type SweepResult,
} from '../../src/shipping/tracking-sweep/sweep-result';

/**
 * Sweeps all carriers, and searches for the carriers of partners' tracking codes.
 * @param limit packages of each carrier
 */
export async function sweepTrackings(deps: SweepDeps, { limit }: { readonly limit: number }): Promise<SweepResult> {
  const uids = await carriersToSweep(deps);
  const bounds: SweepBounds = { limit, deadline: Infinity, report: () => undefined };
  const swept = await Promise.all(uids.map((uid) => sweepCarrier(deps, uid, bounds)));
  return addSweeps(...swept, await findPartnerCarriers(deps, bounds));
}
