import { z } from 'zod';
import { FILE_FINDING_CODES, FINDING_SEVERITIES } from '../../files/domain/file-findings';
import { timestamp } from '../../platform/domain/fields';
import type { Queryable } from '../../platform/postgres';
import { ORDER_STATUSES, type OrderStatus } from '../domain/lifecycle/statuses';

/** Orders that the figures of a client are made from, so that their cost does not grow with the table. */
const RECENT_ORDERS = 500;

export const clientHealthSchema = z
  .object({
    orders: z
      .int()
      .describe(`Orders that the figures are of: the latest ${RECENT_ORDERS} of the client, without drafts.`),
    needAttention: z.int(),
    byStatus: z.array(z.object({ status: z.enum(ORDER_STATUSES), orders: z.int() })),
    oldestAt: timestamp.nullable().describe('When the oldest of these orders was created.'),
    newestAt: timestamp.nullable(),
  })
  .meta({ id: 'ClientHealth' });

type ClientHealth = z.output<typeof clientHealthSchema>;

export async function clientHealth(sql: Queryable, clientId: string): Promise<ClientHealth> {
  const [row] = await sql<(Omit<ClientHealth, 'byStatus'> & { byStatus: Partial<Record<OrderStatus, number>> })[]>`
    WITH recent AS (
      SELECT fulfillment_status, attention, created_at FROM orders
      WHERE client_id = ${clientId} ORDER BY created_at DESC, id DESC LIMIT ${RECENT_ORDERS}
    ), sent AS (SELECT * FROM recent WHERE fulfillment_status <> 'draft')
    SELECT count(*)::int AS orders, count(*) FILTER (WHERE attention IS NOT NULL)::int AS need_attention,
      min(created_at) AS oldest_at, max(created_at) AS newest_at,
      (SELECT coalesce(jsonb_object_agg(fulfillment_status, count), '{}')
       FROM (SELECT fulfillment_status, count(*) AS count FROM sent GROUP BY 1) counted) AS by_status
    FROM sent`;
  const { byStatus, ...figures } = row!;
  return {
    ...figures,
    byStatus: ORDER_STATUSES.flatMap((status) => {
      const orders = byStatus[status];
      return orders === undefined ? [] : [{ status, orders }];
    }),
  };
}

export const clientFileFaultsSchema = z
  .object({
    files: z.int().describe(`Checked print files of the latest ${RECENT_ORDERS} orders and drafts of the client.`),
    faults: z
      .array(
        z.object({
          code: z.enum(FILE_FINDING_CODES),
          severity: z.enum(FINDING_SEVERITIES),
          files: z.int().describe('Files that have it.'),
          orders: z.int().describe('Orders of these files.'),
          orderId: z.string().describe('The latest of these orders.'),
          orderReferenceId: z.string(),
          message: z.string().describe('What was found in a file of this order.'),
          at: timestamp.describe('When this order was created.'),
        }),
      )
      .describe('Warnings and errors by check, the most frequent first.'),
  })
  .meta({ id: 'ClientFileFaults' });

type ClientFileFaults = z.output<typeof clientFileFaultsSchema>;
type FileFault = ClientFileFaults['faults'][number];

/** Returns the warnings and errors of the print files of a client's latest orders, by check. */
export async function clientFileFaults(sql: Queryable, clientId: string): Promise<ClientFileFaults> {
  const [row] = await sql<{ files: number; faults: (Omit<FileFault, 'at'> & { at: string })[] }[]>`
    WITH recent AS (
      SELECT id, order_reference_id, created_at FROM orders
      WHERE client_id = ${clientId} ORDER BY created_at DESC, id DESC LIMIT ${RECENT_ORDERS}
    ), checked AS (
      SELECT f.id, f.checks, o.id AS order_id, o.order_reference_id, o.created_at
      FROM recent o JOIN order_items i ON i.order_id = o.id JOIN order_files f ON f.order_item_id = i.id
      WHERE f.facts IS NOT NULL
    ), found AS (
      SELECT c.*, k ->> 'code' AS code, k ->> 'severity' AS severity, k ->> 'message' AS message
      FROM checked c, jsonb_array_elements(c.checks) k WHERE k ->> 'severity' <> 'ok'
    ), faults AS (
      SELECT code, severity, count(DISTINCT id)::int AS files, count(DISTINCT order_id)::int AS orders,
        (array_agg(order_id ORDER BY created_at DESC, id))[1] AS order_id,
        (array_agg(order_reference_id ORDER BY created_at DESC, id))[1] AS order_reference_id,
        (array_agg(message ORDER BY created_at DESC, id))[1] AS message, max(created_at) AS at
      FROM found GROUP BY code, severity
    )
    SELECT (SELECT count(*)::int FROM checked) AS files, to_jsonb(ARRAY(
      SELECT jsonb_build_object('code', code, 'severity', severity, 'files', files, 'orders', orders, 'orderId', order_id,
        'orderReferenceId', order_reference_id, 'message', message, 'at', at)
      FROM faults ORDER BY files DESC, severity, code)) AS faults`;
  return { files: row!.files, faults: row!.faults.map((fault) => ({ ...fault, at: new Date(fault.at) })) };
}
