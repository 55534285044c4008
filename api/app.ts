import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express';
import helmet from 'helmet';
import { LRUCache } from 'lru-cache';
import { createAuthenticator } from '../src/accounts/authenticator';
import { Refusal } from '../src/platform/errors';
import { createErrorReporter, type ErrorReporter } from '../src/platform/logging/logging';
import { isTracing } from '../src/platform/tracing/spans';
import type { ApiDeps } from './deps';
import { untrustedProxyWarning } from './http/caller-address';
import { asRefusal, ERROR_BODIES, shapeOfPath } from './http/error-body';
import { openApiRoute } from './http/openapi-document';
import {
  type ConcurrencyLimiter,
  createConcurrencyLimiter,
  createFailureLimiter,
  createRateLimiter,
  MOST_NAMES,
} from './http/request-limits';
import { notesOf, requestLog, requestTrace } from './http/request-log';
import type { Route } from './http/route';
import { bySpecificity, expressPath } from './http/route';
import { serve } from './http/serve';
import { CODEC_PATH, codecAccess } from './operator/codec';
import { CONSOLE_PATH, consolePage } from './system/console-page';
import { docsPage, guidePage, startPage } from './system/docs-page';
import { systemRoutes } from './system/probes';

interface AppOptions {
  /** Check every response against what its route declares; a mismatch is a 500. For tests and development. */
  readonly checkResponses?: boolean;
}

/**
 * Creates the API as an Express application: the given routes, health routes, a start page at /, the OpenAPI document at
 * /openapi.json, a page to browse it at /docs, the documentation site at /guide, and the web console at /console. Every error (no route, an
 * exception, an unavailable server) has the error body of its group.
 */
export function createApp(deps: ApiDeps, routes: readonly Route[], options: AppOptions = {}): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', deps.config.TRUSTED_PROXIES);
  // Paths match exactly: `/v1/orders/` is not `/v1/orders`.
  app.enable('strict routing');
  app.enable('case sensitive routing');
  app.use(untrustedProxyWarning(deps.log));
  if (isTracing()) app.use(requestTrace());
  app.use(requestLog(deps.log, deps.metrics));
  // No upgrade to https: on a laptop the pages are served over http.
  app.use(helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } }));
  app.use((_req, res, next) => {
    // Responses contain addresses and keys. Documents set their own header.
    res.setHeader('Cache-Control', 'no-store');
    next();
  });

  app.use(CODEC_PATH, codecAccess(deps.config));

  const pipeline = {
    deps,
    authenticator: createAuthenticator(deps.sql),
    rateLimiter: createRateLimiter(deps.config, deps.sql),
    wrongCredentials: deps.config.RATE_LIMIT === 0 ? undefined : createFailureLimiter('credential'),
    wrongSignatures: createFailureLimiter('webhook'),
    knownCredentials: new LRUCache<string, true>({ ...MOST_NAMES, ttl: 3_600_000 }),
    concurrencyLimiter: concurrencyLimiter(deps.config.CONCURRENT_REQUESTS),
    checkResponses: options.checkResponses ?? process.env.NODE_ENV === 'test',
  };
  const served = [...routes, ...systemRoutes(deps)];
  const all = [...served, openApiRoute(served, deps.publicUrl)];
  checkRoutes(all);
  const sorted = [...all].sort(bySpecificity);
  for (const route of sorted) app[route.method](expressPath(route.path), serve(pipeline, route));
  for (const path of new Set(sorted.map((route) => route.path))) {
    const here = sorted.filter((route) => route.path === path);
    app.all(expressPath(path), refuseMethod(here));
  }
  app.get('/', startPage(deps));
  app.use('/docs', docsPage(deps, served));
  // Everywhere else, a path with a slash is another path. People type this one.
  app.get('/schemas/', (_req, res) => res.redirect(308, '/schemas'));
  app.use('/guide', guidePage());
  app.use(CONSOLE_PATH, consolePage(deps.config));
  app.use(() => {
    throw new Refusal('NOT_FOUND', { message: 'There is no resource at this path.' });
  });
  app.use(sendErrors(createErrorReporter(deps.metrics, 'api')));
  return app;
}

/** @param each CONCURRENT_REQUESTS; 0 disables the limit */
function concurrencyLimiter(each: number): ConcurrencyLimiter | undefined {
  const message = `No more than ${each} requests of one API key are handled at once.`;
  return each === 0 ? undefined : createConcurrencyLimiter({ each }, { message, retryAfter: 1 });
}

/** Checks at start-up what the framework relies on. @throws Error for a route that violates it */
function checkRoutes(routes: readonly Route[]): void {
  const operations = new Set<string>();
  for (const { operationId, method, path, access, idempotent, returnsSecret } of routes) {
    for (const name of [operationId, `${method} ${path}`]) {
      if (operations.has(name)) throw new Error(`two routes have the name or path ${name}`);
      operations.add(name);
    }
    if (access.credentials !== 'none' && access.roles.includes('operator') !== (access.operatorRole !== undefined))
      throw new Error(`${operationId}: a route for operators needs an operatorRole, and only such a route`);
    if (idempotent && access.credentials === 'none')
      throw new Error(`${operationId}: an idempotent route needs credentials`);
    if (idempotent === 'claimed-by-handler' && returnsSecret)
      throw new Error(`${operationId}: a statement that claims a key cannot seal a response`);
  }
}

/** Responds 405 with `Allow`, in the error body of the path's group. */
function refuseMethod(routes: readonly Route[]) {
  const methods = routes.map(({ method }) => method.toUpperCase());
  const allow = [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].join(', ');
  return (_req: Request, res: Response) => {
    notesOf(res).route = routes[0]!;
    res.setHeader('Allow', allow);
    throw new Refusal('METHOD_NOT_ALLOWED');
  };
}

/** Returns true for a path that cannot be decoded (`%zz`). Express rejects it before any route runs. */
function isBadPath(error: unknown): boolean {
  return error instanceof URIError || (error as { status?: unknown }).status === 400;
}

const sendErrors =
  (report: ErrorReporter): ErrorRequestHandler =>
  (error: unknown, req, res, _next) => {
    const { route, requestId, body, params = {}, log } = notesOf(res);
    const refusal =
      route === undefined && isBadPath(error)
        ? new Refusal('VALIDATION_ERROR', { message: 'The path is not valid percent-encoding.' })
        : asRefusal(error);
    if (refusal.code === 'INTERNAL_ERROR') report(error, log, 'request failed with an unexpected error');
    else if (refusal.code === 'UNAVAILABLE') log.warn({ err: error }, 'request failed: a server is unavailable');
    if (res.headersSent) {
      // Part of the response is sent. Close the connection, so that the caller does not take it for a short file.
      res.destroy();
      return;
    }
    for (const name of ['Content-Length', 'Content-Disposition', 'Content-Encoding', 'ETag']) res.removeHeader(name);
    if (refusal.retryAfter !== undefined) res.setHeader('Retry-After', String(refusal.retryAfter));
    if (refusal.status === 401) res.setHeader('WWW-Authenticate', 'ApiKey header="X-API-KEY"');
    const shape = route?.errors ?? shapeOfPath(req.path);
    res.status(refusal.status).json(ERROR_BODIES[shape].of(refusal, { requestId, body, params }));
  };
