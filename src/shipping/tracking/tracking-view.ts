import { z } from 'zod';
import type { Account } from '../../accounts/account';
import {
  TRACKING_STATUS,
  TRACKING_STATUSES,
  type TrackingStatus,
} from '../../consignments/domain/tracking-status';
import type { Queryable } from '../../platform/postgres';

/** The response of a tracking request. */
export const trackingSchema = z
  .object({
    shortUid: z.string(),
    trackingNumber: z.string(),
    trackingUrl: z.string().optional(),
    shipmentMethodUid: z.string().optional(),
    shipmentMethodName: z.string().optional(),
    carrierUid: z.string().optional(),
    carrierName: z.string().optional(),
    weightInGrams: z.string().optional(),
    checkpoints: z
      .array(
        z.object({
          status: z.number().describe('Number of the status.'),
          statusUid: z.enum(TRACKING_STATUSES),
          message: z.string(),
          description: z.string().optional(),
          location: z.string().optional(),
          createdAt: z.iso.datetime(),
          expectedDeliveryDate: z.string().optional().describe('YYYY-MM-DD, or empty.'),
          signedBy: z.string().describe('The provider that reported the checkpoint.'),
        }),
      )
      .describe('Newest first.'),
  })
  .meta({ id: 'Tracking' });
export type TrackingResponse = z.input<typeof trackingSchema>;

interface CheckpointRow {
  statusUid: TrackingStatus;
  message: string;
  description: string | null;
  location: string | null;
  occurredAt: string;
  expectedDeliveryDate: string | null;
  signedBy: string;
}

/**
 * Returns the tracking data of a package, also of one that a print partner ships with its own tracking code. Clients and
 * partners see packages of their own orders, operators see all.
 * @returns null when the number is unknown or belongs to another account
 */
export async function readTracking(
  sql: Queryable,
  trackingNumber: string,
  account: Pick<Account, 'id' | 'role'>,
): Promise<TrackingResponse | null> {
  const [row] = await sql<
    {
      shortUid: string;
      trackingNumber: string;
      trackingUrl: string | null;
      methodUid: string | null;
      methodName: string | null;
      carrierUid: string;
      carrierName: string;
      weightGrams: string | null;
      checkpoints: CheckpointRow[] | null;
    }[]
  >`
    SELECT t.short_uid, t.tracking_number, coalesce(p.tracking_url, t.tracking_url) AS tracking_url, s.method_uid,
      s.method_name, t.carrier_uid, coalesce(s.carrier_name, t.carrier_name) AS carrier_name, p.weight_grams,
      (SELECT jsonb_agg(jsonb_build_object('statusUid', c.status_uid, 'message', c.message, 'description', c.description,
          'location', c.location, 'occurredAt', c.occurred_at, 'expectedDeliveryDate', c.expected_delivery_date,
          'signedBy', c.signed_by) ORDER BY c.occurred_at DESC, c.id DESC)
        FROM tracking_checkpoints c
        WHERE (c.tracking_number, c.generation) = (t.tracking_number, t.generation)) AS checkpoints
    FROM trackings t
    LEFT JOIN shipments s ON s.id = t.shipment_id
    LEFT JOIN shipment_packages p ON p.shipment_id = s.id AND p.tracking_number = t.tracking_number
    LEFT JOIN print_orders po ON po.id = coalesce(s.print_order_id, t.print_order_id)
    LEFT JOIN orders o ON o.id = po.order_id
    LEFT JOIN shipping_orders so ON so.id = s.shipping_order_id
    WHERE t.tracking_number IN (${trackingNumber}, ${trackingNumber.replace(/\s+/g, '')}) AND t.carrier_uid IS NOT NULL
      AND (${account.role === 'operator'} OR ${account.id} IN (o.client_id, po.partner_id, so.account_id))
    -- The latest use of the number that the account may see.
    ORDER BY t.created_at DESC, t.generation DESC LIMIT 1`;
  if (row === undefined) return null;
  return {
    shortUid: row.shortUid,
    trackingNumber: row.trackingNumber,
    ...(row.trackingUrl === null ? {} : { trackingUrl: row.trackingUrl }),
    ...(row.methodUid === null ? {} : { shipmentMethodUid: row.methodUid }),
    ...(row.methodName === null ? {} : { shipmentMethodName: row.methodName }),
    carrierUid: row.carrierUid,
    carrierName: row.carrierName,
    ...(row.weightGrams === null ? {} : { weightInGrams: String(Math.ceil(Number(row.weightGrams))) }),
    checkpoints: (row.checkpoints ?? []).map((checkpoint) => ({
      status: TRACKING_STATUS[checkpoint.statusUid].number,
      statusUid: checkpoint.statusUid,
      message: checkpoint.message,
      ...(checkpoint.description === null ? {} : { description: checkpoint.description }),
      ...(checkpoint.location === null ? {} : { location: checkpoint.location }),
      createdAt: new Date(checkpoint.occurredAt).toISOString(),
      expectedDeliveryDate: checkpoint.expectedDeliveryDate ?? '',
      signedBy: checkpoint.signedBy,
    })),
  };
}
