import type { Fragment, Queryable } from '../platform/postgres';
import type { ItemView, NotifiedSnapshot, OrderView } from './domain/order-changes';
import type { Endpoint } from './webhook-schemas';

/**
 * Why production of an item has stopped, by the event that stopped it. Clients read these texts instead of the words of
 * partners and operators, which are internal.
 */
const STOP_REASONS: Readonly<Record<string, string>> = {
  postback_error: 'The print partner reported an error.',
  postback_cancelled: 'The print partner cancelled the item.',
  print_order_refused: 'The print partner refused the item.',
  print_order_undeliverable: 'The print partner could not be reached.',
  print_order_unbuildable: 'The item cannot be produced as it was ordered.',
  order_parked: 'No print partner can make the item currently.',
  files_held: 'A print file does not fit its product. Replace the file.',
  address_held: 'Parcels may not arrive at the address. Change it, as its checks say.',
  hold: 'The order was put on hold.',
  cancel_requested: 'The order was cancelled.',
  cancel_items: 'The item was cancelled.',
};

/** Statuses for which a notification gives the reason. */
const EXPLAINED = ['failed', 'manual_handling', 'on_hold', 'cancelled'];

/** Statuses of print jobs that are in no parcel. `waiting`: of a rerouted print order that waits for the current partner. */
const NOT_SENT_JOBS = ['cancelled', 'superseded', 'waiting'];

/** Statuses of print jobs that have left their partner. */
const LEFT_JOBS = ['shipped', 'in_transit', 'delivered', 'returned'];

/**
 * Returns the joins from print jobs `j` of items `i` to their planned shipments `p` and the parcels `k` that hold units of the item:
 * those with codes that the partner has named for the job, else packages with labels of Pressline, else parcels with codes for the
 * whole print order. A partner's code is that of units that have left. A job that left before a change of address or method
 * keeps its label.
 */
function parcelsOfJobs(sql: Queryable): Fragment {
  return sql`
    JOIN planned_shipments p ON p.print_order_id = j.print_order_id
    LEFT JOIN LATERAL (
      WITH own AS (
        SELECT tracking_code, tracking_link, job_ids FROM partner_parcels w
        WHERE w.print_order_id = j.print_order_id AND (w.job_ids IS NULL OR j.id = ANY(w.job_ids))
      ), labels AS (
        SELECT k.position, k.tracking_number, k.tracking_url, sum((c ->> 'quantity')::int)::int AS quantity
        FROM shipments sh JOIN shipment_packages k ON k.shipment_id = sh.id, jsonb_array_elements(k.items) c
        WHERE sh.print_order_id = j.print_order_id AND sh.status = 'bought' AND k.left_out_at IS NULL
          AND c ->> 'itemReferenceId' = i.item_reference_id
          AND CASE WHEN j.departed_method_uid IS NOT NULL THEN sh.id = j.departed_shipment_id
            ELSE NOT EXISTS (SELECT FROM print_jobs d WHERE d.print_order_id = j.print_order_id AND d.departed_shipment_id = sh.id) END
          AND NOT EXISTS (SELECT FROM own WHERE job_ids IS NOT NULL)
        GROUP BY k.shipment_id, k.position
      )
      SELECT position, tracking_number AS code, tracking_url AS url, quantity FROM labels
      UNION ALL
      SELECT 0, tracking_code, tracking_link, j.quantity FROM own
      WHERE j.status = ANY(${LEFT_JOBS}) AND (job_ids IS NOT NULL
        OR NOT EXISTS (SELECT FROM labels) AND NOT EXISTS (SELECT FROM own WHERE job_ids IS NOT NULL))
    ) k ON true`;
}

/** Returns the expression of the fields of the order `o` that every event has, as NotifiedOrder. */
export const notifiedOrder = (sql: Queryable) =>
  sql`jsonb_build_object('orderId', o.id, 'storeId', NULL, 'orderReferenceId', o.order_reference_id)`;

const methodUid = (sql: Queryable) => sql`coalesce(j.departed_method_uid, p.shipment_method_uid)`;

/** Returns the expression of the parcels of an order `o` as JSON, each once: tracking code and URL, and the method. */
export const parcelsOfOrder = (sql: Queryable): Fragment => parcelsOf(sql, sql`j.status <> ALL(${NOT_SENT_JOBS})`);
export const parcelsThatLeft = (sql: Queryable): Fragment => parcelsOf(sql, sql`j.status = ANY(${LEFT_JOBS})`);

const parcelsOf = (sql: Queryable, jobs: Fragment): Fragment => sql`(
  SELECT coalesce(jsonb_agg(DISTINCT jsonb_build_object('trackingCode', k.code, 'trackingUrl', k.url,
    'shipmentMethodUid', ${methodUid(sql)})), '[]')
  FROM order_items i JOIN print_jobs j ON j.order_item_id = i.id ${parcelsOfJobs(sql)}
  WHERE i.order_id = o.id AND ${jobs} AND k.code IS NOT NULL)`;

/** Log entries that say what notifications say. */
const READ_EVENTS = [...Object.keys(STOP_REASONS), 'partner_cancel_refused', 'units_cancelled'];

/** An entry of the log. @property itemIds @property quantity the parts of its data that are read */
interface LoggedEvent {
  readonly type: string;
  readonly itemId: string | null;
  readonly printOrderId: string | null;
  readonly itemIds: readonly string[] | null;
  readonly quantity: number | null;
}

type ItemRow = Omit<ItemView, 'comment' | 'cancelledUnits'> & {
  /** The print orders of an item whose status is explained. Empty for others. */
  readonly printOrderIds: readonly string[];
};

type ViewRow = Omit<OrderView, 'items' | 'refusedCancels'> & {
  readonly items: readonly ItemRow[];
  /** Oldest first. */
  readonly events: readonly LoggedEvent[];
  readonly notified: NotifiedSnapshot | null;
  readonly endpoints: NotifiableOrder['endpoints'] | null;
};

export interface NotifiableOrder {
  readonly view: OrderView;
  readonly notified: NotifiedSnapshot | null;
  /** The enabled endpoints of the order's client, at least one. */
  readonly endpoints: readonly Pick<Endpoint, 'id' | 'events'>[];
}

/**
 * Reads an order, its last snapshot and the endpoints of its client in the caller's transaction. Returns undefined when the
 * client has no enabled endpoint; then nothing else is read.
 */
export async function readNotifiableOrder(tx: Queryable, orderId: string): Promise<NotifiableOrder | undefined> {
  const [row] = await tx<ViewRow[]>`
    SELECT ${notifiedOrder(tx)} AS "order", o.fulfillment_status, o.metadata, o.refusal_reason, o.refusal_reason_code,
      n.endpoints,
      s.min_delivery_date::text, s.max_delivery_date::text, t.snapshot AS notified,
      -- One read of the log, whose partitions each plan opens.
      (SELECT coalesce(jsonb_agg(jsonb_build_object('type', e.type, 'itemId', e.order_item_id::text,
          'printOrderId', e.print_order_id::text, 'itemIds', e.data -> 'itemIds', 'quantity', e.data -> 'quantity') ORDER BY e.id), '[]')
       FROM order_events e WHERE e.order_id = o.id AND e.type = ANY(${READ_EVENTS})) AS events,
      (SELECT coalesce(jsonb_agg(jsonb_build_object(
          'id', i.id::text, 'itemReferenceId', i.item_reference_id, 'status', i.fulfillment_status,
          'metadata', i.metadata,
          'fileChecks', ARRAY(
            SELECT jsonb_build_object('fileType', f.type) || c FROM order_files f, jsonb_array_elements(f.checks) c
            WHERE f.order_item_id = i.id AND f.replacement IS NULL AND c ->> 'severity' <> 'ok' ORDER BY f.position),
          'printOrderIds', CASE WHEN i.fulfillment_status = ANY(${EXPLAINED}) THEN ARRAY(
            SELECT j.print_order_id::text FROM print_jobs j WHERE j.order_item_id = i.id) ELSE '{}' END,
          'fulfillments', coalesce(f.fulfillments, '[]')) ORDER BY i.position), '[]')
       FROM order_items i
       LEFT JOIN LATERAL (
         SELECT jsonb_agg(jsonb_build_object('quantity', coalesce(k.quantity, j.quantity),
           -- The code of a label is told when the units have left in its parcel.
           'trackingCode', CASE WHEN j.status = ANY(${LEFT_JOBS}) THEN k.code END,
           'trackingUrl', CASE WHEN j.status = ANY(${LEFT_JOBS}) THEN k.url END,
           'shipmentMethodName', coalesce(j.departed_method_name, p.shipment_method_name),
           'shipmentMethodUid', ${methodUid(tx)},
           'fulfillmentCountry', p.fulfillment_country, 'fulfillmentStateProvince', p.fulfillment_state,
           'fulfillmentFacilityId', p.fulfillment_facility_id) ORDER BY j.id, k.position, k.code) AS fulfillments
         FROM print_jobs j ${parcelsOfJobs(tx)} WHERE j.order_item_id = i.id AND j.status <> ALL(${NOT_SENT_JOBS})
       ) f ON true
       WHERE i.order_id = o.id) AS items
    FROM orders o
    JOIN LATERAL (
      SELECT jsonb_agg(jsonb_build_object('id', e.id, 'events', to_jsonb(e.events))) AS endpoints
      FROM webhook_endpoints e WHERE e.client_id = o.client_id AND e.enabled
    ) n ON n.endpoints IS NOT NULL
    LEFT JOIN LATERAL (
      SELECT min(min_delivery_date) AS min_delivery_date, max(max_delivery_date) AS max_delivery_date
      FROM planned_shipments p
      WHERE p.order_id = o.id AND EXISTS (
        SELECT FROM print_jobs j WHERE j.print_order_id = p.print_order_id AND j.status <> ALL(${NOT_SENT_JOBS}))
    ) s ON true
    LEFT JOIN notified_states t ON t.order_id = o.id
    WHERE o.id = ${orderId}`;
  if (row?.endpoints == null) return undefined;
  const { notified, endpoints, events, ...read } = row;
  const refusedCancels = events.flatMap(({ type, itemIds }) =>
    type === 'partner_cancel_refused' && itemIds !== null ? [itemIds] : [],
  );
  const order = { ...read, refusedCancels };
  const items = read.items.map(({ printOrderIds, ...item }) => ({
    ...item,
    cancelledUnits: cancelledUnits(item.id, events),
    comment: EXPLAINED.includes(item.status) ? stopReason(item.id, printOrderIds, events) : null,
  }));
  // A refused order has its own reason, which is written for the client.
  const view: OrderView =
    order.refusalReason === null
      ? { ...order, items }
      : { ...order, items: items.map((item) => ({ ...item, comment: order.refusalReason })) };
  return { view, notified, endpoints };
}

/** Returns the number of units that were cancelled while the rest of an item went on. */
export function cancelledUnits(
  id: string,
  events: readonly Pick<LoggedEvent, 'type' | 'itemId' | 'quantity'>[],
): number {
  return events.reduce(
    (sum, { type, itemId, quantity }) => sum + (type === 'units_cancelled' && itemId === id ? (quantity ?? 0) : 0),
    0,
  );
}

/** Returns why the production of an item has stopped: the last event that stopped the item, its print order, or the order. */
function stopReason(id: string, printOrderIds: readonly string[], events: readonly LoggedEvent[]): string | null {
  const last = events.findLast(
    ({ type, itemId, printOrderId }) =>
      type in STOP_REASONS &&
      (itemId === id || (itemId === null && (printOrderId === null || printOrderIds.includes(printOrderId)))),
  );
  if (last?.type === 'postback_cancelled' && last.quantity !== null)
    return `The print partner cancelled ${last.quantity === 1 ? '1 unit' : `${last.quantity} units`} of the item.`;
  return last === undefined ? null : STOP_REASONS[last.type]!;
}
