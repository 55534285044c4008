import { addSweeps, type SweepResult } from '../../src/shipping/domain/shipping-runs';
import type { SweepBounds, SweepDeps } from '../../src/shipping/tracking/carrier-inquiry';
import { carriersToSweep, sweepCarrier } from '../../src/shipping/tracking/carrier-sweep';
import { findPartnerCarriers } from '../../src/shipping/tracking/partner-code-search';

/**
 * Sweeps all carriers, and searches for the carriers of partners' tracking codes.
 * @param limit packages of each carrier
 */
export async function sweepTrackings(deps: SweepDeps, { limit }: { readonly limit: number }): Promise<SweepResult> {
  const uids = await carriersToSweep(deps);
  const bounds: SweepBounds = { limit, deadline: Infinity, report: () => undefined };
  const swept = await Promise.all(uids.map((uid) => sweepCarrier(deps, uid, bounds)));
  return swept.reduce(addSweeps, await findPartnerCarriers(deps, bounds));
}
