import { PERSONAL_TABLES } from '../../../../src/orders/domain/personal-columns';
import type { Sql } from '../../../../src/platform/postgres';
import { testDatabase } from '../../../support/database';

/**
 * The list of columns that may hold personal data of recipients, against the schema, both ways. A new column of text or
 * JSON belongs either to PERSONAL_TABLES or, with its reason, here.
 */

/** Tables that hold nothing about recipients. */
const TABLES_WITHOUT: Readonly<Record<string, string>> = {
  accounts: 'names and settings of clients, partners and operators',
  api_keys: 'hashes and hints of keys',
  report_days: 'figures of a day',
  archive_parts: 'numbers of archived rows',
  archived_orders: 'e-mail addresses and the key of the personal data in the archive: eraseArchived deletes both',
  archived_parcels: 'tracking numbers',
  attribute_values: 'catalog',
  attributes: 'catalog',
  channels: 'names, settings and servers of channels',
  channel_mappings: 'products of channels',
  audit_log: 'changes by operators, clients and partners; countries and methods of shipping changes, no addresses',
  audit_addresses: 'IP addresses of callers; deleted after 90 days',
  key_uses: 'numbers of calls by operation',
  key_addresses: 'IP addresses of callers; deleted after 90 days',
  audit_intents: 'as audit_log, for the time of a request',
  audit_summaries: 'numbers of changes by clients and partners',
  carrier_purchases: 'tracking numbers, random ids and prices',
  customer_product_customers: 'catalog; ids of the clients’ customers',
  visible_customer_products: 'catalog',
  customer_product_totals: 'catalog',
  customer_products: 'catalog; ids of the clients’ customers',
  erasure_targets: 'ids of orders',
  exchange_rates: 'rates',
  known_servers: 'identities of the servers',
  tax_rates: 'rates',
  gauge_snapshot: 'metrics',
  job_runs: 'results of periodic jobs',
  running_total_changes: 'numbers of rows by state, client or partner',
  running_totals: 'numbers of rows by state, client or partner',
  notified_states: 'states, dates and tracking codes',
  order_stage_changes: 'numbers of orders by hour and status',
  order_stages: 'numbers of orders by hour and status',
  one_time_sign_ins: 'hashes of tokens',
  operator_digests: 'attention reasons, kinds of messages and names of jobs',
  operator_identities: 'ids of operators at their identity provider',
  operator_sessions: 'hashes of cookies',
  partner_stock_levels: 'stock',
  partitioned_tables: 'names of tables and columns',
  partners: 'addresses of print partners',
  procurement_order_events: 'stock',
  procurement_order_invoices: 'invoices of suppliers',
  procurement_order_receipts: 'stock',
  procurement_orders: 'stock',
  preflights: 'files and products; the URL is removed at the end, and the row after a day',
  product_models: 'catalog',
  receipt_lines: 'references of orders, titles of products, countries and amounts',
  receipts: 'titles of products and amounts',
  reconciliation: 'numbers of findings',
  routing_decisions: 'countries, partners and products',
  request_rates: 'hashes of API keys',
  schema_version: 'migrations',
  shipment_documents: 'names and keys of documents; the documents are deleted',
  shipment_packages: 'references of packages, tracking numbers and the carriers’ tracking pages',
  statements: 'billing entities, countries and amounts',
  stock_adjustment_references: 'stock',
  stock_items: 'stock',
  stock_movements: 'stock',
  stock_reservations: 'stock',
  used_sign_in_states: 'hashes of random values',
  webhook_endpoints: 'addresses of clients’ servers',
};

/** Columns without personal data in tables that have some. */
const COLUMNS_WITHOUT: Readonly<Record<string, readonly string[]>> = {
  orders: [
    // The client's identifier. It has to stay unique and findable.
    'order_reference_id',
    'run_id',
    'order_type',
    'channel',
    'fulfillment_status',
    'financial_status',
    'run_financial_status',
    'currency',
    'retail_currency',
    'shipment_method_uid',
    'refusal_reason_code',
    'attention',
    'attention_since',
    'request_id',
    'traceparent',
  ],
  order_items: [
    'item_reference_id',
    'product_uid',
    'product_name',
    'product_variant',
    'product',
    'custom_trim',
    'fulfillment_status',
  ],
  order_files: ['type', 'mime_type', 'checks', 'replacement'],
  packing_slips: [],
  channel_files: ['name', 'sha256', 'state', 'counts'],
  // The external id is the reference of the order.
  channel_orders: ['external_id', 'reported_parcels', 'state', 'waits_for'],
  order_events: ['type'],
  bulk_repairs: ['action', 'requested_by_name'],
  bulk_repair_orders: ['outcome', 'message'],
  idempotency_keys: ['key', 'operation_id', 'fingerprint'],
  order_notes: ['author_name'],
  claims: ['reason', 'status', 'items', 'made_by', 'carrier_uid', 'liable'],
  print_orders: ['step', 'kind', 'version', 'status', 'message_id', 'withdrawn_jobs'],
  print_order_updates: ['content_key', 'message_id'],
  partner_requests: ['kind', 'outcome'],
  partner_parcels: ['tracking_code', 'job_ids'],
  print_jobs: ['status', 'departed_method_uid', 'departed_method_name', 'part_ids'],
  planned_shipments: [
    'carrier_uid',
    'shipment_method_uid',
    'shipment_method_name',
    'service_type',
    'packing',
    'parcels',
    'currency',
    'fulfillment_country',
    // Of the print partner.
    'fulfillment_state',
    'fulfillment_facility_id',
  ],
  postbacks: ['fingerprint'],
  shipping_changes: ['shipment_method_uid'],
  shipping_orders: ['order_reference_id', 'fingerprint', 'method_uid', 'label', 'status'],
  shipments: ['idempotency_key', 'status', 'carrier_uid', 'carrier_name', 'method_uid', 'method_name', 'replacing'],
  tracking_checkpoints: ['tracking_number', 'event_key', 'status_uid'],
  trackings: ['tracking_number', 'short_uid', 'carrier_uid', 'carrier_name', 'adapter_uid', 'status_uid'],
  webhook_deliveries: ['event', 'state'],
  outbox: ['kind', 'target', 'traceparent'],
};

let sql: Sql;
/** Names `table.column` of every column whose type can hold a name or an address. */
let stored: string[];

beforeAll(async () => {
  ({ sql } = await testDatabase());
  const columns = await sql<{ name: string }[]>`
    SELECT c.table_name || '.' || c.column_name AS name FROM information_schema.columns c
    JOIN information_schema.tables t USING (table_schema, table_name)
    JOIN pg_class p ON p.oid = quote_ident(c.table_name)::regclass AND NOT p.relispartition
    WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'
      AND c.data_type NOT IN ('uuid', 'bigint', 'integer', 'smallint', 'numeric', 'boolean', 'date',
        'timestamp with time zone', 'double precision')`;
  stored = columns.map(({ name }) => name);
});

const personal = PERSONAL_TABLES.flatMap(({ table, columns }) =>
  Object.keys(columns).map((column) => `${table}.${column}`),
);
const impersonal = Object.entries(COLUMNS_WITHOUT).flatMap(([table, columns]) =>
  columns.map((column) => `${table}.${column}`),
);

test('every column that can hold text is listed', () => {
  const unlisted = stored.filter((name) => {
    const [table] = name.split('.') as [string];
    return !(table in TABLES_WITHOUT) && !personal.includes(name) && !impersonal.includes(name);
  });
  expect(unlisted).toEqual([]);
});

test('every listed table and column exists, and is listed once', () => {
  const listed = [...personal, ...impersonal];
  expect(listed.filter((name) => !stored.includes(name))).toEqual([]);
  expect(listed.filter((name, index) => listed.indexOf(name) < index)).toEqual([]);
  const tables = new Set(stored.map((name) => name.split('.')[0]));
  expect(Object.keys(TABLES_WITHOUT).filter((table) => !tables.has(table))).toEqual([]);
  expect(PERSONAL_TABLES.filter(({ table }) => table in TABLES_WITHOUT)).toEqual([]);
});

describe('erased_json', () => {
  const erased = async (value: unknown, kept: string[] = []) => {
    const [row] = await sql<{ erased: unknown }[]>`
      SELECT erased_json(${sql.json(value as never)}, ${kept}) AS erased`;
    return row!.erased;
  };

  test('replaces every text, however deep, and keeps numbers, booleans and null', async () => {
    expect(await erased({ name: 'Ada', age: 36, is: true, no: null, list: ['x', { y: 'z' }, 1], empty: [] })).toEqual({
      name: 'erased',
      age: 36,
      is: true,
      no: null,
      list: ['erased', { y: 'erased' }, 1],
      empty: [],
    });
    expect(await erased('Ada')).toBe('erased');
    expect(await erased({})).toEqual({});
  });

  test('keeps the named members as a whole, and the form of links and e-mail addresses', async () => {
    const value = {
      country: 'DE',
      ids: ['1', '2'],
      at: { url: 'https://files.example/ada.pdf' },
      email: 'ada@example.com',
    };
    expect(await erased(value, ['country', 'ids'])).toEqual({
      country: 'DE',
      ids: ['1', '2'],
      at: { url: 'https://erased.invalid/' },
      email: 'erased@erased.invalid',
    });
  });
});
