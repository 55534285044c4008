import { seedDemoCatalog } from '../../sandbox/demo/catalog';
import { resolveProducts } from '../../src/catalog/resolve-products';
import { buildReceipt } from '../../src/orders/domain/receipt';
import { searchOrders } from '../../src/orders/reading/order-list';
import { findOrder, readOrders } from '../../src/orders/reading/order-reader';
import { orderView } from '../../src/orders/reading/retrieved-order';
import type { PartnerCapabilities } from '../../src/partners/domain/capabilities';
import { createLinkSigner } from '../../src/platform/objects/signed-links';
import { connectPostgres, json, type Sql } from '../../src/platform/postgres';
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

/** Orders that are placed one after the other. Order n has n in its id, its reference and its tracking number. */
export interface OrderSeries {
  /** Time of order 0, in milliseconds since 1970. */
  readonly begin: number;
  /** Milliseconds between two orders. */
  readonly everyMs: number;
  /** Order n is of the client n modulo their number. */
  readonly clientIds: readonly string[];
  readonly partnerId: string;
  /** Statuses in rotation. */
  readonly statuses: readonly string[];
  /** Older orders have no stored file any more. */
  readonly filesKeptFrom: number;
}

const yearSeries = (rows: number): OrderSeries => ({
  begin: YEAR.begin,
  everyMs: Math.floor(YEAR.ms / rows),
  clientIds: Array.from({ length: CLIENTS }, (_, n) => clientId(n)),
  partnerId: PARTNER,
  statuses: STATUSES,
  filesKeptFrom: 0,
});

/** Returns the id of order n: a version 7 UUID of its time. */
export const orderIdOf = ({ begin, everyMs }: Pick<OrderSeries, 'begin' | 'everyMs'>, n: number) =>
  `${(begin + n * everyMs)
    .toString(16)
    .padStart(12, '0')
    .replace(/(.{8})/, '$1-')}-7000-8000-${n.toString(16).padStart(12, '0')}`;
export const orderId = (n: number, rows: number) => orderIdOf(yearSeries(rows), n);
/** Returns SQL for the milliseconds since 1970, and for the id, of order n. */
export const orderSql = ({ begin, everyMs }: Pick<OrderSeries, 'begin' | 'everyMs'>) => {
  const ms = `(${begin} + n * ${everyMs}::bigint)`;
  return {
    time: `to_timestamp(${ms} / 1000.0)`,
    id: `(lpad(to_hex(${ms}), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid`,
  };
};
/** Returns SQL for the id of a row of order n. */
const uuidSql = (kind: string) => `('${kind}00c000000070008000' || lpad(to_hex(n), 12, '0'))::uuid`;

/** Orders of one statement. */
export const FILL_STEP = 20_000;

/**
 * Returns a function that inserts the orders `from` to `to` of a series. Each has one item with a file, a print order, a
 * shipment with label and tracking code, an invoice, and six log entries.
 */
export async function orderFiller(sql: Sql, series: OrderSeries): Promise<(from: number, to: number) => Promise<void>> {
  const order = sampleOrder('bench', 'https://files.example/poster.pdf');
  const [item] = order.items;
  const [resolution] = await resolveProducts(sql, { clientId: series.clientIds[0]! }, [
    { productUid: item!.productUid },
  ]);
  if (!resolution?.ok) throw new Error('the demo catalog has no poster');
  const receipt = buildReceipt({
    currency: 'EUR',
    tax: { treatment: 'taxed', country: 'DE' },
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
  const { statuses, clientIds, partnerId, filesKeptFrom } = series;
  const [ofOrder, created] = [sql.unsafe(orderSql(series).id), sql.unsafe(orderSql(series).time)];
  return async (from, to) => {
    const numbers = sql`generate_series(${from}::int, ${to}::int) AS n`;
    await sql`
      INSERT INTO orders (id, client_id, order_reference_id, order_type, fulfillment_status, financial_status, currency,
        shipping_address, created_at, ordered_at, updated_at, run_version)
      SELECT ${ofOrder}, (${[...clientIds]}::uuid[])[1 + n % ${clientIds.length}],
        'ref-' || n, 'order', (${[...statuses]}::text[])[1 + n % ${statuses.length}], 'invoiced', 'EUR',
        ${json(sql, { id: partnerId, ...order.shippingAddress })}::jsonb || jsonb_build_object('email', 'r' || n || '@example.com'),
        ${created}, ${created}, ${created} + interval '3 days', 12
      FROM ${numbers}`;
    await sql`
      INSERT INTO order_items (id, order_id, position, item_reference_id, product_uid, quantity, fulfillment_status, product,
        price_minor, page_count, dpi) OVERRIDING SYSTEM VALUE
      SELECT 1000000 + n, ${ofOrder}, 0, 'poster', ${item!.productUid}, 1, 'delivered',
        ${json(sql, resolution.product)}, 990, 1, 300
      FROM ${numbers}`;
    await sql`
      INSERT INTO order_files (id, order_item_id, position, type, url, object_key, mime_type, size_bytes, page_count, fetched_at)
      SELECT ${sql.unsafe(uuidSql('f1'))}, 1000000 + n, 0, 'default', 'https://files.example/' || n || '.pdf',
        CASE WHEN n >= ${filesKeptFrom} THEN 'orders/' || n || '/files/poster' END, 'application/pdf', 250000, 1, now()
      FROM ${numbers}`;
    await sql`
      INSERT INTO print_orders (id, order_id, partner_id, step, kind, version, status, message_id, dispatch_date, accepted_at)
      OVERRIDING SYSTEM VALUE
      SELECT 2000000 + n, ${ofOrder}, ${partnerId}, 'handoff:0', 'print', '1.1', 'accepted', 'msg-' || n,
        '2026-06-01', ${created}
      FROM ${numbers}`;
    await sql`
      INSERT INTO print_jobs (id, print_order_id, order_item_id, quantity, status) OVERRIDING SYSTEM VALUE
      SELECT 3000000 + n, 2000000 + n, 1000000 + n, 1, 'delivered' FROM ${numbers}`;
    await sql`
      INSERT INTO planned_shipments (id, order_id, print_order_id, carrier_uid, shipment_method_uid, shipment_method_name,
        service_type, is_cheapest, package_count, total_weight_grams, price_minor, currency, min_delivery_days,
        max_delivery_days, min_delivery_date, max_delivery_date, initial_min_delivery_date, initial_max_delivery_date,
        fulfillment_country, fulfillment_facility_id)
      SELECT ${sql.unsafe(uuidSql('f2'))}, ${ofOrder}, 2000000 + n, 'corvid_post', 'corvid_letter', 'Letter',
        'normal', true, 1, 350, 390, 'EUR', 2, 4, '2026-06-03', '2026-06-05', '2026-06-03', '2026-06-05', 'DE', 'bench'
      FROM ${numbers}`;
    await sql`
      INSERT INTO shipments (id, idempotency_key, order_id, print_order_id, status, consignment, method_uid, bought_at)
      SELECT ${sql.unsafe(uuidSql('f3'))}, 'bench-' || n, ${ofOrder}, 2000000 + n, 'bought', '{}',
        'corvid_letter', ${created}
      FROM ${numbers}`;
    await sql`
      INSERT INTO shipment_packages (shipment_id, position, package_reference_id, tracking_number, tracking_url, cost_minor,
        currency, weight_grams)
      SELECT ${sql.unsafe(uuidSql('f3'))}, 0, 'pkg-1', 'LX' || n || 'DE', 'https://track.example/' || n, 390, 'EUR', 350
      FROM ${numbers}`;
    await sql`
      INSERT INTO receipts (id, order_id, type, step, currency, body)
      SELECT ${sql.unsafe(uuidSql('f4'))}, ${ofOrder}, 'invoice', 'handoff:0', 'EUR', ${json(sql, receipt)}
      FROM ${numbers}`;
    await sql`
      INSERT INTO order_events (order_id, order_item_id, type, data, at)
      SELECT ${ofOrder}, 1000000 + n, 'status', '{"status": "printed"}', ${created} FROM ${numbers}, generate_series(1, 6)`;
  };
}

/** Of a partner that gets no further order. */
const CAPABILITIES: PartnerCapabilities = {
  productKinds: [],
  models: {},
  countriesServed: [],
  calendar: {
    timeZone: 'Europe/Berlin',
    workingDays: [1, 2, 3, 4, 5],
    cutOff: '14:00',
    holidays: { country: 'DE' },
    closedDates: [],
  },
  capacityPerDay: 1,
};

/** Fills a migrated database with finished orders, which spread over a year (`orderFiller`). */
export async function fillOrders(url: string, rows: number): Promise<Filled> {
  const sql = connectPostgres(url, { max: 4, applicationName: 'bench-orders' });
  await seedDemoCatalog(sql);
  await sql`
    INSERT INTO accounts (id, name, role)
    SELECT ('0190c000000070008000' || lpad(n::text, 12, '0'))::uuid, 'client ' || n, 'client'
    FROM generate_series(0, ${CLIENTS - 1}::int) AS n`;
  await sql`INSERT INTO accounts (id, name, role) VALUES (${PARTNER}, 'bench', 'partner')`;
  await sql`
    INSERT INTO partners (account_id, uid, name, country, currency, sender_address, capabilities)
    VALUES (${PARTNER}, 'bench', 'Bench', 'DE', 'EUR', '{}', ${json(sql, CAPABILITIES)})`;
  // The partitions of the year.
  for (let days = 0; days <= 365; days += 28) await createPartitions(sql, new Date(YEAR.begin + days * 86_400_000));
  const insert = await orderFiller(sql, yearSeries(rows));
  for (let from = 1; from <= rows; from += FILL_STEP) await insert(from, Math.min(rows, from + FILL_STEP - 1));
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
