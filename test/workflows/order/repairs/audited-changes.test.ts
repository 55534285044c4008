import { createPresslineClient, type PresslineError } from '../../../../client/pressline-client';
import { domesticRequest } from '../../../api/shipping/shipping-request';
import { type TestClient, type TestStack, testStack } from '../../../support/stack';
import { addressIn, orderOf, poster } from '../client-orders';
import { accepted } from '../order-fixture';

/** What the audit log says of changes, and which order a reference of several clients names. */

let stack: TestStack;
let otherClient: TestClient;

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
  const other = await stack.operator.createClient({ body: { name: 'other-shop' } });
  otherClient = createPresslineClient({ baseUrl: stack.baseUrl, ...other, retries: 0 });
});

async function submit(orderReferenceId: string, client = stack.client, addressLine2?: string): Promise<string> {
  const shippingAddress = { ...addressIn.DE, ...(addressLine2 && { addressLine2 }) };
  const items = [poster(stack, { quantity: 2 })];
  return (await client.submitOrder({ body: orderOf(stack, { orderReferenceId, shippingAddress, items }) })).id;
}

/** Returns the entries on an object, oldest first. */
const entriesOf = async (object: string) =>
  (await stack.operator.listAuditLog({ query: { object } })).entries.toReversed();

const repair = (orderId: string, body: Parameters<TestClient['repairOrder']>[0]['body']) =>
  stack.operator.repairOrder({ params: { orderId }, body });

test('changes of an order are in the audit log, without personal data of the recipient', async () => {
  const id = await submit('audited');
  const params = { orderId: id };
  await accepted(stack, id);
  expect(await entriesOf(`order:${id}`)).toEqual([]);

  await repair(id, { action: 'hold', reason: 'asked by Erika' });
  await repair(id, { action: 'release', reason: 'asked by Erika' });
  await expect(repair(id, { action: 'retry', reason: 'nothing waits' })).rejects.toMatchObject({ status: 409 });
  const shippingAddress = { ...addressIn.DE, addressLine1: 'Geheimweg 7' };
  await stack.client.updateShipment({ params, body: { shippingAddress } });
  await stack.client.updateShipment({ params, body: { shipmentMethodUid: 'express' } });
  await stack.operator.recordPayment({ params, body: { status: 'paid', reference: 'bank-1' } });
  await stack.client.cancelOrder({ params, body: { reason: 'Erika changed her mind' } });

  const entries = await entriesOf(`order:${id}`);
  expect(entries).toMatchObject([
    { action: 'order.hold', actor: { name: 'operator', role: 'admin' } },
    { action: 'order.release', actor: { role: 'admin' } },
    { action: 'order.change_shipping', actor: { role: 'client' }, after: { changedFields: ['addressLine1'] } },
    { action: 'order.change_shipping', after: { shipmentMethodUid: 'express', changedFields: [] } },
    { action: 'order.record_payment', before: { financialStatus: 'invoiced' }, after: { financialStatus: 'paid' } },
    { action: 'order.cancel', actor: { name: 'demo-client', role: 'client' } },
  ]);
  // Reasons are read from the order's log, which an erasure reaches.
  const done = { state: 'done', partnerUid: null, message: null };
  expect(entries.map(({ reason, outcome }) => [reason, outcome])).toEqual([
    ['asked by Erika', done],
    ['asked by Erika', done],
    [null, null],
    [null, null],
    [null, done],
    ['Erika changed her mind', done],
  ]);
  const stored = await stack.services.sql`SELECT * FROM audit_log WHERE object_id = ${id}`;
  expect(stored).toHaveLength(entries.length);
  expect(JSON.stringify(stored)).not.toMatch(/Erika|Geheimweg|bank-1/);
});

test('the audit log and the order say that a partner refused a cancel, also after another change of the same operator', async () => {
  const id = await submit('uncancelled', stack.client, 'sandbox:refuses-cancel');
  const params = { orderId: id };
  const { printOrderId } = await accepted(stack, id);
  await stack.operator.cancelOrder({ params, body: { reason: 'asked by Erika' } });
  expect((await stack.operator.getOperatorOrder({ params })).latestChange).toMatchObject({
    by: 'operator operator',
    state: 'refused',
    partnerUid: 'prints-berlin',
    message: expect.any(String),
  });
  await repair(id, { action: 'mark_shipped', printOrderId, reason: 'seen in the shop' });
  expect(await entriesOf(`order:${id}`)).toMatchObject([
    { action: 'order.cancel', reason: 'asked by Erika', outcome: { state: 'refused' } },
    { action: 'order.mark_shipped', reason: 'seen in the shop', outcome: { state: 'done' } },
  ]);
});

test('a cancelled shipping order is in the audit log', async () => {
  const { orderId } = await stack.client.createShippingOrder({ body: domesticRequest() as never });
  await stack.client.cancelShippingOrder({ params: { shippingOrderId: orderId } });
  expect(await entriesOf(`shipping_order:${orderId}`)).toMatchObject([
    { action: 'shipping_order.cancel', before: { status: 'bought' }, after: { status: 'canceled' } },
  ]);
});

/** Expects a request to be refused because its reference names these orders. */
async function expectAmbiguous(request: Promise<unknown>, ids: readonly string[]): Promise<void> {
  const { status, code, errors } = (await request.catch((error: unknown) => error)) as PresslineError;
  expect([status, code]).toEqual([409, 'AMBIGUOUS_REFERENCE']);
  expect(errors.map(({ reference }) => reference).sort()).toEqual(ids.toSorted());
  for (const { message, reference } of errors) expect(message).toContain(reference);
}

test('an operator changes an order by a reference of several clients only by its id', async () => {
  const [mine, theirs] = [await submit('shared'), await submit('shared', otherClient)];
  const { client, operator } = stack;
  const shared = { orderId: 'shared' };
  const hold = { action: 'hold', reason: 'x' } as const;
  await expectAmbiguous(repair('shared', hold), [mine, theirs]);
  await expectAmbiguous(operator.recordPayment({ params: shared, body: { status: 'paid' } }), [mine, theirs]);
  await expectAmbiguous(operator.cancelOrder({ params: shared, body: {} as never }), [mine, theirs]);

  // Reads find the newest order, and a client's reference names its own order.
  expect((await operator.getOperatorOrder({ params: shared })).id).toBe(theirs);
  expect((await operator.getOrder({ params: shared })).id).toBe(theirs);
  await accepted(stack, mine);
  expect((await repair(mine, hold)).id).toBe(mine);
  expect((await client.cancelOrder({ params: shared, body: {} })).id).toBe(mine);

  // A reference that one client uses twice finds its newest order.
  const [, newest] = [await submit('twice'), await submit('twice')];
  await accepted(stack, newest);
  expect((await repair('twice', hold)).id).toBe(newest);
});

test('an operator cancels a shipping order by a reference of several accounts only by its id', async () => {
  const params = { shippingOrderId: 'shared-parcel' };
  const create = async (by: TestClient) =>
    (
      await by.createShippingOrder({
        body: { ...domesticRequest(), orderReferenceId: params.shippingOrderId } as never,
      })
    ).orderId;
  const { client, operator } = stack;
  const [mine, theirs] = [await create(client), await create(otherClient)];
  await expectAmbiguous(operator.cancelShippingOrder({ params }), [mine, theirs]);
  expect((await operator.getShippingOrder({ params })).orderId).toBe(theirs);
  expect((await operator.cancelShippingOrder({ params: { shippingOrderId: mine } })).status).toBe('canceled');
  expect((await otherClient.cancelShippingOrder({ params })).orderId).toBe(theirs);
});
