import { cutText } from '../platform/domain/foreign-text';
import type { HttpFault } from '../platform/http/responses';
import { isTransient, retryAfterMs, type TextResponse } from '../platform/http/responses';
import type { SafeClient } from '../platform/http/safe-client';
import { signatureHeaders } from '../platform/http/webhook-signature';
import type { SecretBox } from '../platform/sealing/secret-box';
import { ShareTaken, type SlotShares } from '../platform/temporal/slot-shares';
import { type Partner, signingSecretsOf } from './partner-rows';
import type { PartnerAttempt } from './requests';

/** Outcome of a call to a partner. `message` of a refusal quotes the partner's error. */
export type PartnerResponse =
  | { readonly outcome: 'accepted'; readonly text: string }
  | { readonly outcome: 'retry'; readonly message: string; readonly retryAfterMs: number | null }
  | { readonly outcome: 'refused'; readonly status: number | null; readonly message: string };

export interface PartnerExchange {
  readonly response: PartnerResponse;
  readonly attempt: PartnerAttempt;
}

const TIMEOUT_MS = 20_000;
/** Characters of a partner's error text that are kept. */
const ERROR_TEXT_LENGTH = 500;

export interface PartnerCallDeps {
  readonly client: SafeClient;
  readonly secretBox: SecretBox;
  /** The calls that this process has under way, by partner uid. A partner has PARTNER_CALLS of them. */
  readonly partnerCalls: SlotShares;
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

/** Does work that calls a partner. @throws ShareTaken before it, when the partner has its share of this process's calls */
export async function inPartnerSlot<T>(
  { partnerCalls }: Pick<PartnerCallDeps, 'partnerCalls'>,
  uid: string,
  work: () => Promise<T>,
): Promise<T> {
  const taken = partnerCalls.take(uid);
  if ('retryInMs' in taken)
    throw new ShareTaken(`${uid} has not responded to the calls that are under way`, taken.retryInMs);
  return await work().finally(taken.release);
}

/** Posts a message to a partner in a slot of its own. @throws ShareTaken */
export const postToPartner = (deps: PartnerCallDeps, call: PartnerCall): Promise<PartnerExchange> =>
  inPartnerSlot(deps, call.partner.uid, () => postInSlot(deps, call));

/**
 * Posts a signed message to a partner (Standard Webhooks 1.0). Any 2xx accepts it. 408, 425, 429, 5xx, timeouts and
 * broken connections are retryable. Every other status refuses it.
 */
export async function postInSlot(
  { client, secretBox }: Pick<PartnerCallDeps, 'client' | 'secretBox'>,
  call: PartnerCall,
): Promise<PartnerExchange> {
  const { uid } = call.partner;
  const at = new Date();
  const result = await client.exchange({
    url: call.url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...signatureHeaders({
        id: call.messageId,
        body: call.body,
        at,
        secrets: signingSecretsOf(secretBox, call.partner),
      }),
    },
    body: call.body,
    purpose: { kind: 'partner', uid, delivers: call.delivers },
    timeoutMs: TIMEOUT_MS,
    limitBytes: 64 * 1024,
  });
  const response = responseOf(result);
  const attempt: PartnerAttempt = {
    at,
    durationMs: Date.now() - at.getTime(),
    status: result.ok ? result.status : null,
    outcome: response.outcome,
    response: result.ok ? excerpt(result.text) : result.message,
  };
  return { response, attempt };
}

function responseOf(result: TextResponse | HttpFault): PartnerResponse {
  if (result.ok && result.status < 300) return { outcome: 'accepted', text: result.text };
  const message = result.ok ? `HTTP ${result.status}: ${errorText(result.text)}` : result.message;
  if (isTransient(result)) {
    return {
      outcome: 'retry',
      message,
      retryAfterMs: result.ok ? (retryAfterMs(result.headers) ?? null) : null,
    };
  }
  return { outcome: 'refused', status: result.ok ? result.status : null, message };
}

/** Matches API keys, signing secrets and the credentials that servers repeat in error pages. */
const CREDENTIALS = /\b(?:plk|pls|whsec)_[\w+/=-]+|\b(?:bearer|basic)\s+[\w.+/=~-]+/gi;

/** Returns the beginning of a response for the log of requests, without credentials, or null when it is empty. */
function excerpt(text: string): string | null {
  const readable = cutText(text, 4 * ERROR_TEXT_LENGTH)
    .trim()
    .replace(CREDENTIALS, '[removed]');
  return cutText(readable, ERROR_TEXT_LENGTH) || null;
}

/** Returns the `error` or `message` field of a JSON body, else the body's text. */
function errorText(text: string): string {
  try {
    const body = JSON.parse(text) as { error?: unknown; message?: unknown };
    const stated = body.error ?? body.message;
    if (typeof stated === 'string') return cutText(stated, ERROR_TEXT_LENGTH);
  } catch {
    // Not JSON.
  }
  return cutText(text.trim(), ERROR_TEXT_LENGTH) || 'empty body';
}
