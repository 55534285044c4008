import { context, SpanKind } from '@opentelemetry/api';
import { formatTraceparent } from '../domain/traceparent';
import { ATTEMPT_OUTCOMES, type AttemptOutcome } from '../metrics/metric-table';
import type { Metrics } from '../metrics/metrics';
import { currentTraceparent, markFailedAs, startSpan } from '../tracing/spans';
import { type HttpFault, isTransient } from './responses';

export type OutboundPurpose =
  /** `delivers`: a print order, an order update or a cancel request. False for stock polls. */
  | { readonly kind: 'partner'; readonly uid: string; readonly delivers: boolean }
  | { readonly kind: 'carrier'; readonly uid: string }
  | { readonly kind: 'file' }
  | { readonly kind: 'receiver' };

/** Called at the end of every outgoing request, with the seconds until the last byte of the response. */
export type OutboundObserver = (purpose: OutboundPurpose, outcome: AttemptOutcome, seconds: number) => void;

/** Returns the outcome of a request: 2xx is accepted, what a retry may resolve has failed, everything else is refused. */
export function outcomeOf(result: { readonly ok: true; readonly status: number } | HttpFault): AttemptOutcome {
  if (result.ok && result.status < 300) return 'accepted';
  return isTransient(result) ? 'failed' : 'refused';
}

/** Counts and times outgoing requests. */
export function createOutboundObserver(metrics: Metrics): OutboundObserver {
  for (const outcome of ATTEMPT_OUTCOMES) {
    for (const kind of ['file', 'receiver'])
      metrics.expectObservations('http_client_request_duration_seconds', { kind, target: '', outcome });
    metrics.count('pressline_notifications_total', { outcome }, 0);
  }
  return (purpose, outcome, seconds) => {
    const target = 'uid' in purpose ? purpose.uid : '';
    metrics.observe('http_client_request_duration_seconds', { kind: purpose.kind, target, outcome }, seconds);
    if (purpose.kind === 'partner' && purpose.delivers)
      metrics.count('pressline_partner_deliveries_total', { partner: target, outcome });
    if (purpose.kind === 'receiver') metrics.count('pressline_notifications_total', { outcome });
  };
}

/** The span of one outgoing request. */
interface OutboundSpan {
  /** Headers that carry the trace to the receiver. */
  readonly headers: Readonly<Record<string, string>>;
  end(result: { readonly ok: true; readonly status: number } | HttpFault): void;
}

/**
 * Starts the span of an outgoing request. It has the host of the URL, but neither path nor query, which can contain tokens.
 * @returns undefined outside a trace
 */
export function startOutboundSpan(
  method: string,
  url: URL,
  purpose: OutboundPurpose | undefined,
): OutboundSpan | undefined {
  if (currentTraceparent() === null) return undefined;
  const span = startSpan(
    purpose === undefined ? method : `${method} ${purpose.kind}`,
    {
      kind: SpanKind.CLIENT,
      attributes: {
        'http.request.method': method,
        'server.address': url.hostname,
        'server.port': Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
        ...(purpose === undefined ? {} : { 'pressline.kind': purpose.kind }),
        ...(purpose !== undefined && 'uid' in purpose ? { 'pressline.target': purpose.uid } : {}),
      },
    },
    context.active(),
  );
  if (span === undefined) return undefined;
  return {
    headers: { traceparent: formatTraceparent(span.spanContext()) },
    end(result) {
      if (result.ok) span.setAttribute('http.response.status_code', result.status);
      if (!result.ok) markFailedAs(span, result.kind);
      else if (result.status >= 400) markFailedAs(span, String(result.status));
      span.end();
    },
  };
}
