import { signatureHeaders } from '../../src/platform/http/webhook-signature';
import { randomToken } from '../../src/platform/ids';

/** Returns a signed request to the carrier webhook. */
export function signedCarrierEvents(
  events: readonly object[],
  secret: string,
): { headers: Record<string, string>; body: string } {
  const body = JSON.stringify({ events });
  const id = `msg_${randomToken(8)}`;
  return {
    headers: {
      'content-type': 'application/json',
      ...signatureHeaders({ id, body, at: new Date(), secrets: [secret] }),
    },
    body,
  };
}
