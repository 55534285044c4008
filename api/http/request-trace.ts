import { context, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import type { RequestHandler } from 'express';
import { contextOf, linkTo, markFailedAs, startSpan } from '../../src/platform/tracing/spans';
import { methodOf, notesOf } from './request-log';

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
