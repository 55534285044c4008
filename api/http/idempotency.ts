import {
  type Attempt,
  beginAttempt,
  completeAttempt,
  IDEMPOTENCY_KEY_LENGTH,
  releaseAttempt,
  type StoredAnswer,
} from '../../src/accounts/idempotency-keys';
import { openAnswer, type SealedAnswer, sealAnswer } from '../../src/accounts/sealed-answer';
import { Refusal } from '../../src/platform/errors';
import { sha256 } from '../../src/platform/ids';
import type { Logger } from '../../src/platform/logging';
import type { Sql } from '../../src/platform/postgres';
import { canonicalJson } from './json-body';
import { type IdempotencyHandle, RawAnswer } from './route';

/** What a call without a key gets. */
export const NO_KEY: IdempotencyHandle = { keyed: false, complete: async () => undefined };

/** Visible ASCII: what a header carries unharmed. */
const KEY_FORM = /^[\x21-\x7e]+( +[\x21-\x7e]+)*$/;

/**
 * The call's Idempotency-Key.
 * @throws Refusal `VALIDATION_ERROR` for one that is empty, too long, or not visible ASCII
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
 * Carries out a request at most once for its key. Only answers of success are kept: a refusal or a fault frees
 * the key, so that a mended request, or the same one later, is tried again.
 *
 * A process that dies between a handler's commit and the storing of the answer leaves the key locked until its
 * lease ends; the retry then runs the handler again. Handlers that make things close this gap by storing the
 * answer in their own transaction (`IdempotencyHandle.complete`).
 * @param request `content`: everything the answer depends on, parameters and body as sent;
 *   `sealWith`: the caller's API key, for answers that show a secret
 * @throws Refusal `IDEMPOTENCY_KEY_REUSED`, `IDEMPOTENCY_IN_FLIGHT`, and whatever the handler throws
 */
export async function onceForKey(
  deps: { readonly sql: Sql; readonly log: Logger },
  request: {
    accountId: string;
    operationId: string;
    key: string;
    content: unknown;
    sealWith?: string | undefined;
  },
  handle: (idempotency: IdempotencyHandle) => Promise<unknown>,
): Promise<Outcome> {
  const { accountId, operationId, key, content, sealWith } = request;
  const fingerprint = sha256(canonicalJson(content));
  const begun = await beginAttempt(deps.sql, { accountId, operationId, key, fingerprint });
  if (begun.outcome === 'replay') return { replayed: true, answer: reopened(begun.answer, sealWith) };
  if (begun.outcome === 'other-content') throw new Refusal('IDEMPOTENCY_KEY_REUSED');
  if (begun.outcome === 'in-flight') throw new Refusal('IDEMPOTENCY_IN_FLIGHT', { retryAfter: 1 });
  return await attemptOnce(deps, begun.attempt, sealWith, handle);
}

function reopened(stored: StoredAnswer, sealWith: string | undefined): unknown {
  if (sealWith === undefined) return stored.body;
  const answer = openAnswer(sealWith, stored.body as SealedAnswer);
  if (answer !== undefined) return answer;
  throw new Refusal('CONFLICT', { message: 'This request was answered to another API key of the account.' });
}

async function attemptOnce(
  deps: { readonly sql: Sql; readonly log: Logger },
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
      keyed: true,
      complete: async (tx, given) => {
        await completeAttempt(tx, attempt, stored(given));
        completed = true;
      },
    });
    if (answer instanceof RawAnswer)
      throw new Error(`${attempt.operationId} answers no JSON and cannot be idempotent`);
    if (!completed) await completeAttempt(deps.sql, attempt, stored(answer));
    return { replayed: false, answer };
  } catch (error) {
    // After `complete` this deletes nothing unless that transaction rolled back: the record has a status.
    await releaseAttempt(deps.sql, attempt).catch((cause: unknown) => {
      deps.log.warn({ err: cause }, 'Idempotency-Key not released; it frees itself when its lease ends');
    });
    throw error;
  }
}
