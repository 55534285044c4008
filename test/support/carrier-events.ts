import { RATE_CARDS } from '../../src/carriers/domain/rate-cards';
import { type SecretsBySender, signatureHeaders } from '../../src/platform/http/webhook-signature';
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

/** Returns a configuration in which every built-in carrier signs with the same secret. */
export function oneCarrierSecret(secret: string): { CARRIER_WEBHOOK_SECRETS: SecretsBySender } {
  return { CARRIER_WEBHOOK_SECRETS: new Map(RATE_CARDS.map(({ carrierUid }) => [carrierUid, [secret]])) };
}
