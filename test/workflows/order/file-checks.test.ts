import { loadImage } from '@napi-rs/canvas';
import { createPresslineClient } from '../../../client/pressline-client';
import { eventually, type TestClient, type TestStack, testStack } from '../../support/stack';
import { faultyFile, goodFile, isAt, type OrderBody, ordered, orderOf, poster, readUntil } from './client-orders';
import { conflict, operatorHelpers } from './operator-fixture';

/** Print files that do not fit their products: they hold or refuse the order, or only show in it. */

let stack: TestStack;
const { repair, look } = operatorHelpers(() => stack);

beforeAll(async () => {
  stack = await testStack();
});

/** A poster of A4 from this file. */
const posterFrom = (url: string, over: Partial<OrderBody> = {}) =>
  orderOf(stack, { items: [poster(stack, { files: [{ type: 'default', url }] })], ...over });
const wrongSize = () => faultyFile(stack, 'wrong-size.pdf');

const TOO_SMALL = {
  code: 'page_size',
  severity: 'error',
  page: 1,
  measured: '105 × 148 mm',
  wanted: '210 × 297 mm',
  message: 'Page 1 is 105 × 148 mm; the poster is 210 × 297 mm.',
};

/** Returns a client whose findings do something else than the default. */
async function clientWith(name: string, fileChecks: { errors: Action; warnings: Action }): Promise<TestClient> {
  const { id, apiKey, apiSecret } = await stack.operator.createClient({ body: { name, fileChecks } });
  expect(await stack.operator.getClient({ params: { connectorId: id } })).toMatchObject({ fileChecks });
  return createPresslineClient({ baseUrl: stack.baseUrl, apiKey, apiSecret, retries: 0 });
}
type Action = 'warn' | 'hold' | 'refuse';

describe('an order with a page of a wrong size', () => {
  test('waits for its client, who reads what is wrong, until an operator accepts the file', async () => {
    await stack.client.createWebhook({ body: { url: `${stack.sandbox.url}/notified` } });
    const held = await ordered(stack, posterFrom(wrongSize(), { orderReferenceId: 'accepted' }), isAt('on_hold'));
    expect(held.items[0]!.files[0]).toMatchObject({ checks: [TOO_SMALL], checksAccepted: false });
    expect(held.eventLog.map(({ type }) => type)).toContain('files_held');
    expect(held.refusalReason).toBeNull();

    const seen = await look(held.id);
    expect(seen).toMatchObject({
      attention: ['file_check'],
      nextStep: { who: 'client', waitsFor: 'file_replaced' },
    });
    expect(seen.possibleRepairs.map(({ action }) => action)).toContain('accept_files');
    expect(seen.events.find(({ type }) => type === 'files_held')!.data).toEqual({
      reason: 'file_check',
      message: `Item poster, file default: ${TOO_SMALL.message}`,
    });
    const [told, ofItem] = await eventually(async () => {
      const rows = await stack.services.sql<{ body: string }[]>`
        SELECT body FROM webhook_deliveries WHERE order_id = ${held.id}`;
      const bodies = rows.map(({ body }) => JSON.parse(body) as { event: string; status: string });
      const found = ['order_status_updated', 'order_item_status_updated'].map((event) =>
        bodies.find((body) => body.event === event && body.status === 'on_hold'),
      );
      expect(found).not.toContain(undefined);
      return found;
    });
    expect(told).toMatchObject({ items: [{ fileChecks: [{ fileType: 'default', ...TOO_SMALL }] }] });
    expect(ofItem).toMatchObject({ comment: 'A print file does not fit its product. Replace the file.' });

    expect(await repair(held.id, { action: 'accept_files' })).toMatchObject({ id: held.id });
    const done = await readUntil(stack.client, held.id, isAt('delivered'));
    expect(done.items[0]!.files[0]).toMatchObject({ checks: [TOO_SMALL], checksAccepted: true });
    expect(await look(held.id)).toMatchObject({ attention: [] });
    const { entries } = await stack.operator.listAuditLog({ query: { object: `order:${held.id}` } });
    expect(entries).toMatchObject([{ action: 'order.accept_files' }]);
    await expect(repair(held.id, { action: 'accept_files' })).rejects.toMatchObject(conflict(/has ended|not running/));
  });

  test('fails when its client refuses errors', async () => {
    const client = await clientWith('strict shop', { errors: 'refuse', warnings: 'hold' });
    const failed = await ordered(stack, posterFrom(wrongSize()), isAt('failed'), client);
    expect(failed).toMatchObject({
      financialStatus: 'canceled',
      refusalReasonCode: 'file_check',
      refusalReason: `Item poster, file default: ${TOO_SMALL.message}`,
      refusalReasonDetails: { files: [{ itemReferenceId: 'poster', type: 'default', checks: [TOO_SMALL] }] },
    });
  });

  test('is delivered when its client only wants to know', async () => {
    const client = await clientWith('lenient shop', { errors: 'warn', warnings: 'warn' });
    const done = await ordered(stack, posterFrom(wrongSize()), isAt('delivered'), client);
    expect(done.items[0]!.files[0]).toMatchObject({ checks: [TOO_SMALL], checksAccepted: false });
  });
});

test('a file with a warning goes on, and its client is notified', async () => {
  await stack.client.createWebhook({ body: { url: `${stack.sandbox.url}/notified` } });
  // The model of the mug needs no bleed. This one does, and is printed from CMYK.
  const { productModels } = await stack.operator.listProductModels({ query: { modelIds: 'mug' } });
  const { production } = productModels[0]!;
  const printAreas = [{ fileType: 'default' as const, needs: { bleedMm: 0, colors: ['cmyk' as const] } }];
  await stack.operator.updateProductModel({
    params: { id: 'mug' },
    body: { production: { ...production, printAreas } },
  });
  const mug = poster(stack, {
    itemReferenceId: 'mug',
    productUid: 'mug_product_msz_11-oz_mcl_white',
    files: [{ type: 'default', url: goodFile(stack, 'mug-wrap.png') }],
  });
  const done = await ordered(stack, orderOf(stack, { items: [mug] }), isAt('delivered'));
  await stack.operator.updateProductModel({ params: { id: 'mug' }, body: { production: production! } });
  const warning = { code: 'rgb_colors', severity: 'warning', page: 1, measured: expect.stringContaining('RGB') };
  expect(done.items[0]!.files[0]!.checks).toMatchObject([warning]);
  const rows = await stack.services.sql<{ body: string }[]>`
    SELECT body FROM webhook_deliveries WHERE order_id = ${done.id}`;
  const passed = rows
    .map(({ body }) => JSON.parse(body) as { event: string; status: string })
    .find(({ event, status }) => event === 'order_status_updated' && status === 'passed');
  expect(passed).toMatchObject({ items: [{ fileChecks: [{ fileType: 'default', ...warning }] }] });
});

test('an image of another shape holds its order, and is shown as it would be printed', async () => {
  const held = await ordered(stack, posterFrom(faultyFile(stack, 'square.jpg')), isAt('on_hold'));
  expect(held.items[0]!.files[0]).toMatchObject({
    fitMethod: 'cover',
    checks: [{ code: 'page_size', severity: 'error', wanted: '210 × 297 mm' }],
  });
  const sizes = await Promise.all(
    held.items[0]!.previews.map(async ({ url }) => {
      const { width, height } = await loadImage(Buffer.from(await (await fetch(url)).arrayBuffer()));
      return [width, height];
    }),
  );
  // The poster with its bleed is 216 × 303 mm.
  expect(sizes).toEqual([
    [1141, 1600],
    [571, 800],
    [143, 200],
  ]);
});

test('an image with too few pixels holds its order, and one with almost enough does not', async () => {
  const poor = await ordered(stack, posterFrom(faultyFile(stack, 'low-resolution.jpg')), isAt('on_hold'));
  expect(poor.items[0]!.files[0]!.checks).toMatchObject([
    { code: 'resolution', severity: 'error', measured: '40 dpi', wanted: '150 dpi' },
  ]);
  const large = poster(stack, {
    productUid: 'flat_product_pf_a2_pt_200-gsm-uncoated_cl_4-0_ver',
    files: [{ type: 'default', url: goodFile(stack, 'poster-a3.jpg') }],
  });
  const fair = await ordered(stack, orderOf(stack, { items: [large] }), isAt('delivered'));
  expect(fair.items[0]!.files[0]!.checks).toMatchObject([{ code: 'resolution', severity: 'warning' }]);
});

describe('a print file', () => {
  const path = (orderId: string, type = 'default') => ({ orderId, itemReferenceId: 'poster', type });
  const goodUrl = () => goodFile(stack, 'poster-a4.pdf');

  test('that holds its order is replaced, checked again, and printed', async () => {
    const { services, client } = stack;
    const held = await ordered(stack, posterFrom(wrongSize(), { orderReferenceId: 'replaced' }), isAt('on_hold'));
    const { id } = held;
    const stored = async () =>
      (
        await services.sql<{ objectKey: string; previews: { objectKey: string }[] }[]>`
          SELECT f.object_key, f.previews FROM order_files f JOIN order_items i ON i.id = f.order_item_id
          WHERE i.order_id = ${id}`
      ).flatMap(({ objectKey, previews }) => [objectKey, ...previews.map((preview) => preview.objectKey)]);
    const before = await stored();

    // Another file with a fault holds the order again.
    const worse = faultyFile(stack, 'low-resolution.jpg');
    const replaced = await client.replaceFile({ params: path(id), body: { url: worse } });
    expect(replaced.items[0]!.files[0]).toMatchObject({ url: worse, checks: [] });
    const again = await readUntil(client, id, (order) => order.items[0]!.files[0]!.checks.length > 0);
    expect(again).toMatchObject({
      fulfillmentStatus: 'on_hold',
      items: [{ files: [{ checks: [{ code: 'resolution' }] }] }],
    });

    await expect(client.replaceFile({ params: path(id, 'back'), body: { url: goodUrl() } })).rejects.toMatchObject({
      status: 404,
    });
    await expect(stack.operator.replaceFile({ params: path(id), body: { url: goodUrl() } })).rejects.toMatchObject({
      status: 400,
      errors: [{ reference: 'reason' }],
    });
    await stack.operator.replaceFile({ params: path(id), body: { url: goodUrl(), reason: 'sent by e-mail' } });
    const done = await readUntil(client, id, isAt('delivered'));
    expect(done.items[0]).toMatchObject({ pageCount: 1, dpi: null, files: [{ url: goodUrl(), checks: [] }] });
    expect(done.items[0]!.eventLog.filter(({ type }) => type === 'file_replaced')).toHaveLength(2);
    expect(JSON.stringify(done)).not.toContain('sent by e-mail');
    const { entries } = await stack.operator.listAuditLog({ query: { object: `order:${id}` } });
    expect(entries).toMatchObject([{ action: 'order.replace_file' }, { action: 'order.replace_file' }]);

    // Nothing of the former files is left.
    const after = await stored();
    expect(after).toHaveLength(before.length);
    for (const key of before) expect(await services.objects.get(key)).toBeNull();
    const page = await fetch(done.items[0]!.processedFileUrl!);
    expect(Buffer.from(await page.arrayBuffer())).toEqual(Buffer.from(await (await fetch(goodUrl())).arrayBuffer()));
    await expect(client.replaceFile({ params: path(id), body: { url: goodUrl() } })).rejects.toMatchObject(
      conflict(/has ended/),
    );
  });

  test('that its host does not send is replaced', async () => {
    const { id } = await stack.client.submitOrder({ body: posterFrom(faultyFile(stack, 'broken.pdf')) });
    await readUntil(stack.client, id, isAt('uploading'));
    const body = { url: goodUrl() };
    await stack.client.replaceFile({ params: path(id), body });
    // A repeated request changes nothing. It may come when the item is being sent to its partner.
    await stack.client.replaceFile({ params: path(id), body }).catch((error: unknown) => {
      expect(error).toMatchObject(conflict(/being sent/));
    });
    const done = await readUntil(stack.client, id, isAt('delivered'));
    expect(done.items[0]!.eventLog.filter(({ type }) => type === 'file_replaced').length).toBeLessThanOrEqual(2);
    expect(done.items[0]!.files[0]!.url).toBe(body.url);
  });

  test('that cannot be fetched shows the failure and the next attempt, and is told once that takes five minutes', async () => {
    const { id: endpointId } = await stack.client.createWebhook({
      body: { url: `${stack.sandbox.url}/delays`, events: ['order_files_delayed'] },
    });
    const from = (name: string) => stack.client.submitOrder({ body: posterFrom(faultyFile(stack, name)) });
    const [soon, later] = [await from('broken.pdf'), await from('busy.pdf?seconds=600&key=later')];
    const delayed = (order: { readonly fileDelay: unknown }) => order.fileDelay !== null;
    const [short, long] = [
      await readUntil(stack.client, soon.id, delayed),
      await readUntil(stack.client, later.id, delayed),
    ];
    expect(short.fileDelay!.message).toMatch(/^Item poster, file default: .*500/);
    expect(long.fileDelay).toMatchObject({ message: expect.stringContaining('429'), attempts: 1 });
    expect(Date.parse(long.fileDelay!.nextAttemptAt)).toBeGreaterThan(Date.parse(long.createdAt) + 500_000);
    const told = [short, long].map(({ eventLog }) => eventLog.filter(({ type }) => type === 'files_delayed'));
    expect(told).toEqual([[], [expect.objectContaining({ data: long.fileDelay })]]);
    const sent = await stack.services.sql<{ body: string }[]>`
      SELECT body FROM webhook_deliveries WHERE endpoint_id = ${endpointId}`;
    expect(sent.map(({ body }) => JSON.parse(body))).toMatchObject([{ orderId: later.id, ...long.fileDelay }]);
    await stack.client.cancelOrder({ params: { orderId: soon.id }, body: {} });
    expect((await readUntil(stack.client, soon.id, isAt('canceled'))).fileDelay).toBeNull();
    // Another file is fetched now, and not after the ten minutes that the host of the first one asked for.
    const replaced = await stack.client.replaceFile({ params: path(later.id), body: { url: goodUrl() } });
    expect(replaced.fileDelay).toBeNull();
    await readUntil(stack.client, later.id, isAt('delivered'));
  });

  test('is not replaced when its order is cancelled', async () => {
    const { id } = await ordered(stack, posterFrom(wrongSize()), isAt('on_hold'));
    await stack.client.cancelOrder({ params: { orderId: id }, body: {} });
    await readUntil(stack.client, id, isAt('canceled'));
    await expect(stack.client.replaceFile({ params: path(id), body: { url: goodUrl() } })).rejects.toMatchObject(
      conflict(/has ended. Its status is canceled/),
    );
  });

  test('is not replaced when a partner has printed it, nor by another client', async () => {
    const { id } = await ordered(stack, orderOf(stack), isAt('printed', 'shipped'));
    await expect(stack.client.replaceFile({ params: path(id), body: { url: goodUrl() } })).rejects.toMatchObject(
      conflict(/partner has printed the item/),
    );
    const stranger = await clientWith('stranger', { errors: 'warn', warnings: 'warn' });
    await expect(stranger.replaceFile({ params: path(id), body: { url: goodUrl() } })).rejects.toMatchObject({
      status: 404,
    });
    await readUntil(stack.client, id, isAt('delivered'));
  });
});
