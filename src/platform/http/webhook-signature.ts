import { randomBytes } from 'node:crypto';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

/** A fresh signing secret in the form of Standard Webhooks 1.0: `whsec_` and 32 random bytes in base64. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

export interface SignedMessage {
  /** Stable over retries: receivers know a repeated message by it. Holds no full stop. */
  readonly id: string;
  /** Exactly the bytes that are sent. */
  readonly body: string;
  /** When this attempt is made; receivers refuse one more than five minutes off. */
  readonly at: Date;
  /** One signature for each; two while a secret is being rotated. */
  readonly secrets: readonly string[];
}

/** The three headers of a signed call (Standard Webhooks 1.0). */
export function signatureHeaders({ id, body, at, secrets }: SignedMessage): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
}

/** Whether a call was signed with one of these secrets within the last five minutes. */
export function verifySignature(
  headers: Readonly<Record<string, string | undefined>>,
  body: string | Buffer,
  secrets: readonly string[],
): boolean {
  const present = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
  return secrets.some((secret) => {
    try {
      new Webhook(secret).verify(body, present as Record<string, string>, { jsonParse: false });
      return true;
    } catch (error) {
      if (error instanceof WebhookVerificationError) return false;
      throw error;
    }
  });
}
