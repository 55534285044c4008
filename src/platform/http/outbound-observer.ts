import type { AttemptOutcome } from '../metrics/metric-table';
import type { HttpFault } from './http-fault';
import { isTransient } from './response';

/** What an outgoing request is for. */
export type OutboundPurpose =
  /** `delivers`: a print order, an order update or a cancel request. False for stock polls. */
  | { readonly kind: 'partner'; readonly uid: string; readonly delivers: boolean }
  | { readonly kind: 'carrier'; readonly uid: string }
  | { readonly kind: 'file' }
  | { readonly kind: 'receiver' };

/**
 * Called at the end of every outgoing request.
 * @param seconds from the start of the request to the last byte of the response
 */
export type OutboundObserver = (purpose: OutboundPurpose, outcome: AttemptOutcome, seconds: number) => void;

/** Returns the outcome of a request: 2xx is accepted, what a retry may resolve has failed, everything else is refused. */
export function outcomeOf(result: { readonly ok: true; readonly status: number } | HttpFault): AttemptOutcome {
  if (result.ok && result.status < 300) return 'accepted';
  return isTransient(result) ? 'failed' : 'refused';
}
