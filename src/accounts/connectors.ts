import type { Queryable } from '../platform/postgres';

/** A client account as its operator sees it. */
export interface Connector {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
}

/**
 * Client accounts, newest first (ids are ordered by time).
 * @param after id of the last one of the page before
 */
export async function listConnectors(
  sql: Queryable,
  page: { readonly limit: number; readonly after?: string | undefined },
): Promise<readonly Connector[]> {
  return await sql<Connector[]>`
    SELECT id, name, created_at FROM accounts
    WHERE role = 'client' ${page.after === undefined ? sql`` : sql`AND id < ${page.after}`}
    ORDER BY id DESC LIMIT ${page.limit}`;
}

export async function connectorById(sql: Queryable, id: string): Promise<Connector | undefined> {
  const [row] = await sql<Connector[]>`
    SELECT id, name, created_at FROM accounts WHERE role = 'client' AND id = ${id}`;
  return row;
}
