import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import helmet from 'helmet';
import { createAuthenticator } from '../src/accounts/authenticator';
import { Refusal } from '../src/platform/errors';
import type { ApiDeps } from './deps';
import { docsPage } from './http/docs-page';
import { ERROR_BODIES, shapeOfPath } from './http/error-body';
import { asRefusal } from './http/error-mapping';
import { openApiRoute } from './http/openapi';
import { createRateLimiter } from './http/rate-limit';
import { notesOf, requestLog } from './http/request-log';
import type { Route } from './http/route';
import { bySpecificity, expressPath } from './http/route-path';
import { sendJson, serve } from './http/serve';
import { systemRoutes } from './http/system-routes';
import { CODEC_PATH, codecAccess } from './operator/codec';

export interface AppOptions {
  /** Hold every answer against its response schema; a mismatch is a 500. For tests and development. */
  readonly checkResponses?: boolean;
}

/**
 * The API as an Express application: the given routes, the system's own (health), the OpenAPI document of
 * them all at /openapi.json, and a page to browse it at /docs.
 * Whatever a request meets (no route, a fault, a server away) is answered in the error body of its group.
 */
export function createApp(deps: ApiDeps, routes: readonly Route[], options: AppOptions = {}): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // An address is what the document says: `/v1/orders/` is not `/v1/orders` with an empty id.
  app.enable('strict routing');
  app.enable('case sensitive routing');
  app.use(requestLog(deps.log));
  // No upgrade to https behind the reader's back: an engine on a laptop serves its pages over http.
  app.use(helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } }));
  app.use((_req, res, next) => {
    // Answers hold addresses and keys; documents set their own.
    res.setHeader('Cache-Control', 'no-store');
    next();
  });

  app.use(CODEC_PATH, codecAccess(deps.config));

  const pipeline = {
    deps,
    authenticator: createAuthenticator(deps.sql),
    rateLimiter: createRateLimiter(deps.config.RATE_LIMIT),
    checkResponses: options.checkResponses ?? process.env.NODE_ENV === 'test',
  };
  const served = [...routes, ...systemRoutes(deps)];
  const all = [...served, openApiRoute(served, deps.publicUrl)];
  checkRoutes(all);
  const sorted = [...all].sort(bySpecificity);
  const handlers = new Map(sorted.map((route) => [route, serve(pipeline, route)]));
  app.use(exactly(handlers));
  for (const [route, handler] of handlers) app[route.method](expressPath(route.path), handler);
  for (const path of new Set(sorted.map((route) => route.path))) {
    const here = sorted.filter((route) => route.path === path);
    app.all(expressPath(path), refuseMethod(here));
  }
  app.use('/docs', docsPage());
  app.use(() => {
    throw new Refusal('NOT_FOUND', { message: 'There is no such address.' });
  });
  app.use(answerErrors);
  return app;
}

/**
 * Addresses without parameters, found by name rather than by trying every route's pattern in turn. What is spelled
 * otherwise (HEAD, percent-encoding) goes on to the router.
 */
function exactly(handlers: ReadonlyMap<Route, RequestHandler>): RequestHandler {
  const named = new Map<string, RequestHandler>();
  for (const [{ method, path }, handler] of handlers)
    if (!path.includes('{')) named.set(`${method.toUpperCase()} ${path}`, handler);
  return (req, res, next) => {
    const handler = named.get(`${req.method} ${req.path}`);
    if (handler === undefined) next();
    else return handler(req, res, next);
  };
}

/** What the framework relies on; a route that breaks it is a bug that should not wait for its first request. */
function checkRoutes(routes: readonly Route[]): void {
  const operations = new Set<string>();
  for (const { operationId, method, path, access, idempotent } of routes) {
    for (const name of [operationId, `${method} ${path}`]) {
      if (operations.has(name)) throw new Error(`two routes are ${name}`);
      operations.add(name);
    }
    if (idempotent && access.credentials === 'none')
      throw new Error(`${operationId}: idempotent without an account`);
  }
}

/** 405 with `Allow` for an address that exists, in the error body of its group. */
function refuseMethod(routes: readonly Route[]) {
  const methods = routes.map(({ method }) => method.toUpperCase());
  const allow = [
    ...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))),
  ].join(', ');
  return (_req: Request, res: Response) => {
    notesOf(res).route = routes[0]!;
    res.setHeader('Allow', allow);
    throw new Refusal('METHOD_NOT_ALLOWED');
  };
}

/** A path that does not decode (`%zz`), refused by Express before any route. */
function isBadPath(error: unknown): boolean {
  return error instanceof URIError || (error as { status?: unknown }).status === 400;
}

const answerErrors: ErrorRequestHandler = (error: unknown, req, res, _next) => {
  const { route, requestId, body, params = {}, log } = notesOf(res);
  const refusal =
    route === undefined && isBadPath(error)
      ? new Refusal('VALIDATION_ERROR', { message: 'The address is not properly percent-encoded.' })
      : asRefusal(error);
  if (refusal.code === 'INTERNAL_ERROR') log.error({ err: error }, 'request failed unexpectedly');
  else if (refusal.code === 'UNAVAILABLE') log.warn({ err: error }, 'request met a server that is away');
  if (res.headersSent) {
    // An answer broken off half-way: the caller sees a broken connection, not a short file.
    res.destroy();
    return;
  }
  for (const name of ['Content-Length', 'Content-Disposition', 'Content-Encoding', 'ETag'])
    res.removeHeader(name);
  if (refusal.retryAfter !== undefined) res.setHeader('Retry-After', String(refusal.retryAfter));
  if (refusal.status === 401) res.setHeader('WWW-Authenticate', 'ApiKey header="X-API-KEY"');
  const shape = route?.errors ?? shapeOfPath(req.path);
  sendJson(res, refusal.status, ERROR_BODIES[shape](refusal, { requestId, body, params }));
};
