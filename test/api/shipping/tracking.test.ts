import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import type { ApiDeps } from '../../../api/deps';
import { shippingRoutes } from '../../../api/routes';
import { type CarrierAdapter, CarrierUnavailable } from '../../../src/carriers/carrier';
import { carriersOf, createCarriers } from '../../../src/carriers/carriers';
import { newSigningSecret } from '../../../src/platform/http/webhook-signature';
import { uuidv7 } from '../../../src/platform/ids';
import { json, type Sql } from '../../../src/platform/postgres';
import { voidShipment } from '../../../src/shipping/label-voids';
import type { ShipmentOwner } from '../../../src/shipping/shipments';
import { MUNICH } from '../../src/consignments/sample-addresses';
import { consignmentTo } from '../../src/consignments/sample-consignments';
import { buyShipment } from '../../src/shipping/bought-shipment';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { oneCarrierSecret, signedCarrierEvents } from '../../support/carrier-events';
import { testDatabase } from '../../support/database';
import { insertOrder } from '../../support/rows/order-rows';
import { plannedPrintOrder } from '../../support/rows/planned-print-order';
import { insertShippingOrder } from '../../support/rows/shipping-rows';
import { sweepTrackings } from '../../support/sweep-trackings';

const secret = newSigningSecret();
let sql: Sql;
let deps: ApiDeps;
let app: Express;
let client: TestAccount;
let partner: TestAccount;
let operator: TestAccount;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  deps = await testApiDeps(sql, { config: oneCarrierSecret(secret) });
  app = createApp(deps, shippingRoutes(deps));
  client = await testAccount(sql, 'client');
  partner = await testAccount(sql, 'partner');
  operator = await testAccount(sql, 'operator');
});
beforeEach(() => sql`DELETE FROM outbox`);

/** Buys a shipment for a new shipping order, or for a print order of a new order. */
async function shipment(options: { count?: number; printOrder?: boolean; methodUid?: string } = {}) {
  const { count = 1, printOrder = false, methodUid = 'tern_parcel_domestic' } = options;
  const owner = await (printOrder ? printOrderOwner() : insertShippingOrder(sql, client.id));
  const bought = await buyShipment(
    { sql, objects: deps.objects, carriers: createCarriers(sql, 'https://pressline.test') },
    { consignment: consignmentTo(MUNICH, { count }), methodUid, idempotencyKey: uuidv7(), owner },
  );
  if (!bought.ok) throw new Error(bought.refusal.message);
  const orderId = owner.kind === 'print_order' ? owner.orderId : '';
  return {
    ...bought.shipment,
    orderId,
    numbers: bought.shipment.packages.map((pack) => pack.trackingNumber),
  };
}

async function printOrderOwner(): Promise<ShipmentOwner> {
  const orderId = await insertOrder(sql, client.id);
  await sql`
    INSERT INTO partners (account_id, uid, name, country, currency, sender_address, capabilities)
    VALUES (${partner.id}, 'prints', 'Prints', 'DE', 'EUR', ${json(sql, {})}, ${json(sql, {})}) ON CONFLICT DO NOTHING`;
  const printOrderId = await plannedPrintOrder(sql, { orderId, partnerId: partner.id, body: {} });
  return { kind: 'print_order', orderId, printOrderId };
}

let events = 0;
const event = (trackingNumber: string, statusUid: string, minute: number, change: object = {}) => ({
  id: `event-${++events}`,
  trackingNumber,
  statusUid,
  message: `is ${statusUid}`,
  location: 'Leipzig',
  createdAt: `2026-02-01T10:${String(minute).padStart(2, '0')}:00Z`,
  ...change,
});

function report(list: object[], carrierUid = 'tern_parcel') {
  const { headers, body } = signedCarrierEvents(list, secret);
  return request(app).post(`/v1/carriers/${carrierUid}/events`).set(headers).send(body);
}

const track = (trackingNumber: string, as = client) => request(app).get(`/v1/tracking/${trackingNumber}`).set(as.key);
const signals = async () =>
  (
    await sql<
      { target: string; payload: { signal: string; args: { parcels: { transit: string | null }[] }[] } }[]
    >`SELECT target, payload FROM outbox ORDER BY id`
  ).map(({ target, payload }) => [
    target,
    payload.signal,
    payload.args[0]!.parcels.map(({ transit }) => transit).join(),
  ]);

describe('GET /v1/tracking/{trackingNumber}', () => {
  test('responds in the shape of schema `Tracking`, newest checkpoint first', async () => {
    const { numbers } = await shipment();
    const [number] = numbers as [string];
    await report([
      event(number, 'delivered', 30, { expectedDeliveryDate: '2026-02-01' }),
      event(number, 'in_transit', 10, { description: 'Sorted' }),
    ]);

    const response = await track(number);

    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({
      shortUid: expect.any(String),
      trackingNumber: number,
      trackingUrl: expect.stringMatching(/\/track\/[\w-]{22}$/),
      shipmentMethodUid: 'tern_parcel_domestic',
      shipmentMethodName: 'Domestic',
      carrierUid: 'tern_parcel',
      carrierName: 'Tern Parcel',
      weightInGrams: '850',
    });
    const [registered, ...reported] = [...response.body.checkpoints].sort((a, b) =>
      b.createdAt.localeCompare(a.createdAt),
    );
    expect(response.body.checkpoints).toEqual([registered, ...reported]);
    expect(registered).toMatchObject({ status: 0, statusUid: 'registered' });
    expect(reported).toEqual([
      {
        status: 6,
        statusUid: 'delivered',
        message: 'is delivered',
        location: 'Leipzig',
        createdAt: '2026-02-01T10:30:00.000Z',
        expectedDeliveryDate: '2026-02-01',
        signedBy: 'Tern Parcel',
      },
      {
        status: 1,
        statusUid: 'in_transit',
        message: 'is in_transit',
        description: 'Sorted',
        location: 'Leipzig',
        createdAt: '2026-02-01T10:10:00.000Z',
        expectedDeliveryDate: '',
        signedBy: 'Tern Parcel',
      },
    ]);
  });

  test('responds to the sender, the print partner and operators only', async () => {
    const [own] = (await shipment()).numbers as [string];
    const [printed] = (await shipment({ printOrder: true })).numbers as [string];
    const stranger = await testAccount(sql, 'client');

    expect((await track(own)).status).toBe(200);
    expect((await track(own, partner)).status).toBe(404);
    expect((await track(printed)).status).toBe(200);
    expect((await track(printed, partner)).status).toBe(200);
    expect((await track(printed, operator)).status).toBe(200);
    const refused = await track(printed, stranger);
    expect(refused.status).toBe(404);
    expect(refused.body).toEqual({
      trackingNumber: printed,
      code: 'TRACKING_DETAILS_NOT_FOUND',
      message: expect.any(String),
      details: null,
    });
  });
});

/** Returns the counter of refused events of Tern Parcel. */
async function refusedEvents(): Promise<number> {
  const line =
    /^pressline_carrier_events_total\{(?=[^}]*carrier="tern_parcel")(?=[^}]*outcome="refused")[^}]*\} (\d+)/m;
  return Number((await deps.metrics.expose()).match(line)?.[1] ?? 0);
}

describe('POST /v1/carriers/{carrierUid}/events', () => {
  test('records each event once', async () => {
    const [number] = (await shipment()).numbers as [string];
    const scan = event(number, 'in_transit', 1);

    expect((await report([scan, scan])).body).toEqual({ recorded: 1, repeated: 1, unknown: [], refused: 0 });
    expect((await report([scan])).body).toEqual({ recorded: 0, repeated: 1, unknown: [], refused: 0 });
    expect((await track(number)).body.checkpoints).toHaveLength(2);
  });

  test('reports unknown numbers, and numbers of another carrier, as unknown', async () => {
    const [number] = (await shipment()).numbers as [string];

    const response = await report([event(number, 'delivered', 1)], 'merlin_express');

    expect(response.body).toEqual({ recorded: 0, repeated: 0, unknown: [number], refused: 0 });
    expect((await report([event('nowhere', 'delivered', 1)])).body.unknown).toEqual(['nowhere']);
  });

  test.each([
    [{ statusUid: 'lost' }, 'NO_SUCH_CHOICE_ERROR'],
    [{ createdAt: 'yesterday' }, 'VALIDATION_ERROR'],
    [{ trackingNumber: '' }, 'IS_BLANK_ERROR'],
    [{ id: 7 }, 'VALIDATION_ERROR'],
  ])('an event with %j is refused and counted, and the others are recorded', async (change, code) => {
    const [number] = (await shipment()).numbers as [string];
    const before = await refusedEvents();

    const response = await report([event('x', 'delivered', 1, change), event(number, 'in_transit', 2)]);

    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      recorded: 1,
      repeated: 0,
      unknown: [],
      refused: 1,
      errors: [{ code, message: expect.any(String), reference: `events[0].${Object.keys(change)[0]}` }],
    });
    expect((await track(number)).body.checkpoints).toHaveLength(2);
    expect(await refusedEvents()).toBe(before + 1);
  });

  test('texts that cannot be stored or are too long are cleaned and cut', async () => {
    const [number] = (await shipment()).numbers as [string];
    const odd = { message: `lost\0 \ud83d ${'x'.repeat(600)}`, location: 'L'.repeat(300), expectedDeliveryDate: '' };

    expect((await report([event(number, 'in_transit', 1, odd)])).body).toMatchObject({ recorded: 1, refused: 0 });

    const { checkpoints } = (await track(number)).body;
    const checkpoint = checkpoints.find(({ statusUid }: { statusUid: string }) => statusUid === 'in_transit');
    expect(checkpoint.message).toHaveLength(500);
    expect(checkpoint.message).toMatch(/^lost\ufffd \ufffd x+$/);
    expect(checkpoint.location).toHaveLength(200);
  });

  test('a message without a list of events is refused', async () => {
    expect((await report([])).body.errors).toMatchObject([{ reference: 'events' }]);
  });
});

describe('an order run is signalled', () => {
  test('when its parcel moves and when it is delivered, and at no other status', async () => {
    const { numbers, orderId } = await shipment({ printOrder: true });
    const [number] = numbers as [string];
    for (const [index, status] of [
      'registered',
      'dispatched',
      'in_transit',
      'out_for_delivery',
      'failed_attempt',
      'delivered',
      'in_transit',
    ].entries()) {
      await report([event(number, status, index)]);
    }

    expect(await signals()).toEqual([
      [`order-${orderId}`, 'tracking', 'in_transit'],
      [`order-${orderId}`, 'tracking', 'delivered'],
    ]);
  });

  test('once when all parcels are delivered, for concurrent events too', async () => {
    const { numbers, orderId } = await shipment({ printOrder: true, count: 2 });

    await Promise.all(numbers.map((number) => report([event(number, 'delivered', 5)])));

    const sent = await signals();
    expect(sent.at(-1)).toEqual([`order-${orderId}`, 'tracking', 'delivered,delivered']);
    expect(sent.filter(([, , transit]) => transit === 'delivered,delivered')).toHaveLength(1);
  });

  test('with the status of each of its parcels', async () => {
    const { numbers } = await shipment({ printOrder: true, count: 2 });

    await report([event(numbers[0]!, 'delivered', 5), event(numbers[1]!, 'returned', 6)]);

    expect((await signals()).map(([, , transit]) => transit)).toEqual(['delivered,returned']);
  });

  test('for a voided label after its first scan only, and the shipment is bought again then', async () => {
    const { numbers, shipmentId } = await shipment({ printOrder: true });
    await voidShipment({ sql, carriers: createCarriers(sql, 'https://pressline.test') }, { shipmentId });
    const status = async () =>
      (await sql<{ status: string }[]>`SELECT status FROM shipments WHERE id = ${shipmentId}`)[0]!.status;

    await report([event(numbers[0]!, 'dispatched', 4)]);

    expect(await signals()).toEqual([]);
    expect(await status()).toBe('voided');

    await report([event(numbers[0]!, 'in_transit', 5)]);

    expect((await signals()).map(([, , transit]) => transit)).toEqual(['in_transit']);
    expect(await status()).toBe('bought');
  });
});

describe('the tracking sweep', () => {
  /** Returns a carrier whose packages are polled. */
  const polled = (track: CarrierAdapter['track']) => {
    const post = createCarriers(sql, 'https://pressline.test').forMethod('corvid_post_parcel')!;
    return carriersOf([
      {
        ...post,
        async buy(purchase) {
          const outcome = await post.buy(purchase);
          return outcome.ok ? { ok: true, purchase: { ...outcome.purchase, tracking: 'polled' } } : outcome;
        },
        trackingLimits: { batch: 50, perSecond: 150 },
        track,
      },
    ]);
  };
  const buyPolled = async (carriers: ReturnType<typeof polled>) => {
    const bought = await buyShipment(
      { sql, objects: deps.objects, carriers },
      {
        consignment: consignmentTo(MUNICH),
        methodUid: 'corvid_post_parcel',
        idempotencyKey: uuidv7(),
        owner: await insertShippingOrder(sql, client.id),
      },
    );
    if (!bought.ok) throw new Error('refused');
    return bought.shipment.packages[0]!.trackingNumber;
  };
  const dueNow = (number: string) => sql`UPDATE trackings SET next_check_at = now() WHERE tracking_number = ${number}`;
  const dueAt = async (number: string) =>
    (
      await sql<{ nextCheckAt: Date | null }[]>`SELECT next_check_at FROM trackings WHERE tracking_number = ${number}`
    )[0]!.nextCheckAt;

  test('checks only packages that are due, and no delivered ones', async () => {
    const asked: string[][] = [];
    const carriers = polled(async (numbers) => {
      asked.push([...numbers]);
      return numbers.map((trackingNumber) => ({
        trackingNumber,
        eventId: null,
        statusUid: 'delivered',
        message: 'Delivered',
        occurredAt: '2026-02-01T10:00:00Z',
        signedBy: 'Corvid Post',
      }));
    });
    const [due, later] = [await buyPolled(carriers), await buyPolled(carriers)];
    await dueNow(due);

    const swept = await sweepTrackings({ sql, carriers, log: deps.log }, { limit: 100 });

    expect(swept).toEqual({ checked: 1, recorded: 1, failed: 0, unavailable: [] });
    expect(asked).toEqual([[due]]);
    expect(await dueAt(due)).toBeNull();
    expect(await dueAt(later)).not.toBeNull();
    expect((await sweepTrackings({ sql, carriers, log: deps.log }, { limit: 100 })).checked).toBe(0);
  });

  test('checks again later when a carrier does not respond', async () => {
    const carriers = polled(() => Promise.reject(new CarrierUnavailable('corvid_post', 'timeout')));
    const number = await buyPolled(carriers);
    await dueNow(number);

    expect(await sweepTrackings({ sql, carriers, log: deps.log }, { limit: 100 })).toEqual({
      checked: 1,
      recorded: 0,
      failed: 0,
      unavailable: ['corvid_post'],
    });

    expect((await dueAt(number))!.getTime()).toBeGreaterThan(Date.now());
  });

  test('asks a carrier in sequential batches with a pause between them', async () => {
    const calls: { numbers: number; began: number }[] = [];
    let running = 0;
    let mostAtOnce = 0;
    const carriers = polled(async (numbers) => {
      calls.push({ numbers: numbers.length, began: performance.now() });
      running += 1;
      mostAtOnce = Math.max(mostAtOnce, running);
      await new Promise((resolve) => setTimeout(resolve, 20));
      running -= 1;
      return [];
    });
    const number = await buyPolled(carriers);
    await sql`
      INSERT INTO trackings (tracking_number, short_uid, shipment_id, carrier_uid, adapter_uid, next_check_at)
      SELECT 'BATCH' || n, 'batch-' || n, shipment_id, carrier_uid, adapter_uid, now()
      FROM trackings, generate_series(1, 119) n WHERE tracking_number = ${number}`;
    await sql`UPDATE trackings SET next_check_at = now() WHERE next_check_at IS NOT NULL`;

    const { checked } = await sweepTrackings({ sql, carriers, log: deps.log }, { limit: 120 });

    expect(checked).toBe(120);
    expect(calls.map(({ numbers }) => numbers)).toEqual([50, 50, 20]);
    expect(mostAtOnce).toBe(1);
    for (const [index, { began }] of calls.slice(1).entries()) {
      // 50 numbers at 150 in a second take 333 ms. The process may stand still between its own clock and this one.
      expect(began - calls[index]!.began).toBeGreaterThan(240);
    }
  });

  test('checks a package without news less often with age, and finally no more', async () => {
    const carriers = polled(async () => []);
    const number = await buyPolled(carriers);
    const hoursAt = async (ageDays: number) => {
      await sql`
        UPDATE trackings SET next_check_at = now(), created_at = now() - make_interval(days => ${ageDays})
        WHERE tracking_number = ${number}`;
      await sweepTrackings({ sql, carriers, log: deps.log }, { limit: 100 });
      const at = await dueAt(number);
      return at === null ? null : Math.round((at.getTime() - Date.now()) / 3_600_000);
    };
    expect([await hoursAt(1), await hoursAt(40), await hoursAt(91)]).toEqual([6, 24, null]);
  });

  test('does not check packages of carriers that send events', async () => {
    const { numbers } = await shipment();

    expect(await dueAt(numbers[0]!)).toBeNull();
  });
});
