import { behaviourInAddress, type ChosenBehaviour, choose } from '../behaviours';
import type { PartnerState } from './partner-record';

/**
 * Returns the behaviour for a message: that of the marker in the delivery address, else that of the newest rule that matches.
 * @param line2 second line of the delivery address
 */
export function behaviourFor(
  state: PartnerState,
  partner: string,
  body: string,
  line2: string,
): { behaviour: ChosenBehaviour; ruleId?: string } {
  const marked = behaviourInAddress(line2, partner);
  if (marked !== undefined) return { behaviour: marked };
  const match = state.rules.find(
    ({ rule, left }) => left > 0 && (rule.contains === undefined || body.includes(rule.contains)),
  );
  if (match === undefined) return { behaviour: choose('well-behaved') };
  return { behaviour: match.rule.behaviour, ruleId: match.rule.id };
}
