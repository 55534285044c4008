import type { z } from 'zod';
import { keysOf } from '../../src/accounts/accounts-and-keys';
import type { ClientSettings } from '../../src/accounts/clients';
import { type Client, clientById } from '../../src/accounts/clients';
import { Refusal } from '../../src/platform/errors';
import { isUuid, uuidv7 } from '../../src/platform/ids';
import type { Queryable } from '../../src/platform/postgres';
import type { client } from './client-schemas';

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
    ...({ ...NO_SETTINGS, ...settings } as Pick<z.output<typeof client>, keyof ClientSettings>),
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
): Promise<z.input<typeof client>[]> {
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
