import type { FileFacts } from '../../../packages/file-reader/facts';
import type { ClientSettings } from '../../accounts/clients';
import type { FileFinding } from '../../files/domain/file-findings';
import type { StoredPreview } from '../../files/ingest-file';
import { isUuid } from '../../platform/ids';
import type { Fragment, Queryable } from '../../platform/postgres';
import { ITEM_FIELDS, type ItemFields, itemMembers } from '../domain/item-fields';
import type { Receipt } from '../domain/receipt';
import { ORDER_COLUMNS, type OrderFields } from '../planning/order-fields';
import type { ShipmentPlan } from '../planning/shipment-plan';
import { type ArchivedRows, withRows } from './archived-tables';

export interface OrderRecord extends OrderFields {
  /** True when the rows of the order are in the archive. */
  readonly archived: boolean;
  /** The channel that the order came from. Null: the API. */
  readonly channelOrder: { readonly channel: string; readonly externalId: string; readonly revision: number } | null;
  readonly clientSettings: ClientSettings;
  readonly items: readonly ItemRecord[];
  readonly printOrders: readonly PrintOrderRecord[];
  readonly shipments: readonly ShipmentRecord[];
  readonly receipts: readonly ReceiptRecord[];
  readonly events: readonly EventRecord[];
}

export interface ItemRecord extends ItemFields {
  readonly files: readonly FileRecord[];
}

export interface FileRecord {
  readonly id: string;
  readonly type: string;
  readonly url: string;
  readonly metadata: ItemFields['metadata'];
  readonly objectKey: string | null;
  readonly mimeType: string | null;
  readonly sizeBytes: number | null;
  readonly previews: readonly StoredPreview[];
  /** Null before the file is fetched. */
  readonly facts: FileFacts | null;
  readonly checks: readonly FileFinding[];
  readonly checksAccepted: boolean;
  /** The latest file that is to replace it at the partner that has the order. Null: none since this file is printed. */
  readonly replacement: {
    readonly url: string;
    readonly state: (typeof REPLACEMENT_STATES)[number];
    readonly message: string | null;
    readonly checks: readonly FileFinding[];
  } | null;
}

/** Where a file stands that is to replace another one at a partner: it is checked, was sent, or was refused. */
export const REPLACEMENT_STATES = ['checking', 'sending', 'refused'] as const;

export interface PrintOrderRecord {
  readonly id: string;
  readonly status: string;
  readonly dispatchDate: string;
  readonly reproducesId: string | null;
  readonly jobs: readonly {
    readonly id: string;
    readonly itemId: string;
    readonly quantity: number;
    readonly status: string;
    /** The parcels with tracking codes that the partner has named for this job. */
    readonly ownParcels: readonly OwnParcel[];
    /** Method of a job that left before a change of address or method. */
    readonly departedMethodUid: string | null;
    readonly departedMethodName: string | null;
    /** The shipment whose label such a job left with. */
    readonly departedShipmentId: string | null;
  }[];
}

export interface OwnParcel {
  readonly trackingCode: string;
  readonly trackingLink: string | null;
}

export interface ShipmentRecord extends Omit<ShipmentPlan, 'method' | 'fulfillmentState'> {
  readonly id: string;
  readonly printOrderId: string;
  readonly shipmentMethodUid: string;
  readonly shipmentMethodName: string;
  readonly serviceType: string;
  readonly priceMinor: number;
  readonly currency: string;
  readonly initialMinDeliveryDate: string;
  readonly initialMaxDeliveryDate: string;
  /** The parcels with tracking codes that the partner has named for the whole print order. */
  readonly ownParcels: readonly OwnParcel[];
  /** True when a carrier follows the partner's own tracking code. */
  readonly trackingFollowed: boolean;
  readonly packages: readonly PackageRecord[];
}

export interface PackedUnits {
  readonly itemReferenceId: string;
  readonly quantity: number;
}

export interface PackageRecord {
  readonly shipmentId: string;
  readonly items: readonly PackedUnits[];
  readonly packageReferenceId: string;
  readonly trackingNumber: string;
  readonly trackingUrl: string;
  readonly methodUid: string;
  readonly methodName: string | null;
}

export interface ReceiptRecord {
  readonly id: string;
  readonly number: number;
  readonly type: string;
  readonly currency: string;
  readonly body: Receipt;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface EventRecord {
  readonly type: string;
  readonly itemId: string | null;
  readonly printOrderId: string | null;
  readonly data: Record<string, unknown>;
  readonly at: string;
}

/** The orders that may be seen: those of one client, or all (null, for operators). */
export interface Viewer {
  readonly clientId: string | null;
}

export interface FoundOrder {
  readonly id: string;
  readonly isArchived: boolean;
}

/**
 * Finds the order with an id or a client's reference. A reference that is used more than once finds the newest order.
 * @returns null when there is no such order that the viewer may see
 */
export async function findOrder(sql: Queryable, viewer: Viewer, idOrReference: string): Promise<FoundOrder | null> {
  const mine = viewer.clientId === null ? sql`` : sql`AND client_id = ${viewer.clientId}`;
  if (isUuid(idOrReference)) {
    // An order is in one of the tables: the archive is read only when the first has no row.
    const [byId] = await sql<FoundOrder[]>`
      SELECT id, false AS is_archived FROM orders WHERE id = ${idOrReference} ${mine}
      UNION ALL SELECT id, true FROM archived_orders WHERE id = ${idOrReference} ${mine} LIMIT 1`;
    if (byId !== undefined) return byId;
  }
  const newest = sql`WHERE order_reference_id = ${idOrReference} ${mine} ORDER BY created_at DESC, id DESC LIMIT 1`;
  const [byReference] = await sql<FoundOrder[]>`
    (SELECT id, created_at, false AS is_archived FROM orders ${newest})
    UNION ALL (SELECT id, created_at, true FROM archived_orders ${newest})
    ORDER BY created_at DESC, id DESC LIMIT 1`;
  return byReference ?? null;
}

/** An order of one of the clients that use a reference. */
export interface ReferenceCandidate {
  readonly id: string;
  readonly clientName: string;
}

/** Returns the newest order of each client that uses a reference, of at most 100 clients. */
export async function newestOrdersByClient(sql: Queryable, reference: string): Promise<readonly ReferenceCandidate[]> {
  return await sql<ReferenceCandidate[]>`
    SELECT DISTINCT ON (o.client_id) o.id, a.name AS client_name
    FROM orders o JOIN accounts a ON a.id = o.client_id
    WHERE o.order_reference_id = ${reference}
    ORDER BY o.client_id, o.created_at DESC, o.id DESC LIMIT 100`;
}

/** Returns the expression of parcels `w` with the partner's own codes, as an array of JSON. */
const ownParcels = (sql: Queryable, isChosen: Fragment): Fragment => sql`ARRAY(
  SELECT jsonb_build_object('trackingCode', w.tracking_code, 'trackingLink', w.tracking_link)
  FROM partner_parcels w WHERE ${isChosen} ORDER BY w.tracking_code)`;

/**
 * Most events of one type about one item that partners cause, and of all of them together: three postbacks about each item of an
 * order of 500. A partner decides how many there are; the timeline has all of them, in pages.
 */
export const PARTNER_EVENTS = { ofItem: 10, ofOrder: 1_500 } as const;

/** Returns the jsonb expression of the event log of the order `o`, oldest first. Of partners' events it has the latest ones. */
export const eventsAsJson = (sql: Queryable): Fragment => sql`
  to_jsonb(ARRAY(
    SELECT jsonb_build_object('type', e.type, 'itemId', e.order_item_id::text, 'printOrderId', e.print_order_id::text,
      'data', e.data, 'at', e.at)
    FROM (
      SELECT e.*,
        CASE WHEN by_partner THEN row_number() OVER (PARTITION BY e.type, e.order_item_id ORDER BY e.id DESC) END AS of_item,
        CASE WHEN by_partner THEN row_number() OVER (PARTITION BY by_partner ORDER BY e.id DESC) END AS of_order
      FROM (
        SELECT e.*, e.type LIKE 'postback\\_%' OR e.type = 'cancel_repeated' AS by_partner
        FROM order_events e WHERE e.order_id = o.id) e) e
    WHERE NOT by_partner OR of_item <= ${PARTNER_EVENTS.ofItem} AND of_order <= ${PARTNER_EVENTS.ofOrder}
    ORDER BY e.id))`;

/**
 * Returns complete orders with one statement. Each part is found by an index on the order's id.
 * @param archived the rows of the order, when it is archived
 */
export async function readOrders(
  sql: Queryable,
  ids: readonly string[],
  archived: ArchivedRows | null = null,
): Promise<OrderRecord[]> {
  return await sql<OrderRecord[]>`
      ${withRows(sql, archived)} wanted AS (SELECT unnest(${[...ids]}::uuid[]) AS id)
      SELECT ${sql.unsafe(ORDER_COLUMNS)}, ${archived !== null} AS archived, a.settings AS client_settings,
        (SELECT jsonb_build_object('channel', c.channel_id, 'externalId', c.external_id, 'revision', c.revision)
          FROM channel_orders c WHERE c.order_id = o.id ORDER BY c.revision DESC LIMIT 1) AS channel_order,
        to_jsonb(ARRAY(
          SELECT jsonb_build_object(${itemMembers(sql, ITEM_FIELDS)}, 'files', ARRAY(
            SELECT jsonb_build_object('id', f.id, 'type', f.type, 'url', f.url, 'metadata', f.metadata,
              'objectKey', f.object_key, 'mimeType', f.mime_type, 'sizeBytes', f.size_bytes, 'previews', f.previews,
              'facts', f.facts, 'checks', f.checks, 'checksAccepted', f.checks_accepted, 'replacement', (
                SELECT jsonb_build_object('url', r.url, 'state', r.replacement, 'message', r.replacement_message, 'checks', r.checks)
                FROM order_files r WHERE r.order_item_id = i.id AND r.type = f.type AND r.id > f.id
                  AND r.replacement IN ('checking', 'sending', 'refused') ORDER BY r.id DESC LIMIT 1))
            FROM order_files f WHERE f.order_item_id = i.id AND f.replacement IS NULL ORDER BY f.position))
          FROM order_items i WHERE i.order_id = o.id ORDER BY i.position)) AS items,
        to_jsonb(ARRAY(
          SELECT jsonb_build_object('id', p.id::text, 'status', p.status,
            'dispatchDate', p.dispatch_date, 'reproducesId', p.reproduces_id::text, 'jobs', ARRAY(
              SELECT jsonb_build_object('id', j.id::text, 'itemId', j.order_item_id::text, 'quantity', j.quantity,
                'status', j.status, 'ownParcels', ${ownParcels(sql, sql`w.print_order_id = p.id AND j.id = ANY(w.job_ids)`)},
                'departedMethodUid', j.departed_method_uid, 'departedMethodName', j.departed_method_name,
                'departedShipmentId', j.departed_shipment_id)
              FROM print_jobs j WHERE j.print_order_id = p.id ORDER BY j.id))
          FROM print_orders p
          -- A rerouted print order that waits for a partner is no part of the order yet.
          WHERE p.order_id = o.id AND p.status <> 'waiting' ORDER BY p.id)) AS print_orders,
        to_jsonb(ARRAY(
          SELECT jsonb_build_object('id', s.id, 'printOrderId', s.print_order_id::text,
            'shipmentMethodUid', s.shipment_method_uid, 'shipmentMethodName', s.shipment_method_name,
            'serviceType', s.service_type, 'isCheapest', s.is_cheapest, 'packageCount', s.package_count,
            'totalWeightGrams', s.total_weight_grams, 'parcels', s.parcels, 'priceMinor', s.price_minor, 'currency', s.currency,
            'minDeliveryDays', s.min_delivery_days, 'maxDeliveryDays', s.max_delivery_days,
            'minDeliveryDate', s.min_delivery_date, 'maxDeliveryDate', s.max_delivery_date,
            'initialMinDeliveryDate', s.initial_min_delivery_date, 'initialMaxDeliveryDate', s.initial_max_delivery_date,
            'fulfillmentCountry', s.fulfillment_country, 'fulfillmentFacilityId', s.fulfillment_facility_id,
            'ownParcels', ${ownParcels(sql, sql`w.print_order_id = s.print_order_id AND w.job_ids IS NULL`)},
            'trackingFollowed', s.tracking_followed,
            'packages', ARRAY(
            SELECT jsonb_build_object('packageReferenceId', k.package_reference_id, 'trackingNumber', k.tracking_number,
              'trackingUrl', k.tracking_url, 'shipmentId', sh.id, 'items', k.items, 'methodUid', sh.method_uid,
              'methodName', sh.method_name)
            FROM shipments sh JOIN shipment_packages k ON k.shipment_id = sh.id
            WHERE sh.print_order_id = s.print_order_id AND sh.voided_at IS NULL AND k.left_out_at IS NULL
            ORDER BY sh.bought_at, k.position))
          FROM planned_shipments s WHERE s.order_id = o.id ORDER BY s.print_order_id)) AS shipments,
        to_jsonb(ARRAY(
          SELECT jsonb_build_object('id', r.id, 'number', r.number, 'type', r.type, 'currency', r.currency, 'body', r.body,
            'createdAt', r.created_at, 'updatedAt', r.updated_at)
          FROM receipts r WHERE r.order_id = o.id ORDER BY r.number)) AS receipts,
        ${eventsAsJson(sql)} AS events
      FROM wanted JOIN orders o USING (id) JOIN accounts a ON a.id = o.client_id`;
}

/** Returns true when an order has the customer product. Drafts do not count. */
export async function customerProductOrdered(sql: Queryable, { id }: { readonly id: string }): Promise<boolean> {
  const [row] = await sql<{ ordered: boolean }[]>`
    SELECT EXISTS (
      SELECT FROM order_items i JOIN orders o ON o.id = i.order_id
      WHERE i.product ? 'customerProductId' AND i.product ->> 'customerProductId' = ${id} AND o.order_type <> 'draft'
    ) AS ordered`;
  return row!.ordered;
}
