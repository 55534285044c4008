import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler, Response } from 'express';
import type { Authenticator } from '../../src/accounts/authenticator';
import { type FieldError, Refusal } from '../../src/platform/errors';
import { unavailable } from '../../src/platform/unavailable';
import type { ApiDeps } from '../deps';
import { auditTrail } from './audit-trail';
import { authorize, credentialOf, secretOf } from './authentication';
import type { ConcurrencyLimiter } from './concurrency-limit';
import { fieldErrors } from './errors/field-errors';
import { idempotencyKeyOf, NO_KEY, onceForKey } from './idempotency';
import { isJson, isUnstorable, parseJson, readBody, UNSTORABLE_MESSAGE } from './json-body';
import { answerFault } from './openapi/response-check';
import type { AddressLimiter, RateLimiter } from './rate-limit';
import { notesOf, type RequestNotes } from './request-log';
import { type AnyCall, DEFAULT_TIMEOUTS_MS, type Deprecation, RawAnswer, type Route } from './route';

export interface Pipeline {
  readonly deps: ApiDeps;
  readonly authenticator: Authenticator;
  readonly rateLimiter: RateLimiter | undefined;
  /** Limits webhooks and sign-ins, which have no key. */
  readonly addressLimiter: AddressLimiter | undefined;
  readonly concurrencyLimiter: ConcurrencyLimiter | undefined;
  /** Check every response against the route's response schema (tests and development). */
  readonly checkResponses: boolean;
}

interface Parsed {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** Parameters and body as received, before validation. */
interface Sent {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: unknown;
  readonly body: unknown;
  readonly bodyErrors: readonly FieldError[];
  readonly rawBody: Buffer;
}

const NO_BODY = Buffer.alloc(0);

async function receive(route: Route, req: Request, res: Response): Promise<Sent> {
  const params = req.params;
  const query = route.query === undefined ? undefined : req.query;
  if (route.body === undefined) return { params, query, body: undefined, bodyErrors: [], rawBody: NO_BODY };
  const signedBody = route.isSigned === undefined ? undefined : await readSignedBody(route, req, res);
  const contentType = req.get('content-type');
  if (contentType !== undefined && !isJson(contentType)) throw new Refusal('UNSUPPORTED_MEDIA_TYPE');
  const rawBody = signedBody ?? (await readBody(req, res));
  if (contentType === undefined && rawBody.length > 0) throw new Refusal('UNSUPPORTED_MEDIA_TYPE');
  const { value, errors } = parseJson(rawBody);
  notesOf(res).body = value;
  return { params, query, body: value, bodyErrors: errors, rawBody };
}

/** Reads the body of a webhook and checks its signature. @throws Refusal `UNAUTHORIZED`, `PAYLOAD_TOO_LARGE` */
async function readSignedBody(route: Route, req: Request, res: Response): Promise<Buffer> {
  const unsigned = () => new Refusal('UNAUTHORIZED', { message: 'The signature is missing or not valid.' });
  const headers = req.headers as Record<string, string | undefined>;
  // Without a signature, the body is not read.
  if (!headers['webhook-signature']) throw unsigned();
  const rawBody = await readBody(req, res).catch((error: unknown) => {
    throw error instanceof Refusal && error.code !== 'PAYLOAD_TOO_LARGE' ? unsigned() : error;
  });
  if (!route.isSigned!({ params: req.params, headers, rawBody })) throw unsigned();
  return rawBody;
}

function unstorableText(values: unknown): FieldError[] {
  if (typeof values !== 'object' || values === null) return [];
  return Object.entries(values)
    .filter(([, value]) => [value].flat().some((text) => typeof text === 'string' && isUnstorable(text)))
    .map(([name]) => ({ code: 'VALIDATION_ERROR', message: UNSTORABLE_MESSAGE, reference: name }));
}

/** Validates a request. @throws Refusal `VALIDATION_ERROR` with every invalid field of path, query and body */
function validate(route: Route, sent: Sent): Parsed {
  const errors: FieldError[] = [
    ...unstorableText(sent.params),
    ...unstorableText(sent.query),
    ...sent.bodyErrors,
  ];
  const parse = (schema: Route['body'], value: unknown) => {
    if (schema === undefined) return value;
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    errors.push(...fieldErrors(result.error, value));
    return undefined;
  };
  const params = parse(route.params, sent.params);
  const query = parse(route.query, sent.query);
  const body = parse(route.body, sent.body);
  if (errors.length > 0) throw new Refusal('VALIDATION_ERROR', { errors });
  return { params, query, body };
}

export function sendJson(res: Response, status: number, body: unknown): void {
  const text = Buffer.from(JSON.stringify(body), 'utf8');
  res.statusCode = status;
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', text.length);
  res.end(text);
}

async function sendRaw(req: Request, res: Response, { status, headers, body }: RawAnswer): Promise<void> {
  res.statusCode = status;
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  if (body instanceof Readable && req.method !== 'HEAD') {
    await pipeline(body, res).catch((error: unknown) => {
      // The reader closed the connection. A failed source is an error like any other.
      if ((error as { code?: unknown }).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    });
    return;
  }
  if (body instanceof Readable) body.destroy();
  res.end(body instanceof Readable ? undefined : (body as Buffer | string | undefined));
}

/** What a request is answered with. `replayed`: the stored response of an earlier request with the Idempotency-Key. */
interface Outcome {
  readonly answer: unknown;
  readonly replayed: boolean;
}

/** Closes the source of a response that is not sent. */
function discard({ answer }: Outcome): void {
  if (answer instanceof RawAnswer && answer.body instanceof Readable) answer.body.destroy();
}

/**
 * Waits for the outcome of a handler for the time limit of its route. A handler beyond it continues, and what it stores under
 * an Idempotency-Key answers the next attempt.
 * @throws Refusal `UNAVAILABLE` after the time limit
 */
async function withinTime(route: Route, notes: RequestNotes, outcome: Promise<Outcome>): Promise<Outcome> {
  const { read, write } = DEFAULT_TIMEOUTS_MS;
  const timeoutMs = route.timeoutMs ?? (route.method === 'get' ? read : write);
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(unavailable('The request took too long. Try again shortly.'));
      outcome.then(discard, (error: unknown) =>
        notes.log.warn({ err: error }, 'a request failed after its time limit'),
      );
    }, timeoutMs);
  });
  return await Promise.race([outcome, timedOut]).finally(() => clearTimeout(timer));
}

/** Executes a validated request once, or once per Idempotency-Key. */
async function execute(
  { deps, checkResponses }: Pipeline,
  route: Route,
  call: Omit<AnyCall, 'idempotency'>,
  endOfTrail: (check: boolean) => void,
  keyed:
    | { readonly key: string; readonly content: unknown; readonly sealWith: string | undefined }
    | undefined,
): Promise<Outcome> {
  const handle = async (idempotency: AnyCall['idempotency']) => {
    // Not spread: that would create the logger of the request.
    const answer = await route.handler(Object.assign(call, { idempotency }));
    // A handler can refuse with a page of its own.
    if (!(answer instanceof RawAnswer && answer.status >= 400)) endOfTrail(checkResponses);
    if (checkResponses && !(answer instanceof RawAnswer)) {
      const fault = answerFault(route, answer);
      if (fault !== undefined) throw new Error(fault);
    }
    return answer;
  };
  if (keyed === undefined) return { answer: await handle(NO_KEY), replayed: false };
  const request = {
    accountId: call.account.id,
    operationId: route.operationId,
    claimedByHandler: route.idempotent === 'claimed-by-handler',
    ...keyed,
  };
  const log = () => call.log;
  return await onceForKey({ sql: deps.sql, log }, request, handle);
}

/** Sets `Deprecation` (RFC 9745) and `Sunset` (RFC 8594) on the response of a deprecated operation, also on an error. */
function announceDeprecation(res: Response, { since, sunset }: Deprecation): void {
  res.setHeader('Deprecation', `@${Date.parse(since) / 1_000}`);
  if (sunset !== undefined) res.setHeader('Sunset', new Date(sunset).toUTCString());
}

/**
 * Returns the request handler of a route. It applies, in this order: rate limit, limit of concurrent requests,
 * authentication, body, validation, Idempotency-Key, handler, response. The body of an unauthenticated request is never
 * read, and a rejected request stores nothing.
 */
export function serve(pipe: Pipeline, route: Route): RequestHandler {
  return async (req, res) => {
    const notes = notesOf(res);
    notes.route = route;
    notes.params = req.params;
    if (route.deprecated !== undefined) announceDeprecation(res, route.deprecated);
    const credential = credentialOf(route, req);
    const secret = credential === undefined ? undefined : secretOf(credential);
    if (secret !== undefined) await pipe.rateLimiter?.(res, secret);
    if (route.addressLimit !== undefined) await pipe.addressLimiter?.(res, route.addressLimit, req.ip);
    const release = secret === undefined ? undefined : pipe.concurrencyLimiter?.(secret);
    let outcome: Promise<Outcome> | undefined;
    try {
      const account = await authorize(
        { authenticator: pipe.authenticator, sql: pipe.deps.sql },
        route,
        req,
        credential,
      );
      if (account !== undefined) notes.account = account;
      const sent = await receive(route, req, res);
      const key = route.idempotent ? idempotencyKeyOf(req.get('Idempotency-Key')) : undefined;
      const parsed = validate(route, sent);
      const trail = auditTrail(route, req, res);
      const call = {
        ...parsed,
        account: account!,
        audit: trail.audit,
        requestId: notes.requestId,
        get log() {
          return notes.log;
        },
        headers: req.headers as Record<string, string | undefined>,
        rawBody: sent.rawBody,
      };
      const content = [sent.params, sent.query, sent.body];
      const sealWith = route.answersSecret ? secret : undefined;
      const keyed = key === undefined ? undefined : { key, content, sealWith };
      outcome = execute(pipe, route, call, trail.end, keyed);
      const { answer, replayed } = await withinTime(route, notes, outcome);
      if (replayed) res.setHeader('Idempotency-Replayed', 'true');
      if (answer instanceof RawAnswer) await sendRaw(req, res, answer);
      else sendJson(res, 200, answer);
    } finally {
      // A handler beyond its time limit still counts.
      if (release !== undefined) void Promise.allSettled([outcome]).then(release);
    }
  };
}
