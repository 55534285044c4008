import type { WebhookEvents } from './operations';
import { verifyMessage } from './signature';

export { verifyMessage, type WebhookHeaders, WebhookVerificationError } from './signature';

/** A notification. `event` tells which one. */
export type WebhookEvent = WebhookEvents[keyof WebhookEvents];

/**
 * Verifies the signature of a notification (Standard Webhooks 1.0) and returns the event.
 * @param message the body exactly as received (a string or bytes, not the parsed object), the headers, the signing secret of the
 *   endpoint or several during a rotation, and options: toleranceSeconds is the greatest difference between the time of the attempt
 *   and this machine's clock, 300 by default
 * @throws WebhookVerificationError when a header is missing, the time is too far away, or no signature matches
 */
export function verifyWebhook(...message: Parameters<typeof verifyMessage>): WebhookEvent {
  return verifyMessage(...message) as WebhookEvent;
}
