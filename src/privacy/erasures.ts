import { uuidv7 } from '../platform/ids';
import { json, type Queryable, type Transaction } from '../platform/postgres';
import { type ErasureDeps, eraseSubjects } from './erase';
import { orderHasEnded, type Subject, shippingOrderHasEnded, subjectsByEmail, subjectsById } from './subjects';

/** Orders that one request, or one batch of the periodic job, erases. */
export const ERASURE_BATCH = 100;
const PAGE = 1_000;

/**
 * Stores a request with the orders that it covers.
 * @param erased those that are erased already
 * @returns the id of the request
 */
export async function storeErasure(
  tx: Transaction,
  requestedBy: string,
  subjects: readonly Subject[],
  erased: readonly Subject[],
): Promise<string> {
  const id = uuidv7();
  await tx`INSERT INTO erasures (id, requested_by) VALUES (${id}, ${requestedBy})`;
  await tx`
    INSERT INTO erasure_targets (erasure_id, subject_id, subject_kind, erased_at)
    SELECT ${id}, s.id, s.kind, CASE WHEN s.id = ANY(${erased.map((subject) => subject.id)}::uuid[]) THEN now() END
    FROM jsonb_to_recordset(${json(tx, subjects)}) AS s (id uuid, kind text)`;
  return id;
}

/** `next`: where the next batch begins; empty after the last one. */
interface ErasedBatch {
  readonly erased: number;
  readonly next: string;
}

export async function allSubjectsByEmail(sql: Queryable, email: string): Promise<Subject[]> {
  const subjects: Subject[] = [];
  for (;;) {
    const page = await subjectsByEmail(sql, email, { after: subjects.at(-1)?.id, limit: PAGE });
    subjects.push(...page);
    if (page.length < PAGE) return subjects;
  }
}

/** Waiting orders that a response names. */
export const NAMED_WAITING = 100;

/**
 * Why an order of a request is not erased yet. `job`: it has ended, and the periodic job erases it when its workflow has
 * completed.
 */
export type WaitsFor = 'end_of_order' | 'parcels_under_way' | 'job';

/** Returns the progress of a request in orders and shipping orders, or undefined when there is none with this id. */
export async function erasureProgress(sql: Queryable, erasureId: string) {
  const [row] = await sql<
    { id: string; requestedAt: Date; erased: number; waiting: number; completedAt: Date | null }[]
  >`
    SELECT e.id, e.requested_at, count(t.erased_at)::int AS erased,
      (count(t.subject_id) - count(t.erased_at))::int AS waiting,
      CASE WHEN count(t.subject_id) = count(t.erased_at) THEN coalesce(max(t.erased_at), e.requested_at) END
        AS completed_at
    FROM erasures e LEFT JOIN erasure_targets t ON t.erasure_id = e.id
    WHERE e.id = ${erasureId} GROUP BY e.id`;
  if (row === undefined) return undefined;
  const targets = await sql<{ id: string; kind: Subject['kind'] }[]>`
    SELECT subject_id AS id, subject_kind AS kind FROM erasure_targets
    WHERE erasure_id = ${erasureId} AND erased_at IS NULL ORDER BY subject_id LIMIT ${NAMED_WAITING}`;
  const subjects = await subjectsById(
    sql,
    targets.map(({ id }) => id),
  );
  const states = new Map(subjects.map(({ id, state }) => [id, state]));
  const waitingFor = targets.map((target) => ({ ...target, waitsFor: waitsFor(states.get(target.id)) }));
  return { ...row, waitingFor };
}

/** @param state undefined for a draft that was deleted meanwhile */
function waitsFor(state: Subject['state'] | undefined): WaitsFor {
  if (state === 'running') return 'end_of_order';
  return state === 'parcels_under_way' ? state : 'job';
}

/**
 * Erases the orders of earlier requests that have ended meanwhile. Processes one batch, ordered by id.
 * @param after `next` of the previous batch; empty for the first
 */
export async function eraseWaiting(deps: ErasureDeps, after: string): Promise<ErasedBatch> {
  const rows = await deps.sql<{ id: string }[]>`
    SELECT DISTINCT subject_id AS id FROM erasure_targets
    WHERE erased_at IS NULL ${after === '' ? deps.sql`` : deps.sql`AND subject_id > ${after}`}
    ORDER BY subject_id LIMIT ${ERASURE_BATCH}`;
  const ids = rows.map(({ id }) => id);
  const subjects = await subjectsById(deps.sql, ids);
  // A draft that was deleted meanwhile has no data left.
  const deleted = ids.filter((id) => !subjects.some((subject) => subject.id === id));
  await deps.sql`
    UPDATE erasure_targets SET erased_at = now() WHERE subject_id = ANY(${deleted}::uuid[]) AND erased_at IS NULL`;
  const { length } = await eraseSubjects(deps, subjects);
  return { erased: length, next: rows.length < ERASURE_BATCH ? '' : ids.at(-1)! };
}

/**
 * Erases the personal data of orders and shipping orders that ended before `endedBefore`, and deletes drafts that were not
 * changed since. Processes one batch, ordered by id.
 * @param after `next` of the previous batch; empty for the first
 */
export async function eraseExpired(deps: ErasureDeps, endedBefore: Date, after: string): Promise<ErasedBatch> {
  const { sql } = deps;
  // Ids contain their time: younger orders are not read.
  const youngest = uuidv7(endedBefore.getTime());
  const range = sql`erased_at IS NULL AND id < ${youngest} ${after === '' ? sql`` : sql`AND id > ${after}`}`;
  const subjects = await sql<Subject[]>`
    SELECT * FROM (
      (SELECT 'order' AS kind, id, 'ended' AS state FROM orders
        WHERE ${range} AND ${orderHasEnded(sql)} AND updated_at < ${endedBefore} ORDER BY id LIMIT ${ERASURE_BATCH})
      UNION ALL
      (SELECT 'order', id, 'ended' FROM archived_orders
        WHERE ${range} AND updated_at < ${endedBefore} ORDER BY id LIMIT ${ERASURE_BATCH})
      UNION ALL
      (SELECT 'order', id, 'draft' FROM orders
        WHERE ${range} AND fulfillment_status = 'draft' AND updated_at < ${endedBefore} ORDER BY id LIMIT ${ERASURE_BATCH})
      UNION ALL
      (SELECT 'shipping_order', o.id, 'ended' FROM shipping_orders o
        WHERE ${range} AND ${shippingOrderHasEnded(sql)} AND NOT EXISTS (
          SELECT FROM shipments s JOIN trackings t ON t.shipment_id = s.id
          WHERE s.shipping_order_id = o.id AND t.updated_at >= ${endedBefore})
        ORDER BY o.id LIMIT ${ERASURE_BATCH})
    ) expired ORDER BY id LIMIT ${ERASURE_BATCH}`;
  const { length } = await eraseSubjects(deps, subjects);
  return { erased: length, next: subjects.length < ERASURE_BATCH ? '' : subjects.at(-1)!.id };
}
