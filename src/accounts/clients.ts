import { json, type Queryable } from '../platform/postgres';
import type { ClientSettings } from './client-settings';

/** A client account as operators read it. */
export interface Client {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly settings: ClientSettings;
}

/**
 * Returns a page of client accounts, newest first (ids are ordered by time).
 * @param page `after` is the id of the last account of the previous page
 */
export async function listClients(
  sql: Queryable,
  page: { readonly limit: number; readonly after?: string | undefined },
): Promise<readonly Client[]> {
  return await sql<Client[]>`
    SELECT id, name, created_at, settings FROM accounts
    WHERE role = 'client' ${page.after === undefined ? sql`` : sql`AND id < ${page.after}`}
    ORDER BY id DESC LIMIT ${page.limit}`;
}

/** Returns a client account, or undefined when there is none with this id. */
export async function clientById(sql: Queryable, id: string): Promise<Client | undefined> {
  const [row] = await sql<Client[]>`
    SELECT id, name, created_at, settings FROM accounts WHERE role = 'client' AND id = ${id}`;
  return row;
}

/**
 * Updates the given settings of a client; null removes a setting. Orders show the settings at the time they are read.
 * @returns undefined when there is no client with this id
 */
export async function changeClient(sql: Queryable, id: string, settings: ClientSettings): Promise<Client | undefined> {
  const [row] = await sql<Client[]>`
    UPDATE accounts SET settings = settings || ${json(sql, settings)}
    WHERE role = 'client' AND id = ${id}
    RETURNING id, name, created_at, settings`;
  return row;
}
