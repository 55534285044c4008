import type { PartnerResponse } from '../src/partners/calls';
import type { Logger } from '../src/platform/logging/logging';
import { refused, transient } from './refusals';

/** What the activities that send messages to partners make of the responses. */

export type Retry = Extract<PartnerResponse, { outcome: 'retry' }>;

interface Undelivered {
  readonly outcome: 'refused' | 'unbuildable';
  readonly message: string;
}

/** A delivery that failed for good. The details tell the order run that no partner has refused it. */
export const undelivered = ({ outcome, message }: Undelivered) =>
  refused(outcome === 'refused' ? { message } : { message, details: { outcome } });

/** Returns the transient failure `PartnerUnreachable`. */
export const unreachable = ({ message, retryAfterMs }: Retry) => transient(message, 'PartnerUnreachable', retryAfterMs);

/** Logs a response, as an error when no message could be made. @param what the message of the log line */
export function logResponse(log: Logger, fields: object, response: { readonly outcome: string }, what: string): void {
  const { outcome } = response;
  if ('error' in response) log.error({ ...fields, outcome, err: response.error }, what);
  else log.info({ ...fields, outcome }, what);
}
