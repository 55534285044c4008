import { SIZES, shownSize } from '../../platform/domain/sizes';
import { Refusal } from '../../platform/errors';
import { uuidv7 } from '../../platform/ids';
import type { Queryable } from '../../platform/postgres';
import { type ArchivedRows, withRows } from './archived-tables';

/** A note of an operator on an order. Its text can contain personal data and is erased with the order. */
export interface OrderNote {
  readonly id: string;
  readonly authorId: string;
  readonly authorName: string;
  readonly text: string;
  readonly createdAt: Date;
}

const columns = (sql: Queryable) => sql`id, author_id, author_name, text, created_at`;

/** @throws Refusal `CONFLICT` when the order has as many notes as it may have */
export async function addNote(
  sql: Queryable,
  orderId: string,
  note: { readonly author: { readonly id: string; readonly name: string }; readonly text: string },
): Promise<OrderNote> {
  const [row] = await sql<OrderNote[]>`
    INSERT INTO order_notes (id, order_id, author_id, author_name, text)
    SELECT ${uuidv7()}, ${orderId}, ${note.author.id}, ${note.author.name}, ${note.text}
    WHERE ${SIZES.notes.most} > (SELECT count(*) FROM order_notes n WHERE n.order_id = ${orderId})
    RETURNING ${columns(sql)}`;
  if (row === undefined)
    throw new Refusal('CONFLICT', {
      message: `The order has ${shownSize(SIZES.notes.most)} notes, and takes no more.`,
    });
  return row;
}

/**
 * Returns a page of an order's notes, newest first.
 * @param page `after`: id of the previous page's last note
 * @param archived the rows of the order, when it is archived
 */
export async function listNotes(
  sql: Queryable,
  orderId: string,
  page: { readonly limit: number; readonly after?: string | undefined },
  archived: ArchivedRows | null,
): Promise<OrderNote[]> {
  return await sql<OrderNote[]>`
    ${withRows(sql, archived)} notes AS (SELECT * FROM order_notes)
    SELECT ${columns(sql)} FROM notes
    WHERE order_id = ${orderId} ${page.after === undefined ? sql`` : sql`AND id < ${page.after}`}
    ORDER BY id DESC LIMIT ${page.limit}`;
}
