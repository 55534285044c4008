import { loadConfig } from '../../../../src/platform/config';
import { formatTraceparent, parseTraceparent, spanIdOfRun } from '../../../../src/platform/domain/traceparent';
import { currentTraceparent, inSpan, isTracing, traceFields } from '../../../../src/platform/tracing/spans';
import { summaryOf } from '../../../../src/platform/tracing/sql-spans';
import { tracesUrl } from '../../../../src/platform/tracing/tracing';

const url = (env: Record<string, string>) => tracesUrl(loadConfig(env));

test('without an endpoint there are no traces', async () => {
  expect(url({})).toBeUndefined();
  expect(isTracing()).toBe(false);
  expect(currentTraceparent()).toBeNull();
  expect(traceFields()).toEqual({});
  expect(await inSpan('nothing', {}, (span) => Promise.resolve(span))).toBeUndefined();
});

test.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, 'http://collector:4318/v1/traces'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/base/' }, 'http://collector:4318/base/v1/traces'],
  [
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://other:4318',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces/x',
    },
    'https://traces/x',
  ],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_TRACES_EXPORTER: 'none' }, undefined],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_SDK_DISABLED: 'true' }, undefined],
])('%j sends traces to %s', (env, expected) => {
  expect(url(env)).toBe(expected);
});

test('a protocol that Pressline does not have is refused', () => {
  expect(() => loadConfig({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toThrow(/OTEL_EXPORTER_OTLP_PROTOCOL/);
});

const VALID = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

test('a traceparent is parsed and formatted', () => {
  expect(parseTraceparent(VALID)).toEqual({
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    spanId: '00f067aa0ba902b7',
    traceFlags: 1,
  });
  expect(formatTraceparent(parseTraceparent(VALID)!)).toBe(VALID);
  expect(parseTraceparent(VALID.replace(/01$/, '02'))?.traceFlags).toBe(0);
  // A later version may have more fields.
  expect(parseTraceparent(`${VALID.replace(/^00/, '01')}-more`)?.traceFlags).toBe(1);
});

test.each([
  '',
  'nonsense',
  `${VALID}-more`,
  VALID.replace(/^00/, 'ff'),
  VALID.replace('4bf92f3577b34da6a3ce929d0e0e4736', '0'.repeat(32)),
  VALID.replace('00f067aa0ba902b7', '0'.repeat(16)),
  VALID.toUpperCase(),
])('%s is not a traceparent', (text) => {
  expect(parseTraceparent(text)).toBeUndefined();
});

test('the span id of a workflow run is part of its run id', () => {
  expect(spanIdOfRun('01a2020d-a1b5-76b4-a6d6-6795f2edb3bf')).toBe('a6d66795f2edb3bf');
});

test.each([
  ['SELECT a FROM orders WHERE id = ?', 'SELECT orders'],
  ['SELECT 1', 'SELECT'],
  ['SELECT a IS DISTINCT FROM b FROM accounts', 'SELECT accounts'],
  ['SELECT a FROM outbox WHERE x FOR UPDATE SKIP LOCKED', 'SELECT outbox'],
  ['WITH a AS (SELECT 1) SELECT b FROM orders', 'SELECT orders'],
  ['INSERT INTO outbox (kind) VALUES (?)', 'INSERT outbox'],
  ['INSERT INTO a VALUES (?) ON CONFLICT (id) DO UPDATE SET x = 1', 'INSERT a'],
  ['WITH x AS (INSERT INTO orders VALUES (?)) INSERT INTO outbox SELECT 1', 'INSERT orders INSERT outbox'],
  ['UPDATE orders SET a = ? WHERE id = ?', 'UPDATE orders'],
  ['DELETE FROM outbox WHERE id = ?', 'DELETE outbox'],
  ['LISTEN outbox', 'LISTEN'],
  ['?', 'SQL'],
])('%s is summarised as %s', (text, summary) => {
  expect(summaryOf(text)).toBe(summary);
});
