import type { TrackingStatus } from '../../consignments/domain/tracking-status';
import { json, type Queryable } from '../../platform/postgres';
import type { ShipmentStatus } from '../../shipping/purchase-rows';
import type { AttentionReason } from '../domain/lifecycle/attention';
import type { PostbackEvent } from '../domain/lifecycle/run-events';
import {
  ENDED_ORDERS,
  type FinancialStatus,
  type OrderStatus,
  type PrintOrderStage,
} from '../domain/lifecycle/statuses';
import { type ItemFields, itemMembers } from '../item-fields';
import { dispatchDueAt } from '../print-orders/rows';
import type { EventRecord } from './order-reader';

/** An order as operators see it. The view for clients is in `order-view.ts`. */
export interface OperatorOrder {
  readonly id: string;
  readonly orderReferenceId: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly fulfillmentStatus: OrderStatus;
  readonly financialStatus: FinancialStatus;
  readonly country: string;
  /** Null when the order needs no attention. */
  readonly attention: readonly AttentionReason[] | null;
  readonly shippingRevision: number;
  readonly runVersion: string;
  readonly requestId: string | null;
  readonly refusalReason: string | null;
  readonly refusalReasonCode: string | null;
  readonly refusalReasonDetails: Record<string, unknown> | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Set when the order ended without a final status, because no carrier follows its parcels. */
  readonly trackingEndedAt: Date | null;
  readonly items: readonly OperatorItem[] | null;
  readonly printOrders: readonly OperatorPrintOrder[] | null;
  readonly parcels: readonly OperatorParcel[] | null;
  readonly events: readonly EventRecord[] | null;
}

const OPERATOR_ITEM = ['id', 'itemReferenceId', 'quantity', 'fulfillmentStatus'] as const;

export interface OperatorItem extends Pick<ItemFields, (typeof OPERATOR_ITEM)[number]> {
  readonly productUid: string | null;
  readonly productName: string | null;
}

export interface OperatorPrintOrder {
  readonly id: string;
  readonly partnerId: string;
  readonly partnerUid: string;
  readonly kind: string;
  readonly version: string;
  readonly step: string;
  readonly status: PrintOrderStage;
  readonly reproducesId: string | null;
  readonly messageId: string;
  readonly acceptedAt: string | null;
  readonly dispatchDate: string;
  /** End of the dispatch date in the partner's time zone, ISO 8601. */
  readonly dispatchDueAt: string;
  readonly createdAt: string;
  readonly promise: DeliveryPromise | null;
  readonly jobs: readonly {
    readonly id: string;
    readonly itemId: string;
    readonly quantity: number;
    readonly status: string;
  }[];
  readonly shipments: readonly OperatorShipment[] | null;
  readonly postbacks: readonly OperatorPostback[] | null;
}

/** Method and delivery dates that a print order's shipment was planned with. Dates are YYYY-MM-DD. */
export interface DeliveryPromise {
  readonly methodUid: string;
  readonly methodName: string;
  readonly minDeliveryDate: string;
  readonly maxDeliveryDate: string;
  readonly initialMinDeliveryDate: string;
  readonly initialMaxDeliveryDate: string;
}

/** A parcel with the state of its tracking. */
export interface OperatorParcel {
  readonly trackingNumber: string;
  readonly trackingUrl: string | null;
  readonly printOrderId: string;
  /** Null: the partner shipped with its own label. */
  readonly shipmentId: string | null;
  readonly carrier: string | null;
  readonly status: TrackingStatus;
  readonly expectedDeliveryDate: string | null;
  readonly checkedAt: string | null;
  readonly voided: boolean;
}

export interface OperatorShipment {
  readonly id: string;
  readonly status: ShipmentStatus;
  readonly shipmentMethodUid: string;
  readonly startedAt: string;
  readonly boughtAt: string | null;
  readonly voidedAt: string | null;
  readonly trackingNumbers: readonly string[] | null;
}

export interface OperatorPostback extends Omit<PostbackEvent, 'type' | 'eventId' | 'printOrderId'> {
  readonly id: string;
  readonly receivedAt: string;
  readonly handledAt: string | null;
}

/** Returns null when there is no such order. */
export async function operatorOrder(sql: Queryable, orderId: string): Promise<OperatorOrder | null> {
  const [order] = await sql<OperatorOrder[]>`
    SELECT o.id, o.order_reference_id, o.client_id, a.name AS client_name, o.fulfillment_status, o.financial_status,
      o.shipping_address ->> 'country' AS country, o.attention, o.shipping_revision, o.run_version, o.request_id,
      o.refusal_reason, o.refusal_reason_code, o.refusal_reason_details, o.created_at, o.updated_at, o.tracking_ended_at,
      (SELECT jsonb_agg(jsonb_build_object(${itemMembers(sql, OPERATOR_ITEM)},
          'productUid', i.product ->> 'productUid', 'productName', i.product ->> 'name') ORDER BY i.position)
        FROM order_items i WHERE i.order_id = o.id) AS items,
      (SELECT jsonb_agg(jsonb_build_object('id', p.id::text, 'partnerId', p.partner_id, 'partnerUid', pa.uid,
          'kind', p.kind, 'version', p.version, 'step', p.step, 'status', p.status,
          'reproducesId', p.reproduces_id::text, 'messageId', p.message_id, 'acceptedAt', p.accepted_at,
          'dispatchDate', p.dispatch_date, 'dispatchDueAt', ${dispatchDueAt(sql)}, 'createdAt', p.created_at,
          'promise', (SELECT jsonb_build_object('methodUid', l.shipment_method_uid, 'methodName', l.shipment_method_name,
              'minDeliveryDate', l.min_delivery_date, 'maxDeliveryDate', l.max_delivery_date,
              'initialMinDeliveryDate', l.initial_min_delivery_date, 'initialMaxDeliveryDate', l.initial_max_delivery_date)
            FROM planned_shipments l WHERE l.print_order_id = p.id),
          'jobs', (SELECT jsonb_agg(jsonb_build_object('id', j.id::text, 'itemId', j.order_item_id::text,
              'quantity', j.quantity, 'status', j.status) ORDER BY j.id)
            FROM print_jobs j WHERE j.print_order_id = p.id),
          'shipments', (SELECT jsonb_agg(jsonb_build_object('id', s.id, 'status', s.status,
              'shipmentMethodUid', s.method_uid, 'startedAt', s.started_at, 'boughtAt', s.bought_at,
              'voidedAt', s.voided_at,
              'trackingNumbers', (SELECT jsonb_agg(k.tracking_number ORDER BY k.position)
                FROM shipment_packages k WHERE k.shipment_id = s.id)) ORDER BY s.started_at)
            FROM shipments s WHERE s.print_order_id = p.id),
          'postbacks', (SELECT jsonb_agg(b.body || jsonb_build_object('id', b.id::text,
              'receivedAt', b.received_at, 'handledAt', b.handled_at) ORDER BY b.id)
            FROM postbacks b WHERE b.print_order_id = p.id)) ORDER BY p.id)
        FROM print_orders p JOIN partners pa ON pa.account_id = p.partner_id WHERE p.order_id = o.id) AS print_orders,
      (SELECT jsonb_agg(jsonb_build_object('trackingNumber', t.tracking_number, 'trackingUrl', t.url,
          'printOrderId', t.print_order_id::text, 'shipmentId', t.shipment_id, 'carrier', t.carrier, 'status', t.status_uid,
          'expectedDeliveryDate', t.expected_delivery_date, 'checkedAt', t.checked_at, 'voided', t.voided)
          ORDER BY t.created_at, t.tracking_number)
        FROM (
          SELECT t.tracking_number, coalesce(k.tracking_url, t.tracking_url) AS url, p.id AS print_order_id, s.id AS shipment_id,
            coalesce(t.carrier_name, t.carrier_uid) AS carrier, t.status_uid, t.expected_delivery_date, t.checked_at,
            t.created_at, s.voided_at IS NOT NULL OR k.left_out_at IS NOT NULL AS voided
          FROM print_orders p JOIN shipments s ON s.print_order_id = p.id JOIN trackings t ON t.shipment_id = s.id
          LEFT JOIN shipment_packages k ON k.shipment_id = s.id AND k.tracking_number = t.tracking_number
          WHERE p.order_id = o.id
          UNION ALL
          SELECT t.tracking_number, t.tracking_url, p.id, NULL, coalesce(t.carrier_name, t.carrier_uid), t.status_uid,
            t.expected_delivery_date, t.checked_at, t.created_at, false
          FROM print_orders p JOIN trackings t ON t.print_order_id = p.id WHERE p.order_id = o.id) AS t) AS parcels,
      (SELECT jsonb_agg(jsonb_build_object('type', e.type, 'itemId', e.order_item_id::text,
          'printOrderId', e.print_order_id::text, 'data', e.data, 'at', e.at) ORDER BY e.id)
        FROM order_events e WHERE e.order_id = o.id) AS events
    FROM orders o JOIN accounts a ON a.id = o.client_id
    WHERE o.id = ${orderId}`;
  return order ?? null;
}

/**
 * Dismisses the attention reasons of an order that has ended, and records them in its event log.
 * @returns `open` for an order that has not ended, whose workflow derives the reasons; `nothing` for an order without reasons
 */
export async function dismissAttention(
  sql: Queryable,
  orderId: string,
  dismissal: { readonly by: string; readonly reason: string },
): Promise<'dismissed' | 'open' | 'nothing'> {
  const [row] = await sql<{ ended: boolean; dismissed: boolean }[]>`
    WITH found AS (
      SELECT id, attention, fulfillment_status = ANY(${[...ENDED_ORDERS]}) OR tracking_ended_at IS NOT NULL AS ended FROM orders
      WHERE id = ${orderId} AND attention IS NOT NULL FOR UPDATE),
    dismissed AS (
      UPDATE orders SET attention = NULL, updated_at = now() FROM found WHERE orders.id = found.id AND ended
      RETURNING orders.id, found.attention),
    logged AS (
      INSERT INTO order_events (order_id, type, data)
      SELECT id, 'dismiss', ${json(sql, dismissal)}::jsonb || jsonb_build_object('attention', to_jsonb(attention)) FROM dismissed)
    SELECT ended, EXISTS (SELECT FROM dismissed) AS dismissed FROM found`;
  if (row === undefined) return 'nothing';
  return row.dismissed ? 'dismissed' : 'open';
}
