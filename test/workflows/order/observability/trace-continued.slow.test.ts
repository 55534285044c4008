import { subscribe } from '../../../../src/partners/partner-rows';
import { parseTraceparent, spanIdOfRun } from '../../../../src/platform/domain/traceparent';
import { subscription } from '../../../src/partners/builders';
import { historiesOfRuns } from '../../../support/order-histories';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../../../support/other-systems/otlp-receiver';
import { type PartnerServer, partnerServer } from '../../../support/other-systems/partner-server';
import { startTestTemporal } from '../../../support/other-systems/temporal-server';
import { testSecretBox } from '../../../support/secret-box';
import { eventually, type TestStack, testStack } from '../../../support/stack';
import { operatorHelpers } from '../operator-fixture';
import { is, orderUntil, submittedInTrace } from '../order-fixture';

/** The trace of an order whose run continues as new, and the trace context that its print partner receives. */

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';

let receiver: OtlpReceiver;
let temporal: Awaited<ReturnType<typeof startTestTemporal>>;
let partner: PartnerServer;
let stack: TestStack;
let orderId: string;
const { say, partnerId } = operatorHelpers(() => stack);

const spansOf = (name: string): readonly ReceivedSpan[] =>
  receiver.spans.filter((span) => span.traceId === TRACE_ID && span.name === name);

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  partner = await partnerServer();
  temporal = await startTestTemporal({ 'limit.historyCount.suggestContinueAsNew': 24 });
  stack = await testStack({
    mode: 'manual',
    temporalAddress: temporal.address,
    config: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: 100 },
  });
  const orderSubmitUrl = `${partner.url}/orders`;
  const deps = { sql: stack.services.sql, secretBox: testSecretBox };
  await subscribe(deps, await partnerId('prints-berlin'), subscription({ orderSubmitUrl }));
  orderId = await submittedInTrace(stack, 'traced-on', `00-${TRACE_ID}-00f067aa0ba902b7-01`);
  await orderUntil(stack, orderId, is('passed'));
});

afterAll(() => temporal?.stop());

test('the partner receives the trace of the order, with the span of the request as parent', async () => {
  const request = await eventually(async () => partner.received.find(({ path }) => path === '/orders'));
  const { traceId, traceFlags } = parseTraceparent(String(request.headers.traceparent))!;
  expect({ traceId, traceFlags }).toEqual({ traceId: TRACE_ID, traceFlags: 1 });
  const span = await eventually(async () => spansOf('POST partner')[0]);
  expect(parseTraceparent(String(request.headers.traceparent))!.spanId).toBe(span.spanId);
});

test('a run that continues as new stays in the trace of the order', async () => {
  const { printOrderIds } = await orderUntil(stack, orderId, is('passed'));
  const order = { printOrderId: printOrderIds[0]! };
  const runs = () => historiesOfRuns(stack.services.temporal, orderId);
  await say(order, 'received');
  await orderUntil(stack, orderId, is('in_production'));
  for (let count = 0; count < 4; count += 1) await say(order, 'received');
  await eventually(async () => ((await runs()).length > 1 ? true : undefined));
  await say(order, 'printed');
  await orderUntil(stack, orderId, is('printed'));

  // The span of the first run is recorded when the run ends. It continues as new, which is not a failure.
  const first = await eventually(async () => spansOf('RunWorkflow:order')[0]);
  const [start] = spansOf('StartWorkflow:order');
  expect(first).toMatchObject({ parentSpanId: start!.spanId, failed: false });
  const runIds = (await runs()).map(
    ({ events }) => events![0]!.workflowExecutionStartedEventAttributes!.originalExecutionRunId!,
  );
  expect(first.spanId).toBe(spanIdOfRun(runIds[0]!));
  const header = (await runs()).at(-1)!.events![0]!.workflowExecutionStartedEventAttributes!.header!;
  const carried = JSON.parse(Buffer.from(header.fields!['_tracer-data']!.data!).toString());
  expect(parseTraceparent(carried.traceparent)).toMatchObject({
    traceId: TRACE_ID,
    spanId: start!.spanId,
  });
  // Each later run is a sibling of the first.
  for (const { parentSpanId, failed } of spansOf('RunWorkflow:order')) {
    expect({ parentSpanId, failed }).toEqual({ parentSpanId: start!.spanId, failed: false });
  }
});
