import { z } from 'zod';
import type { Account } from '../../accounts/account';
import { TRACKING_STATUS, TRACKING_STATUSES } from '../../consignments/domain/tracking-status';
import type { Fragment, Queryable } from '../../platform/postgres';

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
    archived: z.boolean().describe('True: the order of the package is archived.'),
  })
  .meta({ id: 'Tracking' });
export type TrackingResponse = z.input<typeof trackingSchema>;

type Checkpoint = TrackingResponse['checkpoints'][number];

/** A field without a value is null in the row and missing in the response. */
type Row = Omit<TrackingResponse, 'checkpoints' | 'archived'> & {
  checkpoints: (Omit<Checkpoint, 'status' | 'createdAt'> & { occurredAt: string })[] | null;
};

const withoutNulls = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as T;

/**
 * Returns the tracking data of a package, also of one that a print partner ships with its own tracking code. Clients and
 * partners see packages of their own orders, operators see all.
 * @param archived beginning of the statement for an archived order (`withRows`)
 * @returns null when the number is unknown or belongs to another account
 */
export async function readTracking(
  sql: Queryable,
  trackingNumber: string,
  account: Pick<Account, 'id' | 'role'>,
  archived?: Fragment,
): Promise<TrackingResponse | null> {
  const [row] = await sql<Row[]>`
    ${archived ?? sql`WITH`} wanted AS (SELECT unnest(ARRAY[${trackingNumber}, ${trackingNumber.replace(/\s+/g, '')}]) AS number)
    SELECT t.short_uid, t.tracking_number, coalesce(p.tracking_url, t.tracking_url) AS tracking_url,
      s.method_uid AS shipment_method_uid, s.method_name AS shipment_method_name, t.carrier_uid,
      coalesce(s.carrier_name, t.carrier_name) AS carrier_name, ceil(p.weight_grams)::text AS weight_in_grams,
      (SELECT jsonb_agg(jsonb_build_object('statusUid', c.status_uid, 'message', c.message, 'description', c.description,
          'location', c.location, 'occurredAt', c.occurred_at, 'expectedDeliveryDate', coalesce(c.expected_delivery_date::text, ''),
          'signedBy', c.signed_by) ORDER BY c.occurred_at DESC, c.id DESC)
        FROM tracking_checkpoints c
        WHERE (c.tracking_number, c.generation, c.tracked_since) = (t.tracking_number, t.generation, t.created_at)) AS checkpoints
    FROM trackings t
    LEFT JOIN shipments s ON s.id = t.shipment_id
    LEFT JOIN shipment_packages p ON p.shipment_id = s.id AND p.tracking_number = t.tracking_number
    LEFT JOIN print_orders po ON po.id = coalesce(s.print_order_id, t.print_order_id)
    LEFT JOIN orders o ON o.id = po.order_id
    LEFT JOIN shipping_orders so ON so.id = s.shipping_order_id
    WHERE t.tracking_number IN (SELECT number FROM wanted) AND t.carrier_uid IS NOT NULL
      AND (${account.role === 'operator'} OR ${account.id} IN (o.client_id, po.partner_id, so.account_id))
    -- The latest use of the number that the account may see.
    ORDER BY t.created_at DESC, t.generation DESC LIMIT 1`;
  if (row === undefined) return null;
  const { checkpoints, ...tracking } = row;
  return {
    ...withoutNulls(tracking),
    checkpoints: (checkpoints ?? []).map(({ occurredAt, ...checkpoint }) => ({
      ...withoutNulls(checkpoint),
      status: TRACKING_STATUS[checkpoint.statusUid].number,
      createdAt: new Date(occurredAt).toISOString(),
    })),
    archived: archived !== undefined,
  };
}
