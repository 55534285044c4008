import { resolveProducts } from '../../src/catalog/resolve-products';
import { reduce } from '../../src/orders/domain/lifecycle/reduce';
import { initialSnapshot, type RunSnapshot } from '../../src/orders/domain/run/run-record';
import { json, type Sql } from '../../src/platform/postgres';
import { sampleOrder } from '../support/sample-order';

/** The partner of every order. */
export const PARTNER = 'prints-berlin';

/** Returns the snapshot of a run whose print order a partner has accepted, with `item`, `print-order` and `job` as ids. */
function acceptedSnapshot(partnerId: string): RunSnapshot {
  const dispatchDueAt = new Date(Date.now() + 30 * 86_400_000).toISOString();
  const printOrder = {
    id: 'print-order',
    partnerId,
    partnerUid: PARTNER,
    dispatchDate: dispatchDueAt.slice(0, 10),
    dispatchDueAt,
    reproducesId: null,
    jobs: [{ id: 'job', itemId: 'item', quantity: 1 }],
  };
  const snapshot = initialSnapshot([{ id: 'item', quantity: 1 }]);
  const planned = reduce(snapshot.state, { type: 'prepared', printOrders: [printOrder] }).state;
  const accepted = {
    type: 'delivery',
    printOrderId: printOrder.id,
    outcome: 'accepted',
    message: '',
  } as const;
  const { state } = reduce(planned, accepted);
  const clock = { ...snapshot.clock, acceptedAt: { [printOrder.id]: Date.now() } };
  return { state: { ...state, version: 12 }, clock, pending: [] };
}

/** Returns a function that inserts orders whose print order a partner has accepted. */
export async function orderInserter(sql: Sql): Promise<(from: number, to: number) => Promise<void>> {
  const [client] = await sql<{ id: string }[]>`SELECT id FROM accounts WHERE role = 'client' LIMIT 1`;
  const [partner] = await sql<{ id: string }[]>`SELECT account_id AS id FROM partners WHERE uid = ${PARTNER}`;
  const order = sampleOrder('bench', 'https://files.example/poster.pdf');
  const [item] = order.items;
  const [resolution] = await resolveProducts(sql, { clientId: client!.id }, [{ productUid: item!.productUid }]);
  if (!resolution?.ok) throw new Error('the demo catalog has no poster');
  const { product } = resolution;
  const snapshot = JSON.stringify(acceptedSnapshot(partner!.id));
  const orderId = sql.unsafe(`('01a00000000070008000' || lpad(to_hex(n), 12, '0'))::uuid`);
  return async (from, to) => {
    for (let first = from; first <= to; first += 10_000) {
      const series = sql`generate_series(${first}::int, ${Math.min(to, first + 9_999)}::int) AS n`;
      await sql`
        INSERT INTO orders (id, client_id, order_reference_id, order_type, fulfillment_status, financial_status, currency,
          shipping_address, created_at, ordered_at, updated_at, run_version)
        SELECT ${orderId}, ${client!.id}, 'open-' || n, 'order', 'passed', 'invoiced', 'EUR',
          ${json(sql, { id: partner!.id, ...order.shippingAddress })}, now() - interval '2 hours', now(),
          now() - interval '1 hour', 12
        FROM ${series}`;
      await sql`
        INSERT INTO order_items (id, order_id, position, item_reference_id, product_uid, quantity, fulfillment_status,
          product, price_minor, page_count, dpi) OVERRIDING SYSTEM VALUE
        SELECT 1000000 + n, ${orderId}, 0, 'poster', ${item!.productUid}, 1, 'passed', ${json(sql, product)}, 990, 1, 300
        FROM ${series}`;
      await sql`
        INSERT INTO print_orders (id, order_id, partner_id, step, kind, version, status, message_id, dispatch_date, accepted_at)
        OVERRIDING SYSTEM VALUE
        SELECT 2000000 + n, ${orderId}, ${partner!.id}, 'handoff:0', 'print', '1.1', 'accepted', 'msg-open-' || n,
          current_date + 30, now()
        FROM ${series}`;
      await sql`
        INSERT INTO run_snapshots (order_id, snapshot)
        SELECT ${orderId}, replace(replace(replace(${snapshot}::text, '"item"', '"' || 1000000 + n || '"'),
          '"print-order"', '"' || 2000000 + n || '"'), '"job"', '"' || 3000000 + n || '"')::jsonb
        FROM ${series}`;
      await sql`
        INSERT INTO print_jobs (id, print_order_id, order_item_id, quantity, status) OVERRIDING SYSTEM VALUE
        SELECT 3000000 + n, 2000000 + n, 1000000 + n, 1, 'passed' FROM ${series}`;
      await sql`
        INSERT INTO planned_shipments (id, order_id, print_order_id, carrier_uid, shipment_method_uid, shipment_method_name,
          service_type, is_cheapest, package_count, total_weight_grams, price_minor, currency, min_delivery_days,
          max_delivery_days, min_delivery_date, max_delivery_date, initial_min_delivery_date, initial_max_delivery_date,
          fulfillment_country, fulfillment_facility_id)
        SELECT gen_random_uuid(), ${orderId}, 2000000 + n, 'corvid_post', 'corvid_post_letter', 'Letter',
          'normal', true, 1, 350, 390, 'EUR', 2, 4, current_date, current_date, current_date, current_date, 'DE', ${PARTNER}
        FROM ${series}`;
      await sql`
        INSERT INTO trackings (tracking_number, short_uid, print_order_id, carrier_uid, adapter_uid, next_check_at)
        SELECT 'OPEN' || n, 'open-' || n, 2000000 + n, 'corvid_post', 'corvid_post', now() + interval '6 hours'
        FROM ${series}`;
    }
  };
}
