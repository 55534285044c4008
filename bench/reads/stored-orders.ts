import { seedDemoCatalog } from '../../src/catalog/demo/seed';
import { resolveProducts } from '../../src/catalog/resolve-products';
import { buildReceipt } from '../../src/orders/domain/receipt';
import { searchOrders } from '../../src/orders/reading/order-list';
import { findOrder, readOrders } from '../../src/orders/reading/order-reader';
import { orderView } from '../../src/orders/reading/order-view';
import { createLinkSigner } from '../../src/platform/objects/signed-links';
import { connectPostgres, json } from '../../src/platform/postgres';
import { createPartitions } from '../../src/platform/schema/partitioned-tables';
import type { Filled, Reading } from '../support/compare-sizes';
import { sampleOrder } from '../support/sample-order';

/** Number of clients. Each has one in a hundred of the orders. */
const CLIENTS = 100;
export const PARTNER = '0190c000-0000-7000-8000-00000000b001';
/** Statuses in rotation, so that both sizes have the same share of each. */
const STATUSES = ['created', 'in_production', 'printed', 'shipped', 'failed', ...Array(95).fill('delivered')];

const clientId = (n: number) => `0190c000-0000-7000-8000-${String(n % CLIENTS).padStart(12, '0')}`;
/** Begin and length of the year in which the orders are placed, in milliseconds. */
const YEAR = { begin: Date.UTC(2026, 0, 1), ms: 365 * 86_400_000 };
export const orderId = (n: number, rows: number) =>
  `${(YEAR.begin + n * Math.floor(YEAR.ms / rows))
    .toString(16)
    .padStart(12, '0')
    .replace(/(.{8})/, '$1-')}-7000-8000-${n.toString(16).padStart(12, '0')}`;
const orderIdSql = (rows: number) =>
  `(lpad(to_hex(${YEAR.begin} + n * ${Math.floor(YEAR.ms / rows)}::bigint), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid`;
/** Returns SQL for the id of a row of order n. */
const uuidSql = (kind: string) => `('${kind}00c000000070008000' || lpad(to_hex(n), 12, '0'))::uuid`;

/**
 * Fills a migrated database with finished orders, which spread over a year. Each has one item with a file, a print order,
 * a shipment with label and tracking code, an invoice, and six log entries.
 */
export async function fillOrders(url: string, rows: number): Promise<Filled> {
  const sql = connectPostgres(url, { max: 4, applicationName: 'bench-orders' });
  await seedDemoCatalog(sql);
  const order = sampleOrder('bench', 'https://files.example/poster.pdf');
  const [item] = order.items;
  const [resolution] = await resolveProducts(sql, { clientId: clientId(0) }, [{ productUid: item!.productUid }]);
  if (!resolution?.ok) throw new Error('the demo catalog has no poster');
  const receipt = buildReceipt({
    currency: 'EUR',
    products: [
      {
        referenceId: 'poster',
        title: resolution.product.name,
        vatRate: '0.19',
        price: { quantity: 1, baseMinor: 990, lineMinor: 990 },
      },
    ],
    shipments: [{ referenceId: 'corvid_letter', title: 'Letter', vatRate: '0.19', priceMinor: 390 }],
  });
  await sql`
    INSERT INTO accounts (id, name, role)
    SELECT ('0190c000000070008000' || lpad(n::text, 12, '0'))::uuid, 'client ' || n, 'client'
    FROM generate_series(0, ${CLIENTS - 1}::int) AS n`;
  await sql`INSERT INTO accounts (id, name, role) VALUES (${PARTNER}, 'bench', 'partner')`;
  await sql`
    INSERT INTO partners (account_id, uid, name, country, currency, sender_address, capabilities)
    VALUES (${PARTNER}, 'bench', 'Bench', 'DE', 'EUR', '{}', '{}')`;
  // The partitions of the year.
  for (let days = 0; days <= 365; days += 28) await createPartitions(sql, new Date(YEAR.begin + days * 86_400_000));
  const ofOrder = sql.unsafe(orderIdSql(rows));
  const step = 20_000;
  for (let from = 1; from <= rows; from += step) {
    const series = sql`generate_series(${from}::int, ${Math.min(rows, from + step - 1)}::int) AS n`;
    await sql`
      INSERT INTO orders (id, client_id, order_reference_id, order_type, fulfillment_status, financial_status, currency,
        shipping_address, created_at, ordered_at, run_version)
      SELECT ${ofOrder}, ('0190c000000070008000' || lpad((n % ${CLIENTS})::text, 12, '0'))::uuid,
        'ref-' || n, 'order', (${STATUSES}::text[])[1 + n % ${STATUSES.length}], 'invoiced', 'EUR',
        ${json(sql, { id: PARTNER, ...order.shippingAddress })}::jsonb || jsonb_build_object('email', 'r' || n || '@example.com'),
        created, created, 12
      FROM ${series}, LATERAL (SELECT '2026-01-01T00:00:00Z'::timestamptz + n * (interval '365 days' / ${rows}::float8)) AS at (created)`;
    await sql`
      INSERT INTO order_items (id, order_id, position, item_reference_id, product_uid, quantity, fulfillment_status, product,
        price_minor, page_count, dpi) OVERRIDING SYSTEM VALUE
      SELECT 1000000 + n, ${ofOrder}, 0, 'poster', ${item!.productUid}, 1, 'delivered',
        ${json(sql, resolution.product)}, 990, 1, 300
      FROM ${series}`;
    await sql`
      INSERT INTO order_files (id, order_item_id, position, type, url, object_key, mime_type, size_bytes, page_count, fetched_at)
      SELECT ${sql.unsafe(uuidSql('f1'))}, 1000000 + n, 0, 'default', 'https://files.example/' || n || '.pdf',
        'orders/' || n || '/files/poster', 'application/pdf', 250000, 1, now()
      FROM ${series}`;
    await sql`
      INSERT INTO print_orders (id, order_id, partner_id, step, kind, version, status, message_id, dispatch_date, accepted_at)
      OVERRIDING SYSTEM VALUE
      SELECT 2000000 + n, ${ofOrder}, ${PARTNER}, 'handoff:0', 'print', '1.1', 'accepted', 'msg-' || n,
        '2026-06-01', now()
      FROM ${series}`;
    await sql`
      INSERT INTO print_jobs (id, print_order_id, order_item_id, quantity, status) OVERRIDING SYSTEM VALUE
      SELECT 3000000 + n, 2000000 + n, 1000000 + n, 1, 'delivered' FROM ${series}`;
    await sql`
      INSERT INTO planned_shipments (id, order_id, print_order_id, carrier_uid, shipment_method_uid, shipment_method_name,
        service_type, is_cheapest, package_count, total_weight_grams, price_minor, currency, min_delivery_days,
        max_delivery_days, min_delivery_date, max_delivery_date, initial_min_delivery_date, initial_max_delivery_date,
        fulfillment_country, fulfillment_facility_id)
      SELECT ${sql.unsafe(uuidSql('f2'))}, ${ofOrder}, 2000000 + n, 'corvid_post', 'corvid_letter', 'Letter',
        'normal', true, 1, 350, 390, 'EUR', 2, 4, '2026-06-03', '2026-06-05', '2026-06-03', '2026-06-05', 'DE', 'bench'
      FROM ${series}`;
    await sql`
      INSERT INTO shipments (id, idempotency_key, order_id, print_order_id, status, consignment, method_uid, bought_at)
      SELECT ${sql.unsafe(uuidSql('f3'))}, 'bench-' || n, ${ofOrder}, 2000000 + n, 'bought', '{}',
        'corvid_letter', now()
      FROM ${series}`;
    await sql`
      INSERT INTO shipment_packages (shipment_id, position, package_reference_id, tracking_number, tracking_url, cost_minor,
        currency, weight_grams)
      SELECT ${sql.unsafe(uuidSql('f3'))}, 0, 'pkg-1', 'LX' || n || 'DE', 'https://track.example/' || n, 390, 'EUR', 350
      FROM ${series}`;
    await sql`
      INSERT INTO receipts (id, order_id, type, step, currency, body)
      SELECT ${sql.unsafe(uuidSql('f4'))}, ${ofOrder}, 'invoice', 'handoff:0', 'EUR', ${json(sql, receipt)}
      FROM ${series}`;
    await sql`
      INSERT INTO order_events (order_id, order_item_id, type, data)
      SELECT ${ofOrder}, 1000000 + n, 'status', '{"status": "printed"}' FROM ${series}, generate_series(1, 6)`;
  }
  await sql`VACUUM ANALYZE`;
  return { url, sql, rows };
}

/** Returns the order that a turn reads, at the same share of both sizes. */
export const orderAt = (rows: number, turn: number) => 1 + Math.floor((((turn * 7_919) % 10_007) / 10_007) * rows);

const links = createLinkSigner({
  keys: [{ id: 'a', secret: 'x'.repeat(32) }],
  publicUrl: 'https://api.example',
});

const read =
  (name: (n: number, rows: number) => string): Reading =>
  async ({ sql, rows }, turn) => {
    const n = orderAt(rows, turn);
    const found = await findOrder(sql, { clientId: clientId(n) }, name(n, rows));
    const [order] = await readOrders(sql, [found!.id]);
    return orderView(order!, links);
  };

/** The measured reads: complete orders, and pages of 50. */
export const ORDER_READINGS: Readonly<Record<string, Reading>> = {
  'order by id': read(orderId),
  'order by reference': read((n) => `ref-${n}`),
  'newest orders of a client': ({ sql }, turn) =>
    searchOrders(sql, { clientId: clientId(turn) }, {}, { limit: 50, after: null }),
  'newest orders in production, operators': ({ sql }) =>
    searchOrders(sql, { clientId: null }, { fulfillmentStatuses: ['in_production'] }, { limit: 50, after: null }),
};
