import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler, Response } from 'express';
import type { LRUCache } from 'lru-cache';
import type { Authenticator } from '../../src/accounts/authenticator';
import { cleanJson } from '../../src/platform/domain/foreign-text';
import { ERROR_CODES, Refusal } from '../../src/platform/errors';
import { closeUnread } from '../../src/platform/http/responses';
import { unavailable } from '../../src/platform/unavailable';
import type { ApiDeps } from '../deps';
import { type AuditTrail, auditTrail } from './audit-trail';
import { authorize, type Credential, credentialOf, identify, secretOf } from './authentication';
import { callerAddress, callerNetwork } from './caller-address';
import { asRefusal } from './error-body';
import { fieldErrors, fieldPath } from './field-errors';
import { idempotencyKeyOf, type Outcome, onceForKey } from './idempotency';
import { isJson, parseJson, readBody, uploadOf } from './json-body';
import { refusalCodes } from './refusal-codes';
import { type ConcurrencyLimiter, countedName, type FailureLimiter, type RateLimiter } from './request-limits';
import { notesOf, type RequestNotes } from './request-log';
import {
  type CallContext,
  DEFAULT_TIMEOUTS_MS,
  type Deprecation,
  type IdempotencyHandle,
  RawResponse,
  type Route,
} from './route';
import { ignoredFields, type SentRequest, unknownMembers } from './validation';

/**
 * Checks a response, in its wire form, against the route's response schema.
 * @returns a description of the mismatch, which includes fields that the schema (and the OpenAPI document) lacks
 */
function responseFault(route: Route, response: unknown): string | undefined {
  const text = JSON.stringify(response);
  const wire: unknown = text === undefined ? undefined : JSON.parse(text);
  const result = route.response.safeParse(wire);
  const faults = result.success
    ? unknownMembers(route.response, wire).map((path) => `${fieldPath(path)} is not in the response schema`)
    : fieldErrors(result.error, wire).map(({ reference, message }) => `${reference}: ${message}`);
  if (faults.length === 0) return undefined;
  return `${route.operationId} responded outside its response schema: ${faults.slice(0, 10).join('; ')}`;
}

/** Returns the error for a refusal that a route does not declare in `refuses`. The OpenAPI document lacks it. */
function undeclaredRefusal(route: Route, cause: unknown): Error | undefined {
  const { code } = asRefusal(cause);
  if (refusalCodes(route).includes(code)) return undefined;
  return new Error(`${route.operationId} refused with ${code}, which it does not declare in \`refuses\``, { cause });
}

/** Returns a description of the status of a `RawResponse` that the OpenAPI document does not list for a route. */
function statusFault(route: Route, status: number): string | undefined {
  const isDeclared =
    status === 200 ||
    Object.hasOwn(route.otherStatuses ?? {}, status) ||
    refusalCodes(route).some((code) => ERROR_CODES[code].status === status);
  return isDeclared ? undefined : `${route.operationId} responded with ${status}, which it does not declare`;
}

interface Pipeline {
  readonly deps: ApiDeps;
  readonly authenticator: Authenticator;
  readonly rateLimiter: RateLimiter | undefined;
  /** Failures by address: of credentials (unless RATE_LIMIT is 0) and of signatures. */
  readonly wrongCredentials: FailureLimiter | undefined;
  readonly wrongSignatures: FailureLimiter;
  /** Names of the credentials that were right lately. */
  readonly knownCredentials: LRUCache<string, true>;
  readonly concurrencyLimiter: ConcurrencyLimiter | undefined;
  /** Check every response against what the route declares: its schema, statuses and refusals (tests and development). */
  readonly checkResponses: boolean;
}

const NO_BODY = Buffer.alloc(0);

async function receive(pipe: Pipeline, route: Route, req: Request, res: Response): Promise<SentRequest> {
  const params = req.params;
  // Express parses the query when it is read.
  const query = route.query === undefined && !req.url.includes('?') ? {} : req.query;
  if (route.body === undefined) return { params, query, body: undefined, bodyErrors: [], rawBody: NO_BODY };
  const signedBody = route.isSigned === undefined ? undefined : await readSignedBody(pipe, route, req, res);
  const contentType = req.get('content-type');
  if (contentType !== undefined && !isJson(contentType)) throw new Refusal('UNSUPPORTED_MEDIA_TYPE');
  const rawBody = signedBody ?? (await readBody(req, res));
  if (contentType === undefined && rawBody.length > 0) throw new Refusal('UNSUPPORTED_MEDIA_TYPE');
  // Nobody sends a signed webhook again with another text.
  const readable = signedBody === undefined ? rawBody : Buffer.from(cleanJson(signedBody.toString('utf8')));
  const { value, errors } = parseJson(readable);
  notesOf(res).body = value;
  return { params, query, body: value, bodyErrors: errors, rawBody };
}

/**
 * Reads the body of a webhook and checks its signature. Without one, the body is not read.
 * @throws Refusal `UNAUTHORIZED`, `PAYLOAD_TOO_LARGE`, and `RATE_LIMITED` for an address with too many wrong signatures
 */
async function readSignedBody(pipe: Pipeline, route: Route, req: Request, res: Response): Promise<Buffer> {
  const network = callerNetwork(callerAddress(req));
  pipe.wrongSignatures.check(network);
  const unsigned = () => {
    pipe.wrongSignatures.failed(network);
    return new Refusal('UNAUTHORIZED', { message: 'The signature is missing or not valid.' });
  };
  const headers = req.headers as Record<string, string | undefined>;
  if (!headers['webhook-signature']) throw unsigned();
  const rawBody = await readBody(req, res).catch((error: unknown) => {
    throw error instanceof Refusal && error.code !== 'PAYLOAD_TOO_LARGE' ? unsigned() : error;
  });
  if (!route.isSigned!({ params: req.params, headers, rawBody })) throw unsigned();
  return rawBody;
}

async function sendRaw(req: Request, res: Response, { status, headers, body }: RawResponse): Promise<void> {
  res.statusCode = status;
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  // `pipeline` leaves the source open when the reader has gone before it starts.
  if (body instanceof Readable && req.method !== 'HEAD' && !res.destroyed) {
    await pipeline(body, res).catch((error: unknown) => {
      // The reader closed the connection. A failed source is an error like any other.
      if ((error as { code?: unknown }).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    });
    return;
  }
  if (body instanceof Readable) closeUnread(body);
  res.end(body instanceof Readable ? undefined : (body as Buffer | string | undefined));
}

function signalOf(res: Response): AbortSignal {
  const ended = new AbortController();
  if (res.closed) ended.abort();
  else res.once('close', () => ended.abort());
  return ended.signal;
}

/**
 * The parts of a call that are made when they are first read: most calls log nothing, and few read for long. A class for the
 * same reason as `RequestNotes`.
 */
class PartsOnDemand {
  private ended: AbortSignal | undefined;

  constructor(private readonly res: Response) {}

  get log() {
    return notesOf(this.res).log;
  }

  get signal() {
    this.ended ??= signalOf(this.res);
    return this.ended;
  }
}

/** Closes the source of a response that is not sent. */
function discard({ response }: Outcome): void {
  if (response instanceof RawResponse && response.body instanceof Readable) closeUnread(response.body);
}

/**
 * Waits for the outcome of a handler until the timeout of its route. A handler continues after the timeout, and what it stores under
 * an Idempotency-Key is the response of the next attempt.
 * @throws Refusal `UNAVAILABLE` after the timeout
 */
async function withinTime(route: Route, notes: RequestNotes, outcome: Promise<Outcome>): Promise<Outcome> {
  const { read, write } = DEFAULT_TIMEOUTS_MS;
  const timeoutMs = route.timeoutMs ?? (route.method === 'get' || route.isRead ? read : write);
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(unavailable('The request took too long. Try again shortly.'));
      outcome.then(discard, (error: unknown) => notes.log.warn({ err: error }, 'a request failed after its timeout'));
    }, timeoutMs);
  });
  return await Promise.race([outcome, timedOut]).finally(() => clearTimeout(timer));
}

/** Runs the handler of a call, and checks its response and its audit log entries. */
async function handled(
  { checkResponses }: Pipeline,
  route: Route,
  run: () => Promise<unknown>,
  trail: AuditTrail,
): Promise<unknown> {
  const response = await run().catch(async (error: unknown) => {
    await trail.failed(error);
    throw error;
  });
  // A handler can refuse with a page of its own.
  if (!(response instanceof RawResponse && response.status >= 400)) trail.end(checkResponses);
  if (checkResponses) {
    const fault =
      response instanceof RawResponse ? statusFault(route, response.status) : responseFault(route, response);
    if (fault !== undefined) throw new Error(fault);
  }
  return response;
}

/** Sets `Deprecation` (RFC 9745) and `Sunset` (RFC 8594) on the response of a deprecated operation, also on an error. */
function announceDeprecation(res: Response, { since, sunset }: Deprecation): void {
  res.setHeader('Deprecation', `@${Date.parse(since) / 1_000}`);
  if (sunset !== undefined) res.setHeader('Sunset', new Date(sunset).toUTCString());
}

/**
 * Identifies the caller of a request and counts the request against the rate of its credential. One that was right lately is
 * counted before it is looked up. Any other one is counted when it is right: wrong ones are counted in memory, by address,
 * and write nothing to Postgres. An address with too many of them can still use credentials that were right lately.
 * @throws Refusal `RATE_LIMITED`, and what `authorize` throws
 */
async function admitted(pipe: Pipeline, route: Route, req: Request, res: Response, credential: Credential | undefined) {
  if (credential === undefined) return { account: authorize(route, undefined), keyId: undefined };
  const { knownCredentials: known, wrongCredentials, rateLimiter } = pipe;
  const secret = secretOf(credential);
  const name = countedName(secret);
  const isKnown = known.has(name);
  const network = callerNetwork(callerAddress(req));
  if (isKnown) await rateLimiter?.(res, name);
  else wrongCredentials?.check(network);
  const caller = await identify({ authenticator: pipe.authenticator, sql: pipe.deps.sql }, route, req, credential);
  if (caller === undefined) {
    known.delete(name);
    wrongCredentials?.failed(network);
  } else if (!isKnown) {
    known.set(name, true);
    await rateLimiter?.(res, name);
  }
  return { account: authorize(route, caller), keyId: caller?.keyId };
}

/**
 * Returns the request handler of a route. It applies, in this order: limit of concurrent requests, rate limit,
 * authentication, body, validation, Idempotency-Key, handler, response. The body of an unauthenticated request is never
 * read, and a rejected request stores nothing.
 */
export function serve(pipe: Pipeline, route: Route): RequestHandler {
  return async (req, res) => {
    const notes = notesOf(res);
    notes.route = route;
    notes.params = req.params;
    if (route.deprecated !== undefined) announceDeprecation(res, route.deprecated);
    const credential = credentialOf(route, req, pipe.deps.publicUrl);
    const secret = credential === undefined ? undefined : secretOf(credential);
    const release = secret === undefined ? undefined : pipe.concurrencyLimiter?.(secret);
    let outcome: Promise<Outcome> | undefined;
    try {
      const { account, keyId } = await admitted(pipe, route, req, res, credential);
      if (account !== undefined) notes.account = account;
      if (keyId !== undefined) {
        notes.keyId = keyId;
        pipe.deps.keyUses.count(keyId, route.operationId, callerAddress(req));
      }
      const sent = await receive(pipe, route, req, res);
      const ignored = ignoredFields(route, sent);
      if (ignored !== null) res.setHeader('X-Ignored-Fields', ignored);
      const key = route.idempotent ? idempotencyKeyOf(req.get('Idempotency-Key')) : undefined;
      const handle = route.accept(sent);
      const trail = auditTrail(pipe.deps.sql, route, req, res);
      const run = (idempotency: IdempotencyHandle) => {
        const call: CallContext = Object.assign(new PartsOnDemand(res), {
          requestId: notes.requestId,
          keyId: keyId ?? null,
          address: callerAddress(req),
          headers: req.headers as Record<string, string | undefined>,
          rawBody: sent.rawBody,
          ...(route.upload === undefined ? {} : { upload: () => uploadOf(req, route.upload!) }),
          idempotency,
          quotas: pipe.deps.quotas,
          audit: trail.audit,
          intend: trail.intend,
          unaudited: trail.unaudited,
        });
        return handled(pipe, route, () => handle(call, account), trail);
      };
      const content = [sent.params, sent.query, sent.body];
      const sealWith = route.returnsSecret ? secret : undefined;
      outcome = onceForKey(pipe.deps, { route, account, key, content, sealWith, log: () => notes.log }, run);
      const { response, replayed } = await withinTime(route, notes, outcome);
      if (replayed) res.setHeader('Idempotency-Replayed', 'true');
      if (response instanceof RawResponse) await sendRaw(req, res, response);
      else res.json(response);
    } catch (error) {
      throw (pipe.checkResponses ? undeclaredRefusal(route, error) : undefined) ?? error;
    } finally {
      // A handler that still runs after its timeout counts.
      if (release !== undefined) void Promise.allSettled([outcome]).then(release);
    }
  };
}
