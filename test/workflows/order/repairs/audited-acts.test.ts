import { createAccount, issueKey } from '../../../../src/accounts/accounts-and-keys';
import { domesticRequest } from '../../../api/shipping/shipping-request';
import { type TestStack, testStack } from '../../../support/stack';
import { accepted } from '../order-fixture';
import { addressIn, poster } from '../shop';

let stack: TestStack;
let operator: Sender;
let shop: Sender;
let otherShop: Sender;

type Sender = Readonly<Record<'X-API-KEY', string>>;
interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each test reads its own fields
  readonly body: any;
}

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
  const { client, operator: admin } = stack.credentials;
  operator = { 'X-API-KEY': admin.apiKey };
  shop = { 'X-API-KEY': `${client.apiKey}:${client.apiSecret}` };
  const { sql } = stack.services;
  const { id } = (await createAccount(sql, { role: 'client', name: 'other-shop' }))!;
  const { apiKey, apiSecret } = await issueKey(sql, id);
  otherShop = { 'X-API-KEY': `${apiKey}:${apiSecret}` };
});

async function send(method: string, path: string, sender: Sender, body?: object): Promise<Answer> {
  const answer = await fetch(`${stack.baseUrl}${path}`, {
    method,
    headers: { ...sender, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

async function acted(method: string, path: string, sender: Sender, body?: object): Promise<Answer['body']> {
  const answer = await send(method, path, sender, body);
  expect([path, answer.status, answer.body]).toEqual([path, 200, expect.anything()]);
  return answer.body;
}

const submit = async (orderReferenceId: string, sender: Sender): Promise<string> =>
  (
    await acted('POST', '/v1/orders', sender, {
      orderReferenceId,
      currency: 'EUR',
      shippingAddress: addressIn.DE,
      items: [poster(stack, { quantity: 2 })],
    })
  ).id;

/** Returns the acts on an object, oldest first. */
const acts = async (object: string): Promise<Answer['body'][]> =>
  (await acted('GET', `/v1/operator/audit?object=${object}`, operator)).entries.reverse();

const repair = (idOrReference: string, body: object) =>
  send('POST', `/v1/operator/orders/${idOrReference}/repairs`, operator, body);

test('acts on an order are in the audit log, without personal data of the recipient', async () => {
  const id = await submit('audited', shop);
  await accepted(stack, id);
  expect(await acts(`order:${id}`)).toEqual([]);

  expect((await repair(id, { action: 'hold', reason: 'asked by Erika' })).status).toBe(200);
  expect((await repair(id, { action: 'release', reason: 'asked by Erika' })).status).toBe(200);
  expect((await repair(id, { action: 'retry', reason: 'nothing waits' })).status).toBe(409);
  const address = { ...addressIn.DE, addressLine1: 'Geheimweg 7' };
  await acted('PUT', `/v1/orders/${id}/shipment`, shop, { shippingAddress: address });
  await acted('PUT', `/v1/orders/${id}/shipment`, shop, { shipmentMethodUid: 'express' });
  await acted('POST', `/v1/operator/orders/${id}/payment`, operator, { status: 'paid', reference: 'bank-1' });
  await acted('POST', `/v1/orders/${id}/cancel`, shop, { reason: 'Erika changed her mind' });

  const entries = await acts(`order:${id}`);
  expect(entries).toMatchObject([
    { action: 'order.hold', actor: { name: 'operator', role: 'admin' } },
    { action: 'order.release', actor: { role: 'admin' } },
    { action: 'order.change_shipping', actor: { role: 'client' }, after: { addressChanged: true } },
    { action: 'order.change_shipping', after: { shipmentMethodUid: 'express', addressChanged: false } },
    {
      action: 'order.record_payment',
      before: { financialStatus: 'invoiced' },
      after: { financialStatus: 'paid' },
    },
    { action: 'order.cancel', actor: { name: 'demo-shop', role: 'client' } },
  ]);
  expect(JSON.stringify(entries)).not.toMatch(/Erika|Geheimweg|bank-1/);
});

test('a cancelled shipping order is in the audit log', async () => {
  const { orderId } = await acted('POST', '/v1/shipping-orders', shop, {
    ...domesticRequest(),
    orderReferenceId: 'audited-parcel',
  });
  await acted('POST', `/v1/shipping-orders/${orderId}/cancel`, shop);
  expect(await acts(`shipping_order:${orderId}`)).toMatchObject([
    { action: 'shipping_order.cancel', before: { status: 'bought' }, after: { status: 'canceled' } },
  ]);
});

test('an operator changes an order by a reference of several clients only by its id', async () => {
  const [mine, theirs] = [await submit('shared', shop), await submit('shared', otherShop)];
  const hold = { action: 'hold', reason: 'x' };
  const refused = [
    await repair('shared', hold),
    await send('POST', '/v1/operator/orders/shared/payment', operator, { status: 'paid' }),
    await send('POST', '/v1/orders/shared/cancel', operator, {}),
  ];
  for (const { status, body } of refused) {
    expect([status, body.code]).toEqual([409, 'AMBIGUOUS_REFERENCE']);
    expect(body.errors.map(({ reference }: { reference: string }) => reference).sort()).toEqual([mine, theirs].sort());
    for (const { message, reference } of body.errors) expect(message).toContain(reference);
  }

  // Reads find the newest order, and a client's reference names its own order.
  expect((await acted('GET', '/v1/operator/orders/shared', operator)).id).toBe(theirs);
  expect((await acted('GET', '/v1/orders/shared', operator)).id).toBe(theirs);
  await accepted(stack, mine);
  expect((await repair(mine, hold)).body.id).toBe(mine);
  expect((await acted('POST', '/v1/orders/shared/cancel', shop, {})).id).toBe(mine);

  // A reference that one client uses twice finds its newest order.
  const [, newest] = [await submit('twice', shop), await submit('twice', shop)];
  await accepted(stack, newest);
  expect((await repair('twice', hold)).body.id).toBe(newest);
});

test('an operator cancels a shipping order by a reference of several accounts only by its id', async () => {
  const create = async (sender: Sender) =>
    (
      await acted('POST', '/v1/shipping-orders', sender, {
        ...domesticRequest(),
        orderReferenceId: 'shared-parcel',
      })
    ).orderId as string;
  const [mine, theirs] = [await create(shop), await create(otherShop)];
  const { status, body } = await send('POST', '/v1/shipping-orders/shared-parcel/cancel', operator);
  expect([status, body.code]).toEqual([409, 'AMBIGUOUS_REFERENCE']);
  expect(body.errors.map(({ reference }: { reference: string }) => reference).sort()).toEqual([mine, theirs].sort());
  expect((await acted('GET', '/v1/shipping-orders/shared-parcel', operator)).orderId).toBe(theirs);
  expect((await acted('POST', `/v1/shipping-orders/${mine}/cancel`, operator)).status).toBe('canceled');
  expect((await acted('POST', '/v1/shipping-orders/shared-parcel/cancel', otherShop)).orderId).toBe(theirs);
});
