import { context, SpanKind } from '@opentelemetry/api';
import { formatTraceparent } from '../domain/traceparent';
import type { HttpFault } from '../http/http-fault';
import type { OutboundPurpose } from '../http/outbound-observer';
import { currentTraceparent, markFailedAs, startSpan } from './spans';

/** The span of one outgoing request. */
export interface OutboundSpan {
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
