import { enqueueOrderNotifications } from '../../../src/notifications/enqueue';
import { uuidv7 } from '../../../src/platform/ids';
import { inTransaction } from '../../../src/platform/postgres';
import { testAccount } from '../../support/api-deps';
import { notificationFixture } from './notification-fixture';

const fixture = notificationFixture();
const { received, outbox, newClient, newEndpoint, newOrder, setStatus, deliver } = fixture;

describe('a change of an order', () => {
  it('enqueues nothing when the client has no endpoint', async () => {
    await setStatus(await newOrder(await newClient()), 'printed');
    expect(await outbox()).toEqual([]);
  });

  it('is enqueued once for every endpoint that has the event', async () => {
    const clientId = await newClient();
    const all = await newEndpoint(clientId, '/all');
    const some = await newEndpoint(clientId, '/some', ['order_status_updated']);
    await newEndpoint(await newClient(), '/stranger');
    const orderId = await newOrder(clientId);
    await setStatus(orderId, 'in_production');
    await setStatus(orderId, 'in_production');
    const rows = await outbox();
    expect(rows.map(({ target }) => target).sort()).toEqual([all.id, all.id, some.id].sort());
    for (const row of rows) expect(await deliver(row)).toEqual({ outcome: 'done', isSettled: true });
    const bodies = received.map(({ path, body }) => [path, JSON.parse(body)] as const);
    const toAll = bodies.filter(([path]) => path === '/all').map(([, body]) => body);
    expect(toAll.map(({ event }) => event).sort()).toEqual(['order_item_status_updated', 'order_status_updated']);
    const status = { status: 'in_production', fulfillmentStatus: 'in_production' };
    const toSome = bodies.filter(([path]) => path === '/some').map(([, body]) => body);
    expect(toSome).toEqual([
      {
        id: expect.any(String),
        event: 'order_status_updated',
        created: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        orderId,
        storeId: null,
        orderReferenceId: `ref-${orderId}`,
        ...status,
        comment: null,
        refusalReasonCode: null,
        metadata: [{ key: 'shop', value: 'a' }],
        items: [{ itemReferenceId: 'item-1', ...status, fulfillments: [], fileChecks: [], metadata: [] }],
      },
    ]);
    // The message is the same for every endpoint.
    expect(toAll.map(({ id }) => id)).toContain(toSome[0].id);
  });

  it('is not enqueued when the transaction fails', async () => {
    const clientId = await newClient();
    await newEndpoint(clientId);
    const orderId = await newOrder(clientId);
    const failing = inTransaction(fixture.sql, async (tx) => {
      await tx`UPDATE orders SET fulfillment_status = 'printed' WHERE id = ${orderId}`;
      await enqueueOrderNotifications(tx, { orderId });
      throw new Error('the transaction fails');
    });
    await expect(failing).rejects.toThrow('fails');
    expect(await outbox()).toEqual([]);
    await setStatus(orderId, 'printed');
    expect(await outbox()).toHaveLength(2);
  });

  it('contains the parcels of live print jobs; bought labels take precedence over postbacks', async () => {
    const clientId = await newClient();
    await newEndpoint(clientId);
    const orderId = await newOrder(clientId);
    const partner = await testAccount(fixture.sql, 'partner');
    await fixture.sql`
      INSERT INTO partners (account_id, uid, name, country, currency, sender_address, capabilities)
      VALUES (${partner.id}, ${partner.name}, 'Inkwerk', 'DE', 'EUR', '{}', '{}')`;
    const planPrintOrder = async (step: string, jobStatus: string, maxDeliveryDate: string) => {
      const [printOrder] = await fixture.sql<{ id: string }[]>`
        INSERT INTO print_orders (order_id, partner_id, step, kind, version, message_id, dispatch_date)
        VALUES (${orderId}, ${partner.id}, ${step}, 'print', '1.1', ${uuidv7()}, '2026-05-01') RETURNING id`;
      await fixture.sql`
        INSERT INTO print_jobs (print_order_id, order_item_id, quantity, status)
        SELECT ${printOrder!.id}, id, 1, ${jobStatus} FROM order_items WHERE order_id = ${orderId}`;
      await fixture.sql`
        INSERT INTO planned_shipments (id, order_id, print_order_id, carrier_uid, shipment_method_uid, shipment_method_name,
          service_type, is_cheapest, package_count, total_weight_grams, price_minor, currency, min_delivery_days,
          max_delivery_days, min_delivery_date, max_delivery_date, initial_min_delivery_date, initial_max_delivery_date,
          fulfillment_country, fulfillment_facility_id)
        VALUES (${uuidv7()}, ${orderId}, ${printOrder!.id}, 'tern', 'tern_parcel', 'Tern Parcel', 'standard', true, 1, 500,
          499, 'EUR', 2, 4, '2026-05-04', ${maxDeliveryDate}, '2026-05-04', ${maxDeliveryDate}, 'DE', 'inkwerk-de')`;
      return printOrder!.id;
    };
    await planPrintOrder('handoff:0', 'superseded', '2026-12-24');
    const printOrderId = await planPrintOrder('reproduce:1', 'shipped', '2026-05-08');
    await setStatus(orderId, 'in_production');
    await fixture.sql`INSERT INTO partner_parcels (print_order_id, tracking_code, announced) VALUES (${printOrderId}, 'SAID-BY-PARTNER', false)`;
    await setStatus(orderId, 'in_production');
    const shipmentId = uuidv7();
    await fixture.sql`
      INSERT INTO shipments (id, idempotency_key, order_id, print_order_id, status, consignment, method_uid)
      VALUES (${shipmentId}, ${shipmentId}, ${orderId}, ${printOrderId}, 'bought', '{}', 'tern_parcel')`;
    await fixture.sql`
      INSERT INTO shipment_packages (shipment_id, position, package_reference_id, tracking_number, tracking_url, cost_minor, currency, weight_grams, items)
      SELECT ${shipmentId}, position, 'p' || position, ${`TN-${shipmentId}`} || position, 'https://track.example/1', 499, 'EUR', 500,
        jsonb_build_array(jsonb_build_object('itemReferenceId', item, 'quantity', 1))
      FROM (VALUES (0, 'item-1'), (1, 'another-item')) AS pack (position, item)`;
    await setStatus(orderId, 'in_production');
    for (const row of await outbox()) await deliver(row);
    const told = received.map(({ body }) => JSON.parse(body));
    expect(told.map(({ event, trackingCode }) => trackingCode ?? event)).toEqual([
      'order_status_updated',
      'order_item_status_updated',
      'order_delivery_estimate_updated',
      'SAID-BY-PARTNER',
      `TN-${shipmentId}0`,
    ]);
    expect(told[2]).toMatchObject({ minDeliveryDate: '2026-05-04', maxDeliveryDate: '2026-05-08' });
    expect(told[4]).toMatchObject({
      itemReferenceId: 'item-1',
      quantity: 1,
      trackingUrl: 'https://track.example/1',
      shipmentMethodUid: 'tern_parcel',
      shipmentMethodName: 'Tern Parcel',
      fulfillmentCountry: 'DE',
      fulfillmentStateProvince: null,
      fulfillmentFacilityId: 'inkwerk-de',
    });
  });

  it.each([
    ['postback_error', { message: 'Out of cotton' }, 'The print partner reported an error.'],
    ['postback_cancelled', {}, 'The print partner cancelled the item.'],
    ['postback_cancelled', { quantity: 2 }, 'The print partner cancelled 2 units of the item.'],
  ])('contains the reason of a stop, in Pressline’s words: %s %j', async (type, data, comment) => {
    const clientId = await newClient();
    await newEndpoint(clientId, '/hook', ['order_item_status_updated']);
    const orderId = await newOrder(clientId);
    await fixture.sql`INSERT INTO order_events (order_id, type, data) VALUES (${orderId}, ${type}, ${fixture.sql.json(data)})`;
    await setStatus(orderId, 'manual_handling');
    await deliver((await outbox())[0]!);
    expect(JSON.parse(received[0]!.body)).toMatchObject({ status: 'manual_handling', comment });
  });
});
