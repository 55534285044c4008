import type { z } from 'zod';
import type { Account, Role } from '../../src/accounts/account';
import type { Logger } from '../../src/platform/logging';
import type { Queryable } from '../../src/platform/postgres';

/** Which error body a route answers with (interface "Errors", "Bodies by endpoint group"). */
export type ErrorShape = 'coded' | 'plain' | 'adjust-stock' | 'shipping' | 'tracking';

/**
 * Who may call a route.
 * `key`: the key alone suffices (`key:secret` too). `key:secret`: clients need both; partners and operators,
 * whose keys are handed out without a secret, come with the key alone where their role is admitted. `none`: open.
 */
export type Access =
  | { readonly credentials: 'key' | 'key:secret'; readonly roles: readonly Role[] }
  | { readonly credentials: 'none' };

/** What a handler gets: everything parsed, the caller known. */
export interface Call<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The caller; routes without credentials have none and must not touch it. */
  readonly account: Account;
  /** Also in the `X-Request-Id` header, every log line, and the memo of workflows the call starts. */
  readonly requestId: string;
  readonly log: Logger;
  /** Lower-cased request headers, for the few routes that need one (webhook signatures). */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body's bytes as received, for signature checks; empty for routes without a body schema. */
  readonly rawBody: Buffer;
  readonly idempotency: IdempotencyHandle;
}

/** What a handler does with the `Idempotency-Key` of its call. */
export interface IdempotencyHandle {
  /** Whether the call carries a key; a handler that needs no transaction otherwise can do without one. */
  readonly keyed: boolean;
  /**
   * Stores the answer in the transaction that makes the thing it tells of, so that a crash between the two
   * cannot make it twice. Does nothing when the call has no key. A handler that leaves it out has its answer
   * stored after it returned.
   * @throws Refusal `IDEMPOTENCY_IN_FLIGHT` when the attempt lost its lock to a later one: roll back
   */
  complete(tx: Queryable, answer: unknown): Promise<void>;
}

/** An answer other than a JSON body with 200: redirects, files, 304s. */
export class RawAnswer {
  constructor(
    readonly status: number,
    readonly headers: Readonly<Record<string, string>>,
    readonly body?: NodeJS.ReadableStream | Buffer | string,
  ) {}
}

/**
 * One route, as data: the Express router and the OpenAPI document are both made from the list of these,
 * so that neither can say what the other does not.
 */
export interface Route<
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** OpenAPI form: `/v1/orders/{orderId}`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly access: Access;
  readonly errors: ErrorShape;
  /** A creating POST: honours `Idempotency-Key`. Needs credentials, keys being kept per account. */
  readonly idempotent?: boolean;
  /** The answer shows a secret: stored for its `Idempotency-Key` it is sealed with the caller's API key. */
  readonly answersSecret?: boolean;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** What goes over the wire: answers are serialised as the handler gives them. */
  readonly response: R;
  /** Content type of `RawAnswer` bodies that are not JSON, for the document; `response` is then not shown. */
  readonly contentType?: string;
  readonly handler: (call: Call<z.output<P>, z.output<Q>, z.output<B>>) => Promise<z.input<R> | RawAnswer>;
}

/** Keeps a route's types through the array it ends up in. */
export function route<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  definition: Route<P, Q, B, R>,
): Route {
  return definition as unknown as Route;
}
