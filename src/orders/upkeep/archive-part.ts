import { createHash, randomBytes } from 'node:crypto';
import { uuidv7 } from '../../platform/ids';
import type { ObjectStore } from '../../platform/objects/object-store';
import { parquetOf, readParquet } from '../../platform/parquet';
import { inTransaction, json, type Queryable, type Transaction } from '../../platform/postgres';
import { progressed } from '../../platform/progress';
import {
  type ArchiveDeps,
  type ArchivePart,
  fileKey,
  openRecord,
  RECORDS_FILE,
  type RecordRow,
  sealRecord,
} from '../reading/archived-order';
import { deleteRows, type OrderRows, rowsOfOrder, type StoredRow } from '../reading/archived-tables';
import { reportLines } from '../reading/report-lines';
import { ARCHIVE_FILES, RECORDS, type ReportedRows } from './archive-files';

const READ_ORDERS = 100;
/** Orders of a row group of the records: an order is read from one of them. */
const RECORDS_OF_GROUP = 50;

interface ArchivedOrder {
  readonly id: string;
  readonly key: Buffer;
  readonly hash: string;
  readonly rows: ReportedRows;
  readonly record: RecordRow;
}

/**
 * Moves orders to one set of files.
 * @param day of the orders in UTC, YYYY-MM-DD
 * @throws ArchiveNotVerified when the stored files do not hold what the tables hold, or an order has changed meanwhile
 * @throws Error when another process has taken over
 */
export async function archivePart({ sql, objects }: ArchiveDeps, day: string, ids: readonly string[]): Promise<void> {
  const part = { id: uuidv7(), day };
  await sql`INSERT INTO archive_parts (id, day) VALUES (${part.id}, ${part.day})`;
  try {
    const orders = await readOrderRows(sql, ids);
    if (orders.length < ids.length) throw new Error('another process has archived an order of the part');
    await storeFiles(objects, part, orders);
    const totals = await verifiedTotals(objects, part, orders);
    await inTransaction(sql, (tx) => completePart(tx, part.id, orders, totals));
  } catch (error) {
    await sql`UPDATE archive_parts SET state = 'discarded' WHERE id = ${part.id} AND state = 'writing'`;
    throw error;
  }
}

async function readOrderRows(sql: Queryable, ids: readonly string[]): Promise<ArchivedOrder[]> {
  const orders: ArchivedOrder[] = [];
  for (const chunk of chunksOf(ids)) {
    const read = await sql<{ id: string; rows: string; erased: string; hash: string }[]>`
      SELECT id, rows::text, erased::text, ${hashOf(sql)} AS hash FROM (
        SELECT o.id, ${rowsOfOrder(sql, { isErased: false })} AS rows, ${rowsOfOrder(sql, { isErased: true })} AS erased
        FROM orders o WHERE o.id = ANY(${chunk}::uuid[])) AS o
      ORDER BY id`;
    const lines = await readReportLines(sql, chunk);
    for (const { id, rows, erased, hash } of read) {
      const key = randomBytes(32);
      const sealed = sealRecord(id, rows, key);
      orders.push({
        id,
        key,
        hash,
        rows: { ...(JSON.parse(rows) as OrderRows), report_lines: lines.get(id) ?? [] },
        record: { order_id: id, rows: erased, sealed },
      });
    }
    progressed();
  }
  return orders;
}

async function readReportLines(sql: Queryable, ids: readonly string[]): Promise<Map<string, readonly StoredRow[]>> {
  const rows = await sql<{ orderId: string; lines: readonly StoredRow[] }[]>`
    SELECT order_id, jsonb_agg(to_jsonb(line)) AS lines
    FROM ${reportLines(sql, sql`o.id = ANY(${[...ids]}::uuid[])`)} AS line GROUP BY order_id`;
  return new Map(rows.map(({ orderId, lines }) => [orderId, lines]));
}

const hashOf = (sql: Queryable) => sql`encode(sha256(convert_to(rows::text, 'UTF8')), 'hex')`;
async function storeFiles(objects: ObjectStore, part: ArchivePart, orders: readonly ArchivedOrder[]): Promise<void> {
  const put = async (name: string, bytes: Uint8Array) => {
    await objects.put(fileKey(part, name), bytes, { contentType: 'application/vnd.apache.parquet' });
    progressed();
  };
  for (const { name, columns, rows } of ARCHIVE_FILES)
    await put(
      name,
      await parquetOf(
        columns,
        orders.flatMap((order) => rows(order.rows)),
      ),
    );
  await put(
    RECORDS_FILE,
    await parquetOf(
      RECORDS.columns,
      orders.map(({ record }) => record),
      RECORDS_OF_GROUP,
    ),
  );
}

type Totals = Readonly<
  Record<
    'orders' | 'items' | 'events' | 'receipts' | 'parcels' | 'reportLines' | 'quantity' | 'minor' | 'costMinor',
    number
  >
>;

/**
 * Reads the stored files again. Returns their totals.
 * @throws ArchiveNotVerified when an order cannot be restored from them
 */
async function verifiedTotals(
  objects: ObjectStore,
  part: ArchivePart,
  orders: readonly ArchivedOrder[],
): Promise<Totals> {
  const read = async <T>(name: string) => {
    const found = await objects.get(fileKey(part, name));
    if (found === null) throw new ArchiveNotVerified(`the store has no ${fileKey(part, name)}`);
    const rows = await readParquet<T>(new Uint8Array(Buffer.concat(await found.body.toArray())).buffer);
    progressed();
    return rows;
  };
  const records = await read<RecordRow>(RECORDS_FILE);
  for (const [index, { id, key, hash }] of orders.entries()) {
    const record = records[index];
    const isIntact =
      record?.order_id === id && createHash('sha256').update(openRecord(record, key)).digest('hex') === hash;
    if (!isIntact) throw new ArchiveNotVerified(`the stored record of order ${id} differs from its rows`);
  }
  const sum = (rows: readonly StoredRow[], column: string) =>
    rows.reduce((total, row) => total + Number(row[column] ?? 0), 0);
  const [items, receipts, parcels] = [
    await read<StoredRow>('items'),
    await read<StoredRow>('receipts'),
    await read<StoredRow>('parcels'),
  ];
  return {
    orders: (await read('orders')).length,
    items: items.length,
    events: (await read('events')).length,
    receipts: receipts.length,
    parcels: parcels.length,
    reportLines: (await read('report')).length,
    quantity: sum(items, 'quantity'),
    minor: sum(receipts, 'total_incl_vat'),
    costMinor: sum(parcels, 'cost_minor'),
  };
}

/** Stored files differ from the rows that they hold. Nothing was dropped. */
export class ArchiveNotVerified extends Error {
  override readonly name = 'ArchiveNotVerified';
}

/**
 * Replaces the rows of verified orders by index rows, and completes their part.
 * @throws ArchiveNotVerified when an order has changed since its rows were written
 * @throws Error when another process has discarded the part
 */
async function completePart(
  tx: Transaction,
  partId: string,
  orders: readonly ArchivedOrder[],
  totals: Totals,
): Promise<void> {
  const ids = orders.map(({ id }) => id);
  const completed = await tx`
    UPDATE archive_parts SET state = 'complete', totals = ${json(tx, totals)} WHERE id = ${partId} AND state = 'writing' RETURNING id`;
  if (completed.length === 0) throw new Error('another process has discarded the part');
  await lockOrders(tx, ids);
  const stored = await totalsOf(tx, ids);
  for (const [name, total] of Object.entries(totals)) {
    const expected = stored[name as keyof Totals];
    if (expected !== total) throw new ArchiveNotVerified(`${name}: ${total} in the files, ${expected} in the tables`);
  }
  const hashes = new Map(orders.map(({ id, hash }) => [id, hash]));
  for (const chunk of chunksOf(ids)) {
    const rows = await tx<{ id: string; hash: string }[]>`
      SELECT id, ${hashOf(tx)} AS hash FROM (
        SELECT o.id, ${rowsOfOrder(tx, { isErased: false })} AS rows FROM orders o WHERE o.id = ANY(${chunk}::uuid[])) AS o`;
    const changed = rows.length !== chunk.length || rows.some(({ id, hash }) => hashes.get(id) !== hash);
    if (changed) throw new ArchiveNotVerified('an order has changed since it was written');
    progressed();
  }
  await insertIndexRows(tx, partId, orders);
  const deleted = await deleteRows(tx, ids);
  if (deleted !== ids.length) throw new ArchiveNotVerified(`${deleted} of ${ids.length} orders were there to drop`);
}

/** Locks the orders and the rows that other tables refer to, so that no row is added until the transaction ends. */
async function lockOrders(tx: Transaction, ids: readonly string[]): Promise<void> {
  const of = tx`order_id = ANY(${[...ids]}::uuid[])`;
  const printOrders = tx`print_order_id IN (SELECT id FROM print_orders WHERE ${of})`;
  await tx`SELECT FROM orders WHERE id = ANY(${[...ids]}::uuid[]) ORDER BY id FOR UPDATE`;
  await tx`SELECT FROM order_items WHERE ${of} ORDER BY id FOR UPDATE`;
  await tx`SELECT FROM print_orders WHERE ${of} ORDER BY id FOR UPDATE`;
  await tx`SELECT FROM shipments WHERE ${printOrders} ORDER BY id FOR UPDATE`;
  await tx`
    SELECT FROM trackings WHERE (tracking_number, generation) IN (
      SELECT tracking_number, generation FROM trackings WHERE ${printOrders}
      UNION SELECT tracking_number, generation FROM trackings
        WHERE shipment_id IN (SELECT id FROM shipments WHERE ${printOrders}))
    ORDER BY tracking_number, generation FOR UPDATE`;
}

async function totalsOf(tx: Queryable, ids: readonly string[]): Promise<Totals> {
  const of = tx`order_id = ANY(${[...ids]}::uuid[])`;
  const printOrders = tx`print_order_id IN (SELECT id FROM print_orders WHERE ${of})`;
  const packages = tx`FROM shipment_packages WHERE shipment_id IN (SELECT id FROM shipments WHERE ${printOrders})`;
  const [row] = await tx<Totals[]>`
    SELECT (SELECT count(*) FROM orders WHERE id = ANY(${[...ids]}::uuid[]))::int AS orders, items.*,
      (SELECT count(*) FROM order_events WHERE ${of})::int AS events, receipts.*,
      (SELECT count(*) ${packages})::int + (SELECT count(*) FROM trackings WHERE ${printOrders})::int AS parcels,
      (SELECT count(*) FROM ${reportLines(tx, tx`o.id = ANY(${[...ids]}::uuid[])`)} AS lines)::int AS report_lines,
      (SELECT coalesce(sum(cost_minor), 0) ${packages})::float8 AS cost_minor
    FROM (SELECT count(*)::int AS items, coalesce(sum(quantity), 0)::float8 AS quantity FROM order_items WHERE ${of}) AS items,
      (SELECT count(*)::int AS receipts, coalesce(sum((body #>> '{totals,totalInclVat}')::bigint), 0)::float8 AS minor
        FROM receipts WHERE ${of}) AS receipts`;
  return row!;
}

async function insertIndexRows(tx: Transaction, partId: string, orders: readonly ArchivedOrder[]): Promise<void> {
  const keys = orders.map(({ id, key }, row) => ({ id, key: key.toString('hex'), row }));
  await tx`
    INSERT INTO archived_orders (id, client_id, order_reference_id, replaces_id, channel, fulfillment_status, financial_status,
      refusal_reason_code, currency, country, item_count, total_incl_vat, created_at, ordered_at, updated_at, part_id, part_row,
      emails, record_key, erased_at)
    SELECT o.id, o.client_id, o.order_reference_id, o.replaces_id, o.channel, o.fulfillment_status, o.financial_status,
      o.refusal_reason_code, o.currency, o.shipping_address ->> 'country',
      (SELECT count(*) FROM order_items i WHERE i.order_id = o.id),
      (SELECT sum((r.body #>> '{totals,totalInclVat}')::bigint) FROM receipts r WHERE r.order_id = o.id),
      o.created_at, o.ordered_at, o.updated_at, ${partId}, k.row,
      CASE WHEN o.erased_at IS NULL THEN (
        SELECT array_agg(DISTINCT lower(email)) FROM (
          SELECT o.shipping_address ->> 'email' AS email
          UNION ALL SELECT c.replaced_email FROM shipping_changes c WHERE c.order_id = o.id) e WHERE email IS NOT NULL) END,
      CASE WHEN o.erased_at IS NULL THEN decode(k.key, 'hex') END, o.erased_at
    FROM jsonb_to_recordset(${json(tx, keys)}) AS k (id uuid, key text, row int) JOIN orders o ON o.id = k.id`;
  const ids = orders.map(({ id }) => id);
  await tx`
    INSERT INTO archived_parcels (tracking_number, order_id)
    SELECT DISTINCT t.tracking_number, p.order_id
    FROM print_orders p LEFT JOIN shipments s ON s.print_order_id = p.id
    JOIN trackings t ON t.shipment_id = s.id OR t.print_order_id = p.id
    WHERE p.order_id = ANY(${ids}::uuid[])`;
}

function* chunksOf(ids: readonly string[]): Generator<string[]> {
  for (let from = 0; from < ids.length; from += READ_ORDERS) yield ids.slice(from, from + READ_ORDERS);
}
