import { SUM_COLUMNS } from '../../src/orders/reading/report-sums';
import { parquetOf } from '../../src/platform/parquet';
import type { Sql } from '../../src/platform/postgres';
import { createPartitions } from '../../src/platform/schema/partitioned-tables';
import { FILL_STEP, type OrderSeries, orderFiller, orderSql } from '../reads/stored-orders';

const DAY_MS = 86_400_000;
/** Orders of one archived part, and index rows of one statement. */
const PART_ORDERS = 1_000;
const INDEX_STEP = 500_000;
/** Days for which the tables with orders and their messages keep rows. */
const DELIVERIES_KEPT_DAYS = 30;
const KEYS_KEPT_DAYS = 7;

/**
 * Inserts ended orders with all that their partitioned tables hold: postbacks, tracking, requests to the partner, and, for recent
 * orders, notifications and stored responses of idempotency keys.
 * @param owner a connection of the owner of the tables. Rows are inserted without triggers and foreign keys
 */
export async function fillHotOrders(
  owner: Sql,
  series: OrderSeries,
  endpointId: string,
  orders: number,
): Promise<void> {
  const insert = await orderFiller(owner, series);
  for (let day = 0; series.begin + day * DAY_MS < Date.now() + DAY_MS; day += 7)
    await createPartitions(owner, new Date(series.begin + day * DAY_MS));
  const { id, time } = orderSql(series);
  const [ofOrder, created, shipment] = [
    owner.unsafe(id),
    owner.unsafe(time),
    owner.unsafe(`('f300c000000070008000' || lpad(to_hex(n), 12, '0'))::uuid`),
  ];
  const youngerThan = (days: number) =>
    Math.max(1, Math.ceil((Date.now() - days * DAY_MS - series.begin) / series.everyMs));
  await owner`SET session_replication_role = replica`;
  for (let from = 1; from <= orders; from += FILL_STEP) {
    const to = Math.min(orders, from + FILL_STEP - 1);
    await insert(from, to);
    const numbers = owner`generate_series(${from}::int, ${to}::int) AS n`;
    await owner`
      INSERT INTO trackings (tracking_number, short_uid, shipment_id, carrier_uid, adapter_uid, status_uid, created_at, updated_at)
      SELECT 'LX' || n || 'DE', 'year-' || n, ${shipment}, 'corvid_post', 'corvid_post', 'delivered', ${created},
        ${created} + interval '3 days'
      FROM ${numbers}`;
    await owner`
      INSERT INTO tracking_checkpoints (tracking_number, tracked_since, event_key, status_uid, message, signed_by, occurred_at,
        received_at)
      SELECT 'LX' || n || 'DE', ${created}, 'event-' || step, 'in_transit', 'The parcel is on its way.', '',
        ${created} + step * interval '1 day', ${created} + step * interval '1 day'
      FROM ${numbers}, generate_series(1, 3) AS step`;
    await owner`
      INSERT INTO postbacks (partner_id, order_id, print_order_id, fingerprint, body, received_at, handled_at)
      SELECT ${series.partnerId}, ${ofOrder}, 2000000 + n, sha256((n || ' ' || step)::bytea), '{"status": "printed"}',
        ${created}, ${created}
      FROM ${numbers}, generate_series(1, 3) AS step`;
    await owner`
      INSERT INTO partner_requests (partner_id, print_order_id, kind, at, duration_ms, status, outcome)
      SELECT ${series.partnerId}, 2000000 + n, 'print_order', ${created}, 80, 200, 'accepted' FROM ${numbers}`;
    const notified = youngerThan(DELIVERIES_KEPT_DAYS);
    if (to >= notified)
      await owner`
        INSERT INTO webhook_deliveries (id, endpoint_id, message_id, event, order_id, body, state, next_attempt_at, created_at,
          settled_at)
        SELECT overlay(${ofOrder}::text placing '7' || lpad(step::text, 3, '0') from 15 for 4)::uuid, ${endpointId},
          ${ofOrder}, 'order_status_updated', ${ofOrder}, '[' || repeat('{"fulfillmentStatus": "shipped"}, ', 29) || '{}]', 'delivered', NULL,
          ${created}, ${created}
        FROM generate_series(${Math.max(from, notified)}::int, ${to}::int) AS n, generate_series(1, 3) AS step`;
    const keyed = youngerThan(KEYS_KEPT_DAYS);
    if (to >= keyed)
      await owner`
        INSERT INTO idempotency_keys (account_id, key, operation_id, fingerprint, status, body, created_at)
        SELECT (${[...series.clientIds]}::uuid[])[1 + n % ${series.clientIds.length}], 'key-' || n, 'submitOrder',
          sha256(n::text::bytea), 200, jsonb_build_object('id', ${ofOrder}), ${created}
        FROM generate_series(${Math.max(from, keyed)}::int, ${to}::int) AS n`;
    process.stderr.write(`${to} of ${orders} orders\n`);
  }
  await owner`SET session_replication_role = DEFAULT`;
  // The numbers that the fill has taken.
  await owner`
    SELECT setval(pg_get_serial_sequence(name, 'id'), 100000000)
    FROM unnest(ARRAY['order_items', 'print_orders', 'print_jobs']) AS name`;
}

/**
 * Inserts the index rows of archived orders, which have no files: their lists and searches can be read, the orders cannot. Reports
 * take their sums, which are empty.
 */
export async function fillArchiveIndex(
  owner: Sql,
  series: Pick<OrderSeries, 'begin' | 'everyMs' | 'clientIds'>,
  orders: number,
): Promise<void> {
  const { id, time } = orderSql(series);
  const [ofOrder, created] = [owner.unsafe(id), owner.unsafe(time)];
  const part = owner.unsafe(`('f500c000000070008000' || lpad(to_hex(n / ${PART_ORDERS}), 12, '0'))::uuid`);
  await withoutIndexes(owner, ['archived_orders', 'archived_parcels'], async () => {
    await owner`SET session_replication_role = replica`;
    await owner`
      INSERT INTO archive_parts (id, day, state, totals)
      SELECT ${part}, ${created}::date, 'complete', '{}' FROM generate_series(0, ${orders}::int, ${PART_ORDERS}) AS n`;
    await owner`
      INSERT INTO report_days (day, place, part_ids, sums, summed_at)
      SELECT day, 'archive', array_agg(id ORDER BY id), ${Buffer.from(await parquetOf(SUM_COLUMNS, []))}, now()
      FROM archive_parts GROUP BY day`;
    for (let from = 1; from <= orders; from += INDEX_STEP) {
      const to = Math.min(orders, from + INDEX_STEP - 1);
      const numbers = owner`generate_series(${from}::int, ${to}::int) AS n`;
      await owner`
        INSERT INTO archived_orders (id, client_id, order_reference_id, channel, fulfillment_status, financial_status, currency,
          country, item_count, total_incl_vat, created_at, ordered_at, updated_at, part_id, part_row, emails, record_key)
        SELECT ${ofOrder}, (${[...series.clientIds]}::uuid[])[1 + n % ${series.clientIds.length}], 'old-' || n, 'api', 'delivered',
          'invoiced', 'EUR', 'DE', 1, 1642, ${created}, ${created}, ${created} + interval '3 days', ${part}, n % ${PART_ORDERS},
          ARRAY['a' || n || '@example.com'], sha256(n::text::bytea)
        FROM ${numbers}`;
      await owner`INSERT INTO archived_parcels (tracking_number, order_id) SELECT 'AX' || n || 'DE', ${ofOrder} FROM ${numbers}`;
      process.stderr.write(`${to} of ${orders} index rows\n`);
    }
    await owner`SET session_replication_role = DEFAULT`;
  });
}

/** Drops the indexes of tables, and builds them again after `fill`. Constraints keep theirs. */
async function withoutIndexes(owner: Sql, tables: readonly string[], fill: () => Promise<void>): Promise<void> {
  const indexes = await owner<{ name: string; definition: string }[]>`
    SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
    WHERE indrelid = ANY(${[...tables]}::regclass[])
      AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`;
  for (const { name } of indexes) await owner.unsafe(`DROP INDEX ${name}`);
  await fill();
  for (const { definition } of indexes) await owner.unsafe(definition);
}
