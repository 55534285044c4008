import request from 'supertest';
import { binaryBody } from '../../support/binary-body';
import { FILE_URL, order, POSTER } from '../orders/sample-orders';
import { type ChannelsApi, channelsApi, csv, HEADER, row } from './channels-api';

/** Files of orders: what becomes of each row, and what a file as a whole is refused for. */

let api: ChannelsApi;
let channel: string;

beforeAll(async () => {
  api = await channelsApi();
  channel = await api.create();
});

const ordersOf = async (...references: string[]) =>
  (
    await api.sql<{ reference: string }[]>`
      SELECT order_reference_id AS reference FROM orders WHERE order_reference_id = ANY(${references}) ORDER BY 1`
  ).map(({ reference }) => reference);
const get = (reference: string) => api.call('get', `/v1/orders/${encodeURIComponent(reference)}`).expect(200);
const errorsOf = async (fileId: string) => {
  const { body } = await api
    .call('get', `/v1/channels/${channel}/files/${fileId}/errors`)
    .buffer(true)
    .parse(binaryBody)
    .expect(200);
  return (body as Buffer).toString('utf8').replace('\uFEFF', '').split('\r\n');
};

test('a file becomes orders, which name their channel', async () => {
  const { body } = await api.upload(channel, csv({ reference: 'a-1' }, { reference: 'a-2', quantity: 3 }), {
    name: 'may.csv',
  });
  expect(body).toMatchObject({
    channelId: channel,
    name: 'may.csv',
    dryRun: false,
    state: 'done',
    counts: { rows: 2, orders: 2, submitted: 2, waiting: 0, ignored: 0, unchanged: 0 },
    findings: [],
  });
  expect((await api.call('get', `/v1/channels/${channel}/files/${body.id}`).expect(200)).body).toEqual(body);
  const { body: made } = await get('a-2');
  expect(made).toMatchObject({
    channel: 'api',
    channelOrder: { channel, externalId: 'a-2', revision: 0 },
    metadata: [],
    shippingAddress: { lastName: 'Byron', city: 'Berlin' },
    items: [
      { itemReferenceId: '1', finalProductUid: POSTER, quantity: 3, files: [{ type: 'default', url: FILE_URL }] },
    ],
  });
  const audited = await api.sql`SELECT after FROM audit_log WHERE action = 'channel.upload' AND object_id = ${channel}`;
  expect(audited).toEqual([{ after: { fileId: body.id, dryRun: false } }]);
  const [start] = await api.sql`SELECT payload FROM outbox WHERE target = ${`order-${made.id}`}`;
  expect(start).toBeDefined();
});

test('an order of the API has no channel', async () => {
  const body = order();
  await api.call('post', '/v1/orders', body).expect(200);
  expect((await get(body.orderReferenceId)).body.channelOrder).toBeNull();
});

test('rows of one order may be anywhere in a file', async () => {
  const { body } = await api.upload(
    channel,
    csv({ reference: 'b-1', item: 'x' }, { reference: 'b-2' }, { reference: 'b-1', item: 'y', quantity: 2 }),
  );
  expect(body.counts).toMatchObject({ rows: 3, orders: 2, submitted: 2 });
  expect((await get('b-1')).body.items).toMatchObject([
    { itemReferenceId: 'x', quantity: 1 },
    { itemReferenceId: 'y', quantity: 2 },
  ]);
});

test('the same file, and the same order in another file, create nothing', async () => {
  const content = csv({ reference: 'c-1' });
  const { body: first } = await api.upload(channel, content);
  const { body: again } = await api.upload(channel, content);
  expect(again.id).toBe(first.id);
  const { body: other } = await api.upload(channel, csv({ reference: 'c-2' }, { reference: 'c-1' }));
  expect(other.counts).toMatchObject({ orders: 2, submitted: 1, unchanged: 1 });
  expect(await ordersOf('c-1', 'c-2')).toEqual(['c-1', 'c-2']);
});

test('another content under the same reference waits as a duplicate', async () => {
  await api.upload(channel, csv({ reference: 'd-1' }));
  const { body } = await api.upload(channel, csv({ reference: 'd-1', quantity: 9 }));
  expect(body).toMatchObject({
    counts: { submitted: 0, waiting: 1 },
    findings: [{ externalId: 'd-1', code: 'duplicate', field: 'orderReferenceId', line: 2 }],
  });
  expect((await get('d-1')).body.items[0].quantity).toBe(1);
});

test('a reference of an order of the API is a duplicate too', async () => {
  await api.call('post', '/v1/orders', order({ orderReferenceId: 'd-2' })).expect(200);
  const { body } = await api.upload(channel, csv({ reference: 'd-2' }));
  expect(body.findings).toMatchObject([
    { code: 'duplicate', message: expect.stringContaining('has this orderReferenceId') },
  ]);
  expect(await ordersOf('d-2')).toHaveLength(1);
});

test('orders that are refused wait with reasons that name the field and the line', async () => {
  const rows = [
    { reference: 'e-1' },
    { reference: 'e-2', email: 'nobody' },
    { reference: 'e-3', url: '' },
    { reference: 'e-4', uid: 'no-such-product' },
    { reference: 'e-5', quantity: 'two' },
    { reference: 'e-6', item: 'x' },
    { reference: 'e-6', item: 'y', city: 'Bonn' },
  ];
  const content = csv(...rows).replace('e-1,EUR', 'e-1,euros');
  const { body } = await api.upload(channel, content);
  expect(body.counts).toMatchObject({ orders: 6, submitted: 0, waiting: 6 });
  const found = body.findings.map((one: { externalId: string; code: string; field: string; line: number }) => [
    one.externalId,
    one.code,
    one.field,
    one.line,
  ]);
  expect(found).toEqual([
    ['e-1', 'currency', 'currency', 2],
    ['e-2', 'address', 'shippingAddress.email', 3],
    ['e-3', 'file', 'items[0].files', 4],
    ['e-4', 'product', 'items[0].productUid', 5],
    ['e-5', 'number', 'items.quantity', 6],
    ['e-6', 'row', 'shippingAddress.city', 7],
  ]);
  const lines = await errorsOf(body.id);
  expect(lines[0]).toBe(
    `${HEADER},error`
      .split(',')
      .map((cell) => `"${cell}"`)
      .join(','),
  );
  expect(lines[4]).toMatch(/"no-such-product".*"items\[0\]\.productUid: .*no-such-product/);
});

test('a file with its errors can be corrected and sent again', async () => {
  const { body } = await api.upload(channel, csv({ reference: 'f-1' }, { reference: 'f-2', email: 'nobody' }));
  const corrected = (await errorsOf(body.id)).join('\n').replace('nobody', 'ada@example.com');
  const { body: again } = await api.upload(channel, corrected);
  // The first content of f-2 still waits, so that the second is no second order.
  expect(again.counts).toMatchObject({ orders: 2, unchanged: 1, waiting: 1 });
  const [waiting] = await api.inbox(channel, { state: 'waiting', reason: 'address' });
  await api.call('post', `/v1/channels/${channel}/orders/${waiting!.id}/ignore`, {}).expect(200);
  const [duplicate] = await api.inbox(channel, { state: 'waiting', reason: 'duplicate' });
  await api.call('post', `/v1/channels/${channel}/orders/${duplicate!.id}/retry`, {}).expect(200);
  await api.run(channel);
  expect(await ordersOf('f-1', 'f-2')).toEqual(['f-1', 'f-2']);
});

test('a dry run says what the orders would become, and stores none', async () => {
  await api.upload(channel, csv({ reference: 'g-1' }));
  const content = csv(
    { reference: 'g-1' },
    { reference: 'g-2' },
    { reference: 'g-3', url: '' },
    { reference: 'g-4', sku: 'UNKNOWN' },
  );
  const { body } = await api.upload(channel, content, { dryRun: true });
  expect(body).toMatchObject({
    dryRun: true,
    state: 'done',
    counts: { rows: 4, orders: 4, submitted: 1, waiting: 2, ignored: 0, unchanged: 1 },
    findings: [
      { externalId: 'g-3', code: 'file', line: 4 },
      { externalId: 'g-4', code: 'unknown_product', line: 5, message: 'No product is mapped to "UNKNOWN".' },
    ],
  });
  expect(await ordersOf('g-2', 'g-3')).toEqual([]);
  expect((await errorsOf(body.id))[3]).toContain('This field');
  const { body: table } = await api.call('get', `/v1/channels/${channel}/files/${body.id}/rows`).expect(200);
  expect(table.columns).toEqual(HEADER.split(','));
  expect(table.rows).toEqual([
    { line: 4, cells: row({ reference: 'g-3', url: '' }).split(','), error: expect.stringContaining('This field') },
    {
      line: 5,
      cells: row({ reference: 'g-4', sku: 'UNKNOWN' }).split(','),
      error: 'items[0].sku: No product is mapped to "UNKNOWN".',
    },
  ]);
  const { body: real } = await api.upload(channel, content);
  expect(real.counts).toMatchObject({ submitted: 1, waiting: 2, unchanged: 1 });
});

test.each([
  ['an open quote', `${HEADER}\n${row({ reference: 'h-1' })}\n"h-2,EUR`, 'a quote is not closed', 3],
  [
    'a short last row',
    `${HEADER}\n${row({ reference: 'h-1' })}\nh-2,EUR,DE`,
    'The last row has 3 cells instead of 16',
    3,
  ],
  ['no rows and no header', '\n', 'The file is empty.', null],
  ['no column with the reference', 'a,b\n1,2\n', 'orderReferenceId', 1],
  ['two columns with one name', 'orderReferenceId,a,a\n1,2,3\n', 'Two columns have the name "a".', 1],
])('a file with %s is refused whole', async (_name, content, message, line) => {
  const { body } = await api.upload(channel, content);
  expect(body).toMatchObject({
    state: 'refused',
    findings: [{ code: 'row', message: expect.stringContaining(message), line }],
  });
  expect(await ordersOf('h-1')).toEqual([]);
  await api.call('get', `/v1/channels/${channel}/files/${body.id}/rows`).expect(200);
});

test('a row with more cells than columns holds its order', async () => {
  const { body } = await api.upload(
    channel,
    `${HEADER}\n${row({ reference: 'i-1' })},more\n${row({ reference: 'i-2' })}\n`,
  );
  expect(body.counts).toMatchObject({ submitted: 1, waiting: 1 });
  expect(body.findings).toMatchObject([{ externalId: 'i-1', code: 'row', line: 2 }]);
});

test('a row without a reference waits', async () => {
  const { body } = await api.upload(channel, csv({ reference: '' }), { name: 'none.csv' });
  expect(body.findings).toMatchObject([{ externalId: 'line 2 of none.csv', field: 'orderReferenceId' }]);
});

test('semicolons, decimal commas and Windows-1252 are detected', async () => {
  const content = `orderReferenceId;currency;retailCurrency;shippingAddress.country;shippingAddress.firstName;shippingAddress.lastName;shippingAddress.addressLine1;shippingAddress.city;shippingAddress.postCode;shippingAddress.email;shippingAddress.phone;items.productUid;items.quantity;items.retailUnitPrice;items.files.default
j-1;EUR;EUR;Germany;Käthe;Müller;Straße 1;Köln;50667;k@example.com;+49 30 901820;${POSTER};2,0;1.234,50;${FILE_URL}
`;
  const { body } = await api.upload(channel, Buffer.from(content, 'latin1'));
  expect(body.counts).toMatchObject({ submitted: 1 });
  expect((await get('j-1')).body).toMatchObject({
    shippingAddress: { country: 'DE', lastName: 'Müller', city: 'Köln' },
    items: [{ quantity: 2, retailPriceInclVat: 2469 }],
  });
});

test('a number that can be read in two ways waits until the channel says how', async () => {
  const channelId = await api.create();
  const content = `${HEADER},items.retailUnitPrice,retailCurrency\n${row({ reference: 'k-1' })},"1,234",EUR\n`;
  const { body } = await api.upload(channelId, content);
  expect(body.findings).toMatchObject([
    { code: 'number', field: 'items.retailUnitPrice', message: expect.stringContaining('two ways') },
  ]);
  await api.call('patch', `/v1/channels/${channelId}`, { settings: { decimal: 'point' } }).expect(200);
  const [waiting] = await api.inbox(channelId, { state: 'waiting' });
  await api.call('post', `/v1/channels/${channelId}/orders/${waiting!.id}/retry`, {}).expect(200);
  await api.run(channelId);
  expect((await get('k-1')).body.items[0].retailPriceInclVat).toBe(1234);
});

test('only the column of errors is made safe against formulas', async () => {
  const { body } = await api.upload(channel, csv({ reference: '=l-1', email: '@nobody' }));
  const [, line] = await errorsOf(body.id);
  expect(line).toMatch(/^"=l-1",.*"@nobody".*"shippingAddress\.email: /);
});

test('the files of a channel are listed with their counts, newest first', async () => {
  const channelId = await api.create();
  await api.upload(channelId, csv({ reference: 'list-1' }, { reference: 'list-2', email: 'nobody' }), {
    name: '1.csv',
  });
  await api.upload(channelId, 'a,b\n1,2\n', { name: '2.csv' });
  await api.upload(channelId, csv({ reference: 'list-1' }, { reference: 'list-3' }), { name: '3.csv', dryRun: true });
  const list = async (query: object) =>
    (await api.call('get', `/v1/channels/${channelId}/files`).query(query).expect(200)).body;
  const first = await list({ limit: 2 });
  const second = await list({ limit: 2, cursor: first.nextCursor });
  expect([...first.files, ...second.files]).toEqual([
    expect.objectContaining({
      name: '3.csv',
      state: 'done',
      counts: expect.objectContaining({ submitted: 1, unchanged: 1 }),
    }),
    expect.objectContaining({ name: '2.csv', state: 'refused' }),
    expect.objectContaining({
      name: '1.csv',
      state: 'done',
      counts: expect.objectContaining({ submitted: 1, waiting: 1 }),
    }),
  ]);
  expect(second.nextCursor).toBeNull();
  await api.call('get', `/v1/channels/${channelId}/files`, undefined, api.other).expect(404);
});

test('a body that is no CSV, or too large, is refused', async () => {
  const post = (type: string, body: string | Buffer) =>
    request(api.app)
      .post(`/v1/channels/${channel}/files`)
      .set(api.client.keyAndSecret)
      .set('Content-Type', type)
      .send(body);
  await post('application/json', '{}').expect(415);
  await post('text/csv', Buffer.alloc(10_000_001, 'a')).expect(413);
});

test('a paused channel takes no files, and goes on when it is active again', async () => {
  const channelId = await api.create();
  await api.call('patch', `/v1/channels/${channelId}`, { state: 'paused' }).expect(200);
  expect((await api.upload(channelId, csv({ reference: 'm-1' }))).status).toBe(409);
  await api.call('patch', `/v1/channels/${channelId}`, { state: 'active' }).expect(200);
  expect((await api.upload(channelId, csv({ reference: 'm-1' }))).body.counts).toMatchObject({ submitted: 1 });
});
