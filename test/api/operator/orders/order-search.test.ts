import { ATTENTION_REASONS } from '../../../../src/orders/domain/lifecycle/attention-reasons';
import { followPartnerTracking } from '../../../../src/shipping/tracking/tracking';
import { everyPage } from '../../../support/every-page';
import { type OrdersApi, ordersApi, subscribedPartners } from '../../orders/orders-api';
import { address, order } from '../../orders/sample-orders';

let api: OrdersApi;
let berlin: string;
let ohio: string;
/** Orders from the oldest to the newest. */
let [first, second, third]: string[] = [];
let printOrderId: string;
let printJobId: string;

beforeAll(async () => {
  api = await ordersApi();
  ({ berlin, ohio } = await subscribedPartners(api));
  const submit = async (over: object, by = api.client) => (await api.submit(order(over), by).expect(200)).body.id;
  first = await submit({ orderReferenceId: 'ref-1', shippingAddress: address({ email: 'Ada@Example.com' }) });
  second = await submit({ orderReferenceId: 'ref-2', shippingAddress: address({ country: 'FR' }) });
  third = await submit({ orderReferenceId: 'ref-1', shippingAddress: address({ email: 'bo@example.com' }) }, api.other);
  const { sql } = api;
  await sql`UPDATE orders SET fulfillment_status = 'on_hold', attention = '{partner_error}' WHERE id = ${second!}`;
  await sql`UPDATE orders SET attention = '{not_printed,partner_error}' WHERE id = ${third!}`;
  const since = (reason: string, ago: string) => sql`
    UPDATE orders SET attention_since = attention_since || jsonb_build_object(${reason}::text, now() - ${ago}::interval)`;
  await sql`${since('partner_error', '3 hours')} WHERE id = ${second!}`;
  await sql`${since('partner_error', '1 hour')} WHERE id = ${third!}`;
  await sql`${since('not_printed', '5 hours')} WHERE id = ${third!}`;
  [printOrderId, printJobId] = await printOrder(first!, berlin);
  await printOrder(second!, ohio);
  await followPartnerTracking(sql, { printOrderId, trackingCode: 'OWN 123 x', trackingLink: null });
});

async function printOrder(orderId: string, partnerId: string): Promise<[string, string]> {
  const [row] = await api.sql<{ id: string; job: string }[]>`
    WITH printed AS (
      INSERT INTO print_orders (order_id, partner_id, step, kind, version, status, message_id, dispatch_date)
      VALUES (${orderId}, ${partnerId}, 'prepare:0', 'print', '1.1', 'accepted', ${orderId}, '2026-06-01') RETURNING id
    ), job AS (
      INSERT INTO print_jobs (print_order_id, order_item_id, quantity, status)
      SELECT printed.id, i.id, 1, 'passed' FROM printed, order_items i WHERE i.order_id = ${orderId} RETURNING id)
    SELECT printed.id::text, job.id::text AS job FROM printed, job`;
  return [row!.id, row!.job];
}

const list = async (query: object = {}) => (await api.list('/v1/operator/orders', query).expect(200)).body;
const ids = async (query: object) => (await list(query)).orders.map(({ id }: { id: string }) => id);

test('the list has orders with client, partner, country and attention, newest first', async () => {
  const { orders, nextCursor } = await list();
  expect(nextCursor).toBeNull();
  expect(orders).toMatchObject([
    { id: third, clientName: api.other.name, attention: ['not_printed', 'partner_error'], partners: [] },
    { id: second, country: 'FR', partners: [{ id: ohio, uid: 'prints-ohio' }], fulfillmentStatus: 'on_hold' },
    { id: first, country: 'DE', partners: [{ id: berlin, uid: 'prints-berlin' }], attention: [] },
  ]);
  expect(Date.now() - Date.parse(orders[0].attentionSince)).toBeGreaterThan(4 * 3_600_000);
  expect(orders[2].attentionSince).toBeNull();
});

describe('the search text', () => {
  test.each<[string, () => string, () => (string | undefined)[]]>([
    ['its id', () => first!, () => [first]],
    ['its reference, of every client', () => 'ref-1', () => [third, first]],
    ['a print order', () => printOrderId, () => [first]],
    ['a print job', () => printJobId, () => [first]],
    ['a tracking number', () => 'OWN 123 x', () => [first]],
    ['the recipient’s e-mail address, in any case', () => 'ada@example.COM', () => [second, first]],
    ['the beginning of its reference, in any case', () => 'REF-', () => [third, second, first]],
    ['the id of its workflow', () => `order-${first}`, () => [first]],
    ['the beginning of its id', () => first!.replaceAll('-', '').slice(0, 24).toUpperCase(), () => [first]],
    ['the name of the recipient', () => 'ada BYRON', () => [third, second, first]],
    ['the beginning of the name, the last one first', () => 'byron, a', () => [third, second, first]],
    ['nothing', () => 'ref-9', () => []],
    ['a part that is not the beginning', () => 'yron', () => []],
    ['text that is a pattern elsewhere', () => 'ref%', () => []],
    ['a number that is none of them', () => '999999999999999999', () => []],
  ])('finds an order by %s', async (_what, text, found) => {
    const expected = found();
    expect(await ids({ q: ` ${text()} ` })).toEqual(expected);
  });

  test('the search text applies together with the other filters', async () => {
    expect(await ids({ q: 'ref-1', clientId: api.other.id })).toEqual([third]);
    expect(await ids({ q: first, status: 'on_hold' })).toEqual([]);
  });
});

describe('orders are filtered by', () => {
  test.each<[string, () => object, () => (string | undefined)[]]>([
    ['status', () => ({ status: 'on_hold,failed' }), () => [second]],
    ['attention reason', () => ({ attention: 'not_printed' }), () => [third]],
    ['one of several reasons of an order', () => ({ attention: 'partner_error' }), () => [third, second]],
    ['a reason that no order has', () => ({ attention: 'no_partner' }), () => []],
    ['any attention', () => ({ attention: 'any' }), () => [third, second]],
    ['client', () => ({ clientId: api.client.id }), () => [second, first]],
    ['partner', () => ({ partnerId: berlin }), () => [first]],
    ['country', () => ({ country: 'FR' }), () => [second]],
    ['method', () => ({ method: 'no-such-method' }), () => []],
    ['time', () => ({ createdTo: '2020-01-01T00:00:00Z' }), () => []],
    ['several at once', () => ({ country: 'DE,FR', attention: 'any', status: 'created' }), () => [third]],
  ])('%s', async (_what, query, found) => {
    expect(await ids(query())).toEqual(found());
  });
});

test('orders that need attention are sorted by age and by reason', async () => {
  expect(await ids({ sort: 'age' })).toEqual([third, second]);
  // Only the named reason counts.
  expect(await ids({ sort: 'age', attention: 'partner_error' })).toEqual([second, third]);
  expect(await ids({ sort: 'reason' })).toEqual([third, second]);
  expect(await ids({ sort: 'age', country: 'FR' })).toEqual([second]);
});

test.each([{}, { attention: 'any' }, { sort: 'age' }, { sort: 'reason' }])(
  'pages continue after the last order: %j',
  async (query) => {
    const paged = await everyPage((cursor) => list({ ...query, limit: 1, ...cursor }), 'orders');
    expect(paged).toEqual((await list(query)).orders);
  },
);

test.each([
  [{ status: 'lost' }, /^status/],
  [{ attention: 'boredom' }, /^attention/],
  [{ clientId: 'shop' }, /^clientId/],
  [{ country: 'Germany' }, /^country/],
  [{ sort: 'random' }, /^sort/],
  [{ limit: 0 }, /^limit/],
  [{ cursor: 'x' }, /^cursor/],
  [{ sort: 'age', cursor: 'partner_error.x' }, /^cursor/],
  [{ q: '  ' }, /^q/],
])('%j is refused with the parameter', async (query, reference) => {
  const { body } = await api.list('/v1/operator/orders', query).expect(400);
  expect(body.errors[0].reference).toMatch(reference);
});

test.each(ATTENTION_REASONS)('an order with the reason %s is among the orders that need attention', async (reason) => {
  await api.sql`UPDATE orders SET attention = ${[reason]} WHERE id = ${first!}`;
  for (const attention of ['any', reason]) {
    for (const sort of ['age', 'reason', 'newest']) expect(await ids({ attention, sort })).toContain(first);
  }
  await api.sql`UPDATE orders SET attention = NULL WHERE id = ${first!}`;
  expect(await ids({ attention: reason })).not.toContain(first);
});
