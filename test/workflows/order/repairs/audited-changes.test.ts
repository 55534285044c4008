import { createAccount, issueKey } from '../../../../src/accounts/accounts-and-keys';
import { domesticRequest } from '../../../api/shipping/shipping-request';
import { type TestStack, testStack } from '../../../support/stack';
import { addressIn, poster } from '../client-orders';
import { accepted } from '../order-fixture';

let stack: TestStack;
let operator: Sender;
let client: Sender;
let otherClient: Sender;

type Sender = Readonly<Record<'X-API-KEY', string>>;
interface AuditedResponse {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each test reads its own fields
  readonly body: any;
}

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
  const { client: account, operator: admin } = stack.credentials;
  operator = { 'X-API-KEY': admin.apiKey };
  client = { 'X-API-KEY': `${account.apiKey}:${account.apiSecret}` };
  const { sql } = stack.services;
  const { id } = (await createAccount(sql, { role: 'client', name: 'other-shop' }))!;
  const { apiKey, apiSecret } = await issueKey(sql, id);
  otherClient = { 'X-API-KEY': `${apiKey}:${apiSecret}` };
});

async function send(method: string, path: string, sender: Sender, body?: object): Promise<AuditedResponse> {
  const response = await fetch(`${stack.baseUrl}${path}`, {
    method,
    headers: { ...sender, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

async function changed(method: string, path: string, sender: Sender, body?: object): Promise<AuditedResponse['body']> {
  const response = await send(method, path, sender, body);
  expect([path, response.status, response.body]).toEqual([path, 200, expect.anything()]);
  return response.body;
}

const submit = async (orderReferenceId: string, sender: Sender): Promise<string> =>
  (
    await changed('POST', '/v1/orders', sender, {
      orderReferenceId,
      currency: 'EUR',
      shippingAddress: addressIn.DE,
      items: [poster(stack, { quantity: 2 })],
    })
  ).id;

/** Returns the entries on an object, oldest first. */
const entriesOf = async (object: string): Promise<AuditedResponse['body'][]> =>
  (await changed('GET', `/v1/operator/audit?object=${object}`, operator)).entries.reverse();

const repair = (idOrReference: string, body: object) =>
  send('POST', `/v1/operator/orders/${idOrReference}/repairs`, operator, body);

test('changes of an order are in the audit log, without personal data of the recipient', async () => {
  const id = await submit('audited', client);
  await accepted(stack, id);
  expect(await entriesOf(`order:${id}`)).toEqual([]);

  expect((await repair(id, { action: 'hold', reason: 'asked by Erika' })).status).toBe(200);
  expect((await repair(id, { action: 'release', reason: 'asked by Erika' })).status).toBe(200);
  expect((await repair(id, { action: 'retry', reason: 'nothing waits' })).status).toBe(409);
  const address = { ...addressIn.DE, addressLine1: 'Geheimweg 7' };
  await changed('PUT', `/v1/orders/${id}/shipment`, client, { shippingAddress: address });
  await changed('PUT', `/v1/orders/${id}/shipment`, client, { shipmentMethodUid: 'express' });
  await changed('POST', `/v1/operator/orders/${id}/payment`, operator, { status: 'paid', reference: 'bank-1' });
  await changed('POST', `/v1/orders/${id}/cancel`, client, { reason: 'Erika changed her mind' });

  const entries = await entriesOf(`order:${id}`);
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
    { action: 'order.cancel', actor: { name: 'demo-client', role: 'client' } },
  ]);
  // Reasons are read from the order's log, which an erasure reaches.
  expect(entries.map(({ reason }: { reason: string | null }) => reason)).toEqual([
    'asked by Erika',
    'asked by Erika',
    null,
    null,
    null,
    'Erika changed her mind',
  ]);
  const done = { state: 'done', partnerUid: null, message: null };
  expect(entries.map(({ outcome }: { outcome: object | null }) => outcome)).toEqual([
    done,
    done,
    null,
    null,
    done,
    done,
  ]);
  const stored = await stack.services.sql`SELECT * FROM audit_log WHERE object_id = ${id}`;
  expect(stored).toHaveLength(entries.length);
  expect(JSON.stringify(stored)).not.toMatch(/Erika|Geheimweg|bank-1/);
});

test('the audit log and the order say that a partner refused a cancel, also after another change of the same operator', async () => {
  const { id } = await changed('POST', '/v1/orders', client, {
    orderReferenceId: 'uncancelled',
    currency: 'EUR',
    shippingAddress: { ...addressIn.DE, addressLine2: 'sandbox:refuses-cancel' },
    items: [poster(stack)],
  });
  const { printOrderId } = await accepted(stack, id);
  await changed('POST', `/v1/orders/${id}/cancel`, operator, { reason: 'asked by Erika' });
  expect((await changed('GET', `/v1/operator/orders/${id}`, operator)).latestChange).toMatchObject({
    by: 'operator operator',
    state: 'refused',
    partnerUid: 'prints-berlin',
    message: expect.any(String),
  });
  expect((await repair(id, { action: 'mark_shipped', printOrderId, reason: 'seen in the shop' })).status).toBe(200);
  const outcomes = (await entriesOf(`order:${id}`)).map(({ action, reason, outcome }) => [
    action,
    reason,
    outcome.state,
  ]);
  expect(outcomes).toEqual([
    ['order.cancel', 'asked by Erika', 'refused'],
    ['order.mark_shipped', 'seen in the shop', 'done'],
  ]);
});

test('a cancelled shipping order is in the audit log', async () => {
  const { orderId } = await changed('POST', '/v1/shipping-orders', client, {
    ...domesticRequest(),
    orderReferenceId: 'audited-parcel',
  });
  await changed('POST', `/v1/shipping-orders/${orderId}/cancel`, client);
  expect(await entriesOf(`shipping_order:${orderId}`)).toMatchObject([
    { action: 'shipping_order.cancel', before: { status: 'bought' }, after: { status: 'canceled' } },
  ]);
});

test('an operator changes an order by a reference of several clients only by its id', async () => {
  const [mine, theirs] = [await submit('shared', client), await submit('shared', otherClient)];
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
  expect((await changed('GET', '/v1/operator/orders/shared', operator)).id).toBe(theirs);
  expect((await changed('GET', '/v1/orders/shared', operator)).id).toBe(theirs);
  await accepted(stack, mine);
  expect((await repair(mine, hold)).body.id).toBe(mine);
  expect((await changed('POST', '/v1/orders/shared/cancel', client, {})).id).toBe(mine);

  // A reference that one client uses twice finds its newest order.
  const [, newest] = [await submit('twice', client), await submit('twice', client)];
  await accepted(stack, newest);
  expect((await repair('twice', hold)).body.id).toBe(newest);
});

test('an operator cancels a shipping order by a reference of several accounts only by its id', async () => {
  const create = async (sender: Sender) =>
    (
      await changed('POST', '/v1/shipping-orders', sender, {
        ...domesticRequest(),
        orderReferenceId: 'shared-parcel',
      })
    ).orderId as string;
  const [mine, theirs] = [await create(client), await create(otherClient)];
  const { status, body } = await send('POST', '/v1/shipping-orders/shared-parcel/cancel', operator);
  expect([status, body.code]).toEqual([409, 'AMBIGUOUS_REFERENCE']);
  expect(body.errors.map(({ reference }: { reference: string }) => reference).sort()).toEqual([mine, theirs].sort());
  expect((await changed('GET', '/v1/shipping-orders/shared-parcel', operator)).orderId).toBe(theirs);
  expect((await changed('POST', `/v1/shipping-orders/${mine}/cancel`, operator)).status).toBe('canceled');
  expect((await changed('POST', '/v1/shipping-orders/shared-parcel/cancel', otherClient)).orderId).toBe(theirs);
});
