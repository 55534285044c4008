import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Account, OperatorRole, Role } from '../../src/accounts/account';
import type { AuditAction } from '../../src/accounts/audit-actions';
import type { AuditedChange, AuditIntent } from '../../src/accounts/audit-log';
import type { KeyedRequest } from '../../src/accounts/idempotency-keys';
import type { ClientQuotas } from '../../src/orders/intake/client-quotas';
import type { ErrorCode } from '../../src/platform/errors';
import type { Logger } from '../../src/platform/logging/logging';
import type { Queryable } from '../../src/platform/postgres';
import type { ErrorShape } from './error-body';
import { type SentRequest, validated } from './validation';

/**
 * The callers of a route with credentials. `key`: the key is sufficient; `key:secret` is accepted. `key:secret`: clients need
 * both. Partners and operators have keys without a secret and send the key alone where their role is allowed.
 * `operatorRole`: the least role of an operator who may call the route. Required when `roles` has `operator`.
 */
export interface KeyAccess {
  readonly credentials: 'key' | 'key:secret';
  readonly roles: readonly Role[];
  readonly operatorRole?: OperatorRole;
}

/** Who may call a route. `none`: anyone. */
export type Access = KeyAccess | { readonly credentials: 'none' };

/** Returns the access of a route that only operators may call, with at least the given role. */
export function operatorsOnly(operatorRole: OperatorRole): KeyAccess {
  return { credentials: 'key', roles: ['operator'], operatorRole };
}

/** Returns the group of a route that only operators may call, and its access. */
export const forOperators = (tag: string, operatorRole: OperatorRole) => ({ tag, access: operatorsOnly(operatorRole) });

/** A request as received, before its body is parsed. */
interface SignedRequest {
  readonly params: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly rawBody: Buffer;
}

/** What every handler gets, beside the parsed request. Pass it on as it is: a copy by `...` lacks `log` and `signal`. */
export interface CallContext {
  /** The same id is in the `X-Request-Id` header, in every log line and in the memo of started workflows. */
  readonly requestId: string;
  readonly log: Logger;
  /** The API key of the call. Null: a session, or a route without credentials. */
  readonly keyId: string | null;
  /** IP address of the caller. Undefined when the connection is closed already. */
  readonly address: string | undefined;
  /** Request headers with lower-case names, for webhook signatures. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Bytes of the body as received, for signature checks. Empty on routes without a body schema. */
  readonly rawBody: Buffer;
  /**
   * Returns the body of a route with `upload`, as it is received.
   * @throws Refusal `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`. Reading the stream can throw the latter
   */
  readonly upload?: () => Readable;
  readonly idempotency: IdempotencyHandle;
  readonly quotas: ClientQuotas;
  /** Aborted when the response has ended or its connection is closed. A long read ends then. */
  readonly signal: AbortSignal;
  /**
   * Writes the action of the call to the audit log, with its caller and request. A handler of a route with `audits` calls it
   * once when it succeeds, in the transaction of the change where it has one.
   * @param by the actor, on a route without credentials
   */
  audit(tx: Queryable, change: AuditedChange, by?: Account | 'unknown'): Promise<void>;
  /**
   * Stores an act before it begins, when no transaction covers it. `audit` ends it; after a server error the audit log gets a
   * row with the outcome `unknown`.
   */
  intend(intent: AuditIntent): Promise<void>;
  /** Declares that this call writes no row for `audits`: a dry run, or a change of a draft. */
  unaudited(): void;
}

/** Access of a handler to the `Idempotency-Key` of its call. */
export interface IdempotencyHandle {
  /**
   * The key of the call, on a route whose handler claims it. The handler stores it with the response in the statement that
   * creates the object, and throws when the key is taken. Null without a key, and on other routes.
   */
  readonly claim: KeyedRequest | null;
  /**
   * Stores the response in the transaction that creates the object, so that a crash cannot create it twice. Does nothing when
   * the call has no key. When a handler does not call it, the response is stored after the handler returns.
   * @throws Refusal `IDEMPOTENCY_IN_FLIGHT` when a later attempt has taken over the lease: roll back
   */
  complete(tx: Queryable, response: unknown): Promise<void>;
}

/** A response other than 200 with a JSON body: a redirect, a file, a 304. */
export class RawResponse {
  constructor(
    readonly status: number,
    readonly headers: Readonly<Record<string, string | readonly string[]>>,
    readonly body?: NodeJS.ReadableStream | Buffer | string,
  ) {}
}

/** When an operation was deprecated, and when it will be removed. Both are days, YYYY-MM-DD, in UTC. */
export interface Deprecation {
  readonly since: string;
  /** Absent while no day is set. */
  readonly sunset?: string;
}

type DeepReadonly<T> = T extends Date ? T : T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

/** What a handler returns for a schema of its response. It is serialized unchanged. */
export type Sent<S extends z.ZodType> = DeepReadonly<z.input<S>>;

/** The schemas of a route. Without a schema, parameters are not checked and a body is not read. */
interface Schemas<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType> {
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** Wire form of the response. */
  readonly response: R;
}

type Schema = z.ZodType;

/** A route as data, without its access and its handler. */
interface RouteFacts<P extends Schema, Q extends Schema, B extends Schema, R extends Schema>
  extends Schemas<P, Q, B, R> {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** Set when the operation is to be removed (docs/api-versioning.md). Responses announce it in their headers. */
  readonly deprecated?: Deprecation;
  /** Default: `coded`. */
  readonly errors?: ErrorShape;
  /** Codes that the handler refuses with, beside those that every such route can respond with (`refusalCodes`). */
  readonly refuses?: readonly ErrorCode[];
  /** Other successful statuses of a `RawResponse`, such as a redirect, with their meanings. */
  readonly otherStatuses?: Readonly<Record<number, string>>;
  /** The actions that a successful call writes to the audit log: one of these, once. */
  readonly audits?: readonly AuditAction[];
  /** Further actions that a call may write, beside one of `audits` or before a refusal. */
  readonly alsoAudits?: readonly AuditAction[];
  /**
   * Supports `Idempotency-Key`, for creating POSTs. Requires credentials, because keys are stored per account.
   * `true`: a lease on the key is taken before the handler runs. `claimed-by-handler`: the handler claims the key in the
   * statement that creates the object (`IdempotencyHandle.claim`), which saves two statements per request.
   */
  readonly idempotent?: boolean | 'claimed-by-handler';
  /** The route takes a file as its body, which the handler reads from `upload`. Such a route has no body schema. */
  readonly upload?: { readonly contentType: string; readonly mostBytes: number };
  /** True for a POST that only reads. Clients may repeat it, and it has the timeout of reads. */
  readonly isRead?: true;
  /** True for another POST that changes nothing more when it is sent again, so that clients may repeat it. */
  readonly isRepeatable?: true;
  /** True for a list or a search, which reads a standby of Postgres where there is one (`readingStandby`). It only reads. */
  readonly onStandby?: true;
  /** Timeout of the handler in milliseconds, after which the response is 503. Default: DEFAULT_TIMEOUTS_MS. */
  readonly timeoutMs?: number;
  /** The response contains a secret. The stored response of an `Idempotency-Key` is sealed with the caller's API key. */
  readonly returnsSecret?: boolean;
  /** Checks the signature of a webhook before its body is parsed. False: 401, whatever the body. */
  readonly isSigned?: (request: SignedRequest) => boolean;
  /** Content type of a `RawResponse` that is not JSON. The OpenAPI document then omits `response`. */
  readonly contentType?: string;
  /** Content types that a response has in place of JSON for some requests, such as exports. */
  readonly otherContentTypes?: readonly string[];
}

/** A handler gets the validated request; `More` is what it gets besides. */
type Handler<P extends Schema, Q extends Schema, B extends Schema, R extends Schema, More> = (
  call: CallContext & More & { readonly params: z.output<P>; readonly query: z.output<Q>; readonly body: z.output<B> },
) => Promise<Sent<R> | RawResponse>;

/** The declaration of a route whose callers have a key or a session. */
export interface RouteDefinition<P extends Schema, Q extends Schema, B extends Schema, R extends Schema>
  extends RouteFacts<P, Q, B, R> {
  readonly access: KeyAccess;
  readonly handler: Handler<P, Q, B, R, { readonly account: Account }>;
}

/** The declaration of a route that needs no credentials. */
interface OpenRouteDefinition<P extends Schema, Q extends Schema, B extends Schema, R extends Schema>
  extends RouteFacts<P, Q, B, R> {
  readonly handler: Handler<P, Q, B, R, unknown>;
}

/**
 * One route as data. The Express router and the OpenAPI document are both built from the list of routes, so that they
 * always agree.
 */
export interface Route extends RouteFacts<Schema, Schema, Schema, Schema> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** In OpenAPI form: `/v1/orders/{orderId}`. */
  readonly path: string;
  readonly access: Access;
  readonly errors: ErrorShape;
  /**
   * Validates a request and returns its handler. The handler completes the given call with the parsed request.
   * @throws Refusal `VALIDATION_ERROR` with every invalid field of path, query and body
   */
  readonly accept: (sent: SentRequest) => (call: CallContext, account: Account | undefined) => Promise<unknown>;
}

/** Timeouts of handlers: of reads, and of everything else. A request to a workflow waits up to 29 seconds for it. */
export const DEFAULT_TIMEOUTS_MS = { read: 15_000, write: 30_000 } as const;

/** Method and path of a route: `POST /v1/orders/{orderId}/cancel`. */
export type Operation = `${Uppercase<Route['method']>} ${string}`;

function placeOf(operation: Operation): Pick<Route, 'method' | 'path'> {
  const [method, path] = operation.split(' ') as [string, string];
  return { method: method.toLowerCase() as Route['method'], path };
}

/** Declares a route whose callers have a key or a session. */
export function route<P extends Schema, Q extends Schema, B extends Schema, R extends Schema>(
  operation: Operation,
  { handler, ...declared }: RouteDefinition<P, Q, B, R>,
): Route {
  return {
    ...placeOf(operation),
    errors: 'coded',
    ...declared,
    accept: (sent) => {
      const parsed = validated(declared, sent);
      return (call, account) => {
        if (account === undefined) throw new Error(`${declared.operationId} was called without an account`);
        return handler(Object.assign(call, parsed, { account }));
      };
    },
  };
}

/** Declares a route that needs no credentials. test/security/roles lists each with a reason. */
export function openRoute<P extends Schema, Q extends Schema, B extends Schema, R extends Schema>(
  operation: Operation,
  { handler, ...declared }: OpenRouteDefinition<P, Q, B, R>,
): Route {
  return {
    ...placeOf(operation),
    errors: 'coded',
    ...declared,
    access: { credentials: 'none' },
    accept: (sent) => {
      const parsed = validated(declared, sent);
      return (call) => handler(Object.assign(call, parsed));
    },
  };
}

/** Converts `/v1/orders/{orderId}` to the form of Express: `/v1/orders/:orderId`. */
export function expressPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

/** Returns the names of a path's parameters, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}

/** Sorts literal segments before parameters, so that `/v1/orders/search` is not matched as an order id. */
export function bySpecificity(a: Pick<Route, 'path'>, b: Pick<Route, 'path'>): number {
  const [left, right] = [a.path.split('/'), b.path.split('/')];
  for (let i = 0; i < Math.min(left.length, right.length); i += 1) {
    const difference = Number(left[i]!.startsWith('{')) - Number(right[i]!.startsWith('{'));
    if (difference !== 0) return difference;
  }
  return 0;
}
