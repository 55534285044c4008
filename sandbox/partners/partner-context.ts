import type { Logger } from '../../src/platform/logging/logging';
import type { Carriers } from '../carriers/carriers';
import type { Outbound } from '../outbound';
import type { Pace } from '../pace';
import type { PartnerEntry, PartnerState } from './partner-record';

/**
 * `auto`: partners process print orders. `manual`: they accept print orders, and only the control API or you send
 * postbacks. `off`: no partner subscribes.
 */
export type Mode = 'auto' | 'manual' | 'off';

/** What the parts of one partner share. */
export interface PartnerContext {
  readonly name: string;
  readonly mode: Mode;
  /** Changes only by `enter`. */
  readonly state: PartnerState;
  /** Writes an entry to the journal and applies it to `state`. Does nothing once the sandbox stops. */
  readonly enter: (entry: PartnerEntry) => void;
  readonly outbound: Outbound;
  readonly carriers: Carriers;
  readonly pace: Pace;
  readonly signal: AbortSignal;
  readonly log: Logger;
}
