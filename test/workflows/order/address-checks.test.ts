import { stringify } from 'csv-stringify/sync';
import type { Operations } from '../../../client/operations';
import { createPresslineClient } from '../../../client/pressline-client';
import { eventually, type TestClient, type TestStack, testStack } from '../../support/stack';
import {
  address,
  addressIn,
  isAt,
  type Order,
  type OrderBody,
  ordered,
  orderOf,
  read,
  readUntil,
} from './client-orders';
import { conflict, operatorHelpers } from './operator-fixture';
import { accepted, orderNow } from './order-fixture';
import { dispatchDocuments, dispatchedOrder } from './shipping/dispatched-order';

/** Findings in addresses hold their orders before anything is bought, or only show in them. No font of labels has Burmese. */

let stack: TestStack;
const { repair, look, say } = operatorHelpers(() => stack);

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

const burmese = { ...address, addressLine1: '12 လမ်း', city: 'Yangon' };
const FINDING = {
  code: 'unprintable_letters',
  severity: 'error',
  suggestion: null,
  field: 'addressLine1',
  message: 'No font has the letters လ မ ် း. Write them in another script, such as Latin.',
};
const held = (over: object = {}) =>
  ordered(stack, orderOf(stack, { shippingAddress: { ...burmese, ...over } }), isAt('on_hold'));
const change = (orderId: string, shippingAddress: typeof address, more: object = {}) =>
  stack.client.updateShipment({ params: { orderId }, body: { shippingAddress, ...more } });

test('letters without a font hold the order, which no partner gets, until an operator accepts the address', async () => {
  const order = await held();
  expect(order.shippingAddress).toMatchObject({ ...burmese, checks: [FINDING], checksAccepted: false });
  expect(order).toMatchObject({ refusalReason: null, receipts: [], shipment: null });
  expect(order.eventLog.map(({ type }) => type)).toContain('address_held');
  const seen = await look(order.id);
  expect(seen).toMatchObject({
    attention: ['address_check'],
    nextStep: { who: 'client', waitsFor: 'address_changed' },
  });
  expect(seen.possibleRepairs.map(({ action }) => action)).toContain('accept_address');
  expect(seen.events.find(({ type }) => type === 'address_held')!.data).toEqual({
    reason: 'address_check',
    message: `addressLine1: ${FINDING.message}`,
  });
  await expect(repair(order.id, { action: 'accept_files' })).rejects.toMatchObject(conflict(/No print file waits/));

  await repair(order.id, { action: 'accept_address' });
  const { printOrderId } = await accepted(stack, order.id);
  expect((await read(stack.client, order.id)).shippingAddress).toMatchObject({
    checks: [FINDING],
    checksAccepted: true,
  });
  expect(await look(order.id)).toMatchObject({ attention: [] });
  const { entries } = await stack.operator.listAuditLog({ query: { object: `order:${order.id}` } });
  expect(entries).toMatchObject([{ action: 'order.accept_address' }]);
  await expect(repair(order.id, { action: 'accept_address' })).rejects.toMatchObject(conflict(/No address waits/));

  // The address is accepted, and not another one like it. The method can change with it.
  const other = { ...burmese, city: 'Bago' };
  await expect(change(order.id, other)).rejects.toMatchObject({
    status: 400,
    errors: [{ reference: 'shippingAddress.addressLine1', message: FINDING.message }],
  });
  await expect(change(order.id, other, { dryRun: true })).rejects.toMatchObject({ status: 400 });
  await change(order.id, burmese, { shipmentMethodUid: 'express' });
  await say(printOrderId, 'received');
  const [label] = await dispatchDocuments(stack.partner('prints-berlin'), printOrderId);
  expect(label!.text).toMatch(/Ada Lovelace 12 10119 Yangon/);
});

test('a changed address releases the order, unless it has such letters too', async () => {
  const { id } = await held();
  const changed = await change(id, { ...burmese, city: 'ရန်ကုန်' });
  expect(changed.shippingAddress.checks.map(({ field }) => field)).toEqual(['addressLine1', 'city']);
  await readUntil(stack.client, id, ({ eventLog }) => eventLog.some(({ type }) => type === 'shipping_changed'));
  expect(await orderNow(stack, id)).toMatchObject({ status: 'on_hold' });
  expect((await look(id)).attention).toEqual(['address_check']);

  await change(id, address);
  await accepted(stack, id);
  expect((await read(stack.client, id)).shippingAddress).toMatchObject({ checks: [], checksAccepted: false });
});

/** Returns a client with a rule of its own for findings in addresses. */
async function clientWith(name: string, addressChecks: NonNullable<Rule>): Promise<TestClient> {
  const { id, apiKey, apiSecret } = await stack.operator.createClient({ body: { name, addressChecks } });
  expect(await stack.operator.getClient({ params: { connectorId: id } })).toMatchObject({ addressChecks });
  return createPresslineClient({ baseUrl: stack.baseUrl, apiKey, apiSecret, retries: 0 });
}
type Rule = NonNullable<Operations['createClient']['input']['body']>['addressChecks'];

/** Returns an order with retail prices, which may cross a border. */
function pricedOrder(over: Partial<OrderBody>): OrderBody {
  const body = orderOf(stack, { retailCurrency: 'EUR', retailShippingPriceInclVat: 5, ...over });
  return { ...body, items: body.items.map((item) => ({ ...item, retailPriceInclVat: 20 })) };
}

const inUS = { ...addressIn.US, phone: '(415) 555-2671' };

/** Addresses that buyers type, and the codes of what is found in them. Errors hold the order. */
const TYPED: readonly [typed: string, address: OrderBody['shippingAddress'], findings: readonly string[]][] = [
  ['a national phone number', { ...address, phone: '030 901820' }, []],
  ['a national phone number of the US', inUS, []],
  ['what is no phone number', { ...address, phone: 'call me' }, ['phone_form']],
  ['a street of 48 characters', { ...address, addressLine1: 'Straße des einundzwanzigsten Septembers 1848 Nr. 7' }, []],
  ['a second line of 46', { ...address, addressLine2: 'Vorderhaus, dritter Stock, Klingel von Musterm' }, []],
  ['a first name of 31', { ...address, firstName: 'Maximiliane-Henriette-Charlotte' }, []],
  ['no first name', { ...address, firstName: '' }, []],
  ['a city of 35', { ...address, city: 'Sankt Georgen im Schwarzwald (Baden)' }, []],
  [
    'a company of 74',
    { ...address, companyName: 'Gesellschaft für Großformatdruck, Buchbinderei und Weiterverarbeitung mbH' },
    [],
  ],
  ['the name of a state', { ...inUS, state: 'California', postCode: '94103' }, []],
  ['what is no state', { ...inUS, state: 'XX', postCode: '94103' }, ['state_missing']],
  ['a post code that lacks a digit', { ...address, postCode: '1011' }, ['post_code_form']],
  ['a street without a number', { ...address, addressLine1: 'Torstraße' }, ['no_house_number']],
];

/** Makes orders with these bodies. Returns their ids. */
type Submit = (bodies: readonly OrderBody[]) => Promise<readonly string[]>;

const submitEach = (orderType: 'order' | 'draft') => (bodies: readonly OrderBody[]) =>
  Promise.all(bodies.map(async (body) => (await stack.client.submitOrder({ body: { ...body, orderType } })).id));

/** Uploads a file with a row for each order. */
const submitInFile: Submit = async (bodies) => {
  const rows = bodies.map(({ items: [item], shippingAddress, ...body }) => ({
    ...body,
    ...Object.fromEntries(Object.entries(shippingAddress).map(([name, value]) => [`shippingAddress.${name}`, value])),
    'items.itemReferenceId': item!.itemReferenceId,
    'items.productUid': item!.productUid,
    'items.quantity': item!.quantity,
    'items.retailPriceInclVat': item!.retailPriceInclVat,
    'items.files.default': item!.files![0]!.url,
  }));
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = rows.map((row) => columns.map((name) => (row as Readonly<Record<string, unknown>>)[name]));
  const { id: channelId } = await stack.client.createChannel({ body: { kind: 'csv', name: 'typed' } });
  const { findings } = await stack.client.uploadChannelFile({
    params: { channelId },
    query: {},
    body: stringify([columns, ...cells]),
  });
  expect(findings).toEqual([]);
  return await Promise.all(
    bodies.map(({ orderReferenceId }) =>
      eventually(async () => {
        const order = await stack.client.getOrder({ params: { orderId: orderReferenceId } }).catch(() => undefined);
        return order?.id;
      }),
    ),
  );
};

const SUBMITTED: readonly [as: string, submit: Submit][] = [
  ['an order', submitEach('order')],
  ['a draft', submitEach('draft')],
  ['a row of a file', submitInFile],
];

test.each(SUBMITTED)(
  'what buyers type as an address of %s ends in an order, or in one that waits and says why',
  async (_as, submit) => {
    const ids = await submit(TYPED.map(([, shippingAddress]) => pricedOrder({ shippingAddress })));
    for (const [index, [typed, , findings]] of TYPED.entries()) {
      const { orderType, shippingAddress } = await read(stack.client, ids[index]!);
      expect([typed, ...shippingAddress.checks.map(({ code }) => code)]).toEqual([typed, ...findings]);
      if (orderType === 'draft')
        await stack.client.patchOrder({ params: { orderId: ids[index]! }, body: { orderType: 'order' } });
    }
    for (const [index, [typed, , findings]] of TYPED.entries()) {
      const held = findings.includes('state_missing') || findings.includes('post_code_form');
      const ends = (order: Order) => order.fulfillmentStatus === (held ? 'on_hold' : 'passed');
      const { fulfillmentStatus } = await readUntil(stack.client, ids[index]!, ends);
      expect([typed, fulfillmentStatus]).toEqual([typed, held ? 'on_hold' : 'passed']);
    }
  },
);

test('findings say what to do, and a quote has them too', async () => {
  const shippingAddress = { ...inUS, state: 'XX', postCode: '94103', phone: '555-2671' };
  const body = pricedOrder({ shippingAddress });
  const order = await ordered(stack, body, isAt('on_hold'));
  expect(order.shippingAddress).toMatchObject({
    state: 'XX',
    phone: '555-2671',
    checks: [
      {
        code: 'state_missing',
        severity: 'error',
        field: 'state',
        message: 'XX is no state of United States of America. By the post code it is CA. Send its code or name.',
        suggestion: 'CA',
      },
      { code: 'phone_form', severity: 'warning', field: 'phone', suggestion: null },
    ],
  });
  const { addressChecks } = await stack.client.quoteOrder({ body });
  expect(addressChecks).toEqual(order.shippingAddress.checks);
});

test('the setting of a client says what findings do', async () => {
  const [strict, lax] = await Promise.all([
    clientWith('strict addresses', { errors: 'refuse', warnings: 'hold' }),
    clientWith('lax addresses', { errors: 'warn', warnings: 'warn' }),
  ]);
  const wrong = orderOf(stack, { shippingAddress: { ...address, postCode: '1011' } });
  const failed = await ordered(stack, wrong, isAt('failed'), strict);
  expect(failed).toMatchObject({
    refusalReasonCode: 'address_check',
    refusalReason: 'postCode: No post code of Germany has this form. Correct it.',
    refusalReasonDetails: { checks: [{ code: 'post_code_form' }] },
  });
  const doubtful = orderOf(stack, { shippingAddress: { ...address, addressLine1: 'Torstraße' } });
  await ordered(stack, doubtful, isAt('on_hold'), strict);
  await ordered(stack, wrong, isAt('passed'), lax);
});

test('a special territory that no shipment method serves holds the order until its method changes', async () => {
  const shippingAddress = { ...inUS, city: 'APO', state: 'AE', postCode: '09012' };
  const body = pricedOrder({ shippingAddress, shipmentMethodUid: 'merlin_express' });
  const order = await ordered(stack, body, isAt('on_hold'));
  expect(order.shippingAddress.checks).toMatchObject([
    { code: 'territory_without_service', severity: 'error', message: expect.stringMatching(/American forces/) },
  ]);
  await stack.client.updateShipment({ params: { orderId: order.id }, body: { shipmentMethodUid: 'standard' } });
  const { shipment } = await readUntil(stack.client, order.id, isAt('passed'));
  expect(shipment!.shipmentMethodUid).toMatch(/^corvid_post/);
});

test('an erasure leaves nothing of an address, nor of what was sent', async () => {
  const shippingAddress = { ...address, postCode: '1011', phone: '030 901820' };
  const { id } = await ordered(stack, orderOf(stack, { shippingAddress }), isAt('on_hold'));
  await stack.client.cancelOrder({ params: { orderId: id } });
  await eventually(() => stack.operator.erasePersonalData({ body: { orderId: id } }));
  const erased = (await read(stack.client, id)).shippingAddress;
  expect(JSON.stringify(erased)).not.toMatch(/901820|Torstrasse|1011/);
  expect(erased.country).toBe('DE');
});

test('a partner gets the domain of an e-mail address in punycode, and a phone number without marks of direction', async () => {
  const { order, printOrder, documents } = await dispatchedOrder(
    stack,
    orderOf(stack, {
      shippingAddress: {
        ...address,
        firstName: 'ნინო \u{1F389}',
        addressLine1: '1\ufe0f\u20e3 რუსთაველის გამზირი',
        email: 'first=last@müller.example',
        phone: '\u202a+49\u00a030\u00a0９０１８２０\u202c',
      },
    }),
  );
  expect(order.shippingAddress).toMatchObject({
    email: 'first=last@müller.example',
    phone: '+49 30 901820',
    checks: [],
  });
  const delivery = printOrder.shipping.address.find(({ type }: { type: string }) => type === 'delivery');
  expect(delivery).toMatchObject({ email: 'first=last@xn--mller-kva.example', phone: '+49 30 901820' });
  expect(documents.find(({ type }) => type === 'label')!.text).toMatch(/ნინო Lovelace 1 რუსთაველის გამზირი/);
});

test('shipping orders, partners and return addresses with such letters are refused: nothing waits there', async () => {
  const { returnAddress } = {
    returnAddress: { country: 'NL', addressLine1: 'လမ်း 12', city: 'Amsterdam', postCode: '1015' },
  };
  await expect(stack.operator.createClient({ body: { name: 'burmese', returnAddress } })).rejects.toMatchObject({
    status: 400,
    errors: [{ reference: 'returnAddress.addressLine1', message: FINDING.message }],
  });
  const { id, ...keys } = await stack.operator.createClient({ body: { name: 'idn' } });
  const settings = { returnAddress: { ...returnAddress, addressLine1: 'Dam 1', email: 'info@müller.example' } };
  await stack.operator.changeClient({ params: { connectorId: id }, body: settings });
  const client = createPresslineClient({ baseUrl: stack.baseUrl, ...keys, retries: 0 });
  expect((await client.submitOrder({ body: orderOf(stack) })).id).toBeDefined();
});
