import type { z } from 'zod';
import type { ClientSettings } from '../../src/accounts/client-settings';
import { type Connector, connectorById } from '../../src/accounts/connectors';
import { keysOf } from '../../src/accounts/store';
import { Refusal } from '../../src/platform/errors';
import { isUuid, uuidv7 } from '../../src/platform/ids';
import type { Queryable } from '../../src/platform/postgres';
import { keyView } from '../accounts/key-schemas';
import type { connector } from './schemas';

/** Returns a client account. @throws Refusal `NOT_FOUND` when there is none with this id */
export async function requireConnector(sql: Queryable, id: string): Promise<Connector> {
  const found = isUuid(id) ? await connectorById(sql, id) : undefined;
  if (found === undefined) throw new Refusal('NOT_FOUND', { message: 'There is no such connector.' });
  return found;
}

/** Returns a connector as answers show it, without its keys. */
export function connectorView({ id, name, createdAt, settings }: Connector, publicUrl: string) {
  return {
    id,
    name,
    ...settingsView(settings),
    submitOrderUrl: `${publicUrl}/v1/orders`,
    getOrderUrl: `${publicUrl}/v1/orders`,
    updateShipmentUrl: `${publicUrl}/v1/orders/{order_id}/shipment`,
    createdAt: createdAt.toISOString(),
  };
}

/** Returns connectors as answers show them, with their keys. */
export async function connectorsWithKeys(
  sql: Queryable,
  connectors: readonly Connector[],
  publicUrl: string,
): Promise<z.input<typeof connector>[]> {
  const keys = await keysOf(
    sql,
    connectors.map(({ id }) => id),
  );
  return connectors.map((one) => ({
    ...connectorView(one, publicUrl),
    keys: (keys.get(one.id) ?? []).map(keyView),
  }));
}

/** Returns settings as they are stored: a return address gets an id. */
export function storedSettings(settings: ClientSettings): ClientSettings {
  const { channel, billingEntity, returnAddress, iossNumber, brandedPackaging } = settings;
  return {
    ...(channel === undefined ? {} : { channel }),
    ...(billingEntity === undefined ? {} : { billingEntity }),
    ...(returnAddress === undefined
      ? {}
      : { returnAddress: returnAddress && { id: uuidv7(), ...returnAddress } }),
    ...(iossNumber === undefined ? {} : { iossNumber }),
    ...(brandedPackaging === undefined ? {} : { brandedPackaging }),
  };
}

type SettingsView = Pick<
  z.output<typeof connector>,
  'channel' | 'billingEntity' | 'returnAddress' | 'iossNumber' | 'brandedPackaging'
>;

function settingsView(settings: ClientSettings): SettingsView {
  const { channel, billingEntity, returnAddress, iossNumber, brandedPackaging } = settings;
  return {
    channel: channel ?? null,
    billingEntity: (billingEntity ?? null) as SettingsView['billingEntity'],
    returnAddress: (returnAddress ?? null) as SettingsView['returnAddress'],
    iossNumber: iossNumber ?? null,
    brandedPackaging: brandedPackaging ?? null,
  };
}
