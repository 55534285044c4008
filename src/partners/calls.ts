import { isPassing, retryAfterMs, type SafeClient } from '../platform/http/safe-client';
import { signatureHeaders } from '../platform/http/webhook-signature';

/** What became of a call to a partner: taken, worth another try, or refused in the partner's own words. */
export type PartnerAnswer =
  | { readonly outcome: 'accepted'; readonly text: string }
  | { readonly outcome: 'retry'; readonly message: string; readonly retryAfterMs: number | null }
  | { readonly outcome: 'refused'; readonly status: number | null; readonly message: string };

const TIMEOUT_MS = 20_000;
/** Words of a refusal that are kept. */
const WORDS = 500;

export interface PartnerCall {
  readonly url: string;
  /** Stable over retries. */
  readonly messageId: string;
  readonly body: string;
  readonly signingSecrets: readonly string[];
}

/**
 * Posts a signed message to a partner (Standard Webhooks 1.0). Any 2xx takes it; 408, 425, 429, 5xx, time-outs and
 * broken connections are worth another try; every other answer refuses it.
 */
export async function postToPartner(client: SafeClient, call: PartnerCall): Promise<PartnerAnswer> {
  const answer = await client.exchange({
    url: call.url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...signatureHeaders({
        id: call.messageId,
        body: call.body,
        at: new Date(),
        secrets: call.signingSecrets,
      }),
    },
    body: call.body,
    timeoutMs: TIMEOUT_MS,
    limitBytes: 64 * 1024,
  });
  if (answer.ok && answer.status < 300) return { outcome: 'accepted', text: answer.text };
  const message = answer.ok ? `HTTP ${answer.status}: ${wordsOf(answer.text)}` : answer.message;
  if (isPassing(answer)) {
    return {
      outcome: 'retry',
      message,
      retryAfterMs: answer.ok ? (retryAfterMs(answer.headers) ?? null) : null,
    };
  }
  return { outcome: 'refused', status: answer.ok ? answer.status : null, message };
}

/** A partner's own words: the message of a JSON error body, else its text. */
function wordsOf(text: string): string {
  try {
    const body = JSON.parse(text) as { error?: unknown; message?: unknown };
    const words = body.error ?? body.message;
    if (typeof words === 'string') return words.slice(0, WORDS);
  } catch {
    // Not JSON: the text itself.
  }
  return text.trim().slice(0, WORDS) || 'no words';
}
