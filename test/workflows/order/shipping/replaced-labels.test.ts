import { reconcileDeps } from '../../../../src/orders/upkeep/reconciliation';
import { voidPurchasesWithoutParcel } from '../../../../src/orders/upkeep/shipments';
import { replaceLabelWorkflowId } from '../../../../src/platform/domain/workflows';
import { untilLocked } from '../../../support/database';
import { eventually, type TestStack, testStack } from '../../../support/stack';
import { addressIn } from '../client-orders';
import { operatorHelpers } from '../operator-fixture';
import { deliveredByCarrier, type HandedOver, handedOver, orderBody, orderUntil } from '../order-fixture';
import { downloaded } from './dispatched-order';

/** A partner requests a new label in place of a damaged one. */

let stack: TestStack;
const { say } = operatorHelpers(() => stack);

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

const dispatch = ({ printOrderId: orderId, partner }: HandedOver, replaceLabels?: string[]) =>
  stack.partner(partner).dispatchOrder({ body: { orderId, ...(replaceLabels && { replaceLabels }) } });
type Dispatched = Awaited<ReturnType<typeof dispatch>>;

const labelsOf = ({ documents }: Dispatched) =>
  Object.fromEntries(
    documents.flatMap(({ type, packageReferenceId, trackingCode }) =>
      type === 'label' ? [[packageReferenceId!, trackingCode!]] : [],
    ),
  );
const textsOf = async (dispatched: Dispatched) => (await downloaded(dispatched)).map(({ text }) => text);
const parcelsOf = async ({ orderId }: HandedOver) =>
  (await stack.client.getOrder({ params: { orderId } })).shipment!.packages;
/** The numbers whose labels the carrier has not voided. */
const paid = async (numbers: readonly string[]) => {
  const rows = await stack.services.sql<{ trackingNumber: string }[]>`
    SELECT tracking_number FROM carrier_purchases WHERE tracking_number = ANY(${[...numbers]}) AND voided_at IS NULL`;
  return rows.map(({ trackingNumber }) => trackingNumber);
};

test('the package gets a new label, the old one is void and named, and other packages keep theirs', async () => {
  const order = await handedOver(stack, 'damaged', { items: 2 });
  const before = labelsOf(await dispatch(order));
  const damaged = before['P-1']!;

  const replaced = await dispatch(order, [damaged]);

  const after = labelsOf(replaced);
  expect(after).toEqual({ 'P-1': expect.not.stringContaining(damaged), 'P-2': before['P-2'] });
  expect(replaced.voidLabels).toEqual([{ packageReferenceId: 'P-1', trackingCode: damaged }]);
  const label = (await textsOf(replaced)).find((text) => text.replace(/\s/g, '').includes(after['P-1']!))!;
  expect(label).toContain('P-1');
  expect(label).toContain('1 of 2');
  const parcels = await parcelsOf(order);
  expect(parcels.map(({ trackingCode }) => trackingCode).sort()).toEqual(Object.values(after).sort());
  expect(parcels.find(({ trackingCode }) => trackingCode === after['P-1'])!.items).toEqual([
    { itemReferenceId: 'poster', quantity: 1 },
  ]);
  await eventually(async () => ((await paid([damaged])).length === 0 ? true : undefined));
  expect(await paid(Object.values(after))).toHaveLength(2);
});

test('repeated and concurrent requests replace a label once, and the new label can be replaced as well', async () => {
  const order = await handedOver(stack, 'damaged-twice');
  const { trackingCode: first } = await dispatch(order);

  const all = await Promise.all(Array.from({ length: 5 }, () => dispatch(order, [first!])));

  const codes = new Set([...all, await dispatch(order, [first!])].map(({ trackingCode }) => trackingCode));
  expect(codes.size).toBe(1);
  const [second] = codes;
  const { trackingCode: third, voidLabels } = await dispatch(order, [first!, second!]);
  expect(new Set([first, second, third]).size).toBe(3);
  expect(voidLabels!.map(({ trackingCode }) => trackingCode)).toEqual([first, second]);
  await eventually(async () => ((await paid([first!, second!])).length === 0 ? true : undefined));
  expect(await paid([third!])).toEqual([third]);
});

test('the replacement is in the audit log as a change by the partner', async () => {
  const order = await handedOver(stack, 'damaged-audited');
  const { trackingCode } = await dispatch(order);

  await dispatch(order, [trackingCode!]);

  const { entries } = await stack.operator.listAuditLog({ query: { action: 'order.replace_label' } });
  expect(entries.filter(({ object }) => object.id === order.orderId)).toMatchObject([
    { actor: { name: 'prints-berlin', role: 'partner' }, before: { label: trackingCode } },
  ]);
});

test('customs forms have the number of the new label', async () => {
  const order = await handedOver(stack, 'damaged-abroad', { address: addressIn.CH });
  const before = await dispatch(order);

  const replaced = await dispatch(order, [before.trackingCode!]);

  const texts = (await textsOf(replaced)).map((text) => text.replace(/\s/g, ''));
  const forms = texts.filter((text) => /CN22|CN23|CommercialInvoice/.test(text));
  expect(forms.length).toBeGreaterThan(0);
  for (const text of forms) {
    expect(text).toContain(replaced.trackingCode);
    expect(text).not.toContain(before.trackingCode);
  }
});

test('the label of a parcel that its partner has reported as shipped is not replaced; those of the rest are', async () => {
  const order = await handedOver(stack, 'damaged-and-gone', { items: 2 });
  const { 'P-1': gone, 'P-2': damaged } = labelsOf(await dispatch(order));
  await say(order, 'shipped', { orderItemId: order.jobIds[0] });
  await orderUntil(stack, order.orderId, ({ items }) => items[0]!.status === 'shipped');

  await expect(dispatch(order, [gone!])).rejects.toMatchObject({
    status: 409,
    body: { error: expect.stringContaining(`Label ${gone} is not replaced: its parcel has shipped.`) },
  });
  expect(await paid([gone!])).toEqual([gone]);
  expect(labelsOf(await dispatch(order, [damaged!]))['P-1']).toBe(gone);
  await eventually(async () => ((await paid([damaged!])).length === 0 ? true : undefined));
});

test('the label of a parcel that its carrier has is not replaced, nor is an unknown one', async () => {
  const order = await handedOver(stack, 'damaged-too-late');
  const { trackingCode } = await dispatch(order);
  // The error names the place of the unknown label in the request, in which another one is named twice.
  await expect(dispatch(order, [trackingCode!, trackingCode!, 'LA000000000DE'])).rejects.toMatchObject({
    status: 400,
    body: { error: expect.stringContaining('replaceLabels[2]: The print order has no label LA000000000DE.') },
  });
  await deliveredByCarrier(stack, order.orderId);

  await expect(dispatch(order, [trackingCode!])).rejects.toMatchObject({
    status: 409,
    body: { error: expect.stringContaining('is not replaced') },
  });
  expect((await dispatch(order)).trackingCode).toBe(trackingCode);
  expect(await paid([trackingCode!])).toEqual([trackingCode]);
});

test('a replacement locks the order before its shipment, as all other changes do', async () => {
  const order = await handedOver(stack, 'in-order');
  const { trackingCode } = await dispatch(order);
  const { sql } = stack.services;
  const [shipments, replaced] = await sql.begin(async (tx) => {
    await tx`SELECT FROM orders WHERE id = ${order.orderId} FOR UPDATE`;
    const replaced = dispatch(order, [trackingCode!]);
    await untilLocked(sql, 'orders');
    const locked = await tx`SELECT FROM shipments WHERE order_id = ${order.orderId} FOR UPDATE NOWAIT`;
    return [locked.count, [replaced]] as const;
  });
  expect(shipments).toBe(1);
  expect((await replaced[0]).trackingCode).not.toBe(trackingCode);
});

describe('a replacement that is killed between its purchase and its record', () => {
  /** Buys the new label of an order and ends there for good, as when the process and its workflow are lost. */
  async function killedAfterPurchase(reference: string): Promise<HandedOver & { shipmentId: string; key: string }> {
    const order = await handedOver(stack, reference, { items: 2 });
    const { trackingCode } = await dispatch(order);
    const { sql, temporal } = stack.services;
    const [shipment] = await sql<{ id: string }[]>`SELECT id FROM shipments WHERE order_id = ${order.orderId}`;
    const { asOwner } = stack.database;
    await asOwner(`
      CREATE FUNCTION killed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''killed''; END';
      CREATE TRIGGER killed BEFORE INSERT ON shipment_packages FOR EACH ROW EXECUTE FUNCTION killed();`);
    const request = dispatch(order, [trackingCode!]).catch(() => undefined);
    const key = await eventually(async () => {
      const [bought] = await sql<{ key: string }[]>`
        SELECT idempotency_key AS key FROM carrier_purchases
        WHERE idempotency_key LIKE ${`${shipment!.id}:%-replaced`} AND voided_at IS NULL`;
      return bought?.key;
    });
    const run = temporal.workflow.getHandle(replaceLabelWorkflowId(shipment!.id, 0));
    await run.terminate('killed');
    await request;
    // The attempt has given its lease back.
    await eventually(
      async () => (await sql`SELECT FROM shipments WHERE id = ${shipment!.id} AND lease_until < now()`)[0],
    );
    await asOwner('DROP FUNCTION killed CASCADE');
    return { ...order, shipmentId: shipment!.id, key };
  }
  /** Waits until the carrier has voided a purchase. */
  async function expectVoid(key: string): Promise<void> {
    const { sql } = stack.services;
    await eventually(
      async () =>
        (await sql`SELECT FROM carrier_purchases WHERE idempotency_key = ${key} AND voided_at IS NOT NULL`)[0],
    );
    const [live] = await sql`SELECT voided_at FROM carrier_purchases WHERE idempotency_key = ${key}`;
    expect(live!.voidedAt).not.toBeNull();
  }

  test('is voided with its shipment, when the address changes', async () => {
    const { orderId, key } = await killedAfterPurchase('killed-then-changed');
    const shippingAddress = { ...orderBody(stack, 'killed-then-changed').shippingAddress, addressLine2: '4th floor' };
    await stack.client.updateShipment({ params: { orderId }, body: { shippingAddress } });
    await expectVoid(key);
  });

  test('is voided with its package, when the units are cancelled', async () => {
    const order = await killedAfterPurchase('killed-then-cancelled');
    await say(order, 'received');
    await stack.client.cancelOrder({
      params: { orderId: order.orderId },
      body: { reason: 'ordered twice', items: [{ itemReferenceId: 'poster' }] },
    });
    await expectVoid(order.key);
  });

  test('is completed by a repeated request, and not voided', async () => {
    const order = await killedAfterPurchase('killed-then-repeated');
    const [damaged] = await parcelsOf(order);
    const replaced = await dispatch(order, [damaged!.trackingCode!]);
    const [bought] = await stack.services.sql<{ trackingNumber: string }[]>`
      SELECT tracking_number FROM carrier_purchases WHERE idempotency_key = ${order.key} AND voided_at IS NULL`;
    expect(Object.values(labelsOf(replaced))).toContain(bought!.trackingNumber);
  });

  test('is voided by the reconciliation, which finds that no parcel has it', async () => {
    const { shipmentId, key } = await killedAfterPurchase('killed-then-reconciled');
    const { sql, temporal, log, config } = stack.services;
    await sql`UPDATE carrier_purchases SET bought_at = now() - interval '1 hour' WHERE idempotency_key = ${key}`;
    expect(await voidPurchasesWithoutParcel(reconcileDeps({ sql, temporal, log }, config))).toEqual({
      withoutParcel: 1,
    });
    await expectVoid(key);
    const [left] = await sql`SELECT replacing FROM shipments WHERE id = ${shipmentId}`;
    expect(left).toEqual({ replacing: [] });
  });
});
