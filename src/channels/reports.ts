import { z } from 'zod';
import { parcelsThatLeft } from '../notifications/order-view';
import { type IdPage, newestFirst } from '../platform/list-position';
import type { Fragment, Queryable, Sql } from '../platform/postgres';
import type { ChannelAdapter, ChannelProblem, ChannelShipment } from './adapter';
import type { Channel } from './channels';

/** What channels are told: parcels that have left, and what waits. Each once, and again after a failure. */

const BATCH = 500;
/** A transaction shows what it changed later than the time that it stores. */
const LATE_MINUTES = 10;

export async function reportOrders(sql: Sql, channel: Channel, adapter: ChannelAdapter): Promise<void> {
  for (;;) {
    const problems = await newProblems(sql, channel.id);
    if (problems.length === 0) break;
    await adapter.reportProblem(problems);
    const ids = problems.map(({ id }) => id);
    await sql`UPDATE channel_orders SET is_reported = true WHERE id = ANY(${ids}::uuid[])`;
    await sql`UPDATE channel_files SET is_reported = true WHERE id = ANY(${ids}::uuid[])`;
  }
  const [started] = await sql<{ at: Date; since: Date }[]>`
    SELECT now() AS at, reported_until - make_interval(mins => ${LATE_MINUTES}) AS since FROM channels WHERE id = ${channel.id}`;
  for (;;) {
    const shipments = await newShipments(sql, channel, started!.since);
    if (shipments.length === 0) break;
    await adapter.reportShipped(shipments);
    for (const { id, parcels } of shipments)
      await sql`
        UPDATE channel_orders SET reported_parcels = reported_parcels || ${parcels.map(({ trackingCode }) => trackingCode)}::text[]
        WHERE id = ${id}`;
  }
  await sql`UPDATE channels SET reported_until = ${started!.at} WHERE id = ${channel.id}`;
}

/** Returns orders that wait and files that were refused, which the channel was not told. */
async function newProblems(sql: Queryable, channelId: string): Promise<(ChannelProblem & { readonly id: string })[]> {
  return await sql<(ChannelProblem & { readonly id: string })[]>`
    SELECT id, external_id, file_id, reasons FROM channel_orders
    WHERE channel_id = ${channelId} AND state = 'waiting' AND judged_at IS NOT NULL AND NOT is_reported
    UNION ALL
    -- Without a hash, the upload was not completed.
    SELECT id, NULL, id, findings FROM channel_files
    WHERE channel_id = ${channelId} AND state = 'refused' AND NOT dry_run AND NOT is_reported AND sha256 <> ''
    LIMIT ${BATCH}`;
}

type Shipped = ChannelShipment & { readonly id: string };

/** Returns the query of the orders of a channel with the parcels that have left, each by the first row that it was. */
const shipped = (sql: Queryable, { id, clientId }: Channel, since: Date | string | undefined): Fragment => sql`
  SELECT c.id, c.external_id, c.reported_parcels, ${parcelsThatLeft(sql)} AS parcels
  FROM channel_orders c JOIN orders o ON o.id = c.order_id AND o.client_id = ${clientId} AND o.updated_at > ${since ?? sql`'-infinity'`}
  WHERE c.channel_id = ${id} AND NOT EXISTS (
    SELECT FROM channel_orders e WHERE e.order_id = c.order_id AND e.channel_id = c.channel_id AND e.id < c.id)`;

/** Returns parcels that have left and that the channel was not told. */
async function newShipments(sql: Queryable, channel: Channel, since: Date): Promise<Shipped[]> {
  return await sql<Shipped[]>`
    SELECT id, external_id, jsonb_agg(p.parcel) AS parcels
    FROM (${shipped(sql, channel, since)}) AS s CROSS JOIN LATERAL jsonb_array_elements(s.parcels) AS p (parcel)
    WHERE p.parcel ->> 'trackingCode' <> ALL(s.reported_parcels) GROUP BY id, external_id LIMIT ${BATCH}`;
}

/** A parcel that has left, as the client of a channel reads it in `GET /v1/channels/{channelId}/shipments` and in files of `out`. */
export const shippedParcel = z
  .object({
    orderReferenceId: z.string().describe('External id of the order.'),
    trackingCode: z.string(),
    trackingUrl: z.string().nullable(),
    shipmentMethodUid: z.string(),
  })
  .meta({ id: 'ChannelShipment' });

export const parcelsOf = ({ externalId, parcels }: ChannelShipment): z.output<typeof shippedParcel>[] =>
  parcels.map((parcel) => ({ orderReferenceId: externalId, ...parcel }));

/**
 * Returns a page of the orders of a channel with the parcels that have left, newest first. Orders in the archive are left out.
 * @param since the time after which the order has changed
 */
export async function listShipments(
  sql: Queryable,
  channel: Channel,
  since: Date | string | undefined,
  page: IdPage,
): Promise<Shipped[]> {
  return await sql<Shipped[]>`
    SELECT id, external_id, parcels FROM (${shipped(sql, channel, since)}) AS s
    WHERE parcels <> '[]' ${newestFirst(sql, page)}`;
}
