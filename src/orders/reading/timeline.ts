import { isoMicroseconds, type SearchPage } from '../../platform/list-position';
import type { Queryable } from '../../platform/postgres';
import { SINGLE_REPAIRS } from '../domain/lifecycle/rules/repairs';
import { type ArchivedRows, withRows } from './archived-tables';

/**
 * Kinds of entries. `event`: the order's log. `repair`: repairs and changes by operators and clients. `postback`: what
 * partners reported. `request`: each attempt to send something to a partner. `checkpoint`: scans of parcels.
 * `notification`: messages to the client's endpoints.
 */
export const TIMELINE_KINDS = ['event', 'repair', 'postback', 'request', 'checkpoint', 'notification'] as const;
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

export interface TimelineEntry {
  /** Kind and row id. */
  readonly id: string;
  readonly kind: TimelineKind;
  /** Type of the event, status of the postback or checkpoint, name of the repair or change. */
  readonly type: string;
  readonly at: Date;
  readonly printOrderId: string | null;
  /** Name of the partner, carrier, operator or client. Null for Pressline's own events. */
  readonly by: string | null;
  readonly data: Record<string, unknown>;
  readonly position: string;
}

/** Repairs of the audit log that the order's log has too, with the reason. */
const LOGGED_REPAIRS = SINGLE_REPAIRS.map((action) => `order.${action}`);

/**
 * Returns one page of everything that happened to an order, newest first. Each source is read by its index on the order.
 * @param kinds only these kinds
 * @param archived the rows of the order, when it is archived
 */
export async function orderTimeline(
  sql: Queryable,
  orderId: string,
  kinds: readonly TimelineKind[],
  page: SearchPage,
  archived: ArchivedRows | null,
): Promise<TimelineEntry[]> {
  const { limit, after } = page;
  return await sql<TimelineEntry[]>`
      ${withRows(sql, archived)} printed AS (
        SELECT p.id, p.order_id, pa.uid FROM print_orders p JOIN partners pa ON pa.account_id = p.partner_id WHERE p.order_id = ${orderId}
      ), entries AS (
        -- The log entries of postbacks repeat a part of the postbacks.
        SELECT CASE WHEN data ? 'by' THEN 'repair' ELSE 'event' END AS kind, id::text AS row, type, at,
          print_order_id::text, data ->> 'by' AS by, data || jsonb_strip_nulls(jsonb_build_object('itemId', order_item_id::text)) AS data
        FROM order_events WHERE order_id = ${orderId} AND type NOT LIKE 'postback\\_%'
        UNION ALL
        SELECT 'repair', 'audit' || id::text, action, at, NULL, actor_name,
          jsonb_build_object('role', actor_role, 'before', before, 'after', after, 'requestId', request_id)
        FROM audit_log WHERE object_id = ${orderId} AND action <> ALL(${LOGGED_REPAIRS})
        UNION ALL
        SELECT 'postback', b.id::text, b.body ->> 'status', b.received_at, b.print_order_id::text, printed.uid,
          b.body || jsonb_build_object('receivedAt', b.received_at, 'handledAt', b.handled_at)
        FROM printed JOIN postbacks b ON b.print_order_id = printed.id AND b.order_id = printed.order_id
        UNION ALL
        SELECT 'request', r.id::text, r.kind, r.at, r.print_order_id::text, printed.uid,
          jsonb_build_object('outcome', r.outcome, 'status', r.status, 'durationMs', r.duration_ms, 'response', r.response,
            'revision', r.revision)
        FROM printed JOIN partner_requests r ON r.print_order_id = printed.id
        UNION ALL
        SELECT 'checkpoint', c.id::text, c.status_uid, c.occurred_at, t.print_order_id::text, t.carrier,
          jsonb_build_object('trackingNumber', c.tracking_number, 'message', c.message, 'description', c.description,
            'location', c.location, 'receivedAt', c.received_at)
        FROM (
          SELECT t.tracking_number, t.generation, t.created_at, s.print_order_id, coalesce(t.carrier_name, s.carrier_name, t.carrier_uid) AS carrier
          FROM printed JOIN shipments s ON s.print_order_id = printed.id JOIN trackings t ON t.shipment_id = s.id
          UNION ALL
          SELECT t.tracking_number, t.generation, t.created_at, t.print_order_id, coalesce(t.carrier_name, t.carrier_uid)
          FROM printed JOIN trackings t ON t.print_order_id = printed.id
        ) AS t JOIN tracking_checkpoints c ON c.tracking_number = t.tracking_number AND c.generation = t.generation
          AND c.tracked_since = t.created_at
        UNION ALL
        SELECT 'notification', d.id::text, d.event, d.created_at, NULL, NULL,
          jsonb_build_object('endpointId', d.endpoint_id, 'url', w.url, 'state', d.state, 'attempts', d.attempts,
            'settledAt', d.settled_at, 'body', d.body::jsonb)
        FROM webhook_deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id WHERE d.order_id = ${orderId}
      )
      SELECT kind || ':' || row AS id, kind, type, at, print_order_id, by, data, ${isoMicroseconds(sql, sql`at`)} AS position
      FROM entries
      WHERE kind = ANY(${[...kinds]}::text[])
        ${
          after === null
            ? sql``
            : sql`AND (at, (kind || ':' || row) COLLATE "C") < (${after.time}::text::timestamptz, ${after.id}::text)`
        }
      ORDER BY at DESC, (kind || ':' || row) COLLATE "C" DESC
      LIMIT ${limit}`;
}
