import request from 'supertest';
import { createApp } from '../../../api/app';
import { clientRoutes } from '../../../api/clients';
import { type TestAccount, testAccount } from '../../support/api-deps';
import { fields, type OrdersApi, ordersApi } from './orders-api';
import { address, item, order } from './sample-orders';

let api: OrdersApi;

beforeAll(async () => {
  api = await ordersApi();
});

interface Page {
  readonly orders: { readonly id: string; readonly orderReferenceId: string; readonly createdAt: string }[];
  readonly nextCursor: string | null;
}

const search = async (body: object, by: TestAccount = api.client): Promise<Page> =>
  (await api.post('/v1/orders/search', body, by).expect(200)).body;
const found = async (body: object, by?: TestAccount): Promise<string[]> =>
  (await search(body, by)).orders.map(({ orderReferenceId }) => orderReferenceId);

/** Returns every page of a search. */
async function pages(body: object, by?: TestAccount): Promise<string[][]> {
  const all: string[][] = [];
  let cursor: string | null = null;
  do {
    const page: Page = await search(cursor === null ? body : { ...body, cursor }, by);
    all.push(page.orders.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return all;
}

describe('pages through 120 orders', () => {
  const newestFirst: string[] = [];

  beforeAll(async () => {
    for (let index = 0; index < 120; index += 1) {
      const { id } = (await api.submit(order({ orderReferenceId: `paged-${index}` }), api.other).expect(200)).body;
      newestFirst.unshift(id);
    }
  });

  test.each([1, 7, 40, 50, 119, 120, 121])('pages of %i orders have every order once, newest first', async (limit) => {
    const all = await pages({ limit }, api.other);
    expect(all.flat()).toEqual(newestFirst);
    expect(all.slice(0, -1).every((page) => page.length === limit)).toBe(true);
    expect(all).toHaveLength(Math.ceil(120 / limit));
  });

  test('a page has 50 orders by default', async () => {
    expect((await pages({}, api.other)).map((page) => page.length)).toEqual([50, 50, 20]);
  });

  test('orders of the same microsecond are sorted by id', async () => {
    const ids = newestFirst.slice(0, 30);
    await api.sql`UPDATE orders SET created_at = now() WHERE id = ANY(${ids}::uuid[])`;
    const all = (await pages({ ids, limit: 4 }, api.other)).flat();
    expect(all).toEqual([...ids].sort().reverse());
  });

  test('new orders between two pages do not shift the next page', async () => {
    const first = await search({ limit: 60 }, api.other);
    await api.submit(order({ orderReferenceId: 'late' }), api.other).expect(200);
    const second = await search({ limit: 60, cursor: first.nextCursor }, api.other);
    const seen = [...first.orders, ...second.orders].map(({ orderReferenceId }) => orderReferenceId);
    expect(new Set(seen).size).toBe(120);
    expect(seen).not.toContain('late');
  });

  test('several statuses and clients are merged newest first over all pages', async () => {
    const statuses = ['created', 'on_hold', 'shipped'];
    await api.sql`
      UPDATE orders SET fulfillment_status = (ARRAY['created', 'on_hold', 'shipped', 'delivered'])[1 + abs(hashtext(id::text)) % 4]
      WHERE client_id = ${api.other.id}`;
    const expected = await api.sql<{ id: string }[]>`
      SELECT id FROM orders WHERE client_id = ${api.other.id} AND fulfillment_status = ANY(${statuses})
      ORDER BY created_at DESC, id DESC`;
    const body = { fulfillmentStatuses: statuses, limit: 11 };
    const ids = expected.map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(33);
    expect((await pages(body, api.other)).flat()).toEqual(ids);
    const byOperator = { ...body, clientIds: [api.other.id, api.client.id, api.other.id] };
    expect((await pages(byOperator, api.operator)).flat()).toEqual(ids);
  });
});

/** Adds a parcel to an order, with a code of the partner's own carrier. */
async function parcelOf(orderId: string): Promise<void> {
  const partner = await testAccount(api.sql, 'partner');
  await api.sql`
    INSERT INTO partners (account_id, uid, name, country, currency, sender_address, capabilities)
    VALUES (${partner.id}, ${partner.name}, 'Inkwerk', 'DE', 'EUR', '{}', '{}')`;
  await api.sql`
    WITH made AS (
      INSERT INTO print_orders (order_id, partner_id, step, kind, version, message_id, dispatch_date)
      VALUES (${orderId}, ${partner.id}, 'handoff:0', 'print', '1.1', gen_random_uuid(), '2026-05-01') RETURNING id)
    INSERT INTO partner_parcels (print_order_id, tracking_code, announced) SELECT id, 'OWN-1', false FROM made`;
}

describe('filters', () => {
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    const submit = async (orderReferenceId: string, over: object, by = api.client) => {
      ids[orderReferenceId] = (await api.submit(order({ orderReferenceId, ...over }), by).expect(200)).body.id;
    };
    await submit('draft', { orderType: 'draft' });
    await submit('french', { shippingAddress: address({ country: 'FR', email: 'Zoe@Example.com' }) });
    await submit('two-items', {
      items: [item(), item({ itemReferenceId: 'item-2' })],
      customerReferenceId: 'c',
    });
    await submit('held', {});
    await submit('old', {});
    await api.sql`UPDATE orders SET fulfillment_status = 'on_hold' WHERE id = ${ids.held!}`;
    await parcelOf(ids.held!);
    await api.sql`
      UPDATE orders SET created_at = '2026-02-01T10:00:00.5Z', channel = 'store', financial_status = 'paid'
      WHERE id = ${ids.old!}`;
    const receipt = (totalInclVat: number) => api.sql.json({ totals: { totalInclVat } });
    await api.sql`
      INSERT INTO receipts (id, order_id, type, step, currency, body)
      VALUES (gen_random_uuid(), ${ids.old!}, 'invoice', 'a', 'EUR', ${receipt(1999)}),
             (gen_random_uuid(), ${ids.old!}, 'refund', 'b', 'EUR', ${receipt(-500)})`;
  });

  const cases: [filter: string, body: () => object, references: string[]][] = [
    ['none: all orders of the client', () => ({}), ['held', 'two-items', 'french', 'draft', 'old']],
    [
      'null is no filter',
      () => ({ ids: null, countries: null, cursor: null }),
      ['held', 'two-items', 'french', 'draft', 'old'],
    ],
    [
      'ids',
      () => ({ ids: [ids.french, ids.old, 'no-uuid', '00000000-0000-7000-8000-000000000000'] }),
      ['french', 'old'],
    ],
    ['invalid ids', () => ({ ids: ['no-uuid'] }), []],
    ['references', () => ({ orderReferenceIds: ['held', 'draft', 'unknown'] }), ['held', 'draft']],
    ['e-mail addresses in any case', () => ({ emails: ['zoE@example.com', 'nobody@example.com'] }), ['french']],
    ['tracking numbers', () => ({ trackingNumbers: ['OWN-1', 'TN-9'] }), ['held']],
    ['fulfilment statuses', () => ({ fulfillmentStatuses: ['on_hold', 'draft', 'on_hold'] }), ['held', 'draft']],
    ['financial statuses', () => ({ financialStatuses: ['paid', 'draft'] }), ['draft', 'old']],
    ['order types', () => ({ orderTypes: ['draft'] }), ['draft']],
    ['countries', () => ({ countries: ['FR', 'IT'] }), ['french']],
    ['channels', () => ({ channels: ['store'] }), ['old']],
    [
      'createdFrom, inclusive',
      () => ({ createdFrom: '2026-02-01T10:00:00.5Z', createdTo: '2026-02-02T00:00:00Z' }),
      ['old'],
    ],
    ['createdTo, exclusive', () => ({ createdTo: '2026-02-01T10:00:00.5Z' }), []],
    [
      'times with an offset',
      () => ({ createdFrom: '2026-02-01T12:00:00+02:00', createdTo: '2026-02-01T13:00:00+02:00' }),
      ['old'],
    ],
    [
      'the widest range of times',
      () => ({ createdFrom: '0001-01-01T00:00:00+23:59', createdTo: '9999-12-31T23:59:59-23:59' }),
      ['held', 'two-items', 'french', 'draft', 'old'],
    ],
    [
      'several filters: all must match',
      () => ({ fulfillmentStatuses: ['created'], countries: ['DE'], channels: ['api'] }),
      ['two-items'],
    ],
    ['another client’s id', () => ({ clientIds: [api.other.id] }), []],
    [
      'the client’s own id among others',
      () => ({ clientIds: [api.other.id, api.client.id], orderTypes: ['draft'] }),
      ['draft'],
    ],
  ];
  test.each(cases)('orders are found by %s', async (_filter, body, references) => {
    expect(await found(body())).toEqual(references);
  });

  test('operators see the orders of every client, or of given clients', async () => {
    const mine = await search({ orderReferenceIds: ['held', 'paged-5'] }, api.operator);
    expect(mine.orders.map(({ orderReferenceId }) => orderReferenceId).sort()).toEqual(['held', 'paged-5']);
    expect(await found({ clientIds: [api.client.id], orderTypes: ['draft'] }, api.operator)).toEqual(['draft']);
    expect(await found({ clientIds: ['00000000-0000-7000-8000-000000000000'] }, api.operator)).toEqual([]);
    expect(await found({ clientIds: ['no-uuid'] }, api.operator)).toEqual([]);
  });

  test('a search returns a summary of each order', async () => {
    const [two, old] = (await search({ ids: [ids['two-items'], ids.old] })).orders;
    const read = (await api.get(ids['two-items']!).expect(200)).body;
    expect(two).toEqual({
      id: ids['two-items'],
      clientId: api.client.id,
      orderReferenceId: 'two-items',
      customerReferenceId: 'c',
      orderType: 'order',
      channel: 'api',
      fulfillmentStatus: 'created',
      financialStatus: 'pending',
      refusalReasonCode: null,
      currency: 'EUR',
      archived: false,
      country: 'DE',
      firstName: 'Ada',
      lastName: 'Byron',
      itemCount: 2,
      totalInclVat: null,
      createdAt: read.createdAt,
      orderedAt: read.orderedAt,
      updatedAt: read.updatedAt,
      parcels: [],
    });
    expect(old).toMatchObject({ totalInclVat: 14.99, createdAt: '2026-02-01T10:00:00.500Z' });
  });
});

describe('by the last change', () => {
  const changed: string[] = [];
  const day = (index: number) => new Date(Date.UTC(2026, 0, 1 + index, 12)).toISOString();

  beforeAll(async () => {
    for (let index = 0; index < 12; index += 1) {
      const { id } = (await api.submit(order({ orderReferenceId: `changed-${index}` }), api.client).expect(200)).body;
      // The oldest order changed last. Three of them in the same microsecond.
      const at = day(index < 3 ? 20 : 12 - index);
      await api.sql`UPDATE orders SET updated_at = ${at} WHERE id = ${id}`;
      changed.push(id);
    }
  });
  const lastChangedFirst = () => [...changed.slice(0, 3).sort().reverse(), ...changed.slice(3)];

  test('orders are sorted by it, over all pages', async () => {
    const body = { updatedFrom: day(0), updatedTo: day(30) };
    for (const limit of [1, 5, 50]) expect((await pages({ ...body, limit })).flat()).toEqual(lastChangedFirst());
  });

  test('from is inclusive, to is exclusive', async () => {
    const [, , , third, fourth] = changed;
    expect((await pages({ updatedFrom: day(8), updatedTo: day(9) })).flat()).toEqual([fourth]);
    expect((await pages({ updatedFrom: day(8), updatedTo: day(20) })).flat()).toEqual([third, fourth]);
  });

  test('other filters apply, also those that have an index of their own for new orders', async () => {
    await api.sql`UPDATE orders SET fulfillment_status = 'on_hold' WHERE id = ${changed[5]!}`;
    const body = { updatedFrom: day(0), updatedTo: day(30) };
    expect((await pages({ ...body, fulfillmentStatuses: ['on_hold'] })).flat()).toEqual([changed[5]]);
    const from = '2020-01-01T00:00:00Z';
    expect((await pages({ ...body, createdFrom: from })).flat()).toEqual(lastChangedFirst());
    expect((await pages({ ...body, createdTo: from })).flat()).toEqual([]);
  });

  test('operators name the clients', async () => {
    const body = { updatedFrom: day(0), updatedTo: day(30) };
    const refused = await api.post('/v1/orders/search', body, api.operator).expect(400);
    expect(fields(refused.body)).toEqual(['MISSING_FIELD_ERROR clientIds']);
    const named = { ...body, clientIds: [api.client.id, api.other.id] };
    expect((await pages(named, api.operator)).flat()).toEqual(lastChangedFirst());
  });
});

const cursor = (text: string) => Buffer.from(text).toString('base64url');
const SOME_ID = '00000000-0000-7000-8000-000000000000';
const refused: [rule: string, body: object, errors: string[]][] = [
  ['a limit of 0', { limit: 0 }, ['VALIDATION_ERROR limit']],
  ['a limit of 251', { limit: 251 }, ['VALIDATION_ERROR limit']],
  ['a string as limit', { limit: '10' }, ['VALIDATION_ERROR limit']],
  ['an unknown status', { fulfillmentStatuses: ['created', 'gone'] }, ['NO_SUCH_CHOICE_ERROR fulfillmentStatuses[1]']],
  ['an unknown country', { countries: ['XX'] }, ['NO_SUCH_CHOICE_ERROR countries[0]']],
  ['an empty list', { ids: [] }, ['VALIDATION_ERROR ids']],
  ['251 ids', { ids: Array.from({ length: 251 }, String) }, ['VALIDATION_ERROR ids']],
  ['a filter that does not exist', { reference: 'held' }, ['VALIDATION_ERROR reference']],
  ['a time without offset', { createdFrom: '2026-02-01T10:00:00' }, ['VALIDATION_ERROR createdFrom']],
  ['a date without time', { createdFrom: '2026-02-01' }, ['VALIDATION_ERROR createdFrom']],
  ['a date that does not exist', { createdTo: '2026-02-30T00:00:00Z' }, ['VALIDATION_ERROR createdTo']],
  ...[
    'nonsense',
    '',
    cursor('x'),
    cursor(`2026-02-30T00:00:00.000000Z ${SOME_ID}`),
    cursor(`0000-01-01T00:00:00.000000Z ${SOME_ID}`),
    cursor('2026-02-01T00:00:00.000000Z x'),
    cursor(`2026-02-01T25:00:00.000000Z ${SOME_ID}`),
  ].map((given): [string, object, string[]] => [
    `"${given}" as cursor`,
    { cursor: given },
    ['VALIDATION_ERROR cursor'],
  ]),
  [
    'several errors',
    { limit: 999, orderTypes: ['x'] },
    ['NO_SUCH_CHOICE_ERROR orderTypes[0]', 'VALIDATION_ERROR limit'],
  ],
];
test.each(refused)('a search with %s is refused', async (_rule, body, errors) => {
  const response = (await api.post('/v1/orders/search', body).expect(400)).body;
  expect(fields(response)).toEqual(errors);
});

const setChannel = (channel: string | null) =>
  request(createApp(api.deps, clientRoutes(api.deps)))
    .patch(`/v1/connectors/${api.client.id}`)
    .set(api.operator.key)
    .send({ channel })
    .expect(200);
const submitted = async (by = api.client) => (await api.submit(order(), by).expect(200)).body.id as string;
const channelOf = async (id: string, by = api.client) => (await api.get(id, by).expect(200)).body.channel;

test('an order has the channel of its client at the time of its submission', async () => {
  const before = await submitted();
  expect((await setChannel('etsy')).body.channel).toBe('etsy');
  const during = await submitted();
  const [first, second] = await Promise.all([submitted(), submitted(api.other)]);
  await setChannel(null);
  const after = await submitted();
  expect(await Promise.all([before, during, first, after].map((id) => channelOf(id)))).toEqual([
    'api',
    'etsy',
    'etsy',
    'api',
  ]);
  expect(await channelOf(second, api.other)).toBe('api');
  const found = (await api.post('/v1/orders/search', { channels: ['etsy'] }).expect(200)).body.orders;
  expect(found.map(({ id }: { id: string }) => id).sort()).toEqual([during, first].sort());
});
