import { startObservability } from '../../../../cli/observability';
import { METRICS } from '../../../../src/platform/metrics/metric-table';
import type { MetricsServer } from '../../../../src/platform/metrics/metrics-server';
import { type Scrape, scrape } from '../../../support/checks/scrape';
import { eventually } from '../../../support/eventually';
import { type TestStack, testStack } from '../../../support/stack';
import { faultyFile, isAt, ordered, orderOf, poster } from '../client-orders';
import { is, orderBody, orderUntil } from '../order-fixture';

/** What /metrics shows of a running stack, before an order and after it. */

let stack: TestStack;
let server: MetricsServer;
let before: Scrape;
let after: Scrape;

beforeAll(async () => {
  stack = await testStack();
  const { services } = stack;
  server = (await startObservability(services, { ...services.config, METRICS_PORT: 0 }))!;
  before = await scrape(server.url);
  const { id } = await stack.client.submitOrder({ body: orderBody(stack, 'measured') });
  await orderUntil(stack, id, is('delivered'));
  // Stored gauges are up to ten seconds old.
  await services.sql`UPDATE gauge_snapshot SET read_at = '-infinity'`;
  after = await scrape(server.url);
});

afterAll(() => server.stop());

const baseName = (name: string) => name.replace(/_(bucket|sum|count)$/, '');

test('/metrics has every metric of the table and no other, with its labels', () => {
  const exposed = new Map<string, Set<string>>();
  for (const { name, labels } of after.samples) {
    const metric = name in METRICS ? name : baseName(name);
    const own = Object.keys(labels).filter((label) => label !== 'le');
    exposed.set(metric, new Set([...(exposed.get(metric) ?? []), ...own]));
  }
  const wanted = Object.entries(METRICS).map(([name, { labels }]) => [name, [...labels].sort()]);
  const own = [...exposed].filter(([name]) => !name.startsWith('temporal_'));
  expect(own.map(([name, labels]) => [name, [...labels].sort()]).sort()).toEqual(wanted.sort());
});

test.each([
  ['pressline_orders_open', { status: 'in_production' }],
  ['pressline_orders_ended_total', { status: 'canceled' }],
  ['pressline_order_stage_duration_seconds_count', { stage: 'handover' }],
  ['pressline_attention', { reason: 'not_received' }],
  ['pressline_attention_oldest_age_seconds', { reason: 'no_partner' }],
  ['pressline_file_checks_total', { check: 'page_size', severity: 'error', of: 'preflight' }],
  ['pressline_outbox_pending', { kind: 'signal_workflow' }],
  ['pressline_outbox_dead', { kind: 'notification' }],
  ['pressline_outbox_deliveries_total', { kind: 'start_workflow', outcome: 'dead' }],
  ['pressline_postbacks_total', { partner: 'prints-berlin', status: 'printed', outcome: 'duplicate' }],
  ['pressline_partner_deliveries_total', { partner: 'prints-ohio', outcome: 'refused' }],
  ['pressline_labels_total', { carrier: 'merlin_express', outcome: 'failed' }],
  ['pressline_notifications_total', { outcome: 'refused' }],
  ['pressline_carrier_events_total', { carrier: 'merlin_express', outcome: 'refused' }],
  ['pressline_tracking_checks_total', { carrier: 'merlin_express', outcome: 'failed' }],
  ['pressline_reconcile_differences_total', { kind: 'started' }],
  ['pressline_job_last_success_timestamp_seconds', { job: 'reconcile' }],
  ['pressline_job_duration_seconds_count', { job: 'tracking-sweep' }],
  ['pressline_errors_total', { where: 'api' }],
])('%s %j is 0 from the start', (name, labels) => {
  expect(before.value(name, labels)).toBe(0);
});

test('an order that was delivered is counted in every stage', () => {
  expect(after.value('pressline_orders_accepted_total')).toBe(1);
  expect(after.value('pressline_orders_ended_total')).toBe(1);
  expect(after.value('pressline_orders_ended_total', { status: 'delivered' })).toBe(1);
  const stages = ['start', 'handover', 'receive', 'print', 'ship', 'deliver'];
  const ends = stages.map((stage) => after.value('pressline_order_stage_duration_seconds_sum', { stage })!);
  expect(ends).toEqual([...ends].sort((a, b) => a - b));
  expect(ends[0]).toBeGreaterThan(0);
  for (const stage of stages) expect(after.value('pressline_order_stage_duration_seconds_count', { stage })).toBe(1);
  expect(after.value('pressline_postbacks_total', { status: 'printed', outcome: 'accepted' })).toBe(1);
  expect(after.value('pressline_partner_deliveries_total', { outcome: 'accepted' })).toBe(1);
  expect(after.value('pressline_labels_total', { outcome: 'accepted' })).toBeGreaterThan(0);
  expect(after.value('http_client_request_duration_seconds_count', { kind: 'file' })).toBeGreaterThan(0);
  expect(after.value('http_client_request_duration_seconds_count', { kind: 'partner' })).toBe(1);
});

test('the findings of a print file are counted when the file is stored', async () => {
  const files = [{ type: 'default', url: faultyFile(stack, 'annotation.pdf') }];
  const order = await ordered(stack, orderOf(stack, { items: [poster(stack, { files })] }), isAt('delivered'));
  expect(order.items[0]!.files[0]!.checks).toMatchObject([{ code: 'annotations', severity: 'warning' }]);
  const found = await scrape(server.url);
  const annotations = { check: 'annotations', severity: 'warning' };
  expect(found.value('pressline_file_checks_total', { ...annotations, of: 'order' })).toBe(1);
  expect(found.value('pressline_file_checks_total')).toBe(after.value('pressline_file_checks_total')! + 1);

  // A file that is only tried out has a label of its own.
  const [{ productUid }] = order.items as [(typeof order.items)[0]];
  await stack.client.preflightFile({ body: { url: files[0]!.url, type: 'default', productUid: productUid! } });
  const tried = await eventually(async () => {
    const scraped = await scrape(server.url);
    return scraped.value('pressline_file_checks_total', { ...annotations, of: 'preflight' }) === 1
      ? scraped
      : undefined;
  });
  expect(tried.value('pressline_file_checks_total', { ...annotations, of: 'order' })).toBe(1);
});

test('requests are labelled with the route template, and with no route for an unknown path', async () => {
  await fetch(`${stack.baseUrl}/v1/no-such-path/12345`);
  const labels = { http_request_method: 'GET', http_route: '', http_response_status_code: '404' };
  const count = await eventually(async () =>
    (await scrape(server.url)).value('http_server_request_duration_seconds_count', labels),
  );
  expect(count).toBe(1);
  const routes = after.samples.map(({ labels }) => labels.http_route).filter((route) => route !== undefined);
  expect(routes).toContain('/v2/order/status');
  expect(routes.filter((route) => /\d{3}/.test(route))).toEqual([]);
});

test('an order that needs attention is counted by reason, with the time since it does', async () => {
  const { sql } = stack.services;
  const reference = 'neglected';
  const { id } = await stack.client.submitOrder({ body: orderBody(stack, reference) });
  await orderUntil(stack, id, is('delivered'));
  await sql`UPDATE orders SET attention = '{short_shipped}' WHERE id = ${id}`;
  await sql`UPDATE orders SET attention_since = jsonb_build_object('short_shipped', now() - interval '1 h') WHERE id = ${id}`;
  await sql`UPDATE orders SET attention = '{short_shipped,out_of_step}' WHERE id = ${id}`;
  await sql`UPDATE gauge_snapshot SET read_at = '-infinity'`;
  const now = await scrape(server.url);
  expect(now.value('pressline_attention', { reason: 'short_shipped' })).toBe(1);
  expect(now.value('pressline_attention_oldest_age_seconds', { reason: 'short_shipped' })).toBeGreaterThan(3_599);
  expect(now.value('pressline_attention', { reason: 'out_of_step' })).toBe(1);
  expect(now.value('pressline_attention_oldest_age_seconds', { reason: 'out_of_step' })).toBeLessThan(3_000);
});

test('other paths are not found, and other methods are refused', async () => {
  const base = server.url.replace(/\/metrics$/, '');
  expect((await fetch(`${base}/v1/orders`)).status).toBe(404);
  expect((await fetch(server.url, { method: 'POST' })).status).toBe(405);
  expect((await fetch(server.url)).headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
});
