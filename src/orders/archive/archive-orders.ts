import { createHash, randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { uuidv7 } from '../../platform/ids';
import type { ObjectStore } from '../../platform/objects/object-store';
import { inTransaction, json, type Queryable, type Sql, type Transaction } from '../../platform/postgres';
import { progressed } from '../../platform/progress';
import { decrypt, encrypt } from '../../platform/sealing/named-keys';
import { ENDED_ORDERS } from '../domain/lifecycle/statuses';
import { reportLines } from '../reports/report-lines';
import { deleteRows, type OrderRows, rowsOfOrder, type StoredRow } from './archived-tables';
import {
  ARCHIVE_FILES,
  parquetOf,
  RECORDS,
  type RecordRow,
  type ReportedRows,
  readParquet,
  recordsFile,
} from './parquet-files';

export interface ArchiveDeps {
  readonly sql: Sql;
  readonly objects: ObjectStore;
}

/** Orders of one set of files. They are dropped in one transaction, and their files are held in memory. */
const PART_ORDERS = 1_000;
/** Orders of one statement that reads rows. */
const READ_ORDERS = 100;
/** Shortest age of an archived order in days: its files and documents are deleted before, and no partner reports on it any more. */
export const ARCHIVE_DAYS = 91;
/** How long the row of a discarded part is kept. A process that was thought dead may still store its files. */
const DISCARDED_KEPT = '1 day';

/** Returns the key of a file of a part. */
export const fileKey = (part: { readonly id: string; readonly day: string }, file: string): string =>
  `archive/${part.day}/${part.id}/${file}.parquet`;

/** The day in UTC of a version 7 UUID, as YYYY-MM-DD. */
export const dayOf = (id: string): string =>
  new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toISOString().slice(0, 10);

/**
 * Moves ended orders to the archive, one part after the other. It can be killed at any point, and run twice at the same time:
 * the rows of an order leave their tables in the transaction that completes its part, which was verified before.
 * @param before only orders that were submitted, and last changed, before this time
 * @returns the number of archived orders
 * @throws ArchiveNotVerified when the stored files do not hold what the tables hold, or an order has changed meanwhile
 */
export async function archiveOrders(deps: ArchiveDeps, before: Date): Promise<number> {
  let archived = 0;
  await deleteDiscarded(deps);
  for (let after = ''; ; ) {
    const ids = await nextOrders(deps.sql, before, after);
    if (ids.length === 0) return archived;
    await archivePart(deps, ids);
    archived += ids.length;
    after = ids.at(-1)!;
  }
}

/**
 * Returns the ids of orders of one day that can be archived. Nothing happens to them any more: they have ended and need no
 * attention, no run holds them, their files and documents are deleted, and they hold no stock.
 */
async function nextOrders(sql: Sql, before: Date, after: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    SELECT o.id FROM orders o
    WHERE o.id < least_uuid_at(${before}) ${after === '' ? sql`` : sql`AND o.id > ${after}`}
      AND o.order_type = 'order' AND o.updated_at < ${before} AND o.attention IS NULL
      AND (o.fulfillment_status = ANY(${[...ENDED_ORDERS]}) OR o.tracking_ended_at IS NOT NULL)
      AND NOT EXISTS (SELECT FROM run_snapshots r WHERE r.order_id = o.id)
      AND NOT EXISTS (SELECT FROM packing_slips s WHERE s.order_id = o.id AND s.object_key IS NOT NULL)
      AND NOT EXISTS (
        SELECT FROM order_items i JOIN order_files f ON f.order_item_id = i.id
        WHERE i.order_id = o.id AND f.object_key IS NOT NULL)
      AND NOT EXISTS (
        SELECT FROM shipments s JOIN shipment_documents d ON d.shipment_id = s.id
        WHERE s.order_id = o.id AND d.deleted_at IS NULL)
      AND NOT EXISTS (
        SELECT FROM print_orders p JOIN print_jobs j ON j.print_order_id = p.id JOIN stock_reservations r ON r.print_job_id = j.id
        WHERE p.order_id = o.id AND r.state = 'reserved')
    ORDER BY o.id LIMIT ${PART_ORDERS}`;
  return rows.map(({ id }) => id).filter((id) => dayOf(id) === dayOf(rows[0]!.id));
}

/** An order as it is written to the files. */
interface ArchivedOrder {
  readonly id: string;
  readonly key: Buffer;
  /** Hash of all rows. */
  readonly hash: string;
  readonly rows: ReportedRows;
  readonly record: RecordRow;
}

async function archivePart({ sql, objects }: ArchiveDeps, ids: readonly string[]): Promise<void> {
  const part = { id: uuidv7(), day: dayOf(ids[0]!) };
  await sql`INSERT INTO archive_parts (id, day) VALUES (${part.id}, ${part.day})`;
  try {
    const orders = await readOrderRows(sql, ids);
    await storeFiles(objects, part, orders);
    const totals = await verifiedTotals(objects, part, orders);
    await inTransaction(sql, (tx) => completePart(tx, part.id, orders, totals));
  } catch (error) {
    await sql`UPDATE archive_parts SET state = 'discarded' WHERE id = ${part.id} AND state = 'writing'`;
    throw error;
  }
}

/** Deletes the files of parts that were not completed: their process has died or failed. */
async function deleteDiscarded({ sql, objects }: ArchiveDeps): Promise<void> {
  // A transaction that completes the part meanwhile holds its row: then the part is complete, or is discarded and the
  // transaction fails.
  await sql`UPDATE archive_parts SET state = 'discarded' WHERE state = 'writing'`;
  const parts = await sql<{ id: string; day: string }[]>`
    SELECT id, day::text FROM archive_parts WHERE state = 'discarded' ORDER BY id`;
  const files = [...ARCHIVE_FILES, RECORDS];
  await objects.delete(parts.flatMap((part) => files.map(({ name }) => fileKey(part, name))));
  await sql`
    DELETE FROM archive_parts WHERE state = 'discarded' AND created_at < now() - ${DISCARDED_KEPT}::interval
      AND id = ANY(${parts.map(({ id }) => id)}::uuid[])`;
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
      const sealed = encrypt(key, gzipSync(rows), sealedFor(id));
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
const sealedFor = (orderId: string): string => `order:${orderId}`;

/** Returns the JSON of all rows of an order. @throws Error when the key is another order's, or the bytes were altered */
export const openRecord = ({ order_id, sealed }: RecordRow, key: Uint8Array): string =>
  gunzipSync(decrypt(key, Buffer.from(sealed), sealedFor(order_id))).toString('utf8');

async function storeFiles(
  objects: ObjectStore,
  part: { readonly id: string; readonly day: string },
  orders: readonly ArchivedOrder[],
): Promise<void> {
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
  await put(RECORDS.name, await recordsFile(orders.map(({ record }) => record)));
}

/** Numbers of rows by file, and sums over all orders. */
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
  part: { readonly id: string; readonly day: string },
  orders: readonly ArchivedOrder[],
): Promise<Totals> {
  const read = async <T>(name: string) => {
    const found = await objects.get(fileKey(part, name));
    if (found === null) throw new ArchiveNotVerified(`the store has no ${fileKey(part, name)}`);
    const rows = await readParquet<T>(new Uint8Array(Buffer.concat(await found.body.toArray())).buffer);
    progressed();
    return rows;
  };
  const records = await read<RecordRow>(RECORDS.name);
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
 * @throws ArchiveNotVerified when an order has changed since its rows were written, or the part was discarded
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
  if (completed.length === 0) throw new ArchiveNotVerified('another process has discarded the part');
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
