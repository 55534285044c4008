import { sandboxFixture } from './sandbox-fixture';
import { printOrder, sendSigned, until } from './stub-pressline';

const fixture = sandboxFixture();

describe('A well-behaved print partner', () => {
  it('subscribes with its addresses and its key', () => {
    const subscriptions = fixture.stub.arrivals.filter(({ path }) => path === '/v2/subscribe');
    expect(subscriptions.map(({ apiKey }) => apiKey).sort()).toEqual(['key-berlin', 'key-ohio']);
    expect(subscriptions.find(({ apiKey }) => apiKey === 'key-berlin')!.body).toEqual(fixture.berlin());
  });

  it('accepts a print order, downloads its files, sends postbacks, dispatches and ships', async () => {
    expect((await fixture.submit('100')).status).toBe(200);
    const order = await fixture.ended('100');
    expect(order).toMatchObject({
      state: 'finished',
      kind: 'print',
      deliveries: 1,
      distinctContents: 1,
      assetsFetched: 2,
      labelsDownloaded: 1,
      distinctLabels: 1,
      trackingCodes: ['TRACK100'],
      itemIds: ['1001', '1002'],
    });
    expect(order.documents.map(({ type }) => type)).toEqual(['label', 'invoice']);
    expect(fixture.stub.postbacks('100')).toEqual(['received', 'printed', 'shipped']);
    expect(
      fixture.stub.arrivals.filter(({ body }) => body.orderId === '100').every(({ apiKey }) => apiKey === 'key-berlin'),
    ).toBe(true);
  });

  it('accepts apparel at its second address', async () => {
    const { status } = await sendSigned(
      fixture.stub,
      fixture.sandbox.partnerUrls('prints-ohio').apparelOrderSubmitUrl,
      printOrder(fixture.sandbox, '101'),
    );
    expect(status).toBe(200);
    expect(fixture.seen('101', 'prints-ohio')!.kind).toBe('apparel');
  });

  it('counts a part of a bundle as an item only when it has an id', async () => {
    const order = printOrder(fixture.sandbox, '102');
    const [first] = order.items as Record<string, unknown>[];
    const product = first!.product;
    order.printHouseUid = 'berlin-1';
    order.items = [
      {
        type: 'product_bundle',
        parts: [
          first,
          { id: '1029', count: 2, type: 'stock', product, assets: null, unit_price: 12.5 },
          { count: 2, type: 'stock', product, unit_price: 3 },
        ],
      },
    ];
    expect(
      (await sendSigned(fixture.stub, fixture.berlin().orderSubmitUrl, order, { webhookId: 'msg_102' })).status,
    ).toBe(200);
    expect(await fixture.ended('102')).toMatchObject({
      state: 'finished',
      itemIds: ['1021', '1029'],
      assetsFetched: 1,
    });
  });

  it('follows a link that redirects to the object store', async () => {
    const order = printOrder(fixture.sandbox, '119');
    const [first] = order.items as { assets: { url: string }[] }[];
    first!.assets[0]!.url = `${fixture.sandbox.url}/faulty-files/redirect.pdf`;
    const sent = await sendSigned(fixture.stub, fixture.berlin().orderSubmitUrl, order);
    expect(sent.status).toBe(200);
    expect(await fixture.ended('119')).toMatchObject({ state: 'finished', assetsFetched: 2 });
  });

  it('downloads the packing slips of packages, and refuses packages of unknown items', async () => {
    const packed = (id: string, orderItemId: string) => ({
      ...printOrder(fixture.sandbox, id),
      packages: [
        {
          packageReferenceId: 'P-1',
          items: [{ orderItemId, quantity: 2 }],
          packingSlipUrl: `${fixture.sandbox.url}/files/packing-slip.pdf`,
        },
      ],
    });
    const accepted = await sendSigned(fixture.stub, fixture.berlin().orderSubmitUrl, packed('120', '1201'), {
      webhookId: 'msg_120',
    });
    expect(accepted.status).toBe(200);
    expect(await fixture.ended('120')).toMatchObject({ state: 'finished', assetsFetched: 3 });
    const refused = await sendSigned(fixture.stub, fixture.berlin().orderSubmitUrl, packed('121', '7'));
    expect(refused).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('packages.0.items.0') },
    });
  });

  it('accepts order updates of print orders that it has', async () => {
    await fixture.submit('122', 'sandbox:prints-slowly=200');
    const update = (id: string, revision: number) =>
      sendSigned(
        fixture.stub,
        fixture.berlin().orderUpdateUrl,
        { ...printOrder(fixture.sandbox, id), revision },
        { webhookId: `msg_${id}_${revision}` },
      );
    expect((await update('122', 2)).status).toBe(200);
    expect((await update('122', 1)).status).toBe(400);
    expect((await update('424242', 2)).status).toBe(404);
    expect((await fixture.ended('122')).updates).toEqual([
      {
        revision: 2,
        webhookId: 'msg_122_2',
        addressLine1: 'Lange Str. 1',
        shipmentMethodUid: 'hare_standard',
        counts: [2, 2],
        response: '200',
      },
    ]);
  });

  it('produces a print order once when it is delivered several times', async () => {
    const order = printOrder(fixture.sandbox, '103');
    const responses = await Promise.all(
      Array.from({ length: 5 }, () =>
        sendSigned(fixture.stub, fixture.berlin().orderSubmitUrl, order, { webhookId: 'msg_103' }),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await fixture.ended('103')).toMatchObject({
      deliveries: 5,
      distinctContents: 1,
      distinctWebhookIds: 1,
    });
    expect(fixture.stub.postbacks('103')).toEqual(['received', 'printed', 'shipped']);
  });

  it('refuses a known print order with different content and counts the content', async () => {
    await fixture.submit('104');
    const other = { ...printOrder(fixture.sandbox, '104'), dispatchDate: '2026-03-09' };
    expect((await sendSigned(fixture.stub, fixture.berlin().orderSubmitUrl, other)).status).toBe(409);
    expect(await fixture.ended('104')).toMatchObject({ distinctContents: 2, responses: ['200', '409'] });
  });

  it('refuses a wrong signature and stores nothing', async () => {
    const { status } = await sendSigned(
      fixture.stub,
      fixture.berlin().orderSubmitUrl,
      printOrder(fixture.sandbox, '105'),
      {
        secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
      },
    );
    expect(status).toBe(401);
    expect(fixture.seen('105')).toBeUndefined();
    expect(fixture.sandbox.seen().partners['prints-berlin']!.badSignatures).toBe(1);
  });

  it('accepts a signed test ping, which is no print order', async () => {
    const ping = { type: 'ping', sentAt: '2026-03-02T10:00:00Z' };
    const { printOrders, malformed } = fixture.sandbox.seen().partners['prints-berlin']!;
    const { status, body } = await sendSigned(fixture.stub, fixture.berlin().orderSubmitUrl, ping);
    expect({ status, body }).toEqual({ status: 200, body: { message: 'pong' } });
    expect(fixture.sandbox.seen().partners['prints-berlin']).toMatchObject({ printOrders, malformed });
  });

  it('names every missing field of a print order', async () => {
    const order = printOrder(fixture.sandbox, '106');
    delete order.dispatchDate;
    delete (order.items as Record<string, unknown>[])[1]!.count;
    const { status, body } = await sendSigned(fixture.stub, fixture.berlin().orderSubmitUrl, order);
    expect(status).toBe(400);
    expect(body.error).toContain('dispatchDate: ');
    expect(body.error).toContain('items.1.count: ');
  });

  it('reports a print file that does not have the stated format', async () => {
    const order = printOrder(fixture.sandbox, '107');
    const items = order.items as { assets: { url: string }[] }[];
    items[0]!.assets[0]!.url = `${fixture.sandbox.url}/files/mug-wrap.png`;
    await sendSigned(fixture.stub, fixture.berlin().orderSubmitUrl, order, { webhookId: 'msg_107' });
    expect(await fixture.ended('107')).toMatchObject({
      state: 'given-up',
      reason: 'The print file is not a pdf',
    });
    expect(fixture.stub.postbacks('107')).toEqual(['received', 'error']);
  });

  it('repeats its dispatch request after 202', async () => {
    fixture.stub.failures.set('/v2/order/dispatch', { status: 202, left: 2, headers: { 'Retry-After': '0' } });
    await fixture.submit('115');
    expect(await fixture.ended('115')).toMatchObject({ state: 'finished', labelsDownloaded: 1 });
    expect(fixture.stub.postbacks('115')).toEqual(['received', 'printed', 'shipped']);
  });

  it('retries its calls while Pressline is unavailable', async () => {
    fixture.stub.failures.set('/v2/order/status', { status: 503, left: 2, headers: { 'Retry-After': '0' } });
    fixture.stub.failures.set('/v2/order/dispatch', { status: 409, left: 2 });
    await fixture.submit('108');
    expect(await fixture.ended('108')).toMatchObject({ state: 'finished', labelsDownloaded: 1 });
    expect(fixture.stub.postbacks('108')).toEqual(['received', 'printed', 'shipped']);
  });

  it('accepts a cancel request before dispatch and refuses one afterwards', async () => {
    await fixture.submit('109', 'sandbox:prints-slowly=60000');
    const cancel = {
      version: '1.1',
      orderId: '109',
      canceledPrintJobIdList: ['1091', '1092'],
      reason: 'client',
    };
    const response = await sendSigned(fixture.stub, fixture.berlin().orderCancelUrl, cancel);
    expect(response.status).toBe(200);
    expect(await fixture.ended('109')).toMatchObject({ state: 'cancelled', labelsDownloaded: 0 });
    expect(fixture.stub.postbacks('109')).toContain('cancelled');

    const tooLate = { ...cancel, orderId: '100', canceledPrintJobIdList: [] };
    expect((await sendSigned(fixture.stub, fixture.berlin().orderCancelUrl, tooLate)).status).toBe(409);
    const foreignItem = { ...cancel, canceledPrintJobIdList: ['1091', '7'] };
    expect((await sendSigned(fixture.stub, fixture.berlin().orderCancelUrl, foreignItem)).status).toBe(400);
    const unknown = { ...cancel, orderId: '424242' };
    expect((await sendSigned(fixture.stub, fixture.berlin().orderCancelUrl, unknown)).status).toBe(404);
  });

  it('cancels one item on request and produces the other', async () => {
    await fixture.submit('110', 'sandbox:prints-slowly=600000');
    await until(() => fixture.stub.postbacks('110').includes('received'), 'received');
    const cancel = { version: '1.1', orderId: '110', canceledPrintJobIdList: ['1101'], reason: 'client' };
    expect((await sendSigned(fixture.stub, fixture.berlin().orderCancelUrl, cancel)).status).toBe(200);
    await until(() => {
      if (fixture.stub.postbacks('110').includes('cancelled')) fixture.sandbox.endPause('110');
      return fixture.seen('110')?.state === 'finished';
    }, 'end of 110');
    expect(fixture.stub.postbacks('110')).toEqual(['received', 'cancelled', 'printed 1102', 'shipped 1102']);
    const confirmed = fixture.stub.arrivals.find(({ body }) => body.orderId === '110' && body.status === 'cancelled');
    expect(confirmed!.body.items).toEqual([{ orderItemId: '1101' }]);
  });

  it('responds to stock polls', async () => {
    await fetch(`${fixture.sandbox.controlUrl}/partners/prints-berlin/stock`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sku: 'frame-oak', status: 'out-of-stock', replenishmentDate: '2026-05-01' }),
    });
    const { status, body } = await sendSigned(fixture.stub, fixture.berlin().inventoryUrl, {
      version: '1.1',
      SKU: ['frame-oak', 'tee'],
    });
    expect(status).toBe(200);
    expect(body.items).toEqual([
      { SKU: 'frame-oak', status: 'out-of-stock', replenishmentDate: '2026-05-01' },
      {
        SKU: 'tee',
        status: 'in-stock',
        amount: 1000,
        replenishmentDate: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      },
    ]);
  });
});
