import { loadImage } from '@napi-rs/canvas';
import request from 'supertest';
import { unmeasured } from '../../../../packages/file-reader/facts';
import { createCarriers } from '../../../../src/carriers/carriers';
import { json } from '../../../../src/platform/postgres';
import { voidShipment } from '../../../../src/shipping/label-voids';
import { MUNICH } from '../../../src/consignments/sample-addresses';
import { consignmentTo } from '../../../src/consignments/sample-consignments';
import { buyShipment } from '../../../src/shipping/bought-shipment';
import { binaryBody } from '../../../support/binary-body';
import { plannedPrintOrder } from '../../../support/rows/planned-print-order';
import { type OrdersApi, ordersApi, subscribedPartners } from '../../orders/orders-api';
import { order } from '../../orders/sample-orders';

/** Operators open the documents and files of an order. */

let api: OrdersApi;
let partnerId: string;

beforeAll(async () => {
  api = await ordersApi();
  partnerId = (await subscribedPartners(api)).berlin;
});

/** Returns an order with a bought label. */
async function labelled(format: 'pdf' | 'zpl' = 'pdf') {
  const { sql, objects } = api.deps;
  const { id: orderId } = (await api.submit(order()).expect(200)).body;
  const printOrderId = await plannedPrintOrder(sql, { orderId, partnerId, body: {} });
  const deps = { sql, objects, carriers: createCarriers(sql, 'https://pressline.test') };
  const bought = await buyShipment(deps, {
    consignment: consignmentTo(MUNICH),
    methodUid: 'tern_parcel_domestic',
    idempotencyKey: printOrderId,
    owner: { kind: 'print_order', orderId, printOrderId },
    label: { format, size: '4x6' },
  });
  if (!bought.ok) throw new Error(bought.refusal.message);
  const { shipmentId, packages } = bought.shipment;
  return {
    orderId,
    shipmentId,
    trackingNumber: packages[0]!.trackingNumber,
    void: () => voidShipment(deps, { shipmentId }),
  };
}

const documentsOf = async (orderId: string) =>
  (await api.list(`/v1/operator/orders/${orderId}/documents`).expect(200)).body;
const label = (shipmentId: string, format: string, position = 0) =>
  request(api.app)
    .get(`/v1/operator/shipments/${shipmentId}/labels/${position}?format=${format}`)
    .set(api.operator.key)
    .buffer(true)
    .parse(binaryBody);

test('the documents of the shipments are listed with links', async () => {
  const { orderId, shipmentId, trackingNumber } = await labelled();
  const { documents } = await documentsOf(orderId);
  expect(documents[0]).toMatchObject({
    shipmentId,
    shipmentStatus: 'bought',
    packagePosition: 0,
    trackingNumber,
    type: 'label',
    format: 'pdf',
    contentType: 'application/pdf',
    deletedAt: null,
    url: expect.stringMatching(/^https:\/\/pressline\.test\/documents\/.+\.pdf$/),
  });
  expect(documents[0].sizeBytes).toBeGreaterThan(1_000);
});

test('print files are listed with their facts and previews', async () => {
  const { id } = (await api.submit(order()).expect(200)).body;
  expect((await documentsOf(id)).files[0]).toMatchObject({ url: null, previews: [], widthPx: null, facts: null });
  const facts = unmeasured('reading it takes too long');
  const previews = [{ type: 'preview_default', objectKey: 'f/1.preview_default', mimeType: 'image/jpeg' }];
  await api.sql`
    UPDATE order_files SET object_key = 'f/1', mime_type = 'image/png', size_bytes = 1234, page_count = 1, width_px = 3508,
      height_px = 4961, previews = ${json(api.sql, previews)}, facts = ${json(api.sql, facts)}
    WHERE order_item_id IN (SELECT id FROM order_items WHERE order_id = ${id})`;
  const [file] = (await documentsOf(id)).files;
  expect(file).toMatchObject({
    itemReferenceId: 'item-1',
    contentType: 'image/png',
    sizeBytes: 1234,
    widthPx: 3508,
    heightPx: 4961,
    facts,
    url: expect.stringMatching(/\.png$/),
    previews: [{ type: 'preview_default', contentType: 'image/jpeg', url: expect.stringMatching(/\.jpg$/) }],
  });
});

test.each(['pdf', 'zpl'] as const)('a label stored as %s is there as PDF, ZPL and image', async (stored) => {
  const { shipmentId, trackingNumber } = await labelled(stored);
  const pdf = await label(shipmentId, 'pdf').expect(200);
  expect(pdf.headers).toMatchObject({
    'content-type': 'application/pdf',
    'content-disposition': expect.stringMatching(/^inline; filename="?label-.+\.pdf"?/),
  });
  expect(pdf.body.subarray(0, 5).toString()).toBe('%PDF-');
  const zpl = await label(shipmentId, 'zpl').expect(200);
  expect(zpl.headers['content-type']).toBe('application/zpl');
  expect(zpl.body.toString()).toContain('^XA');
  expect(zpl.body.toString()).toContain(trackingNumber.slice(-8));
  const image = await label(shipmentId, 'image').expect(200);
  expect(image.headers['content-type']).toBe('image/jpeg');
  const { width, height } = await loadImage(image.body);
  expect(height).toBe(800);
  expect(width / height).toBeCloseTo(4 / 6, 2);
});

test('drawing a label again buys nothing', async () => {
  const { shipmentId } = await labelled('zpl');
  const purchases = async () => (await api.sql`SELECT FROM carrier_purchases`).length;
  const before = await purchases();
  await label(shipmentId, 'pdf').expect(200);
  expect(await purchases()).toBe(before);
});

test('a voided label gets 409, a deleted one 410, an unknown one 404, another format 400', async () => {
  const voided = await labelled();
  await voided.void();
  await label(voided.shipmentId, 'pdf').expect(409);
  const deleted = await labelled();
  await api.sql`UPDATE shipment_documents SET deleted_at = now() WHERE shipment_id = ${deleted.shipmentId}`;
  await label(deleted.shipmentId, 'zpl').expect(410);
  expect((await documentsOf(deleted.orderId)).documents[0]).toMatchObject({
    url: null,
    deletedAt: expect.any(String),
  });
  await label(deleted.shipmentId, 'pdf', 7).expect(404);
  await label('none', 'pdf').expect(404);
  await label(deleted.shipmentId, 'png').expect(400);
});
