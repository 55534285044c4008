import { createHash } from 'node:crypto';
import { PresslineError } from '../../../../client/pressline-client';
import { textOf } from '../../../src/documents/pictures';
import { facilityOf } from '../../../support/rows/partner-setup';
import { type TestClient, type TestStack, testStack } from '../../../support/stack';
import {
  address,
  addressIn,
  atOnce,
  framedPoster,
  goodFile,
  isAt,
  type Order,
  ordered,
  orderOf,
  poster,
  read,
  readUntil,
} from '../client-orders';
import { fileHost } from '../file-host';

/** Shipping of orders: the choice of a method, packages and packing slips, and changes before shipping. */

let stack: TestStack;
const files = fileHost();
let berlin: TestClient;

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
  berlin = stack.partner('prints-berlin');
});

const planned = isAt('passed', 'failed', 'on_hold');
const retail = { retailCurrency: 'EUR', retailShippingPriceInclVat: 5 };
const printOrderOf = (order: Order) => order.items[0]!.printJobs[0]!.printOrderId;

/** Submits an order and sends `received` for its print order. */
async function confirmed(body: ReturnType<typeof orderOf>): Promise<{ order: Order; printOrderId: string }> {
  const order = await ordered(
    stack,
    body,
    ({ items, eventLog }) => items[0]!.printJobs.length > 0 && eventLog.some(({ type }) => type === 'handed_over'),
  );
  const printOrderId = printOrderOf(order);
  await berlin.postOrderStatus({
    body: { timestamp: new Date().toISOString(), orderId: printOrderId, status: 'received' },
  });
  await readUntil(stack.client, order.id, isAt('in_production'));
  return { order, printOrderId };
}

const download = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('the requested method', () => {
  type Methods = Awaited<ReturnType<TestClient['quoteOrder']>>['quotes'][number]['shipmentMethods'];
  let methods: Methods;
  const cheapest = (of: Methods) => [...of].sort((a, b) => a.price - b.price)[0]!.uid;
  const fastest = (of: Methods) =>
    [...of].sort((a, b) => a.maxDeliveryDays - b.maxDeliveryDays || a.price - b.price)[0]!.uid;
  const from = (...carriers: string[]) => methods.filter(({ carrierUid }) => carriers.includes(carrierUid));

  const CHOICES: [asked: string | undefined, gets: () => string][] = [
    [undefined, () => cheapest(methods)],
    ['standard', () => cheapest(methods)],
    ['express', () => fastest(methods)],
    ['merlin_express_standard', () => 'merlin_express_standard'],
    ['Tern Parcel', () => cheapest(from('tern_parcel'))],
    ['merlin_express', () => cheapest(from('merlin_express'))],
    ['tern_parcel,merlin_express', () => cheapest(from('tern_parcel', 'merlin_express'))],
    ['fed_ex_2_day, merlin_express_standard , ups_ground', () => 'merlin_express_standard'],
    ['normal,standard,fed_ex_2_day', () => cheapest(methods)],
    ['express,standard', () => cheapest(methods)],
  ];
  let runs: Record<string, Promise<Order>>;

  beforeAll(async () => {
    const shippingAddress = addressIn.FR;
    const { quotes } = await stack.client.quoteOrder({
      body: { currency: 'EUR', shippingAddress, items: [poster(stack)] },
    });
    methods = quotes[0]!.shipmentMethods;
    expect(new Set(methods.map(({ carrierUid }) => carrierUid)).size).toBeGreaterThan(2);
    runs = atOnce(
      Object.fromEntries(
        CHOICES.map(([asked]) => [
          String(asked),
          () =>
            ordered(
              stack,
              orderOf(stack, {
                shippingAddress,
                ...(asked === undefined ? {} : { shipmentMethodUid: asked }),
              }),
              planned,
            ),
        ]),
      ),
    );
  });

  test.each(CHOICES)('%s', async (asked, gets) => {
    const { shipment, shipmentMethodUid, ...order } = await runs[String(asked)]!;
    expect(order.refusalReason).toBeNull();
    const method = methods.find(({ uid }) => uid === gets())!;
    expect(shipmentMethodUid).toBe(asked ?? null);
    expect(shipment).toMatchObject({
      shipmentMethodUid: method.uid,
      shipmentMethodName: method.name,
      price: method.price,
      isCheapest: method.isCheapest,
      minDeliveryDate: method.minDeliveryDate,
      maxDeliveryDate: method.maxDeliveryDate,
      minDeliveryDays: method.minDeliveryDays,
      maxDeliveryDays: method.maxDeliveryDays,
      serviceType: method.serviceType,
    });
    expect(shipment!.minDeliveryDate <= shipment!.maxDeliveryDate).toBe(true);
  });

  test('a list of unknown names refuses the order with a reason', async () => {
    const order = await ordered(stack, orderOf(stack, { shipmentMethodUid: 'fed_ex_2_day,ups_ground' }), planned);
    expect(order).toMatchObject({
      fulfillmentStatus: 'failed',
      financialStatus: 'canceled',
      refusalReasonCode: 'no_shipment_method',
      refusalReasonDetails: { shipmentMethodUid: 'fed_ex_2_day,ups_ground', country: 'DE' },
      receipts: [],
      shipment: null,
    });
    expect(order.refusalReason).toContain('fed_ex_2_day,ups_ground');
  });
});

test('packaging instructions decide the packages, and their slips are among the documents', async () => {
  const pack = (quantity: number) => [{ orderItemReferenceId: 'poster', quantity }];
  const slip = goodFile(stack, 'packing-slip.pdf');
  const { order, printOrderId } = await confirmed(
    orderOf(stack, {
      items: [poster(stack, { quantity: 5 })],
      packagingInstructions: [{ packageItems: pack(2), packingSlip: { fileUrl: slip } }, { packageItems: pack(1) }],
    }),
  );
  expect(order.shipment).toMatchObject({ packageCount: 3 });
  const { documents } = await berlin.dispatchOrder({ body: { orderId: printOrderId } });
  const wanted = sha256(await download(slip));
  const papers = await Promise.all(
    documents.map(async ({ type, contentType, url }) => {
      expect(contentType).toBe('application/pdf');
      return sha256(await download(url)) === wanted ? `slip as ${type}` : type;
    }),
  );
  expect(papers.sort()).toEqual(['invoice', 'invoice', 'label', 'label', 'label', 'slip as invoice']);
  const { shipment } = await read(stack.client, order.id);
  const units = (quantity: number) => [{ itemReferenceId: 'poster', quantity }];
  expect(shipment!.packages.map(({ packageReferenceId, items }) => ({ packageReferenceId, items }))).toEqual([
    { packageReferenceId: 'P-1', items: units(2) },
    { packageReferenceId: 'P-2', items: units(1) },
    { packageReferenceId: 'P-3', items: units(2) },
  ]);
  const [one] = await stack.services.sql`
    SELECT d.package_position FROM shipment_documents d JOIN shipments s ON s.id = d.shipment_id
    WHERE s.order_id = ${order.id} AND d.document_type = 'packing_slip'`;
  expect(one).toEqual({ packagePosition: 0 });
});

describe('a change of address or method', () => {
  const update = (orderId: string, body: Parameters<TestClient['updateShipment']>[0]['body']) =>
    stack.client.updateShipment({ params: { orderId }, body });
  const refusal = async (change: Promise<unknown>) => {
    const error = await change.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(PresslineError);
    return error as PresslineError;
  };
  const moved = { ...address, addressLine1: 'Invalidenstrasse 2', companyName: 'Moved' };

  test('before planning is used by the plan', async () => {
    const { url, send } = files.hold(stack);
    const items = [poster(stack, { files: [{ type: 'default', url }] })];
    const body = orderOf(stack, { items, ...retail });
    const { id } = await ordered(stack, body, isAt('uploading'));
    const response = await update(id, { shippingAddress: addressIn.FR, shipmentMethodUid: 'merlin_express' });
    expect(response.shippingAddress).toMatchObject({
      orderId: id,
      country: 'FR',
      city: 'Paris',
      isBusiness: false,
    });
    send();
    const order = await readUntil(stack.client, id, planned);
    expect(order).toMatchObject({ shippingAddress: { country: 'FR' }, shipmentMethodUid: 'merlin_express' });
    expect(order.shipment!.shipmentMethodUid).toMatch(/^merlin_express/);
  });

  test('after dispatch voids and renews the labels, and after shipping it is 409', async () => {
    const slip = goodFile(stack, 'packing-slip.pdf');
    const { order, printOrderId } = await confirmed(
      orderOf(stack, {
        packagingInstructions: [
          { packageItems: [{ orderItemReferenceId: 'poster', quantity: 1 }], packingSlip: { fileUrl: slip } },
        ],
      }),
    );
    const before = await berlin.dispatchOrder({ body: { orderId: printOrderId } });
    const initial = order.shipment!;
    // Also by reference.
    const response = await update(order.orderReferenceId, {
      shippingAddress: moved,
      shipmentMethodUid: 'express',
    });
    expect(response).toEqual({
      price: expect.objectContaining({ currency: 'EUR', difference: 5.77, total: 15.59 }),
      shippingAddress: {
        id: expect.any(String),
        addressAsSent: null,
        orderId: order.id,
        country: 'DE',
        firstName: 'Ada',
        lastName: 'Lovelace',
        companyName: 'Moved',
        addressLine1: 'Invalidenstrasse 2',
        addressLine2: null,
        city: 'Berlin',
        postCode: '10119',
        state: null,
        email: address.email,
        phone: address.phone,
        isBusiness: false,
        federalTaxId: null,
        stateTaxId: null,
        registrationState: null,
        checks: [],
        checksAccepted: false,
      },
      shipment: {
        shipmentMethodUid: expect.stringMatching(/express|domestic/),
        shipmentMethodName: expect.any(String),
        fulfillmentCountry: 'DE',
        fulfillmentFacilityId: await facilityOf(stack.services.sql, 'prints-berlin'),
        packageCount: 1,
        initialMinDeliveryDate: initial.initialMinDeliveryDate,
        initialMaxDeliveryDate: initial.initialMaxDeliveryDate,
        serviceType: 'express',
      },
    });
    expect(response.shipment!.shipmentMethodUid).not.toBe(initial.shipmentMethodUid);

    const after = await berlin.dispatchOrder({ body: { orderId: printOrderId } });
    expect(after.trackingCode).not.toBe(before.trackingCode);
    const label = after.documents.find(({ type }) => type === 'label')!;
    expect((await textOf(await download(label.url))).join('\n')).toContain('Invalidenstrasse 2');
    expect(after.documents.map(({ type }) => type).sort()).toEqual(['invoice', 'label']);
    await readUntil(
      stack.client,
      order.id,
      ({ shipment }) => shipment!.packages.length === 1 && shipment!.packages[0]!.trackingCode === after.trackingCode,
    );

    await berlin.postOrderStatus({
      body: { timestamp: new Date().toISOString(), orderId: printOrderId, status: 'shipped' },
    });
    await readUntil(stack.client, order.id, isAt('shipped'));
    const late = await refusal(update(order.id, { shippingAddress: address }));
    expect([late.status, late.code]).toEqual([409, 'CONFLICT']);
    expect((await read(stack.client, order.id)).shippingAddress.addressLine1).toBe('Invalidenstrasse 2');
  });

  test('that is not possible is refused, and the order stays unchanged', async () => {
    const { order } = await confirmed(orderOf(stack, { items: [framedPoster(stack)] }));
    const nothing = await refusal(update(order.id, {}));
    expect(nothing.status).toBe(400);
    const unknown = await refusal(update(order.id, { shipmentMethodUid: 'fed_ex_2_day' }));
    expect([unknown.status, unknown.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(unknown.body).toMatchObject({ errors: [{ reference: 'shipmentMethodUid' }] });
    const border = await refusal(update(order.id, { shippingAddress: addressIn.US }));
    expect(border.status).toBe(400);
    expect((border.body as { message: string }).message).toContain('retail prices');
    expect(border.body).toMatchObject({ errors: [{ reference: 'shippingAddress.country' }] });
    const nowhere = await refusal(update('no-such-order', { shippingAddress: address }));
    expect(nowhere.status).toBe(404);
    const still = await read(stack.client, order.id);
    expect(still).toMatchObject({ shippingAddress: { country: 'DE' }, shipmentMethodUid: null });
    expect(still.shipment).toEqual(order.shipment);
  });
});
