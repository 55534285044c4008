import type { PendingQuery, Row } from 'postgres';
import { ORDER_WORKFLOW_PREFIX } from '../../platform/domain/workflows';
import type { Queryable } from '../../platform/postgres';

type Fragment = PendingQuery<Row[]>;

/** Returns the value that replaces a column's personal data, as SQL. Null stays null. */
type Replacement = (sql: Queryable, column: string) => Fragment;

/** A table with personal data of recipients. */
export interface PersonalTable {
  readonly table: string;
  /** Returns the condition for the rows of orders and shipping orders, by their ids. */
  readonly rowsOf: (sql: Queryable, ids: readonly string[]) => Fragment;
  readonly columns: Readonly<Record<string, Replacement>>;
}

const removed: Replacement = (sql) => sql`NULL`;
const emptyList: Replacement = (sql) => sql`'[]'::jsonb`;
const placeholder: Replacement = (sql, column) => sql`CASE WHEN ${sql(column)} IS NOT NULL THEN 'erased' END`;
const link: Replacement = (sql) => sql`'https://erased.invalid/'`;
/** Replaces the texts of a jsonb column, except the members with these names. */
const texts =
  (...kept: string[]): Replacement =>
  (sql, column) =>
    sql`erased_json(${sql(column)}, ${kept})`;
/** The same for JSON in a text column. */
const textsOfJson =
  (...kept: string[]): Replacement =>
  (sql, column) =>
    sql`erased_json(${sql(column)}::jsonb, ${kept})::text`;

const by =
  (column: string): PersonalTable['rowsOf'] =>
  (sql, ids) =>
    sql`${sql(column)} = ANY(${[...ids]}::uuid[])`;
const byPrintOrder: PersonalTable['rowsOf'] = (sql, ids) =>
  sql`print_order_id IN (SELECT id FROM print_orders WHERE order_id = ANY(${[...ids]}::uuid[]))`;
const byShipment = (sql: Queryable, ids: readonly string[]) => sql`
  SELECT id FROM shipments WHERE order_id = ANY(${[...ids]}::uuid[]) OR shipping_order_id = ANY(${[...ids]}::uuid[])`;
// With OR instead of UNION, Postgres reads the whole table.
const trackingsOf = (sql: Queryable, ids: readonly string[]) => sql`
  SELECT tracking_number, generation, created_at FROM trackings WHERE shipment_id IN (${byShipment(sql, ids)})
  UNION SELECT tracking_number, generation, created_at FROM trackings WHERE ${byPrintOrder(sql, ids)}`;

const addressKeeps = ['id', 'country', 'countryCode'];
/** Members of a consignment that name no person: goods, references of packages, methods, currencies. */
const consignmentKeeps = [
  ...addressKeeps,
  'currency',
  'reference',
  'packageReferenceId',
  'itemReferenceId',
  'description',
  'hsCode',
  'countryOfOrigin',
  'boxType',
];
const printOrderKeeps = [
  ...addressKeeps,
  'version',
  'orderDate',
  'dispatchDate',
  'brandedPackaging',
  'printHouseUid',
  'shipmentMethodUid',
  'currencyCode',
  'type',
  'format',
  'contentType',
  'product',
  'packageReferenceId',
  'orderItemId',
];
const postbackKeeps = ['status', 'at', 'jobId', 'trackingCode'];

/**
 * Every column that can hold personal data of a recipient, and what an erasure leaves in it: figures, states, identifiers
 * and the country stay; names, addresses, e-mail addresses, phone numbers, tax ids and free text go. A JSON column keeps
 * only the members that are named here, so that a new member is erased until it is listed.
 * test/src/orders/domain/personal-columns.test.ts compares the list with the schema.
 */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'orders',
    rowsOf: by('id'),
    columns: {
      customer_reference_id: removed,
      shipping_address: texts(...addressKeeps),
      address_findings: removed,
      return_address: texts(...addressKeeps),
      packaging_instructions: texts('orderItemReferenceId', 'brandedPackaging'),
      metadata: emptyList,
      refusal_reason: placeholder,
      refusal_reason_details: removed,
      file_delay: removed,
      comment: removed,
    },
  },
  { table: 'order_items', rowsOf: by('order_id'), columns: { metadata: emptyList } },
  {
    table: 'order_files',
    rowsOf: (sql, ids) => sql`order_item_id IN (SELECT id FROM order_items WHERE order_id = ANY(${[...ids]}::uuid[]))`,
    columns: {
      url: link,
      metadata: emptyList,
      object_key: removed,
      previews: emptyList,
      facts: removed,
      replacement_message: removed,
    },
  },
  { table: 'packing_slips', rowsOf: by('order_id'), columns: { url: link, object_key: removed } },
  {
    table: 'order_events',
    rowsOf: by('order_id'),
    columns: {
      data: texts(
        'by',
        'status',
        'code',
        'at',
        'from',
        'to',
        'event',
        'found',
        'outcome',
        'deadline',
        'attention',
        'itemIds',
        'itemId',
        'partnerId',
        'printOrderId',
        'shipmentId',
        'requestId',
      ),
    },
  },
  // The file has orders of others too: their rows stay. Its content is deleted, which `objectKeysOf` finds by these rows.
  {
    table: 'channel_files',
    rowsOf: (sql, ids) => sql`id IN (SELECT file_id FROM channel_orders WHERE order_id = ANY(${[...ids]}::uuid[]))`,
    columns: { object_key: removed, findings: texts('code', 'field', 'column', 'externalId') },
  },
  {
    table: 'channel_orders',
    rowsOf: by('order_id'),
    columns: {
      raw: texts('decimal'),
      corrections: removed,
      content_sha256: removed,
      reasons: texts('code', 'field', 'column'),
      email: removed,
    },
  },
  {
    table: 'bulk_repairs',
    rowsOf: (sql, ids) =>
      sql`id IN (SELECT bulk_repair_id FROM bulk_repair_orders WHERE order_id = ANY(${[...ids]}::uuid[]))`,
    columns: { reason: placeholder },
  },
  {
    table: 'bulk_repair_orders',
    rowsOf: by('order_id'),
    columns: { requests: texts('action', 'by', 'itemId', 'itemIds', 'partnerId') },
  },
  // Partners' texts, and reasons of operators and clients. An order that has ended has no row.
  { table: 'run_snapshots', rowsOf: by('order_id'), columns: { snapshot: removed } },
  // Responses that repeat a free text. Other stored responses hold ids, states and links.
  {
    table: 'idempotency_keys',
    rowsOf: (
      sql,
      ids,
    ) => sql`operation_id IN ('addOrderNote', 'startBulkRepair', 'makeClaim', 'decideClaim') AND body ->> 'id' IN (
      SELECT id::text FROM order_notes WHERE order_id = ANY(${[...ids]}::uuid[])
      UNION SELECT id::text FROM claims WHERE order_id = ANY(${[...ids]}::uuid[])
      UNION SELECT bulk_repair_id::text FROM bulk_repair_orders WHERE order_id = ANY(${[...ids]}::uuid[]))`,
    columns: {
      body: texts(
        'id',
        'orderId',
        'itemReferenceId',
        'replacementOrderId',
        'decidedAt',
        'author',
        'createdAt',
        'endedAt',
        'action',
        'partnerId',
        'requestedBy',
        'status',
        'workflowId',
      ),
    },
  },
  {
    table: 'claims',
    rowsOf: by('order_id'),
    columns: { note: placeholder, pictures: emptyList, message: placeholder },
  },
  { table: 'order_notes', rowsOf: by('order_id'), columns: { text: placeholder } },
  { table: 'print_orders', rowsOf: by('order_id'), columns: { body: textsOfJson(...printOrderKeeps) } },
  { table: 'print_order_updates', rowsOf: byPrintOrder, columns: { body: textsOfJson(...printOrderKeeps) } },
  // Responses of partners can repeat what they received.
  { table: 'partner_requests', rowsOf: byPrintOrder, columns: { response: removed } },
  { table: 'partner_parcels', rowsOf: byPrintOrder, columns: { tracking_link: removed } },
  {
    table: 'postbacks',
    // The order selects the partition, and only the print order has an index.
    rowsOf: (sql, ids) => sql`order_id = ANY(${[...ids]}::uuid[]) AND ${byPrintOrder(sql, ids)}`,
    columns: { body: texts(...postbackKeeps) },
  },
  {
    table: 'shipping_changes',
    rowsOf: by('order_id'),
    columns: { shipping_address: texts(...addressKeeps), replaced_email: removed },
  },
  {
    table: 'shipping_orders',
    rowsOf: by('id'),
    columns: { consignment: texts(...consignmentKeeps), refusal: texts('code') },
  },
  {
    table: 'shipments',
    rowsOf: (sql, ids) => sql`id IN (${byShipment(sql, ids)})`,
    columns: { consignment: texts(...consignmentKeeps), refusal: texts('code') },
  },
  // Before the trackings, which have the rows.
  {
    table: 'tracking_checkpoints',
    rowsOf: (sql, ids) => sql`(tracking_number, generation, tracked_since) IN (${trackingsOf(sql, ids)})`,
    columns: { message: placeholder, description: removed, location: removed, signed_by: placeholder },
  },
  {
    table: 'trackings',
    rowsOf: (sql, ids) => sql`(tracking_number, generation, created_at) IN (${trackingsOf(sql, ids)})`,
    columns: { tracking_url: removed },
  },
  {
    table: 'webhook_deliveries',
    rowsOf: by('order_id'),
    columns: {
      body: textsOfJson(
        'id',
        'event',
        'created',
        'orderId',
        'orderReferenceId',
        'itemReferenceId',
        'fulfillmentStatus',
        'status',
        'refusalReasonCode',
        'trackingCode',
        'shipmentMethodName',
        'shipmentMethodUid',
        'fulfillmentCountry',
        'fulfillmentStateProvince',
        'fulfillmentFacilityId',
        'minDeliveryDate',
        'maxDeliveryDate',
      ),
      attempts: texts('at'),
    },
  },
  {
    table: 'outbox',
    // Signals that were not delivered. Every other message holds ids only.
    rowsOf: (sql, ids) =>
      sql`kind = 'signal_workflow' AND target = ANY(${ids.map((id) => ORDER_WORKFLOW_PREFIX + id)})`,
    columns: {
      payload: texts(
        'signal',
        'type',
        'eventId',
        'printOrderId',
        'shipmentId',
        'number',
        'transit',
        'itemIds',
        ...postbackKeeps,
      ),
      last_error: placeholder,
    },
  },
];

/**
 * Replaces the personal data in every row of these orders and shipping orders, and marks their notifications, whose receivers
 * can respond later.
 */
export async function eraseRows(tx: Queryable, ids: readonly string[]): Promise<void> {
  for (const { table, rowsOf, columns } of PERSONAL_TABLES) {
    const replaced = Object.entries(columns).map(
      ([column, replacement]) => tx`${tx(column)} = ${replacement(tx, column)}`,
    );
    const assignments = replaced.reduce((list, assignment) => tx`${list}, ${assignment}`);
    await tx`UPDATE ${tx(table)} SET ${assignments} WHERE ${rowsOf(tx, ids)}`;
  }
  await tx`UPDATE webhook_deliveries SET is_erased = true WHERE order_id = ANY(${[...ids]}::uuid[])`;
}
