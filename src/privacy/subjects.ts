import { domainToUnicode } from 'node:url';
import { FOLLOWED_DAYS } from '../consignments/domain/tracking-status';
import { ENDED_ORDERS } from '../orders/domain/lifecycle/statuses';
import { PERSONAL_TABLES } from '../orders/domain/personal-columns';
import { type ArchiveDeps, readArchived } from '../orders/reading/archived-order';
import { withRows } from '../orders/reading/archived-tables';
import { asciiEmail } from '../platform/domain/email';
import { DOCUMENT_LINK_SECONDS, type LinkSigner } from '../platform/objects/signed-links';
import type { Queryable } from '../platform/postgres';

type SubjectKind = 'order' | 'shipping_order';

/** An order or a shipping order: what one erasure covers. */
export interface Subject {
  readonly kind: SubjectKind;
  readonly id: string;
  /** `running` and `parcels_under_way`: something is still to come, and needs the address. */
  readonly state: 'draft' | 'running' | 'parcels_under_way' | 'ended';
}

/** Returns true when nothing needs the address any more. */
export const isErasable = ({ state }: Subject) => state === 'draft' || state === 'ended';

/** The condition of the partial index `orders_not_erased`. Literal text: the planner has to see it. */
export const orderHasEnded = (sql: Queryable) => sql`
  (fulfillment_status IN ${sql.unsafe(`(${ENDED_ORDERS.map((status) => `'${status}'`).join(', ')})`)}
   OR tracking_ended_at IS NOT NULL)`;

/** Shipping orders end with their last parcel, and with a refusal or a cancellation. */
export const shippingOrderHasEnded = (sql: Queryable) => sql`
  (o.status IN ('refused', 'canceled') OR (o.status = 'bought' AND NOT EXISTS (
    SELECT FROM shipments s JOIN trackings t ON t.shipment_id = s.id
    WHERE s.shipping_order_id = o.id AND t.status_uid NOT IN ('delivered', 'returned')
      AND t.created_at > now() - make_interval(days => ${FOLLOWED_DAYS}))))`;

const orders = (sql: Queryable) => sql`
  SELECT 'order' AS kind, id, CASE WHEN order_type = 'draft' THEN 'draft' WHEN ${orderHasEnded(sql)} THEN 'ended'
    WHEN fulfillment_status IN ('shipped', 'in_transit') THEN 'parcels_under_way' ELSE 'running' END AS state
  FROM orders`;

const shippingOrders = (sql: Queryable) => sql`
  SELECT 'shipping_order' AS kind, id, CASE WHEN ${shippingOrderHasEnded(sql)} THEN 'ended'
    WHEN status = 'bought' THEN 'parcels_under_way' ELSE 'running' END AS state
  FROM shipping_orders o`;

/** Archived orders have ended. */
const archivedOrders = (sql: Queryable) => sql`SELECT 'order' AS kind, id, 'ended' AS state FROM archived_orders`;

export async function subjectsById(sql: Queryable, ids: readonly string[]): Promise<Subject[]> {
  return await sql<Subject[]>`
    ${orders(sql)} WHERE id = ANY(${[...ids]}::uuid[])
    UNION ALL ${archivedOrders(sql)} WHERE id = ANY(${[...ids]}::uuid[])
    UNION ALL ${shippingOrders(sql)} WHERE id = ANY(${[...ids]}::uuid[])`;
}

/** Returns the forms in which orders can have an e-mail address: as it is, and with its domain in punycode and in Unicode. */
export function formsOf(email: string): string[] {
  const ascii = asciiEmail(email.toLowerCase());
  const domain = ascii.indexOf('@') + 1;
  return [email.toLowerCase(), ascii, ascii.slice(0, domain) + domainToUnicode(ascii.slice(domain))];
}

/**
 * Returns the orders and shipping orders that go, or once went, to an e-mail address, in the order of their ids.
 * @param page `after` is the last id of the previous page
 */
export async function subjectsByEmail(
  sql: Queryable,
  email: string,
  page: { readonly after?: string | undefined; readonly limit: number },
): Promise<Subject[]> {
  const forms = formsOf(email);
  const { after, limit } = page;
  return await sql<Subject[]>`
    SELECT * FROM (
      ${orders(sql)} WHERE id IN (
        SELECT id FROM orders WHERE lower(shipping_address ->> 'email') = ANY(${forms})
        UNION SELECT order_id FROM shipping_changes WHERE lower(replaced_email) = ANY(${forms}))
      UNION ALL
      ${archivedOrders(sql)} WHERE emails && ${forms}
      UNION ALL
      ${shippingOrders(sql)} WHERE lower(consignment -> 'receiver' ->> 'email') = ANY(${forms})
    ) found
    ${after === undefined ? sql`` : sql`WHERE id > ${after}`}
    ORDER BY id LIMIT ${limit}`;
}

type PersonalRow = Readonly<Record<string, unknown>>;

interface StoredDocument {
  readonly type: string;
  readonly fileName: string;
  readonly contentType: string;
  readonly objectKey: string;
}

/**
 * Returns the stored data about the recipient of an order or a shipping order, archived or not, with links to its files and documents: rows by
 * table, with the names of the columns.
 */
export async function exportSubject(
  { sql, objects, links }: ArchiveDeps & { readonly links: LinkSigner },
  { kind, id }: Subject,
) {
  const archived = kind === 'order' ? await readArchived({ sql, objects }, id) : null;
  const records: Record<string, PersonalRow[]> = {};
  for (const { table, rowsOf } of PERSONAL_TABLES) {
    const rows = await sql<{ row: PersonalRow }[]>`
      ${withRows(sql, archived)} stored AS (SELECT * FROM ${sql(table)} t WHERE ${rowsOf(sql, [id])})
      SELECT to_jsonb(stored) AS row FROM stored`;
    if (rows.length > 0) records[table] = rows.map(({ row }) => row);
  }
  const documents = await storedDocuments(sql, id);
  return {
    kind,
    id,
    records,
    documents: documents.map(({ type, ...target }) => ({
      type,
      fileName: target.fileName,
      url: links.sign(target, { seconds: DOCUMENT_LINK_SECONDS }),
    })),
  };
}

async function storedDocuments(sql: Queryable, id: string): Promise<StoredDocument[]> {
  return await sql<StoredDocument[]>`
    SELECT 'print_file' AS type, f.type AS file_name, coalesce(f.mime_type, 'application/octet-stream') AS content_type,
      f.object_key
    FROM order_files f JOIN order_items i ON i.id = f.order_item_id
    WHERE i.order_id = ${id} AND f.object_key IS NOT NULL
    UNION ALL
    SELECT 'packing_slip', 'packing-slip.pdf', 'application/pdf', object_key FROM packing_slips
    WHERE order_id = ${id} AND object_key IS NOT NULL
    UNION ALL
    SELECT d.document_type, d.file_name, d.content_type, d.object_key
    FROM shipment_documents d JOIN shipments s ON s.id = d.shipment_id
    WHERE (s.order_id = ${id} OR s.shipping_order_id = ${id}) AND d.deleted_at IS NULL`;
}
