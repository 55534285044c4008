import { uuidv7 } from '../platform/ids';
import { json, type Queryable, type Transaction } from '../platform/postgres';
import { type ErasureDeps, eraseSubjects } from './erase';
import { type Subject, subjectsByEmail, subjectsById } from './subjects';

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

/** Returns every order and shipping order of an e-mail address. */
export async function allSubjectsByEmail(sql: Queryable, email: string): Promise<Subject[]> {
  const subjects: Subject[] = [];
  for (;;) {
    const page = await subjectsByEmail(sql, email, { after: subjects.at(-1)?.id, limit: PAGE });
    subjects.push(...page);
    if (page.length < PAGE) return subjects;
  }
}

/** Progress of a request, in orders and shipping orders. */
export interface ErasureProgress {
  readonly erased: number;
  /** Erased when they end. */
  readonly waiting: number;
}

export async function erasureProgress(sql: Queryable, erasureId: string): Promise<ErasureProgress> {
  const [row] = await sql<ErasureProgress[]>`
    SELECT count(erased_at)::int AS erased, (count(*) - count(erased_at))::int AS waiting
    FROM erasure_targets WHERE erasure_id = ${erasureId}`;
  return row!;
}

/**
 * Erases the orders of earlier requests that have ended meanwhile. Processes one batch, ordered by id.
 * @param after `next` of the previous batch; empty for the first
 */
export async function eraseWaiting(
  deps: ErasureDeps,
  after: string,
): Promise<{ readonly erased: number; readonly next: string }> {
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
