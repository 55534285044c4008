import type { Fragment, Queryable, Statement } from '../../platform/postgres';
import { PERSONAL_TABLES } from '../domain/personal-columns';

const ofOrder = 'order_id = o.id';
const ofPrintOrder = 'print_order_id IN (SELECT id FROM print_orders WHERE order_id = o.id)';
const ofShipment = `shipment_id IN (SELECT id FROM shipments WHERE ${ofPrintOrder})`;
// With OR instead of UNION, Postgres reads the whole table for each order.
const trackingsOf = (columns: string) => `
  SELECT ${columns} FROM trackings WHERE ${ofShipment} UNION SELECT ${columns} FROM trackings WHERE ${ofPrintOrder}`;

/**
 * The tables whose rows move to the archive with their order `o`, each after those that it refers to.
 * test/src/orders/upkeep compares the list with the foreign keys of the schema.
 */
export const ARCHIVED_TABLES = [
  { table: 'orders', rows: 'id = o.id' },
  { table: 'order_items', rows: ofOrder },
  { table: 'order_files', rows: 'order_item_id IN (SELECT id FROM order_items WHERE order_id = o.id)' },
  { table: 'packing_slips', rows: ofOrder },
  { table: 'order_events', rows: ofOrder },
  { table: 'order_notes', rows: ofOrder },
  { table: 'claims', rows: ofOrder },
  { table: 'routing_decisions', rows: ofOrder },
  { table: 'notified_states', rows: ofOrder },
  { table: 'shipping_changes', rows: ofOrder },
  { table: 'print_orders', rows: ofOrder },
  { table: 'print_order_updates', rows: ofPrintOrder },
  { table: 'partner_requests', rows: ofPrintOrder },
  // The order selects the partition, and only the print order has an index.
  { table: 'postbacks', rows: `${ofOrder} AND ${ofPrintOrder}` },
  { table: 'planned_shipments', rows: ofOrder },
  { table: 'receipts', rows: ofOrder },
  { table: 'shipments', rows: ofPrintOrder },
  { table: 'print_jobs', rows: ofPrintOrder },
  { table: 'partner_parcels', rows: ofPrintOrder },
  { table: 'stock_reservations', rows: `print_job_id IN (SELECT id FROM print_jobs WHERE ${ofPrintOrder})` },
  { table: 'shipment_packages', rows: ofShipment },
  { table: 'shipment_documents', rows: ofShipment },
  { table: 'trackings', rows: `(tracking_number, generation) IN (${trackingsOf('tracking_number, generation')})` },
  {
    table: 'tracking_checkpoints',
    rows: `(tracking_number, generation, tracked_since) IN (${trackingsOf('tracking_number, generation, created_at')})`,
  },
] as const;

export type OrderRows = Readonly<Record<(typeof ARCHIVED_TABLES)[number]['table'], readonly StoredRow[]>>;
export type StoredRow = Readonly<Record<string, unknown>>;

const join = (sql: Queryable, parts: readonly Fragment[]): Fragment =>
  parts.reduce((list, part) => sql`${list}, ${part}`);

/** Returns the expression of all rows of the order `o`, as jsonb. @param isErased without personal data */
export function rowsOfOrder(sql: Queryable, { isErased }: { readonly isErased: boolean }): Fragment {
  const tables = ARCHIVED_TABLES.map(({ table, rows }) => {
    const columns = isErased ? (PERSONAL_TABLES.find((personal) => personal.table === table)?.columns ?? {}) : {};
    const replaced = Object.entries(columns).map(
      ([column, replacement]) => sql`${column}::text, ${replacement(sql, column)}`,
    );
    const row =
      replaced.length === 0 ? sql`to_jsonb(t)` : sql`to_jsonb(t) || jsonb_build_object(${join(sql, replaced)})`;
    return sql`${table}::text, (SELECT coalesce(jsonb_agg(${row} ORDER BY t), '[]') FROM ${sql(table)} t WHERE ${sql.unsafe(rows)})`;
  });
  return sql`jsonb_build_object(${join(sql, tables)})`;
}

export interface ArchivedRows {
  readonly json: string;
  /** When the personal data was erased. The rows are as they were archived. */
  readonly erasedAt: Date | null;
}

const archivedJson = (sql: Queryable, { json, erasedAt }: ArchivedRows): Fragment => {
  const rows = sql`${json}::text::jsonb`;
  return erasedAt === null ? rows : sql`jsonb_set(${rows}, '{orders,0,erased_at}', to_jsonb(${erasedAt}::timestamptz))`;
};

/**
 * Returns the beginning of a statement that reads an order: `WITH` with one query for each archived table, whose name hides the
 * table, so that the statement reads the archived rows. Ends with a comma. Reads the tables when `rows` is null.
 */
export function withRows(sql: Queryable, rows: ArchivedRows | null): Fragment {
  if (rows === null) return sql`WITH`;
  const tables = ARCHIVED_TABLES.map(
    ({ table }) => sql`${sql(table)} AS (
      SELECT t.* FROM archived, jsonb_populate_recordset(NULL::${sql(table)}, archived.rows -> ${table}::text) AS t)`,
  );
  return sql`WITH archived (rows) AS MATERIALIZED (SELECT ${archivedJson(sql, rows)}), ${join(sql, tables)},`;
}

export async function insertRows(tx: Queryable, rows: ArchivedRows): Promise<void> {
  for (const { table } of ARCHIVED_TABLES) {
    await tx`
      INSERT INTO ${tx(table)} OVERRIDING SYSTEM VALUE
      SELECT t.* FROM jsonb_populate_recordset(NULL::${tx(table)}, ${archivedJson(tx, rows)} -> ${table}::text) AS t`;
  }
}

export async function deleteRows(tx: Queryable, ids: readonly string[]): Promise<number> {
  const printOrders: Statement = tx`SELECT id FROM print_orders WHERE order_id = ANY(${[...ids]}::uuid[])`;
  const printJobs: Statement = tx`SELECT id FROM print_jobs WHERE print_order_id IN (${printOrders})`;
  await tx`DELETE FROM stock_reservations WHERE print_job_id IN (${printJobs})`;
  await tx`DELETE FROM print_jobs WHERE print_order_id IN (${printOrders})`;
  await tx`DELETE FROM shipments WHERE print_order_id IN (${printOrders})`;
  const { count } = await tx`DELETE FROM orders WHERE id = ANY(${[...ids]}::uuid[])`;
  return count;
}
