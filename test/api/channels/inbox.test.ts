import { channelGauges } from '../../../src/channels/channel-orders';
import { FILE_URL, POSTER, STICKER } from '../orders/sample-orders';
import { type ChannelsApi, channelsApi, csv } from './channels-api';

/** Channels, their product mappings, and the inbox of orders that wait. */

let api: ChannelsApi;

beforeAll(async () => {
  api = await channelsApi();
});

const get = (reference: string) => api.call('get', `/v1/orders/${reference}`);
const map = (channelId: string, mapping: object) => api.call('post', `/v1/channels/${channelId}/mappings`, mapping);

test('clients and operators make channels, and a client sees its own', async () => {
  const id = await api.create({ preset: 'etsy' });
  const { body: mine } = await api.call('get', '/v1/channels').expect(200);
  expect(mine.channels.map((channel: { id: string }) => channel.id)).toContain(id);
  expect(mine.channels.find((channel: { id: string }) => channel.id === id)).toMatchObject({
    clientId: api.client.id,
    kind: 'csv',
    state: 'active',
    settings: { preset: 'etsy', columns: {}, defaults: {} },
    waiting: 0,
  });
  await api.call('get', `/v1/channels/${id}`, undefined, api.other).expect(404);
  expect((await api.call('get', '/v1/channels', undefined, api.other).expect(200)).body.channels).toEqual([]);
  const made = { kind: 'csv', name: 'by operator' };
  await api.call('post', '/v1/channels', made, api.operator).expect(400);
  const { body } = await api
    .call('post', '/v1/channels', { ...made, clientId: api.other.id }, api.operator)
    .expect(200);
  expect((await api.call('get', `/v1/channels/${body.id}`, undefined, api.other).expect(200)).body.name).toBe(
    'by operator',
  );
  await api.call('post', '/v1/channels', { ...made, clientId: api.other.id }).expect(400);
  await api.call('post', '/v1/channels', made, api.other).expect(409);
});

test('a setting that names no field of an order is refused', async () => {
  const settings = { columns: { 'items.colour': 'Colour' } };
  await api.call('post', '/v1/channels', { kind: 'csv', name: 'wrong', settings }).expect(400);
});

test('storing a mapping submits every order that waits for it', async () => {
  const channelId = await api.create();
  const { body } = await api.upload(
    channelId,
    csv(
      { reference: 'map-1', sku: 'A3' },
      { reference: 'map-2', sku: 'A3', quantity: 2 },
      { reference: 'map-3', sku: 'A4' },
    ),
  );
  expect(body.counts).toMatchObject({ waiting: 3 });
  expect((await api.call('get', `/v1/channels/${channelId}`).expect(200)).body.waiting).toBe(3);
  const stored = await map(channelId, { sku: 'A3', productUid: POSTER, quantityFactor: 2 }).expect(200);
  expect(stored.body).toMatchObject({
    released: 2,
    mapping: { sku: 'A3', variantId: null, productUid: POSTER, ignore: false },
  });
  await api.run(channelId);
  expect((await get('map-2').expect(200)).body.items).toMatchObject([{ finalProductUid: POSTER, quantity: 4 }]);
  await get('map-1').expect(200);
  await get('map-3').expect(404);
  const { mappings } = (await api.call('get', `/v1/channels/${channelId}/mappings`).expect(200)).body;
  expect(mappings).toHaveLength(1);
  await api.call('delete', `/v1/channels/${channelId}/mappings/${mappings[0].id}`).expect(200);
  expect((await api.upload(channelId, csv({ reference: 'map-4', sku: 'A3' }))).body.counts).toMatchObject({
    waiting: 1,
  });
});

test('a line without a mapping holds its whole order', async () => {
  const channelId = await api.create();
  await api.upload(channelId, csv({ reference: 'hold-1', item: 'a' }, { reference: 'hold-1', item: 'b', sku: 'X' }));
  await get('hold-1').expect(404);
  await map(channelId, { sku: 'X', ignore: true }).expect(200);
  await api.run(channelId);
  expect((await get('hold-1').expect(200)).body.items).toMatchObject([{ itemReferenceId: 'a' }]);
});

test('an order of ignored products alone is ignored', async () => {
  const channelId = await api.create();
  await map(channelId, { sku: 'GIFT', ignore: true }).expect(200);
  const { body } = await api.upload(channelId, csv({ reference: 'gift-1', sku: 'GIFT' }));
  expect(body.counts).toMatchObject({ ignored: 1 });
  expect(await api.inbox(channelId, { state: 'ignored' })).toMatchObject([{ reasons: [{ code: 'ignored_products' }] }]);
});

test('the variant precedes the SKU, and a mapping has files, fields and options', async () => {
  const channelId = await api.create({ columns: { 'items.variantId': 'variant' } });
  await map(channelId, { sku: 'TEE', productUid: STICKER, files: { default: FILE_URL } }).expect(200);
  await map(channelId, {
    variantId: '77',
    productName: 'Classic tee',
    productVariant: { Color: 'Navy' },
    optionFields: { Size: 'size' },
    fileFields: { front: 'artwork' },
  }).expect(200);
  const content = csv({ reference: 'var-1', sku: 'TEE', url: '' })
    .replace('revision\n', 'revision,variant,size,artwork\n')
    .replace(
      /,\n$/,
      `,,77,L,<a href="${FILE_URL}">file</a>\n`.replaceAll('"', '""').replace('<', '"<').replace('</a>', '</a>"'),
    );
  const { body } = await api.upload(channelId, content);
  expect(body.findings).toEqual([]);
  expect((await get('var-1').expect(200)).body.items).toMatchObject([
    { productName: 'Classic tee', files: [{ type: 'front', url: FILE_URL }] },
  ]);
});

test('an order that waits is tried again, and one is ignored, by hand', async () => {
  const channelId = await api.create();
  await api.upload(
    channelId,
    csv({ reference: 'act-1', sku: 'NONE' }, { reference: 'act-2', sku: 'NONE' }, { reference: 'act-3' }),
  );
  const waiting = await api.inbox(channelId, { state: 'waiting', reason: 'unknown_product' });
  expect(waiting.map(({ externalId }) => externalId).sort()).toEqual(['act-1', 'act-2']);
  const at = (id: unknown, act: string) => `/v1/channels/${channelId}/orders/${id}/${act}`;
  expect((await api.call('post', at(waiting[0]!.id, 'ignore'), {}).expect(200)).body).toMatchObject({
    state: 'ignored',
  });
  expect((await api.call('post', at(waiting[1]!.id, 'retry'), {}).expect(200)).body).toMatchObject({ judgedAt: null });
  await api.run(channelId);
  expect(await api.inbox(channelId, { state: 'waiting' })).toMatchObject([{ reasons: [{ code: 'unknown_product' }] }]);
  const [submitted] = await api.inbox(channelId, { state: 'submitted' });
  await api.call('post', at(submitted!.id, 'ignore'), {}).expect(409);
  await api.call('post', at(submitted!.id, 'retry'), {}).expect(409);
  const { body: detail } = await api.call('get', `/v1/channels/${channelId}/orders/${submitted!.id}`).expect(200);
  expect(detail).toMatchObject({
    externalId: 'act-3',
    raw: { lines: [{ line: 4, fields: { orderReferenceId: 'act-3' } }] },
  });
});

test('operators see the inboxes of all channels, and clients their own', async () => {
  const channelId = await api.create();
  await api.upload(channelId, csv({ reference: 'all-1', sku: 'NONE' }));
  const all = (by = api.client) => api.call('get', '/v1/channels/orders?state=waiting', undefined, by).expect(200);
  const named = { externalId: 'all-1', clientId: api.client.id };
  expect((await all()).body.orders).toContainEqual(expect.objectContaining(named));
  expect((await all(api.operator)).body.orders).toContainEqual(expect.objectContaining(named));
  expect((await all(api.other)).body.orders).toEqual([]);
});

test('a change before the first revision was submitted replaces it, and an older one is superseded', async () => {
  const channelId = await api.create();
  await api.upload(channelId, csv({ reference: 'rev-1', sku: 'NONE', revision: 1 }));
  await api.upload(channelId, csv({ reference: 'rev-1', revision: 3, quantity: 3 }));
  await api.upload(channelId, csv({ reference: 'rev-1', revision: 2, quantity: 2 }));
  expect((await get('rev-1').expect(200)).body).toMatchObject({
    items: [{ quantity: 3 }],
    channelOrder: { externalId: 'rev-1', revision: 3 },
  });
  const ignored = await api.inbox(channelId, { state: 'ignored' });
  expect(ignored.map(({ revision }) => revision).sort()).toEqual([1, 2]);
  for (const { reasons } of ignored) expect(reasons).toMatchObject([{ code: 'superseded' }]);
  expect(await api.inbox(channelId, { state: 'submitted' })).toMatchObject([{ revision: 3 }]);
});

test('a corrected revision of an order that was refused after its submission replaces it', async () => {
  const channelId = await api.create({ columns: { canceled: 'Cancelled at' } });
  await api.upload(channelId, csv({ reference: 'refused-1', revision: 1 }, { reference: 'refused-2', revision: 1 }));
  const { body: first } = await get('refused-1').expect(200);
  await api.sql`UPDATE orders SET fulfillment_status = 'failed', financial_status = 'canceled' WHERE order_reference_id LIKE 'refused-_'`;
  await api.upload(channelId, csv({ reference: 'refused-1', revision: 2, quantity: 2 }));
  const { body: second } = await get('refused-1').expect(200);
  expect(second).toMatchObject({
    replaces: first.id,
    fulfillmentStatus: 'created',
    items: [{ quantity: 2 }],
    channelOrder: { externalId: 'refused-1', revision: 2 },
  });
  const canceled = csv({ reference: 'refused-2', revision: 2 })
    .replace('revision\n', 'revision,Cancelled at\n')
    .replace(/\n$/, ',yes\n');
  expect((await api.upload(channelId, canceled)).body.counts).toMatchObject({ submitted: 1 });
  expect(await api.sql`SELECT FROM orders WHERE order_reference_id = 'refused-2'`).toHaveLength(1);
  for (const { reasons } of await api.inbox(channelId, { state: 'submitted' })) expect(reasons).toEqual([]);
});

test('the age of the oldest order that waits is measured', async () => {
  const channelId = await api.create();
  await api.upload(channelId, csv({ reference: 'age-1', sku: 'NONE' }));
  await api.sql`UPDATE channel_orders SET received_at = now() - interval '9 days' WHERE id = (SELECT min(id::text)::uuid FROM channel_orders WHERE state = 'waiting')`;
  const [gauge] = await channelGauges(api.sql);
  expect(gauge!.value).toBeGreaterThanOrEqual(9 * 86_400);
});

test('an order that is canceled before it was submitted is ignored', async () => {
  const channelId = await api.create({ columns: { canceled: 'Cancelled at' } });
  const content = csv({ reference: 'cancel-1' })
    .replace('revision\n', 'revision,Cancelled at\n')
    .replace(/\n$/, ',2026-05-01\n');
  expect((await api.upload(channelId, content)).body.counts).toMatchObject({ ignored: 1 });
  await get('cancel-1').expect(404);
});

test('an order whose cancellation arrives first is never submitted', async () => {
  const channelId = await api.create({ columns: { canceled: 'Cancelled at' } });
  const fileOf = (revision: number, canceled: string) =>
    csv({ reference: 'cancel-2', revision })
      .replace('revision\n', 'revision,Cancelled at\n')
      .replace(/\n$/, `,${canceled}\n`);
  await api.upload(channelId, fileOf(2, 'yes'));
  await api.upload(channelId, fileOf(1, ''));
  await get('cancel-2').expect(404);
  expect((await api.inbox(channelId, { state: 'ignored' })).map(({ revision }) => revision).sort()).toEqual([1, 2]);
});

test('an order waits while a quota of its client is used up, and is submitted later', async () => {
  const small = await channelsApi({ CLIENT_QUOTAS: { ordersPerMinute: 1 } as never });
  const channelId = await small.create();
  await small.sql`SELECT 1`;
  const { body } = await small.call('get', `/v1/channels/${channelId}`).expect(200);
  expect(body.waiting).toBe(0);
  const submit = (reference: string) =>
    small.intake.submit(
      small.client.id,
      {
        orderReferenceId: reference,
        currency: 'EUR',
        shippingAddress: {
          country: 'DE',
          firstName: 'A',
          lastName: 'B',
          addressLine1: 'C 1',
          city: 'Berlin',
          postCode: '10119',
          email: 'a@b.example',
          phone: '+49 30 901820',
        },
        items: [{ itemReferenceId: '1', productUid: POSTER, quantity: 1, files: [{ type: 'default', url: FILE_URL }] }],
      },
      reference,
      async () => undefined,
    );
  expect(await submit('quota-1')).toEqual({ outcome: 'submitted' });
  expect(await submit('quota-2')).toMatchObject({ outcome: 'later', retryAfterSeconds: expect.any(Number) });
});

test('an erasure by e-mail address, and the retention time, reach orders that were not submitted', async () => {
  const channelId = await api.create();
  const { body: file } = await api.upload(
    channelId,
    csv({ reference: 'erase-1', sku: 'NONE', email: 'Gone@example.com', lastName: 'Drosselbart' }),
  );
  const exported = await api
    .call('post', '/v1/operator/exports', { email: 'gone@example.com' }, api.operator)
    .expect(200);
  expect(JSON.stringify(exported.body.channelOrders)).toContain('Drosselbart');
  await api.call('post', '/v1/operator/erasures', { email: 'gone@example.com' }, api.operator).expect(200);
  const [left] = await api.inbox(channelId, { state: 'ignored' });
  expect(left).toMatchObject({ state: 'ignored', reasons: [{ code: 'expired' }] });
  const [stored] =
    await api.sql`SELECT raw::text AS raw, email, content_sha256 FROM channel_orders WHERE id = ${left!.id as string}`;
  expect(stored).toMatchObject({ email: null, contentSha256: null, raw: expect.not.stringContaining('Drosselbart') });
  await api.call('get', `/v1/channels/${channelId}/files/${file.id}/errors`).expect(410);
});

test('an order is corrected in the inbox, and what arrived is kept', async () => {
  const channelId = await api.create();
  const content = csv({ reference: 'fix-1', city: '', quantity: 'two' });
  const { body: dry } = await api.upload(channelId, content, { dryRun: 'true' });
  expect(dry.findings).toMatchObject([
    { code: 'number', field: 'items.quantity', column: 'items.quantity', value: 'two' },
    { code: 'address', field: 'shippingAddress.city', column: 'shippingAddress.city' },
  ]);
  await api.upload(channelId, content);
  const [waiting] = await api.inbox(channelId);
  const path = `/v1/channels/${channelId}/orders/${waiting!.id as string}`;
  const correct = (body: object) => api.call('post', `${path}/correct`, body);
  await correct({ items: [{ itemReferenceId: '1', quantity: 0 }] }).expect(400);
  await correct({ items: [{ itemReferenceId: '1', quantity: 2 }] }).expect(200);
  await api.run(channelId);
  expect((await api.call('get', path).expect(200)).body).toMatchObject({
    state: 'waiting',
    reasons: [{ code: 'address', field: 'shippingAddress.city', column: 'shippingAddress.city' }],
    content: { shippingAddress: { lastName: 'Byron' }, items: [{ itemReferenceId: '1', quantity: 2 }] },
  });
  await correct({ shippingAddress: { city: 'Berlin' }, items: [{ itemReferenceId: '1', quantity: 2 }] }).expect(200);
  await api.run(channelId);
  const { body: submitted } = await api.call('get', path).expect(200);
  expect(submitted).toMatchObject({ state: 'submitted', corrections: { shippingAddress: { city: 'Berlin' } } });
  expect(submitted.raw.lines[0].fields).toMatchObject({ 'items.quantity': 'two' });
  const { body: order } = await get('fix-1').expect(200);
  expect(order).toMatchObject({ shippingAddress: { city: 'Berlin', lastName: 'Byron' }, items: [{ quantity: 2 }] });
  await correct({ currency: 'USD' }).expect(409);
  // The same row is no change: it has arrived before.
  expect((await api.upload(channelId, `${content}\n`)).body.counts).toMatchObject({ unchanged: 1, waiting: 0 });
  const [audited] = await api.sql`SELECT after::text AS after FROM audit_log WHERE action = 'channel.correct'`;
  expect(audited!.after).not.toContain('Berlin');
});

test('a correction names a product of ours for a line that has none', async () => {
  const channelId = await api.create();
  await api.upload(channelId, csv({ reference: 'fix-2', sku: 'UNKNOWN-7' }));
  const [waiting] = await api.inbox(channelId);
  expect(waiting!.reasons).toMatchObject([{ code: 'unknown_product', column: 'items.sku', value: 'UNKNOWN-7' }]);
  const items = [{ itemReferenceId: '1', productUid: POSTER }];
  await api.call('post', `/v1/channels/${channelId}/orders/${waiting!.id as string}/correct`, { items }).expect(200);
  await api.run(channelId);
  expect((await get('fix-2').expect(200)).body.items).toMatchObject([{ productUid: POSTER }]);
});

test('the counts of the inbox are by reason, of the orders that the caller may see', async () => {
  const channelId = await api.create();
  await api.upload(
    channelId,
    csv(
      { reference: 'count-1', sku: 'NO-1' },
      { reference: 'count-2', sku: 'NO-2' },
      { reference: 'count-3', city: '' },
    ),
  );
  const counts = (query: object, by = api.client) =>
    api.call('get', '/v1/channels/orders/counts', undefined, by).query(query).expect(200);
  expect((await counts({ channelId })).body).toEqual({
    waiting: 3,
    reasons: [
      { code: 'unknown_product', orders: 2 },
      { code: 'address', orders: 1 },
    ],
  });
  expect((await counts({ channelId }, api.other)).body).toEqual({ waiting: 0, reasons: [] });
  const { body } = await api.call('get', '/v1/channels/orders').query({ channelId, reason: 'address' }).expect(200);
  expect(body.orders).toMatchObject([{ externalId: 'count-3' }]);
});

test('all orders of the inbox that match are tried again, or ignored', async () => {
  const [channelId, other] = [await api.create(), await api.create()];
  const content = (name: string) =>
    csv(
      { reference: `${name}-1`, sku: 'NO-1' },
      { reference: `${name}-2`, city: '' },
      { reference: `${name}-3`, city: '' },
    );
  await api.upload(channelId, content('all-a'));
  await api.upload(other, content('all-b'));
  const all = async (act: string, body: object, by = api.client) =>
    (await api.call('post', `/v1/channels/orders/${act}`, body, by).expect(200)).body;
  const waiting = async (id: string) => (await api.inbox(id)).map(({ externalId }) => externalId).sort();

  expect(await all('ignore', {}, api.other)).toEqual({ orders: 0 });
  await api.call('post', '/v1/channels/orders/ignore', { channelId }, api.other).expect(404);
  await api.call('patch', `/v1/channels/${channelId}`, { settings: { defaults: { 'shippingAddress.city': 'Bonn' } } });
  expect(await all('retry', { channelId, reason: 'address' })).toEqual({ orders: 2 });
  await api.run(channelId);
  expect(await waiting(channelId)).toEqual(['all-a-1']);
  expect((await get('all-a-2').expect(200)).body.shippingAddress.city).toBe('Bonn');

  expect(await all('ignore', { channelId: other, reason: 'unknown_product' }, api.operator)).toEqual({ orders: 1 });
  expect(await waiting(other)).toEqual(['all-b-2', 'all-b-3']);
  const audited = await api.sql`
    SELECT object_id, after FROM audit_log WHERE action IN ('channel.retry', 'channel.ignore') AND object_id IN (${channelId}, ${other}) ORDER BY id`;
  expect(audited).toEqual([
    { objectId: channelId, after: { orders: 2, reason: 'address' } },
    { objectId: other, after: { orders: 1, reason: 'unknown_product' } },
  ]);
  await api.call('post', '/v1/channels/orders/ignore', { reasons: ['address'] }).expect(400);
});
