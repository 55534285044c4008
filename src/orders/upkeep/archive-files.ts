import type { Column } from '../../platform/parquet';
import { RECORDS_FILE } from '../reading/archived-order';
import type { OrderRows, StoredRow } from '../reading/archived-tables';

export type ReportedRows = OrderRows & { readonly report_lines: readonly StoredRow[] };

interface ArchiveFile {
  readonly name: string;
  readonly rows: (order: ReportedRows) => readonly StoredRow[];
  readonly columns: readonly Column[];
}

const text = (name: string, doc: string): Column => ({ name, type: 'STRING', doc });
const time = (name: string, doc: string): Column => ({ name, type: 'TIMESTAMP', doc });
const whole = (name: string, doc: string): Column => ({ name, type: 'INT32', doc });
const minor = (name: string, doc: string): Column => ({ name, type: 'INT64', doc });

const ORDER_ID = text('order_id', 'Id of the order.');

/**
 * The files of a set that reports read: no personal data, one row for each order, item, event, receipt and parcel. The columns
 * have the names of Postgres. docs/operation/archive.md lists them.
 */
export const ARCHIVE_FILES = [
  {
    name: 'orders',
    rows: ({ orders }) => orders.map((order) => ({ ...order, country: member(order.shipping_address, 'country') })),
    columns: [
      text('id', 'Id of the order.'),
      text('client_id', 'Account of the client.'),
      text('order_reference_id', 'The client’s reference.'),
      text('channel', 'Channel of the client.'),
      text('fulfillment_status', 'Status in which the order ended.'),
      text('financial_status', 'Financial status.'),
      text('refusal_reason_code', 'Why it was refused or failed.'),
      text('currency', 'Currency of its receipts.'),
      text('country', 'Country of the shipping address.'),
      text('reprint_of', 'The order that this one makes again.'),
      { name: 'charged', type: 'BOOLEAN', doc: 'False for a reprint that costs nothing.' },
      time('created_at', 'When it was submitted.'),
      time('ordered_at', 'When it was ordered: drafts later than they were submitted.'),
      time('updated_at', 'Its last change.'),
    ],
  },
  {
    name: 'items',
    rows: ({ order_items }) =>
      order_items.map((item) => ({
        ...item,
        product_uid: item.product_uid ?? member(item.product, 'productUid'),
        product_model_id: member(item.product, 'productModelId'),
      })),
    columns: [
      text('id', 'Id of the item.'),
      ORDER_ID,
      text('item_reference_id', 'The client’s reference.'),
      text('product_uid', 'Ordered product.'),
      text('product_model_id', 'Its product model.'),
      text('fulfillment_status', 'Status in which the item ended.'),
      whole('quantity', 'Ordered units.'),
      minor('price_minor', 'Price of all its units without VAT, in minor units of the order’s currency.'),
      whole('page_count', 'Pages of the print file.'),
    ],
  },
  {
    name: 'events',
    rows: ({ order_events }) => order_events,
    columns: [
      text('id', 'Id of the event.'),
      ORDER_ID,
      text('order_item_id', 'Item that it is about.'),
      text('print_order_id', 'Print order that it is about.'),
      text('type', 'Type of the event in the order’s log.'),
      time('at', 'When it happened.'),
    ],
  },
  {
    name: 'receipts',
    rows: ({ receipts }) =>
      receipts.map((receipt) => ({
        ...receipt,
        total_incl_vat: member(member(receipt.body, 'totals'), 'totalInclVat'),
      })),
    columns: [
      text('id', 'Id of the receipt.'),
      ORDER_ID,
      text('print_order_id', 'Print order that it charges or refunds.'),
      minor('number', 'Number of the receipt.'),
      text('type', 'Invoice or refund.'),
      text('currency', 'Currency.'),
      minor('total_incl_vat', 'Total in minor units.'),
      time('created_at', 'When it was made.'),
    ],
  },
  {
    name: 'parcels',
    rows: parcels,
    columns: [
      ORDER_ID,
      text('print_order_id', 'Print order whose goods it holds.'),
      text('partner_id', 'Account of the partner that sent it.'),
      text('shipment_id', 'Shipment with the label. Null for a partner’s own tracking code.'),
      text('tracking_number', 'Tracking number.'),
      text('carrier_uid', 'Carrier.'),
      text('method_uid', 'Method of the label.'),
      minor('cost_minor', 'What the label costs, in minor units.'),
      text('currency', 'Currency of the cost.'),
      text('status_uid', 'Last status of the tracking.'),
      { name: 'voided', type: 'BOOLEAN', doc: 'True when the label was not used.' },
      time('max_delivery_date', 'The day that the client was promised at the latest, at midnight in UTC.'),
      time('shipped_at', 'When the label was bought.'),
      time('delivered_at', 'When the carrier delivered it.'),
    ],
  },
  {
    name: 'report',
    rows: ({ report_lines }) => report_lines,
    columns: [
      ORDER_ID,
      text(
        'kind',
        'What the line adds to reports: `item` (an item at a partner), `revenue` (a line of a receipt), `cost` (of a partner or a label), `parcel`, or `error` (a print order with an error).',
      ),
      text('client_id', 'Account of the client.'),
      text('country', 'Country of the shipping address.'),
      text('partner_id', 'Account of the partner.'),
      text('carrier_uid', 'Carrier: planned, or of the parcel.'),
      text('product_uid', 'Product. Null: shipping, parcels and errors.'),
      text('currency', 'Currency of the amount; of the order for lines without one.'),
      { name: 'is_reprint', type: 'BOOLEAN', doc: 'True for an order that makes another one again.' },
      whole('units', 'Units that the partner accepted, without cancelled ones.'),
      minor('revenue_minor', 'Charged without VAT, in minor units.'),
      minor('cost_minor', 'Cost, in minor units.'),
      { name: 'is_delivered', type: 'BOOLEAN', doc: 'True for a delivered parcel.' },
      { name: 'is_late', type: 'BOOLEAN', doc: 'True for a parcel that was delivered after the promised day (UTC).' },
    ],
  },
] as const satisfies readonly ArchiveFile[];

export const RECORDS = {
  name: RECORDS_FILE,
  columns: [
    ORDER_ID,
    text('rows', 'All rows of the order by table, without personal data: JSON.'),
    {
      name: 'sealed',
      type: 'BYTE_ARRAY',
      doc: 'All rows of the order by table: JSON, compressed with gzip, encrypted with AES-256-GCM and the order’s key (`archived_orders.record_key`). `nonce (12) | ciphertext | tag (16)`; `order:<id>` is authenticated.',
    },
  ],
} as const satisfies Omit<ArchiveFile, 'rows'>;

const member = (value: unknown, name: string): unknown => (value as StoredRow | null | undefined)?.[name] ?? null;

function parcels({
  print_orders,
  planned_shipments,
  shipments,
  shipment_packages,
  trackings,
  tracking_checkpoints,
}: OrderRows) {
  const deliveredAt = ({ tracking_number, generation }: StoredRow) =>
    tracking_checkpoints.find(
      (checkpoint) =>
        checkpoint.tracking_number === tracking_number &&
        checkpoint.generation === generation &&
        checkpoint.status_uid === 'delivered',
    )?.occurred_at ?? null;
  const ofPrintOrder = (id: unknown) => {
    const printOrder = print_orders.find((each) => each.id === id);
    const plan = planned_shipments.find((each) => each.print_order_id === id);
    return {
      order_id: printOrder?.order_id,
      print_order_id: id,
      partner_id: printOrder?.partner_id,
      max_delivery_date: plan?.initial_max_delivery_date,
      method_uid: plan?.shipment_method_uid,
    };
  };
  const labelled = shipment_packages.map((parcel) => {
    const shipment = shipments.find(({ id }) => id === parcel.shipment_id)!;
    const tracking = trackings.find(
      (each) => each.shipment_id === shipment.id && each.tracking_number === parcel.tracking_number,
    );
    return {
      ...ofPrintOrder(shipment.print_order_id),
      ...parcel,
      carrier_uid: shipment.carrier_uid,
      method_uid: shipment.method_uid,
      voided: shipment.voided_at !== null || parcel.left_out_at !== null,
      shipped_at: shipment.bought_at,
      status_uid: tracking?.status_uid,
      delivered_at: tracking && deliveredAt(tracking),
    };
  });
  const ofPartners = trackings
    .filter(({ shipment_id }) => shipment_id === null)
    .map((tracking) => ({
      ...ofPrintOrder(tracking.print_order_id),
      ...tracking,
      voided: false,
      delivered_at: deliveredAt(tracking),
    }));
  return [...labelled, ...ofPartners];
}
