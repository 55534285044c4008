import type { SeenPrintOrder } from '../index';
import { sandboxFixture } from './sandbox-fixture';
import { printOrder, sendSigned, until } from './stub-pressline';

const fixture = sandboxFixture();

describe('A print partner that misbehaves', () => {
  /** Marker, result of the first delivery, postbacks in order, and further fields of the record. */
  const cases: readonly [string, string, number | 'broken', readonly string[], Partial<SeenPrintOrder>][] = [
    ['200', 'sandbox:slow=300', 200, ['received', 'printed', 'shipped'], { state: 'finished' }],
    ['201', 'sandbox:refuses', 422, [], { state: 'not-taken' }],
    ['202', 'sandbox:no-postbacks', 200, [], { state: 'finished' }],
    ['203', 'sandbox:stops-after-received', 200, ['received'], { labelsDownloaded: 0 }],
    ['204', 'sandbox:stops-after-printed', 200, ['received', 'printed'], { labelsDownloaded: 0 }],
    ['205', 'sandbox:reversed-postbacks', 200, ['shipped', 'printed', 'received'], { distinctLabels: 1 }],
    ['206', 'sandbox:late-postbacks', 200, ['received', 'printed', 'shipped', 'received', 'printed', 'shipped'], {}],
    [
      '207',
      'sandbox:per-item-postbacks',
      200,
      ['received 2071', 'received 2072', 'printed 2071', 'printed 2072', 'shipped 2071', 'shipped 2072'],
      { distinctLabels: 1 },
    ],
    ['208', 'sandbox:cancels-order', 200, ['received', 'cancelled'], { state: 'cancelled' }],
    ['209', 'sandbox:cancels-item', 200, ['received', 'cancelled', 'printed 2092', 'shipped 2092'], {}],
    ['210', 'sandbox:cancels-quantity=1', 200, ['received', 'cancelled', 'printed 2102', 'shipped 2102'], {}],
    ['211', 'sandbox:error-then-recovers', 200, ['received', 'error', 'printed', 'shipped'], { state: 'finished' }],
    ['212', 'sandbox:error-only', 200, ['error'], { assetsFetched: 0 }],
    ['213', 'sandbox:ships-without-dispatch', 200, ['received', 'printed', 'shipped'], { documents: [] }],
    [
      '214',
      'sandbox:dispatches-often=4',
      200,
      ['received', 'printed', 'shipped'],
      { labelsDownloaded: 6, distinctLabels: 1 },
    ],
    ['215', 'sandbox:dead-after-accept', 'broken', ['received', 'printed', 'shipped'], { responses: ['hang-up'] }],
    ['216', 'sandbox:prints-ohio/refuses', 200, ['received', 'printed', 'shipped'], { behaviour: 'well-behaved' }],
    ['217', 'sandbox:waits-after-dispatch=50', 200, ['received', 'printed', 'shipped'], { labelsDownloaded: 2 }],
  ];

  it.each(cases)('%s %s', async (id, marker, firstResponse, postbacks, expected) => {
    const response = await fixture.submit(id, marker).then(
      ({ status }) => status,
      () => 'broken' as const,
    );
    expect(response).toBe(firstResponse);
    if (expected.state !== 'not-taken') await fixture.ended(id);
    expect(fixture.seen(id)).toMatchObject(expected);
    expect(fixture.stub.postbacks(id)).toEqual(postbacks);
  });

  it('fails the first deliveries and accepts the next one once', async () => {
    const statuses = [];
    for (let delivery = 0; delivery < 4; delivery++)
      statuses.push((await fixture.submit('230', 'sandbox:fails-first=2')).status);
    expect(statuses).toEqual([500, 500, 200, 200]);
    expect(await fixture.ended('230')).toMatchObject({
      deliveries: 4,
      responses: ['500', '500', '200', '200'],
    });
    expect(fixture.stub.postbacks('230')).toEqual(['received', 'printed', 'shipped']);
  });

  it('responds with 429 and Retry-After, then accepts', async () => {
    const first = await fixture.submit('231', 'sandbox:busy');
    expect([first.status, first.headers.get('retry-after')]).toEqual([429, '1']);
    expect((await fixture.submit('231', 'sandbox:busy')).status).toBe(200);
  });

  it('dead-after-accept: recognises the redelivery as the same print order', async () => {
    await expect(fixture.submit('232', 'sandbox:dead-after-accept')).rejects.toThrow();
    const again = await fixture.submit('232', 'sandbox:dead-after-accept');
    expect(again).toMatchObject({ status: 200, body: { message: 'Print order already accepted' } });
    await fixture.ended('232');
    expect(fixture.stub.postbacks('232')).toEqual(['received', 'printed', 'shipped']);
  });

  it('silent-after-accept: accepts the order and leaves the request open', async () => {
    const gaveUp = sendSigned(
      fixture.stub,
      fixture.berlin().orderSubmitUrl,
      printOrder(fixture.sandbox, '233', 'sandbox:silent-after-accept'),
      {
        signal: AbortSignal.timeout(300),
      },
    );
    await expect(gaveUp).rejects.toThrow();
    expect((await fixture.ended('233')).responses).toEqual(['silence']);
  });

  it('waits for the redelivery', async () => {
    await fixture.submit('234', 'sandbox:waits-for-reminder');
    // An order that came later is finished.
    await fixture.submit('2340', 'sandbox:well-behaved');
    await fixture.ended('2340');
    expect(fixture.stub.postbacks('234')).toEqual([]);
    await fixture.submit('234', 'sandbox:waits-for-reminder');
    expect((await fixture.ended('234')).state).toBe('finished');
  });

  it('does not print faster when the print order arrives again', async () => {
    await fixture.submit('298', 'sandbox:prints-slowly=600000');
    await until(() => fixture.stub.postbacks('298').length === 1, 'received');
    await fixture.submit('298', 'sandbox:prints-slowly=600000');
    await fixture.submit('2980', 'sandbox:well-behaved');
    await fixture.ended('2980');
    expect(fixture.stub.postbacks('298')).toEqual(['received']);
    await until(() => {
      fixture.sandbox.endPause('298');
      return fixture.seen('298')?.state === 'finished';
    }, 'end of 298');
  });

  it('sends three copies of every postback and one more later', async () => {
    await fixture.submit('235', 'sandbox:duplicate-postbacks');
    await fixture.ended('235');
    await until(() => fixture.stub.postbacks('235').length === 12, 'the late copies');
    const bodies = fixture.stub.arrivals.filter(
      ({ path, body }) => path === '/v2/order/status' && body.orderId === '235',
    );
    expect(new Set(bodies.map(({ body }) => JSON.stringify(body))).size).toBe(3);
  });

  it('sends invalid postbacks and continues', async () => {
    await fixture.submit('236', 'sandbox:faulty-postbacks');
    const order = await fixture.ended('236');
    const faulty = order.postbacks.filter(({ status }) => status.startsWith('faulty'));
    expect(faulty).toHaveLength(6);
    expect(order.state).toBe('finished');
  });

  it('refuses a cancel request and ships', async () => {
    await fixture.submit('237', 'sandbox:refuses-cancel=100');
    const cancel = { version: '1.1', orderId: '237', canceledPrintJobIdList: [], reason: 'client' };
    expect((await sendSigned(fixture.stub, fixture.berlin().orderCancelUrl, cancel)).status).toBe(409);
    expect(await fixture.ended('237')).toMatchObject({
      state: 'finished',
      cancelOrders: [{ accepted: false }],
    });
  });

  it('refuses a cancel request when a parcel with its own carrier has left, also before Pressline knows it', async () => {
    const failure = { status: 503, left: 10_000 };
    fixture.stub.failures.set('/v2/order/status shipped', failure);
    await fixture.submit('242', 'sandbox:ships-without-dispatch');
    await until(() => failure.left < 10_000, 'the postback that Pressline does not take');
    const cancel = { version: '1.1', orderId: '242', canceledPrintJobIdList: [], reason: 'client' };
    expect((await sendSigned(fixture.stub, fixture.berlin().orderCancelUrl, cancel)).status).toBe(409);
    failure.left = 0;
    expect((await fixture.ended('242')).state).toBe('finished');
  });

  it('refuses order updates when its behaviour says so', async () => {
    await fixture.submit('239', 'sandbox:refuses-updates=100');
    const update = { ...printOrder(fixture.sandbox, '239'), revision: 2 };
    expect((await sendSigned(fixture.stub, fixture.berlin().orderUpdateUrl, update)).status).toBe(422);
    expect((await fixture.ended('239')).updates).toMatchObject([{ revision: 2, response: '422' }]);
  });

  it('sends code and link of its own carrier when it does not request dispatch', async () => {
    await fixture.submit('238', 'sandbox:ships-without-dispatch');
    await fixture.ended('238');
    const shipped = fixture.stub.arrivals.find(({ body }) => body.orderId === '238' && body.status === 'shipped');
    expect(shipped!.body).toMatchObject({
      trackingCode: 'OWN000000238',
      trackingLink: 'https://couriers.example/track/OWN000000238',
    });
  });
});
