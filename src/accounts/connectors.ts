import { json, type Queryable } from '../platform/postgres';
import type { ClientSettings } from './client-settings';

/** A client account as its operator sees it. */
export interface Connector {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly settings: ClientSettings;
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
    SELECT id, name, created_at, settings FROM accounts
    WHERE role = 'client' ${page.after === undefined ? sql`` : sql`AND id < ${page.after}`}
    ORDER BY id DESC LIMIT ${page.limit}`;
}

export async function connectorById(sql: Queryable, id: string): Promise<Connector | undefined> {
  const [row] = await sql<Connector[]>`
    SELECT id, name, created_at, settings FROM accounts WHERE role = 'client' AND id = ${id}`;
  return row;
}

/**
 * Changes those settings of a client that are given; null takes one away. Orders show what is set when they are read.
 * @returns undefined when there is no such client
 */
export async function changeConnector(
  sql: Queryable,
  id: string,
  settings: ClientSettings,
): Promise<Connector | undefined> {
  const [row] = await sql<Connector[]>`
    UPDATE accounts SET settings = settings || ${json(sql, settings)}
    WHERE role = 'client' AND id = ${id}
    RETURNING id, name, created_at, settings`;
  return row;
}
