import type { ProductKind, ResolvedProduct } from '../../catalog/domain/product';
import type { Production } from '../../partners/domain/calendar';
import { stockNeeds } from '../../partners/domain/routing-weights';
import { ORDER_WORKFLOW_PREFIX, orderWorkflowId } from '../../platform/domain/workflows';
import { randomToken } from '../../platform/ids';
import { type Fragment, json, type Queryable, type Transaction } from '../../platform/postgres';
import { type ReservationLine, type ReserveOutcome, reserveStock } from '../../procurement/reservations';
import type { PlannedPrintOrder } from '../domain/lifecycle/run-state';

export interface PrintOrderDraft {
  /** Name of the workflow step that creates it. A step creates one print order, however often it is repeated. */
  readonly step: string;
  readonly partnerId: string;
  readonly kind: ProductKind;
  readonly version: string;
  readonly dispatchDate: string;
  readonly production: Production;
  readonly reproducesId: string | null;
  /** True for a rerouted print order that waits for a partner. It counts nowhere until the order run records its end. */
  readonly waits?: boolean;
  readonly jobs: readonly { readonly itemId: string; readonly quantity: number }[];
}

const nextJobId = (sql: Queryable) => sql`nextval(pg_get_serial_sequence('print_jobs', 'id'))`;

/**
 * Inserts print orders with their print jobs, and returns them in the order of the drafts.
 * @param onlyIf condition on the order's row. The row is locked when the condition holds; otherwise nothing is inserted
 */
export async function insertPrintOrders(
  tx: Queryable,
  orderId: string,
  drafts: readonly PrintOrderDraft[],
  onlyIf?: Fragment,
): Promise<PlannedPrintOrder[]> {
  const rows = drafts.map(({ step, partnerId, kind, version, dispatchDate, production, reproducesId, waits }) => ({
    step,
    partner_id: partnerId,
    kind,
    version,
    dispatch_date: dispatchDate,
    production_from: production.from,
    lead_days: production.leadDays,
    reproduces_id: reproducesId,
    message_id: `msg_${randomToken(18)}`,
    status: waits === true ? 'waiting' : 'planned',
  }));
  const jobs = drafts.flatMap(({ step, jobs }) =>
    jobs.map(({ itemId, quantity }) => ({ step, item: itemId, quantity })),
  );
  return await tx<PlannedPrintOrder[]>`
    WITH ${onlyIf === undefined ? tx`` : tx`locked AS (SELECT id FROM orders WHERE id = ${orderId} AND ${onlyIf} FOR UPDATE),`}
    new_print_orders AS (
      INSERT INTO print_orders (order_id, partner_id, step, kind, version, reproduces_id, message_id, status, dispatch_date,
        production_from, lead_days)
      SELECT ${orderId}, p.* FROM jsonb_to_recordset(${json(tx, rows)}) AS p (
        partner_id uuid, step text, kind text, version text, reproduces_id bigint, message_id text, status text,
        dispatch_date date, production_from date, lead_days int)
      ${onlyIf === undefined ? tx`` : tx`WHERE EXISTS (SELECT FROM locked)`}
      RETURNING id, order_id, step, kind, status, partner_id, dispatch_date, reproduces_id
    ), new_jobs AS (
      INSERT INTO print_jobs (id, print_order_id, order_item_id, quantity, part_ids, status)
      OVERRIDING SYSTEM VALUE
      SELECT coalesce(part_ids[1], ${nextJobId(tx)}), print_order_id, item, quantity, part_ids, status
      FROM (
        SELECT p.id AS print_order_id, p.status, j.item, j.quantity, CASE WHEN p.kind <> 'mounted' THEN '{}' ELSE ARRAY(
            SELECT ${nextJobId(tx)} FROM order_items i, jsonb_array_elements(i.product -> 'parts') AS part
            WHERE i.id = j.item AND part ->> 'type' <> 'service') END AS part_ids
        FROM jsonb_to_recordset(${json(tx, jobs)}) AS j (step text, item bigint, quantity int)
        JOIN new_print_orders p USING (step)
        ORDER BY p.id, j.item
      ) new_jobs
      RETURNING id, print_order_id, order_item_id, quantity
    )
    SELECT ${plannedColumns(tx, tx`new_jobs`)}
    FROM new_print_orders p JOIN partners pa ON pa.account_id = p.partner_id ORDER BY p.id`;
}

/** Returns the end of a print order's dispatch date in the partner's time zone, as ISO 8601 text. Reads `p` and `pa`. */
export const dispatchDueAt = (sql: Queryable) => sql`
  to_char((p.dispatch_date + 1)::timestamp AT TIME ZONE coalesce(pa.capabilities #>> '{calendar,timeZone}', 'UTC')
    AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

/** Columns of a PlannedPrintOrder. Reads `p` and `pa`. @param jobs the table of its jobs */
const plannedColumns = (sql: Queryable, jobs: Fragment) => sql`
  p.id, p.partner_id, pa.uid AS partner_uid, p.dispatch_date::text, p.reproduces_id::text, ${dispatchDueAt(sql)} AS dispatch_due_at,
  (SELECT a.settings ->> 'iossNumber' IS NOT NULL FROM orders o JOIN accounts a ON a.id = o.client_id WHERE o.id = p.order_id) AS ioss,
  (SELECT jsonb_agg(jsonb_build_object('id', j.id::text, 'itemId', j.order_item_id::text, 'quantity', j.quantity)
    ORDER BY j.id) FROM ${jobs} j WHERE j.print_order_id = p.id) AS jobs`;

export async function printOrdersOfSteps(
  sql: Queryable,
  orderId: string,
  steps: readonly string[] | { readonly prefix: string },
): Promise<PlannedPrintOrder[]> {
  const matching = 'prefix' in steps ? sql`p.step LIKE ${`${steps.prefix}%`}` : sql`p.step = ANY(${[...steps]})`;
  return await sql<PlannedPrintOrder[]>`
      SELECT ${plannedColumns(sql, sql`print_jobs`)}
      FROM print_orders p JOIN partners pa ON pa.account_id = p.partner_id
      WHERE p.order_id = ${orderId} AND ${matching} ORDER BY p.id`;
}

export async function reserveForJobs(
  tx: Transaction,
  step: string,
  printOrders: readonly PlannedPrintOrder[],
  productOf: (itemId: string) => ResolvedProduct,
): Promise<ReserveOutcome> {
  const lines: ReservationLine[] = printOrders.flatMap(({ partnerId, jobs }) =>
    jobs.flatMap((job) => {
      const product = productOf(job.itemId);
      return [...stockNeeds(product, job.quantity)].map(([partnerSku, quantity]) => ({
        partnerId,
        partnerSku,
        quantity,
        printJobId: job.id,
        units: job.quantity,
        productName: product.name,
      }));
    }),
  );
  return lines.length === 0 ? { ok: true, lines: [] } : await reserveStock(tx, { step, lines });
}

/** Returns the idempotency key of a purchase. A print order has one shipment for each shipping revision. */
export function dispatchKey(orderId: string, printOrderId: string, revision: number): string {
  return `${orderWorkflowId(orderId)}:dispatch:${printOrderId}:${revision}`;
}

/** Returns the expression of the key that the dispatch of a print order of order `o` has now. */
export const currentDispatchKey = (sql: Queryable, printOrderId: Fragment): Fragment => sql`
  ${ORDER_WORKFLOW_PREFIX}::text || o.id || ':dispatch:' || ${printOrderId} || ':' || o.shipping_revision`;
