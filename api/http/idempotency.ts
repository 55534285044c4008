import {
  type Attempt,
  beginAttempt,
  completeAttempt,
  type EarlierRequest,
  earlierRequest,
  IDEMPOTENCY_KEY_LENGTH,
  type KeyedRequest,
  releaseAttempt,
  type StoredAnswer,
} from '../../src/accounts/idempotency-keys';
import { isSealed, openAnswer, sealAnswer } from '../../src/accounts/sealed-answer';
import { Refusal } from '../../src/platform/errors';
import { sha256 } from '../../src/platform/ids';
import type { Logger } from '../../src/platform/logging';
import type { Sql } from '../../src/platform/postgres';
import { canonicalJson } from './json-body';
import { type IdempotencyHandle, RawAnswer } from './route';

/** The handle of a call without an Idempotency-Key. */
export const NO_KEY: IdempotencyHandle = { claim: null, complete: async () => undefined };

/** Visible ASCII characters, which every HTTP implementation transmits unchanged. */
const KEY_FORM = /^[\x21-\x7e]+( +[\x21-\x7e]+)*$/;

/**
 * Returns the Idempotency-Key of a call, or undefined.
 * @throws Refusal `VALIDATION_ERROR` when the key is empty, too long, or not visible ASCII
 */
export function idempotencyKeyOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (header.length <= IDEMPOTENCY_KEY_LENGTH && KEY_FORM.test(header)) return header;
  throw new Refusal('VALIDATION_ERROR', {
    errors: [
      {
        code: header === '' ? 'IS_BLANK_ERROR' : 'VALIDATION_ERROR',
        message: `Must be 1 to ${IDEMPOTENCY_KEY_LENGTH} visible ASCII characters.`,
        reference: 'Idempotency-Key',
      },
    ],
  });
}

export type Outcome = { readonly replayed: boolean; readonly answer: unknown };

/**
 * Executes a request at most once per key. Only successful responses are stored: a refusal or an error releases the
 * key, so that a corrected request, or the same request later, is executed.
 *
 * A process that dies after a handler's commit and before the response is stored leaves the key locked until its lease
 * ends; the retry then runs the handler again. Creating handlers close this gap by storing the response in their own
 * transaction (`IdempotencyHandle.complete`).
 * @param request `content`: everything the response depends on, parameters and body as received;
 *   `sealWith`: the caller's API key, for responses that show a secret;
 *   `claimedByHandler`: the handler claims the key in its own statement (`Route.idempotent`)
 * @throws Refusal `IDEMPOTENCY_KEY_REUSED`, `IDEMPOTENCY_IN_FLIGHT`, and what the handler throws
 */
export async function onceForKey(
  deps: { readonly sql: Sql; readonly log: () => Logger },
  request: {
    accountId: string;
    operationId: string;
    key: string;
    content: unknown;
    sealWith?: string | undefined;
    claimedByHandler: boolean;
  },
  handle: (idempotency: IdempotencyHandle) => Promise<unknown>,
): Promise<Outcome> {
  const { accountId, operationId, key, content, sealWith, claimedByHandler } = request;
  const keyed = { accountId, operationId, key, fingerprint: sha256(canonicalJson(content)) };
  if (claimedByHandler) return await claimOnce(deps, keyed, handle);
  const begun = await beginAttempt(deps.sql, keyed);
  if (begun.outcome === 'begun') return await attemptOnce(deps, begun.attempt, sealWith, handle);
  return replayOf(begun, sealWith);
}

/** Returns the stored response of an earlier request. @throws Refusal when it has none for this request */
function replayOf(earlier: EarlierRequest, sealWith: string | undefined): Outcome {
  if (earlier.outcome === 'other-content') throw new Refusal('IDEMPOTENCY_KEY_REUSED');
  if (earlier.outcome === 'in-flight') throw new Refusal('IDEMPOTENCY_IN_FLIGHT', { retryAfter: 1 });
  return { replayed: true, answer: reopened(earlier.answer, sealWith) };
}

/**
 * Executes a handler that claims the key together with its changes. Only a handler that fails needs to know about an earlier
 * request: it failed because that request has the key, or for a reason that the earlier response precedes.
 */
async function claimOnce(
  deps: { readonly sql: Sql; readonly log: () => Logger },
  claim: KeyedRequest,
  handle: (idempotency: IdempotencyHandle) => Promise<unknown>,
): Promise<Outcome> {
  const complete = () =>
    Promise.reject(new Error(`${claim.operationId} claims its key in its own statement`));
  try {
    return { replayed: false, answer: await handle({ claim, complete }) };
  } catch (error) {
    const earlier = await earlierRequest(deps.sql, claim).catch((cause: unknown) => {
      deps.log().warn({ err: cause }, 'the stored response of an Idempotency-Key was not read');
      return undefined;
    });
    if (earlier === undefined) throw error;
    return replayOf(earlier, undefined);
  }
}

function reopened(stored: StoredAnswer, sealWith: string | undefined): unknown {
  // Releases that did not seal the answers of a route may have stored the answer in plain text.
  if (sealWith === undefined || !isSealed(stored.body)) return stored.body;
  const answer = openAnswer(sealWith, stored.body);
  if (answer !== undefined) return answer;
  throw new Refusal('CONFLICT', {
    message:
      'Another API key of the account sent this request. Its response contains a secret that only that key can read.',
  });
}

async function attemptOnce(
  deps: { readonly sql: Sql; readonly log: () => Logger },
  attempt: Attempt,
  sealWith: string | undefined,
  handle: (idempotency: IdempotencyHandle) => Promise<unknown>,
): Promise<Outcome> {
  let completed = false;
  const stored = (answer: unknown): StoredAnswer => ({
    status: 200,
    body: sealWith === undefined ? answer : sealAnswer(sealWith, answer),
  });
  try {
    const answer = await handle({
      claim: null,
      complete: async (tx, given) => {
        await completeAttempt(tx, attempt, stored(given));
        completed = true;
      },
    });
    if (answer instanceof RawAnswer)
      throw new Error(`${attempt.operationId} does not respond with JSON and cannot be idempotent`);
    if (!completed) await completeAttempt(deps.sql, attempt, stored(answer));
    return { replayed: false, answer };
  } catch (error) {
    // After `complete` has committed, the record has a status and is not deleted.
    await releaseAttempt(deps.sql, attempt).catch((cause: unknown) => {
      deps.log().warn({ err: cause }, 'Idempotency-Key was not released; its lease will expire');
    });
    throw error;
  }
}
