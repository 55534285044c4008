import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { parse } from 'protobufjs';
import { serveHttp } from './http-server';

/** The parts of opentelemetry/proto/collector/trace/v1 that the tests read. */
const { root } = parse(`
  syntax = "proto3";
  message Request { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
    fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9;
    repeated Link links = 13; Status status = 15;
  }
  message Link { bytes trace_id = 1; bytes span_id = 2; }
  message Status { string message = 2; int32 code = 3; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
`);
const Request = root.lookupType('Request');

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface WireSpan {
  readonly traceId: Buffer;
  readonly spanId: Buffer;
  readonly parentSpanId?: Buffer;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly Attribute[];
  readonly links?: readonly { readonly traceId: Buffer; readonly spanId: Buffer }[];
  readonly status?: { readonly code?: number; readonly message?: string };
}

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentSpanId: string;
  readonly name: string;
  /** 2 server, 3 client, 5 consumer. */
  readonly kind: number;
  readonly durationMs: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly failed: boolean;
  readonly service: unknown;
}

export interface OtlpReceiver {
  /** Base URL for OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Headers of the requests. */
  readonly requests: readonly IncomingHttpHeaders[];
}

const hex = (bytes: Buffer | undefined) => Buffer.from(bytes ?? []).toString('hex');

const valuesOf = (attributes: readonly Attribute[] = []) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** Starts an HTTP server that receives spans as an OpenTelemetry collector does (OTLP/HTTP with protobuf). */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const requests: IncomingHttpHeaders[] = [];
  const { url } = await serveHttp(async (request, response) => {
    const body = await buffer(request);
    requests.push(request.headers);
    if (request.url !== '/v1/traces') return void response.writeHead(404).end();
    spans.push(...spansIn(body));
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  return { url, spans, requests };
}

function spansIn(body: Buffer): ReceivedSpan[] {
  const { resourceSpans = [] } = Request.toObject(Request.decode(body), {
    bytes: Buffer,
    longs: String,
  }) as {
    resourceSpans?: {
      resource: { attributes: Attribute[] };
      scopeSpans: { spans: WireSpan[] }[];
    }[];
  };
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        traceId: hex(span.traceId),
        spanId: hex(span.spanId),
        parentSpanId: hex(span.parentSpanId),
        name: span.name,
        kind: span.kind,
        durationMs: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1_000_000,
        attributes: valuesOf(span.attributes),
        links: (span.links ?? []).map((link) => ({ traceId: hex(link.traceId), spanId: hex(link.spanId) })),
        failed: span.status?.code === 2,
        service: valuesOf(resource.attributes)['service.name'],
      })),
    ),
  );
}
