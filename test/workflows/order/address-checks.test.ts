import { createPresslineClient } from '../../../client/pressline-client';
import { type TestStack, testStack } from '../../support/stack';
import { address, isAt, ordered, orderOf, read, readUntil } from './client-orders';
import { conflict, operatorHelpers } from './operator-fixture';
import { accepted, orderNow } from './order-fixture';
import { dispatchDocuments, dispatchedOrder } from './shipping/dispatched-order';

/** Addresses that labels cannot show hold their orders before anything is bought. No font of labels has Burmese. */

let stack: TestStack;
const { repair, look, say } = operatorHelpers(() => stack);

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

const burmese = { ...address, addressLine1: '12 လမ်း', city: 'Yangon' };
const FINDING = {
  code: 'unprintable_letters',
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
