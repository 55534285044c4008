import { randomBytes } from 'node:crypto';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { parseNamedList } from '../sealing/named-keys';

/** Returns a new signing secret as defined by Standard Webhooks 1.0: `whsec_` and 32 random bytes in base64. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

export interface SignedMessage {
  /** The same for every retry, so that receivers recognize a repeated message. Must not contain a full stop. */
  readonly id: string;
  /** The body exactly as sent. */
  readonly body: string;
  /** Time of this attempt. Receivers refuse a time that differs from theirs by more than five minutes. */
  readonly at: Date;
  /** The message gets a signature for each. Two during a rotation. */
  readonly secrets: readonly string[];
}

/** Returns the three headers of a signed message (Standard Webhooks 1.0). */
export function signatureHeaders({ id, body, at, secrets }: SignedMessage): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
}

/** Returns true when a message was signed with one of the secrets within the last five minutes. */
export function verifySignature(
  headers: Readonly<Record<string, string | undefined>>,
  body: string | Buffer,
  secrets: readonly string[],
): boolean {
  const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
  return secrets.some((secret) => {
    try {
      new Webhook(secret).verify(body, given as Record<string, string>, { jsonParse: false });
      return true;
    } catch (error) {
      if (error instanceof WebhookVerificationError) return false;
      throw error;
    }
  });
}

export type SecretsBySender = ReadonlyMap<string, readonly string[]>;

/** Parses `sender:whsec_…,sender2:whsec_…`. Several secrets of a sender overlap. Undefined for any other text. */
export function parseSecretsBySender(text: string): SecretsBySender | undefined {
  const entries = parseNamedList(text, /^([A-Za-z0-9_.-]{1,100}):(whsec_[A-Za-z0-9+/]{32,88}={0,2})$/);
  const bySender = entries && Map.groupBy(entries, ([sender]) => sender);
  return bySender && new Map([...bySender].map(([sender, own]) => [sender, own.map(([, secret]) => secret)]));
}
