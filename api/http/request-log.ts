import { randomUUID } from 'node:crypto';
import { context, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import type { Request, RequestHandler, Response } from 'express';
import type { Account } from '../../src/accounts/account';
import type { Logger } from '../../src/platform/logging/logging';
import type { Metrics } from '../../src/platform/metrics/metrics';
import { contextOf, linkTo, markFailedAs, startSpan } from '../../src/platform/tracing/spans';
import type { Route } from './route';

/**
 * State of one request, shared by the pipeline, the log line and the error body. A class, because an accessor in an object
 * literal keeps what its function reaches, the whole request, until a full garbage collection: V8 then collected young
 * objects in 30 ms instead of 1 ms.
 */
export class RequestNotes {
  route?: Route;
  account?: Account;
  /** Id of the API key of the request. Absent: a session, or no credentials. */
  keyId?: string;
  /** Kept here because Express removes the parameters before the error handler runs. */
  params?: Readonly<Record<string, unknown>>;
  /** Parsed JSON body, for error bodies that repeat a reference from it. Never logged. */
  body?: unknown;
  private ofRequest: Logger | undefined;

  constructor(
    readonly requestId: string,
    private readonly ofProcess: Logger,
  ) {}

  /** Carries the request id. Created when it is first read: most requests log nothing but their own line. */
  get log(): Logger {
    this.ofRequest ??= this.ofProcess.child({ requestId: this.requestId });
    return this.ofRequest;
  }
}

export function notesOf(res: Response): RequestNotes {
  return res.locals.notes;
}

/**
 * Returns a logger for lines whose fields are all known to be neither secret nor personal. Redaction takes 20 µs a line,
 * and a line without it 1.5 µs.
 */
export function withoutRedaction(log: Logger): Logger {
  return log.child({}, { redact: [] });
}

/** Accepted form of a caller's request id. Anything else could forge log lines. */
const PLAIN_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/**
 * Gives every request an id (`X-Request-Id`, the caller's own where its form is accepted) and logs one line per request: id,
 * method, path, operation, account, status, time. It never logs headers, bodies or query strings, which carry keys and
 * personal data, or signed links. It uses pino directly: pino-http binds a serialized request to two child loggers per
 * request, and none of that is needed here.
 */
export function requestLog(log: Logger, metrics: Metrics): RequestHandler {
  const lines = withoutRedaction(log);
  return (req, res, next) => {
    const given = req.get('X-Request-Id');
    const requestId = given !== undefined && PLAIN_ID.test(given) ? given : randomUUID();
    res.setHeader('X-Request-Id', requestId);
    const notes = new RequestNotes(requestId, log);
    res.locals.notes = notes;
    const startedAt = performance.now();
    const logEnd = () => {
      const ms = performance.now() - startedAt;
      // An event stream is open for hours and is no slow request.
      if (notes.route?.contentType !== 'text/event-stream' || res.statusCode !== 200)
        metrics.observe('http_server_request_duration_seconds', metricLabels(req, res), ms / 1_000);
      logRequest(lines, req, res, Math.round(ms));
    };
    // The line belongs to the trace of the request.
    res.once('close', context.bind(context.active(), logEnd));
    next();
  };
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Returns the method of a request. A method that HTTP does not define is `_OTHER` (OpenTelemetry). */
function methodOf(req: Request): string {
  return METHODS.has(req.method) ? req.method : '_OTHER';
}

/** Returns labels with a bounded number of values. */
function metricLabels(req: Request, res: Response) {
  return {
    http_request_method: methodOf(req),
    http_route: notesOf(res).route?.path ?? '',
    http_response_status_code: String(res.statusCode),
  };
}

/** Segments of a path that a log line may have. A token is longer, and a percent sign could hide one. */
const PLAIN_PATH = /^(?:\/[\w.~:-]{0,40})+$/;

/**
 * Returns the path of a log line. A path that could contain the token of a signed link, however it is spelled, is replaced by
 * the path of its route.
 */
function loggedPath(path: string, route: Route | undefined): string {
  if (route?.path.includes('{token}')) return route.path;
  return PLAIN_PATH.test(path) ? path : (route?.path ?? '(no route)');
}

function logRequest(log: Logger, req: Request, res: Response, ms: number): void {
  const { requestId, route, account } = notesOf(res);
  const line = {
    requestId,
    method: req.method,
    path: loggedPath(req.path, route),
    status: res.statusCode,
    ms,
    ...(route ? { operation: route.operationId } : {}),
    ...(account ? { account: account.name } : {}),
    // The caller closed the connection before the response was sent.
    ...(res.writableFinished ? {} : { aborted: true }),
  };
  if (res.statusCode >= 500) log.error(line, 'request');
  else if (route?.tag === 'System') log.debug(line, 'request');
  else log.info(line, 'request');
}

/** Health probes, which are not recorded. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz']);
/** Calls of partners and carriers start a trace, which is linked with the trace of the caller. */
const STARTS_A_TRACE = /^\/v[23]\/|^\/v1\/carriers\//;

/**
 * Runs every request in a span with the name of its route, as in `POST /v1/orders`. A caller's `traceparent` is the parent. Use it
 * first, and only while tracing is on.
 */
export function requestTrace(): RequestHandler {
  return (req, res, next) => {
    if (PROBES.has(req.path)) return next();
    const given = req.get('traceparent');
    const isOwn = STARTS_A_TRACE.test(req.path);
    const parent = isOwn ? ROOT_CONTEXT : contextOf(given);
    const method = methodOf(req);
    const options = { kind: SpanKind.SERVER, attributes: { 'http.request.method': method } };
    const span = startSpan(method, options, parent);
    if (span === undefined) return next();
    res.once('close', () => {
      const { route } = notesOf(res);
      if (route !== undefined) {
        span.updateName(`${method} ${route.path}`);
        span.setAttribute('http.route', route.path);
      }
      span.setAttribute('http.response.status_code', res.statusCode);
      if (res.statusCode >= 500) markFailedAs(span, String(res.statusCode));
      span.end();
    });
    context.with(trace.setSpan(parent, span), () => {
      if (isOwn) linkTo(given);
      next();
    });
  };
}
