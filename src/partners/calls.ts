import { isTransient, retryAfterMs } from '../platform/http/response';
import type { SafeClient } from '../platform/http/safe-client';
import { signatureHeaders } from '../platform/http/webhook-signature';
import type { SecretBox } from '../platform/sealing/secret-box';
import { type Partner, signingSecretsOf } from './store';

/** Outcome of a call to a partner. `message` of a refusal quotes the partner's error. */
export type PartnerAnswer =
  | { readonly outcome: 'accepted'; readonly text: string }
  | { readonly outcome: 'retry'; readonly message: string; readonly retryAfterMs: number | null }
  | { readonly outcome: 'refused'; readonly status: number | null; readonly message: string };

const TIMEOUT_MS = 20_000;
/** Characters of a partner's error text that are kept. */
const ERROR_TEXT_LENGTH = 500;

export interface PartnerCallDeps {
  readonly client: SafeClient;
  readonly secretBox: SecretBox;
}

export interface PartnerCall {
  readonly partner: Pick<Partner, 'partnerId' | 'uid' | 'sealedSecrets'>;
  readonly url: string;
  /** False for a stock poll, true for messages about print orders. */
  readonly delivers: boolean;
  /** Sent as `webhook-id`. Every retry uses the same id. */
  readonly messageId: string;
  readonly body: string;
}

/**
 * Posts a signed message to a partner (Standard Webhooks 1.0). Any 2xx accepts it. 408, 425, 429, 5xx, timeouts and
 * broken connections are retryable. Every other status refuses it.
 */
export async function postToPartner(
  { client, secretBox }: PartnerCallDeps,
  call: PartnerCall,
): Promise<PartnerAnswer> {
  const answer = await client.exchange({
    url: call.url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...signatureHeaders({
        id: call.messageId,
        body: call.body,
        at: new Date(),
        secrets: signingSecretsOf(secretBox, call.partner),
      }),
    },
    body: call.body,
    purpose: { kind: 'partner', uid: call.partner.uid, delivers: call.delivers },
    timeoutMs: TIMEOUT_MS,
    limitBytes: 64 * 1024,
  });
  if (answer.ok && answer.status < 300) return { outcome: 'accepted', text: answer.text };
  const message = answer.ok ? `HTTP ${answer.status}: ${errorText(answer.text)}` : answer.message;
  if (isTransient(answer)) {
    return {
      outcome: 'retry',
      message,
      retryAfterMs: answer.ok ? (retryAfterMs(answer.headers) ?? null) : null,
    };
  }
  return { outcome: 'refused', status: answer.ok ? answer.status : null, message };
}

/** Returns the `error` or `message` field of a JSON body, else the body's text. */
function errorText(text: string): string {
  try {
    const body = JSON.parse(text) as { error?: unknown; message?: unknown };
    const stated = body.error ?? body.message;
    if (typeof stated === 'string') return stated.slice(0, ERROR_TEXT_LENGTH);
  } catch {
    // Not JSON.
  }
  return text.trim().slice(0, ERROR_TEXT_LENGTH) || 'empty body';
}
