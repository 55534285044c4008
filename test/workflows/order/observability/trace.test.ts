import { startRun } from '../../../../src/orders/intake/start-run';
import { parseTraceparent } from '../../../../src/platform/domain/traceparent';
import { orderWorkflowId } from '../../../../src/platform/domain/workflows';
import { createLogger } from '../../../../src/platform/logging/logging';
import { inTransaction } from '../../../../src/platform/postgres';
import { traceFields } from '../../../../src/platform/tracing/spans';
import { eventually } from '../../../support/eventually';
import { historiesOfRuns, replayRuns } from '../../../support/order-histories';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../../../support/other-systems/otlp-receiver';
import { type PartnerServer, partnerServer } from '../../../support/other-systems/partner-server';
import { type TestStack, testStack } from '../../../support/stack';
import { is, orderBody, orderUntil, submittedInTrace } from '../order-fixture';

/** The trace of one order, from the client's request to its end, as an OpenTelemetry collector receives it. */

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER_SPAN_ID = '00f067aa0ba902b7';

let receiver: OtlpReceiver;
let client: PartnerServer;
const lines: Record<string, unknown>[] = [];
let stack: TestStack;
let orderId: string;
let trace: ReceivedSpan[];

const named = (prefix: string) => trace.filter(({ name }) => name.startsWith(prefix));
const byId = () => new Map(receiver.spans.map((span) => [span.spanId, span]));

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  client = await partnerServer();
  stack = await testStack({
    config: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: 100 },
    log: createLogger(
      { LOG_LEVEL: 'info', LOG_FORMAT: 'json' },
      'test',
      { write: (line) => void lines.push(JSON.parse(line)) },
      traceFields,
    ),
  });
  await stack.client.createWebhook({ body: { url: `${client.url}/hook/secret-path?token=secret` } });
  orderId = await submittedInTrace(stack, 'traced', `00-${TRACE_ID}-${CALLER_SPAN_ID}-01`);
  await orderUntil(stack, orderId, is('delivered'));
  trace = await eventually(() => {
    const found = receiver.spans.filter(({ traceId }) => traceId === TRACE_ID);
    const names = found.map(({ name }) => name);
    // The last notification is sent after the workflow has ended.
    const isComplete =
      names.includes('RunWorkflow:order') &&
      found.every(({ parentSpanId }) => parentSpanId === CALLER_SPAN_ID || byId().has(parentSpanId));
    return Promise.resolve(isComplete && names.includes('POST receiver') ? found : undefined);
  });
});

test('the request is a child of the caller’s span, and every other span has its parent in the trace', () => {
  const spans = byId();
  const first = trace.filter(({ parentSpanId }) => parentSpanId === CALLER_SPAN_ID);
  expect(first.map(({ name, kind }) => [name, kind])).toEqual([['POST /v1/orders', 2]]);
  for (const span of trace) {
    if (span === first[0]) continue;
    expect([span.name, spans.get(span.parentSpanId)?.traceId]).toEqual([span.name, TRACE_ID]);
  }
});

test('the trace leads from the request over outbox, workflow, activities and SQL to the partner and the notifications', () => {
  const spans = byId();
  const pathOf = (span: ReceivedSpan): string[] => {
    const parent = spans.get(span.parentSpanId);
    return parent === undefined ? [span.name] : [...pathOf(parent), span.name];
  };
  const start = ['POST /v1/orders', 'deliver start_workflow', 'StartWorkflow:order', 'RunWorkflow:order'];
  expect(pathOf(named('POST partner')[0]!)).toEqual([...start, 'RunActivity:deliverPrintOrder', 'POST partner']);
  expect(pathOf(named('GET file')[0]!)).toEqual([...start, 'RunActivity:fetchOrderFiles', 'GET file']);
  expect(pathOf(named('POST receiver')[0]!)).toEqual([
    ...start,
    'RunActivity:recordRun',
    'deliver notification',
    'POST receiver',
  ]);
  const paths = trace.map((span) => pathOf(span).join(' > '));
  expect(paths).toContainEqual(expect.stringMatching(/^POST \/v1\/orders > INSERT orders/));
  expect(paths).toContainEqual(expect.stringMatching(/RunActivity:fetchOrderFiles > INSERT print_orders/));
  expect(paths).toContainEqual(expect.stringMatching(/RunActivity:recordRun > UPDATE order_items/));
  expect(named('POST partner')[0]).toMatchObject({
    kind: 3,
    service: 'pressline',
    attributes: {
      'http.request.method': 'POST',
      'pressline.kind': 'partner',
      'http.response.status_code': '200',
    },
  });
});

test('notifications carry the trace to their receiver', () => {
  const notifications = client.received.map(({ headers }) => headers);
  expect(notifications.length).toBeGreaterThan(0);
  const sent = named('POST receiver').map(({ spanId }) => spanId);
  for (const { traceparent } of notifications) {
    const parsed = parseTraceparent(String(traceparent))!;
    expect(parsed.traceId).toBe(TRACE_ID);
  }
  expect(sent).toContain(parseTraceparent(String(notifications[0]!.traceparent))!.spanId);
});

test('a postback is a trace of its own that is linked with the order’s', async () => {
  const request = named('POST /v1/orders')[0]!;
  const workflow = named('RunWorkflow:order')[0]!;
  const postbacks = receiver.spans.filter(({ name }) => name === 'POST /v2/order/status');
  expect(postbacks.length).toBeGreaterThanOrEqual(3);
  for (const { traceId, parentSpanId, links } of postbacks) {
    expect(traceId).not.toBe(TRACE_ID);
    expect(parentSpanId).toBe('');
    expect(links).toEqual([{ traceId: TRACE_ID, spanId: request.spanId }]);
    const handled = await eventually(() =>
      Promise.resolve(receiver.spans.find((span) => span.traceId === traceId && span.name === 'HandleSignal:postback')),
    );
    expect(handled.links).toEqual([{ traceId: TRACE_ID, spanId: workflow.spanId }]);
    const own = receiver.spans.filter((span) => span.traceId === traceId);
    expect(
      own.filter((span) => span.parentSpanId !== '' && !own.some(({ spanId }) => spanId === span.parentSpanId)),
    ).toEqual([]);
  }
});

test('a run that is started again belongs to the trace of the order', async () => {
  const { sql, runSettings } = stack.services;
  const undone = new Error('undone');
  const restarted = inTransaction(sql, async (tx) => {
    const order = { orderReferenceId: 'traced', shippingAddress: { country: 'DE' } };
    const subject = {
      id: orderId,
      clientId: orderId,
      clientName: 'shop',
      requestId: 'reconciliation',
      order,
    };
    await startRun(tx, subject, [], runSettings);
    const [row] = await tx<{ traceparent: string }[]>`
      SELECT traceparent FROM outbox WHERE target = ${orderWorkflowId(orderId)} AND kind = 'start_workflow'`;
    const { spanId } = named('POST /v1/orders')[0]!;
    expect(row!.traceparent).toBe(`00-${TRACE_ID}-${spanId}-01`);
    throw undone;
  });
  await expect(restarted).rejects.toBe(undone);
});

test('a replay records no spans', async () => {
  const before = receiver.spans.length;
  const histories = await historiesOfRuns(stack.services.temporal, orderId);
  expect(JSON.stringify(histories)).toContain('_tracer-data');
  await replayRuns(stack.services);
  // The span of a later request is exported after those of the replay.
  await stack.client.getOrder({ params: { orderId } });
  const added = await eventually(async () => {
    const names = receiver.spans.slice(before).map(({ name }) => name);
    return names.some((name) => name.startsWith('GET /v1/orders')) ? names : undefined;
  });
  expect(added.filter((name) => /^(Run|Handle)/.test(name))).toEqual([]);
});

test('log lines of requests, workflows and activities have the id of their trace', () => {
  const line = lines.find(({ operation }) => operation === 'submitOrder');
  expect(line).toMatchObject({ msg: 'request', trace_id: TRACE_ID });
  const ofRun = lines.filter(({ workflowId }) => workflowId === `order-${orderId}`);
  expect(ofRun.length).toBeGreaterThan(0);
  for (const each of ofRun) expect(each).toHaveProperty('trace_id');
});

test('spans contain no personal data, keys or parameters', () => {
  // Without ids, durations and ports: one of them can contain a post code.
  const text = JSON.stringify(receiver.spans)
    .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{13,}/g, '')
    .replaceAll(/"(?:durationMs|server\.port)":"?[\d.]+/g, '');
  const { shippingAddress } = orderBody(stack, 'traced') as unknown as {
    shippingAddress: Record<string, string>;
  };
  const { client, partners } = stack.credentials;
  const secrets = [
    ...['firstName', 'lastName', 'addressLine1', 'email', 'phone', 'postCode', 'city'].map(
      (key) => shippingAddress[key],
    ),
    client.apiKey,
    client.apiSecret,
    ...partners.map(({ apiKey }) => apiKey),
    'secret-path',
    'token=',
    '$1',
    '?',
  ];
  for (const secret of secrets) if (secret !== undefined) expect(text).not.toContain(secret);
  const keys = new Set(receiver.spans.flatMap(({ attributes }) => Object.keys(attributes)));
  expect([...keys].sort()).toEqual(
    [
      'db.operation.name',
      'db.query.summary',
      'db.system.name',
      'error.type',
      'http.request.method',
      'http.response.status_code',
      'http.route',
      'pressline.kind',
      'pressline.outbox.attempt',
      'pressline.outbox.outcome',
      'pressline.target',
      'server.address',
      'server.port',
      'temporalActivityAttempt',
      'temporalActivityLocal',
      'temporalRunID',
      'temporalWorkflowID',
    ].filter((key) => key !== 'error.type' || keys.has(key)),
  );
});
