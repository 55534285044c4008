import type { Account } from '../../src/accounts/account';
import {
  type Attempt,
  beginAttempt,
  completeAttempt,
  type EarlierRequest,
  earlierRequest,
  IDEMPOTENCY_KEY_LENGTH,
  isSealed,
  type KeyedRequest,
  openSealedResponse,
  releaseAttempt,
  sealResponse,
} from '../../src/accounts/idempotency-keys';
import { invalidField, Refusal } from '../../src/platform/errors';
import { sha256 } from '../../src/platform/ids';
import type { Logger } from '../../src/platform/logging/logging';
import type { Queryable, Sql } from '../../src/platform/postgres';
import { canonicalJson } from './json-body';
import { type CallContext, type IdempotencyHandle, RawResponse, type Route } from './route';

/** The handle of a call without an Idempotency-Key. */
const NO_KEY: IdempotencyHandle = { claim: null, complete: async () => undefined };

/** Visible ASCII characters, which every HTTP implementation transmits unchanged. */
const KEY_FORM = /^[\x21-\x7e]+( +[\x21-\x7e]+)*$/;

/**
 * Returns the Idempotency-Key of a call, or undefined.
 * @throws Refusal `VALIDATION_ERROR` when the key is empty, too long, or not visible ASCII
 */
export function idempotencyKeyOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (header.length <= IDEMPOTENCY_KEY_LENGTH && KEY_FORM.test(header)) return header;
  const message = `Must be 1 to ${IDEMPOTENCY_KEY_LENGTH} visible ASCII characters.`;
  throw invalidField('Idempotency-Key', message, header === '' ? 'IS_BLANK_ERROR' : 'VALIDATION_ERROR');
}

/**
 * Returns the id of a request with an Idempotency-Key, for what carries it out once for each id: its response cannot be stored in
 * the same transaction. Undefined without a key.
 */
export function keyedIdOf(account: Account, headers: CallContext['headers']): string | undefined {
  const key = headers['idempotency-key'];
  return key === undefined ? undefined : sha256(`${account.id}:${key}`).toString('base64url');
}

/** The response to a request. `replayed`: the stored response of an earlier request with the Idempotency-Key. */
export interface Outcome {
  readonly response: unknown;
  readonly replayed: boolean;
}

interface KeyedCall {
  readonly route: Route;
  readonly account: Account | undefined;
  readonly key: string | undefined;
  /** Everything the response depends on: parameters and body as received. */
  readonly content: unknown;
  /** The caller's API key, for responses that show a secret. */
  readonly sealWith: string | undefined;
  readonly log: () => Logger;
}

type Handle = (idempotency: IdempotencyHandle) => Promise<unknown>;

/**
 * Executes a request, at most once per key. Only successful responses are stored: a refusal or an error releases the
 * key, so that a corrected request, or the same request later, is executed.
 *
 * A process that dies after a handler's commit and before the response is stored leaves the key locked until its lease
 * ends; the retry then runs the handler again. Creating handlers close this gap by storing the response in their own
 * transaction (`IdempotencyHandle.complete`).
 *
 * No library does this: those for Express store the response after the handler, in a store of their own, so that a crash between
 * the two repeats the change.
 * @throws Refusal `IDEMPOTENCY_KEY_REUSED`, `IDEMPOTENCY_IN_FLIGHT`, and what the handler throws
 */
export async function onceForKey(
  { sql }: { readonly sql: Sql },
  { route, account, key, content, sealWith, log }: KeyedCall,
  handle: Handle,
): Promise<Outcome> {
  if (key === undefined || account === undefined) return { response: await handle(NO_KEY), replayed: false };
  const { operationId } = route;
  const keyed = { accountId: account.id, operationId, key, fingerprint: sha256(canonicalJson(content)) };
  if (route.idempotent === 'claimed-by-handler') return await claimOnce(sql, log, keyed, handle);
  const begun = await beginAttempt(sql, keyed);
  if (begun.outcome === 'begun') return await attemptOnce(sql, log, begun.attempt, sealWith, handle);
  return replayOf(begun, sealWith);
}

/** Returns the stored response of an earlier request. @throws Refusal when it has none for this request */
function replayOf(earlier: EarlierRequest, sealWith: string | undefined): Outcome {
  if (earlier.outcome === 'other-content') throw new Refusal('IDEMPOTENCY_KEY_REUSED');
  if (earlier.outcome === 'in-flight') throw new Refusal('IDEMPOTENCY_IN_FLIGHT', { retryAfter: 1 });
  const { response: body } = earlier;
  if (sealWith === undefined) return { replayed: true, response: body };
  const response = isSealed(body) ? openSealedResponse(sealWith, body) : undefined;
  if (response !== undefined) return { replayed: true, response };
  throw new Refusal('CONFLICT', {
    message:
      'Another API key of the account sent this request. Its response contains a secret that only that key can read.',
  });
}

/**
 * Executes a handler that claims the key in the statement of its changes. When the handler fails, an earlier request may have
 * the key: its response, or the reason why it has none, then replaces the error.
 */
async function claimOnce(sql: Sql, log: () => Logger, claim: KeyedRequest, handle: Handle): Promise<Outcome> {
  const complete = () => Promise.reject(new Error(`${claim.operationId} claims its key in its own statement`));
  try {
    return { replayed: false, response: await handle({ claim, complete }) };
  } catch (error) {
    const earlier = await earlierRequest(sql, claim).catch((cause: unknown) => {
      log().warn({ err: cause }, 'the stored response of an Idempotency-Key was not read');
      return undefined;
    });
    if (earlier === undefined) throw error;
    return replayOf(earlier, undefined);
  }
}

/** Executes a handler while the attempt holds the lease of the key, and stores its response. */
async function attemptOnce(
  sql: Sql,
  log: () => Logger,
  attempt: Attempt,
  sealWith: string | undefined,
  handle: Handle,
): Promise<Outcome> {
  let completed = false;
  const complete = async (tx: Queryable, response: unknown) => {
    const body = sealWith === undefined ? response : sealResponse(sealWith, response);
    await completeAttempt(tx, attempt, body);
    completed = true;
  };
  try {
    const response = await handle({ claim: null, complete });
    if (response instanceof RawResponse && !completed)
      throw new Error(`${attempt.operationId} does not respond with JSON and cannot be idempotent`);
    if (!completed) await complete(sql, response);
    return { replayed: false, response };
  } catch (error) {
    // After `complete` has committed, the record has a status and is not deleted.
    await releaseAttempt(sql, attempt).catch((cause: unknown) => {
      log().warn({ err: cause }, 'Idempotency-Key was not released; its lease will expire');
    });
    throw error;
  }
}
