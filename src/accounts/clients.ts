import { z } from 'zod';
import { timestamp } from '../platform/domain/fields';
import { Refusal } from '../platform/errors';
import { isUuid, uuidv7 } from '../platform/ids';
import { json, type Queryable } from '../platform/postgres';
import { accountKeySchema, credentialFields, keyExpiry, keysOf } from './accounts-and-keys';
import {
  billingEntity,
  type ClientSettings,
  clientQuotas,
  clientSettingsFields,
  fileCheckRule,
  returnAddress,
} from './client-settings';

const clientFields = {
  id: z.string(),
  name: z.string(),
  submitOrderUrl: z.url().describe('Send orders here with POST.'),
  getOrderUrl: z.url().describe('Append a slash and the order’s id or reference to get an order.'),
  updateShipmentUrl: z
    .string()
    .describe('Send a new method or address here with PUT. Replace {order_id} with the order’s id or reference.'),
  createdAt: timestamp,
};

/** A client to set up. */
export const newClientSchema = z
  .object({ name: z.string().trim().min(1).max(100), keyExpiresAt: keyExpiry, ...clientSettingsFields })
  .meta({ id: 'NewClient', examples: [{ name: 'poster-shop' }] });

export const clientChangeSchema = z
  .object(clientSettingsFields)
  .meta({ id: 'ClientChange', description: 'Null removes a setting. Settings that are left out stay.' });

const shownSettings = {
  channel: z.string().nullable(),
  billingEntity: billingEntity.nullable(),
  returnAddress: returnAddress.extend({ id: z.string() }).nullable(),
  iossNumber: z.string().nullable(),
  brandedPackaging: z.string().nullable(),
  fileChecks: fileCheckRule.nullable().describe('What findings in print files do. Null: the default.'),
  quotas: clientQuotas.nullable().describe('Limits that differ from the defaults.'),
};

/** A client with its keys, in responses. */
export const clientSchema = z
  .object({ ...clientFields, ...shownSettings, keys: z.array(accountKeySchema) })
  .meta({ id: 'Client' });

/** A client that was set up, with its first key. */
export const createdClientSchema = z
  .object({ ...clientFields, ...shownSettings, ...credentialFields })
  .meta({ id: 'CreatedClient' });

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

/** Returns a client account. @throws Refusal `NOT_FOUND` when there is none with this id */
export async function requireClient(sql: Queryable, id: string): Promise<Client> {
  const found = isUuid(id) ? await clientById(sql, id) : undefined;
  if (found === undefined) throw new Refusal('NOT_FOUND', { message: 'There is no such client.' });
  return found;
}

/** Returns a client as responses show it, without its keys. */
export function clientView({ id, name, createdAt, settings }: Client, publicUrl: string) {
  return {
    id,
    name,
    ...({ ...NO_SETTINGS, ...settings } as Pick<z.output<typeof clientSchema>, keyof ClientSettings>),
    submitOrderUrl: `${publicUrl}/v1/orders`,
    getOrderUrl: `${publicUrl}/v1/orders`,
    updateShipmentUrl: `${publicUrl}/v1/orders/{order_id}/shipment`,
    createdAt,
  };
}

/** Returns clients as responses show them, with their keys. */
export async function clientsWithKeys(
  sql: Queryable,
  clients: readonly Client[],
  publicUrl: string,
): Promise<z.input<typeof clientSchema>[]> {
  const ids = clients.map(({ id }) => id);
  const keys = await keysOf(sql, ids);
  return clients.map((one) => ({ ...clientView(one, publicUrl), keys: keys.get(one.id)! }));
}

/** Returns settings as they are stored: a return address gets an id. */
export function storedSettings({ returnAddress, ...settings }: ClientSettings): ClientSettings {
  if (returnAddress === undefined) return settings;
  return { ...settings, returnAddress: returnAddress && { id: uuidv7(), ...returnAddress } };
}

const NO_SETTINGS = {
  channel: null,
  billingEntity: null,
  returnAddress: null,
  iossNumber: null,
  brandedPackaging: null,
  fileChecks: null,
  quotas: null,
} as const;
