import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WorkflowNotFoundError } from '@temporalio/client';
import { collectGarbage, RETENTION_DAYS } from '../../../src/files/retention';
import type { RecordRow } from '../../../src/orders/reading/archived-order';
import { archiveOrders, restoreDay } from '../../../src/orders/upkeep/archive-orders';
import { readParquet } from '../../../src/platform/parquet';
import type { ErasedPersonalData } from '../../../workflows/maintenance';
import { everyPage } from '../../support/every-page';
import { eventually, type TestStack, testStack } from '../../support/stack';
import { columnsWith } from '../../support/stored-texts';
import {
  accepted,
  deliveredByCarrier,
  handedOver,
  is,
  orderBody,
  orderUntil,
  partnerClock,
} from '../../workflows/order/order-fixture';
import { domesticRequest } from '../shipping/shipping-request';

/** Erasure and export of the personal data of recipients, searched for in every row of every table. */

const PERSON = {
  firstName: 'Wilhelmine',
  lastName: 'Zackenbarsch',
  companyName: 'Zackenbarsch Verlag',
  addressLine1: 'Kormoranweg 73b',
  addressLine2: 'Hinterhof links',
  city: 'Quakenbrück',
  postCode: '49610',
  phone: '+49 5431 987654',
  federalTaxId: 'DE987654321',
};
const MOVED = { ...PERSON, addressLine1: 'Reiherstieg 12', city: 'Bersenbrück', postCode: '49593' };
/** Texts of people that appear beside the address. */
const WORDS = {
  customer: 'customer-wilhelmine',
  metadata: 'Gift for Wilhelmine',
  file: 'wilhelmines-wedding',
  postback: 'The face of Wilhelmine is too dark',
  scan: 'Handed to the neighbour of Zackenbarsch',
  location: 'Quakenbrück Zustellbasis',
  reason: 'Frau Zackenbarsch called',
  response: 'Stored for Wilhelmine',
};

let stack: TestStack;
let server: Server;
const now = partnerClock();

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
  server = createServer((_request, response) => response.end(WORDS.response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await stack.client.createWebhook({
    body: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events` },
  });
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const post = (path: string, body: object, apiKey = stack.credentials.operator.apiKey) =>
  fetch(`${stack.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-KEY': apiKey },
    body: JSON.stringify(body),
  });
async function erase(body: object): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await post('/v1/operator/erasures', body);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
const eraseInBackground = async (): Promise<ErasedPersonalData> =>
  await stack.services.temporal.workflow.execute('erasePersonalData', {
    workflowId: `erase-${randomUUID()}`,
    taskQueue: stack.services.config.TEMPORAL_TASK_QUEUE,
  });

const columnsOf = (texts: readonly string[]) => columnsWith(stack.services.sql, texts);

async function isKnownToTemporal(orderId: string): Promise<boolean> {
  try {
    await stack.services.temporal.workflow.getHandle(`order-${orderId}`).describe();
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
const runHasEnded = (orderId: string) =>
  eventually(async () => {
    const { status } = await stack.services.temporal.workflow.getHandle(`order-${orderId}`).describe();
    return status.name === 'COMPLETED' ? true : undefined;
  });

/** An order with personal data in every place that has room for it, up to the handover to its partner. */
async function acceptedOrder(reference: string, email: string): Promise<{ orderId: string; printOrderId: string }> {
  const body = orderBody(stack, reference);
  const [item] = body.items;
  const { id: orderId } = await stack.client.submitOrder({
    body: {
      ...body,
      customerReferenceId: WORDS.customer,
      metadata: [{ key: 'note', value: WORDS.metadata }],
      shippingAddress: { ...body.shippingAddress, ...PERSON, email },
      items: [
        {
          ...item!,
          metadata: [{ key: 'note', value: WORDS.metadata }],
          files: [
            {
              type: 'default',
              url: `${item!.files![0]!.url}?name=${WORDS.file}`,
              metadata: [{ key: 'note', value: WORDS.metadata }],
            },
          ],
        },
      ],
      packagingInstructions: [
        {
          packageItems: [{ orderItemReferenceId: 'poster', quantity: 1 }],
          packingSlip: { fileUrl: `${stack.sandbox.url}/files/packing-slip.pdf?name=${WORDS.file}` },
        },
      ],
    },
  });
  return await accepted(stack, orderId);
}

async function delivered(reference: string, email: string): Promise<{ orderId: string; printOrderId: string }> {
  const { orderId, printOrderId } = await acceptedOrder(reference, email);
  const { sql } = stack.services;
  const partner = stack.partner('prints-berlin');
  const say = (body: object) =>
    partner.postOrderStatus({ body: { timestamp: now(), orderId: printOrderId, ...body } as never });
  await say({ status: 'error', message: WORDS.postback });
  await orderUntil(stack, orderId, is('on_hold'));
  await say({ status: 'received' });
  await orderUntil(stack, orderId, is('in_production'));
  await stack.operator.repairOrder({ params: { orderId }, body: { action: 'hold', reason: WORDS.reason } });
  await stack.operator.repairOrder({
    params: { orderId },
    body: { action: 'release', reason: WORDS.reason },
  });
  await stack.client.updateShipment({
    params: { orderId },
    body: {
      shippingAddress: { ...orderBody(stack, reference).shippingAddress, ...MOVED, email: `new-${email}` },
    },
  });
  await say({ status: 'printed' });
  await partner.dispatchOrder({ body: { orderId: printOrderId } });
  await say({
    status: 'shipped',
    trackingCode: 'OWN-1',
    trackingLink: `https://parcels.example/?to=${PERSON.postCode}&name=${WORDS.file}`,
  });
  await orderUntil(stack, orderId, is('shipped'));
  await sql`
    INSERT INTO tracking_checkpoints (tracking_number, tracked_since, event_key, status_uid, message, description, location, signed_by, occurred_at)
    SELECT tracking_number, t.created_at, 'neighbour', 'in_transit', ${WORDS.scan}, ${WORDS.scan}, ${WORDS.location}, ${PERSON.lastName}, now()
    FROM trackings t JOIN shipments s ON s.id = t.shipment_id WHERE s.order_id = ${orderId}`;
  await deliveredByCarrier(stack, orderId);
  await runHasEnded(orderId);
  await eventually(async () => {
    const [row] = await sql<{ left: number }[]>`
      SELECT count(*)::int AS left FROM webhook_deliveries WHERE order_id = ${orderId} AND state = 'pending'`;
    return row!.left === 0 ? true : undefined;
  });
  return { orderId, printOrderId };
}

const searched = (email: string) => [...Object.values(PERSON), ...Object.values(MOVED), ...Object.values(WORDS), email];

describe('erasure of a delivered order', () => {
  const email = 'wilhelmine@zackenbarsch.example';
  let orderId: string;
  let printOrderId: string;
  let links: string[];
  let before: Awaited<ReturnType<typeof stack.client.getOrder>>;

  beforeAll(async () => {
    ({ orderId, printOrderId } = await delivered('erased-1', email));
    before = await stack.client.getOrder({ params: { orderId } });
    const dispatched = await stack.partner('prints-berlin').dispatchOrder({ body: { orderId: printOrderId } });
    const [sent] = stack.sandbox.seen().partners['prints-berlin']!.printOrders;
    links = [
      ...before.items.flatMap(({ previews, processedFileUrl }) => [
        processedFileUrl!,
        ...previews.map(({ url }) => url),
      ]),
      ...[...JSON.stringify([dispatched, sent]).matchAll(/http[^"]*\/documents\/[^"]*/g)].map(([url]) => url),
    ];
  });

  test('the data is in many tables before', async () => {
    const tables = new Set((await columnsOf(searched(email))).map((found) => found.split('.')[0]));
    expect([...tables]).toEqual([
      'order_events',
      'order_files',
      'order_items',
      'orders',
      'packing_slips',
      'partner_parcels',
      'postbacks',
      'print_order_updates',
      'print_orders',
      'shipments',
      'shipping_changes',
      'tracking_checkpoints',
      'trackings',
      'webhook_deliveries',
    ]);
    expect(links.length).toBeGreaterThan(4);
    for (const link of links) expect([link, (await fetch(link)).status]).toEqual([link, 200]);
    expect(await isKnownToTemporal(orderId)).toBe(true);
  });

  test('is exported with all links, and with nothing about another recipient', async () => {
    const response = await post('/v1/operator/exports', { email });
    expect(response.status).toBe(200);
    const exported = (await response.json()) as {
      orders: {
        kind: string;
        id: string;
        records: Record<string, { order_id?: string }[]>;
        documents: { type: string; url: string }[];
      }[];
      nextCursor: string | null;
    };
    expect(exported).toMatchObject({ orders: [{ kind: 'order', id: orderId }], nextCursor: null });
    const text = JSON.stringify(exported);
    for (const word of searched(email)) expect([word, text.includes(word)]).toEqual([word, true]);
    const { documents, records } = exported.orders[0]!;
    expect(documents.map(({ type }) => type)).toEqual(expect.arrayContaining(['print_file', 'packing_slip', 'label']));
    for (const { url } of documents) expect((await fetch(url)).status).toBe(200);
    const owners = Object.values(records).flatMap((rows) => rows.map((row) => row.order_id ?? orderId));
    expect(new Set(owners)).toEqual(new Set([orderId]));
    const none = await post('/v1/operator/exports', { email: 'nobody@zackenbarsch.example' });
    expect(await none.json()).toMatchObject({ orders: [], nextCursor: null });
  });

  test('replaces it in every table and deletes files, documents and the workflow history', async () => {
    expect(await erase({ orderId })).toMatchObject({
      status: 200,
      body: { id: expect.any(String), erased: 1, waiting: 0, waitingFor: [] },
    });
    expect(await columnsOf(searched(email))).toEqual([]);
    for (const link of links) {
      const response = await fetch(link);
      expect([link, response.status]).toEqual([link, 410]);
      expect(await response.json()).toMatchObject({ code: 'DOCUMENT_DELETED' });
    }
    // Temporal deletes in the background.
    const gone = await eventually(async () => ((await isKnownToTemporal(orderId)) ? undefined : true));
    expect(gone).toBe(true);
  });

  test('leaves figures, states, products and the country', async () => {
    const after = await stack.client.getOrder({ params: { orderId } });
    const { receipts, fulfillmentStatus, financialStatus, shipment, currency, orderReferenceId, items } = before;
    expect(after).toMatchObject({ receipts, fulfillmentStatus, financialStatus, currency, orderReferenceId });
    const { packages, ...figures } = shipment!;
    expect(after.shipment).toMatchObject(figures);
    expect(after.shipment!.packages).toHaveLength(packages.length);
    expect(after.shippingAddress).toEqual({
      ...before.shippingAddress,
      ...Object.fromEntries(Object.keys(PERSON).map((field) => [field, 'erased'])),
      country: 'DE',
      email: 'erased@erased.invalid',
    });
    expect(after.items[0]).toMatchObject({ quantity: 1, productName: items[0]!.productName });
  });

  test('partners and operators can still read the order', async () => {
    const sent = await stack.partner('prints-berlin').getPrintOrder({ params: { printOrderId } });
    expect(JSON.stringify(sent)).toContain(printOrderId);
    const seen = await stack.operator.getOperatorOrder({ params: { orderId } });
    expect(seen.events.map(({ type }) => type)).toContain('personal_data_erased');
    expect(seen.printOrders[0]!.postbacks.map(({ status }) => status)).toContain('shipped');
  });

  test('can be repeated; an unknown order is 404, and a request names one of the two', async () => {
    expect(await erase({ orderId })).toMatchObject({ status: 200, body: { erased: 1 } });
    expect((await erase({ orderId: randomUUID() })).status).toBe(404);
    expect((await erase({ orderId: 'erased-1' })).status).toBe(404);
    expect((await erase({})).status).toBe(400);
    expect((await erase({ orderId, email })).status).toBe(400);
    expect((await erase({ email: 'nobody' })).status).toBe(400);
  });
});

// test/api/operator/erased-everywhere.test.ts has an order that is erased when it ends.
describe('erasure of running orders', () => {
  test('an order is found by the e-mail address that a change of address replaced', async () => {
    const { orderId } = await acceptedOrder('moved-1', 'old@zackenbarsch.example');
    await stack.client.updateShipment({
      params: { orderId },
      body: {
        shippingAddress: {
          ...orderBody(stack, 'moved-1').shippingAddress,
          email: 'new@zackenbarsch.example',
        },
      },
    });
    for (const address of ['old@zackenbarsch.example', 'new@zackenbarsch.example']) {
      expect(await erase({ email: address })).toMatchObject({ body: { erased: 0, waiting: 1 } });
    }
    await stack.client.cancelOrder({ params: { orderId }, body: {} });
    await orderUntil(stack, orderId, is('canceled'));
    await runHasEnded(orderId);
    expect(await eraseInBackground()).toEqual({ waiting: 1, expired: 0 });
    expect(await columnsOf(['old@zackenbarsch.example', 'new@zackenbarsch.example'])).toEqual([]);
  });

  test.each([
    ['draft@zackenbarsch.example', 'Draft@zackenbarsch.example'],
    ['draft@zäckenbarsch.example', 'draft@xn--zckenbarsch-l8a.example'],
    ['draft@xn--zckenbarsch-l8a.example', 'draft@Zäckenbarsch.example'],
  ])('a draft to %s is deleted by a request for %s', async (email, requested) => {
    const body = orderBody(stack, `draft-of-${requested.length}`);
    const { id } = await stack.client.submitOrder({
      body: { ...body, orderType: 'draft', shippingAddress: { ...body.shippingAddress, ...PERSON, email } },
    });
    expect(await erase({ email: requested })).toMatchObject({ body: { erased: 1, waiting: 0 } });
    await expect(stack.client.getOrder({ params: { orderId: id } })).rejects.toThrow(/404|exist/);
    expect(await columnsOf([email])).toEqual([]);
  });
});

describe('shipping orders', () => {
  const email = 'parcel@zackenbarsch.example';

  test('are erased with their labels', async () => {
    const request = domesticRequest();
    Object.assign(request.receiver.person, { firstName: 'Roswitha', lastName: 'Kuckuckslicht', email });
    const key = `${stack.credentials.client.apiKey}:${stack.credentials.client.apiSecret}`;
    const response = await post('/v1/shipping-orders', request, key);
    const bought = (await response.json()) as {
      orderId: string;
      packages: { trackingNumber: string; label: { fileUrl: string } }[];
    };
    expect(response.status).toBe(200);
    const { label, trackingNumber } = bought.packages[0]!;
    expect((await erase({ orderId: bought.orderId })).status).toBe(409);
    await stack.services.sql`UPDATE trackings SET status_uid = 'delivered' WHERE tracking_number = ${trackingNumber}`;
    expect((await fetch(label.fileUrl)).status).toBe(200);
    expect(await erase({ email })).toMatchObject({ body: { erased: 1, waiting: 0 } });
    expect(await columnsOf([email, 'Roswitha', 'Kuckuckslicht', 'Sendlinger', '80331'])).toEqual([]);
    expect((await fetch(label.fileUrl)).status).toBe(410);
    const shown = await fetch(`${stack.baseUrl}/v1/shipping-orders/${bought.orderId}`, {
      headers: { 'X-API-KEY': key },
    });
    expect(shown.status).toBe(200);
  });
});

describe('retention', () => {
  test('erases orders that ended before PERSONAL_DATA_RETENTION, and no others', async () => {
    const { sql, config } = stack.services;
    const { orderId: young } = await handedOver(stack, 'young-1');
    const days = config.PERSONAL_DATA_RETENTION / 86_400_000;
    expect(days).toBe(365);
    const insertOrder = async (status: string, ageDays: number): Promise<string> => {
      const [row] = await sql<{ id: string }[]>`
        INSERT INTO orders (id, client_id, order_reference_id, order_type, fulfillment_status, financial_status, currency, shipping_address, created_at, updated_at)
        SELECT ('017f22e2-79b0-7cc3-98c4-' || substr(md5(random()::text), 1, 12))::uuid, client_id, 'aged', 'order', ${status}, 'paid', 'EUR',
          '{"country": "DE", "lastName": "Aged"}', now() - make_interval(days => ${ageDays + 1}), now() - make_interval(days => ${ageDays})
        FROM orders WHERE id = ${young} RETURNING id`;
      return row!.id;
    };
    const expired = await insertOrder('delivered', days + 1);
    const recent = await insertOrder('delivered', days - 1);
    const running = await insertOrder('on_hold', days + 1);
    expect(await eraseInBackground()).toEqual({ waiting: 0, expired: 1 });
    const erased = await sql<{ id: string }[]>`
      SELECT id FROM orders WHERE id IN ${sql([expired, recent, running, young])} AND erased_at IS NOT NULL`;
    expect(erased).toEqual([{ id: expired }]);
    await sql`DELETE FROM orders WHERE id = ${running}`;
  });
});

describe('an archived order', () => {
  const email = 'archived@zackenbarsch.example';
  const operator = () => ({ 'X-API-KEY': stack.credentials.operator.apiKey });
  const read = async (path: string) => {
    const response = await fetch(`${stack.baseUrl}${path}`, { headers: operator() });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  /** What operators read of an order in one place or the other. */
  const shownOf = async (id: string) => {
    const { body: detail } = await read(`/v1/operator/orders/${id}`);
    const { run: _1, possibleRepairs: _2, archived: _3, nextStep: _4, failingSteps: _5, ...rest } = detail;
    const { impossibleRepairs: _6, ...stored } = rest;
    const parts = ['timeline', 'notes', 'documents'].map(
      async (part) => (await read(`/v1/operator/orders/${id}/${part}`)).body,
    );
    const { archived: _7, ...order } = await stack.client.getOrder({ params: { orderId: id } });
    return { stored, order, parts: await Promise.all(parts) };
  };
  const search = async (body: object) => {
    const { orders } = await stack.client.searchOrders({ body });
    return orders.map(({ id, archived }) => ({ id, archived }));
  };
  const deleteOldFiles = () => {
    const { sql, objects } = stack.services;
    return collectGarbage(sql, objects, new Date(Date.now() + (RETENTION_DAYS + 1) * 86_400_000));
  };
  const archive = async () => {
    const { sql, objects } = stack.services;
    await deleteOldFiles();
    await sql`UPDATE orders SET attention = NULL WHERE attention IS NOT NULL`;
    return await archiveOrders({ sql, objects }, new Date(Date.now() + 1_000));
  };
  let orderId: string;
  let trackingNumber: string;
  let before: Awaited<ReturnType<typeof shownOf>>;

  beforeAll(async () => {
    ({ orderId } = await delivered('archived-1', email));
    await stack.operator.addOrderNote({ params: { orderId }, body: { text: WORDS.reason } });
    await deleteOldFiles();
    before = await shownOf(orderId);
    trackingNumber = (before.stored as { parcels: { trackingNumber: string; voided: boolean }[] }).parcels.find(
      ({ voided }) => !voided,
    )!.trackingNumber;
    expect(await archive()).toBeGreaterThan(0);
    expect(await stack.services.sql`SELECT FROM orders WHERE id = ${orderId}`).toEqual([]);
  });

  test('is read by id, reference and tracking number as it was', async () => {
    expect(await shownOf(orderId)).toEqual(before);
    const { id, archived } = await stack.client.getOrder({ params: { orderId: 'archived-1' } });
    expect([id, archived]).toEqual([orderId, true]);
    expect(await read(`/v1/tracking/${trackingNumber}`)).toMatchObject({
      status: 200,
      body: { trackingNumber, shipmentMethodUid: expect.any(String), archived: true },
    });
    const found = await read(`/v1/operator/orders?q=${trackingNumber}`);
    expect(found.body.orders).toEqual([expect.objectContaining({ id: orderId, archived: true, recipient: '' })]);
    const page = await fetch(`${stack.baseUrl}/track/${trackingNumber}`);
    expect(page.status).toBe(404);
  });

  test('is listed between the other orders, and found by its filters', async () => {
    const { orderId: younger } = await handedOver(stack, 'younger-1');
    const all = await search({ limit: 250 });
    expect(all.slice(0, 2)).toEqual([
      { id: younger, archived: false },
      { id: orderId, archived: true },
    ]);
    const page = async (cursor: object) => ({
      ...(await stack.client.searchOrders({ body: { limit: 2, ...cursor } })),
    });
    const paged = await everyPage<(typeof all)[number]>(page, 'orders');
    expect(paged.map(({ id, archived }) => ({ id, archived }))).toEqual(all);
    expect(await search({ orderReferenceIds: ['archived-1'], fulfillmentStatuses: ['delivered'] })).toHaveLength(1);
    expect(await search({ orderReferenceIds: ['archived-1'], fulfillmentStatuses: ['failed'] })).toEqual([]);
  });

  test('keeps its reference, and takes no change', async () => {
    const body = { ...orderBody(stack, 'archived-1'), preventDuplicate: true };
    await expect(stack.client.submitOrder({ body })).rejects.toMatchObject({ status: 409 });
    const canceled = stack.client.cancelOrder({ params: { orderId } });
    await expect(canceled).rejects.toMatchObject({ status: 409 });
  });

  test('is exported with all its rows', async () => {
    const response = await post('/v1/operator/exports', { email: `new-${email}` });
    const exported = (await response.json()) as { orders: { id: string; records: object }[] };
    expect(exported.orders.map(({ id }) => id)).toEqual([orderId]);
    const text = JSON.stringify(exported.orders[0]!.records);
    const words = [...Object.values(PERSON), WORDS.customer, WORDS.metadata, WORDS.postback, WORDS.scan, WORDS.reason];
    for (const word of words) expect([word, text.includes(word)]).toEqual([word, true]);
  });

  test('comes back with its day, and can be archived again', async () => {
    const { sql, objects } = stack.services;
    const day = new Date(before.order.createdAt).toISOString().slice(0, 10);
    expect(await restoreDay({ sql, objects }, day)).toBeGreaterThan(0);
    expect(await restoreDay({ sql, objects }, day)).toBe(0);
    expect(await stack.client.getOrder({ params: { orderId } })).toEqual({ ...before.order, archived: false });
    expect(await sql`SELECT FROM archived_orders WHERE id = ${orderId}`).toHaveLength(0);
    expect(await archive()).toBeGreaterThan(0);
    expect(await shownOf(orderId)).toEqual(before);
  });

  test('has no personal data after an erasure, here and in the files, also when it is restored', async () => {
    const { sql, objects } = stack.services;
    expect(await erase({ email: `new-${email}` })).toMatchObject({ body: { erased: 1, waiting: 0 } });
    const figures = (order: typeof before.order) => ({
      receipts: order.receipts,
      quantities: order.items.map(({ quantity }) => quantity),
      country: order.shippingAddress.country,
    });
    const words = searched(email).filter((word) => word !== PERSON.phone);
    const check = async () => {
      const { order, stored, parts } = await shownOf(orderId);
      expect(figures(order)).toEqual(figures(before.order));
      const text = JSON.stringify({ order, stored, parts: parts.slice(1) });
      for (const word of words) expect([word, text.includes(word)]).toEqual([word, false]);
    };
    await check();
    const [part] = await sql<{ key: string }[]>`
      SELECT 'archive/' || p.day || '/' || p.id || '/records.parquet' AS key
      FROM archived_orders a JOIN archive_parts p ON p.id = a.part_id WHERE a.id = ${orderId}`;
    const bytes = Buffer.concat(await (await objects.get(part!.key))!.body.toArray());
    const records = await readParquet<RecordRow>(new Uint8Array(bytes).buffer);
    const { rows } = records.find((record) => record.order_id === orderId)!;
    for (const word of words) expect([word, rows.includes(word)]).toEqual([word, false]);
    await restoreDay({ sql, objects }, new Date(before.order.createdAt).toISOString().slice(0, 10));
    await check();
    expect(await sql`SELECT FROM orders WHERE id = ${orderId} AND erased_at IS NOT NULL`).toHaveLength(1);
  });
});
