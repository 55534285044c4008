import { z } from 'zod';
import { emailAddress } from '../platform/domain/email';
import {
  countryCode,
  currencyCode,
  electronicAddress,
  IOSS_NUMBER,
  text,
  timestamp,
  withKnownState,
} from '../platform/domain/fields';
import { MOST_OF_QUOTA, QUOTA_NAMES, QUOTAS, type QuotaName } from '../platform/domain/quotas';
import { foundById, uuidv7 } from '../platform/ids';
import { normalAddress } from '../platform/normal-address';
import { phone } from '../platform/phone';
import { json, type Queryable } from '../platform/postgres';
import { accountKeySchema, credentialFields, keyExpiry, keysOf } from './accounts-and-keys';

export const billingEntity = z
  .object({
    id: z.int().min(0).describe('Number that the operator assigns.'),
    companyName: text(200),
    companyNumber: z.string().max(50),
    companyVatNumber: z.string().max(50),
    companyVatNumbers: z.array(text(50)).max(30),
    countryIsoCode: countryCode,
    country: z.string().max(100),
    recipientName: z.string().max(200),
    addressLine1: z.string().max(200),
    addressLine2: z.string().max(200),
    city: z.string().max(100),
    postCode: z.string().max(20),
    stateCode: z.string().max(10),
    state: z.string().max(100),
    email: emailAddress,
    phone: z.string().max(25),
    currencyIsoCode: currencyCode,
    currency: z.string().max(100),
    status: z.int().min(0),
    iossNumber: z.string().max(20),
    invoiceType: z.string().max(50),
  })
  .partial()
  .required({ id: true, companyName: true })
  .meta({ id: 'BillingEntity' });
export type BillingEntity = z.output<typeof billingEntity>;

const returnAddressFields = withKnownState(
  z.object({
    country: countryCode,
    companyName: text(60).nullable().default(null),
    addressLine1: text(35),
    addressLine2: text(35).nullable().default(null),
    city: text(30),
    postCode: text(15),
    state: text(35).nullable().default(null),
    email: emailAddress.nullable().default(null),
    phone: phone.nullable().default(null),
  }),
).meta({ id: 'ReturnAddress' });
export const eInvoice = z
  .strictObject({
    electronicAddress: electronicAddress.describe(
      'Address of the client in Peppol: scheme of the code list EAS, colon, address.',
    ),
    buyerReference: text(100)
      .nullish()
      .describe('What the client routes invoices by. Default: the name of its account.'),
  })
  .meta({ id: 'EInvoice' });

export const returnAddress = z.preprocess(normalAddress, returnAddressFields);

/** A return address as clients and orders show it. */
export const shownReturnAddress = returnAddressFields
  .safeExtend({ id: z.string() })
  .meta({ id: 'ShownReturnAddress', description: 'Where parcels return to.' });

/** What a finding in a print file or an address does to its order. */
export const CHECK_ACTIONS = ['warn', 'hold', 'refuse'] as const;
const checkAction = z.enum(CHECK_ACTIONS);

const checkRule = z
  .strictObject({
    errors: checkAction.describe('For findings of the severity `error`.'),
    warnings: checkAction.describe('For findings of the severity `warning`.'),
  })
  .meta({ id: 'CheckRule' });
export type CheckRule = z.output<typeof checkRule>;

const limit = z.int().min(0).max(MOST_OF_QUOTA).optional();

/** Limits of a client that differ from the defaults. */
export const clientQuotas = z
  .object(
    Object.fromEntries(QUOTA_NAMES.map((name) => [name, limit.describe(`Limit of ${QUOTAS[name].counts}.`)])) as Record<
      QuotaName,
      typeof limit
    >,
  )
  .meta({ id: 'ClientQuotas' });

/** Settings of a client. Operators set them when they set the client up; retrieved orders show most of them. */
export const clientSettingsFields = {
  channel: text(50)
    .nullish()
    .describe(
      'Name of the sales channel: `channel` of the orders that the client submits from now on. Default: `api`.',
    ),
  billingEntity: billingEntity.nullish().describe('Recipient of receipts.'),
  eInvoice: eInvoice.nullish().describe('Where the client receives electronic statements.'),
  returnAddress: returnAddress
    .nullish()
    .describe('Address that undeliverable parcels return to. It is the sender on print orders and labels.'),
  iossNumber: z
    .string()
    .regex(IOSS_NUMBER, 'Not an IOSS number: it is IM and ten digits.')
    .nullish()
    .describe(
      'Stands on the papers of parcels from outside the EU to private buyers in it, up to 150 EUR of goods in an order.',
    ),
  brandedPackaging: text(100)
    .nullish()
    .describe('Packaging workflow of print orders. Packaging instructions of an order can name another.'),
  fileChecks: checkRule
    .nullish()
    .describe(
      'What findings in print files do. `warn`: the order shows them and goes on. `hold`: the order waits as `on_hold` until ' +
        'the file is replaced or an operator accepts it. `refuse`: the order fails with the code `file_check`. Default: ' +
        'errors of `page_size`, `orientation`, `resolution`, `not_rendered` and `xfa_form` hold; everything else warns.',
    ),
  addressChecks: checkRule
    .nullish()
    .describe(
      'What findings in delivery addresses do, as `fileChecks`: `hold` until the address is changed or an operator accepts it, ' +
        '`refuse` with the code `address_check`. Default: errors hold, warnings warn.',
    ),
  quotas: clientQuotas
    .nullish()
    .describe(
      'All limits of the client that differ from the defaults. 0 is no limit. They hold within a second in every process.',
    ),
};

type Settings = z.output<z.ZodObject<typeof clientSettingsFields>>;

/** The stored settings of a client. */
export type ClientSettings = Omit<Settings, 'billingEntity' | 'returnAddress'> & {
  billingEntity?: Readonly<Record<string, unknown>> | null | undefined;
  returnAddress?: z.output<typeof shownReturnAddress> | null | undefined;
};

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

export const newClientSchema = z
  .object({ name: z.string().trim().min(1).max(100), keyExpiresAt: keyExpiry, ...clientSettingsFields })
  .meta({ id: 'NewClient', examples: [{ name: 'poster-shop' }] });

export const clientChangeSchema = z
  .object(clientSettingsFields)
  .meta({ id: 'ClientChange', description: 'Null removes a setting. Settings that are left out stay.' });

const shownSettings = {
  channel: z.string().nullable(),
  billingEntity: billingEntity.nullable(),
  eInvoice: eInvoice.nullable(),
  returnAddress: shownReturnAddress.nullable(),
  iossNumber: z.string().nullable(),
  brandedPackaging: z.string().nullable(),
  fileChecks: checkRule.nullable().describe('What findings in print files do. Null: the default.'),
  addressChecks: checkRule.nullable().describe('What findings in delivery addresses do. Null: the default.'),
  quotas: clientQuotas.nullable().describe('Limits that differ from the defaults.'),
};

export const clientSchema = z
  .object({ ...clientFields, ...shownSettings, keys: z.array(accountKeySchema) })
  .meta({ id: 'Client' });

export const createdClientSchema = z
  .object({ ...clientFields, ...shownSettings, ...credentialFields })
  .meta({ id: 'CreatedClient' });

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
  const read = async () => {
    const [row] = await sql<Client[]>`
      SELECT id, name, created_at, settings FROM accounts WHERE role = 'client' AND id = ${id}`;
    return row;
  };
  return await foundById(id, read, 'There is no such client.');
}

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
export function storedSettings({ returnAddress, ...settings }: Settings): ClientSettings {
  if (returnAddress === undefined) return settings;
  return { ...settings, returnAddress: returnAddress && { id: uuidv7(), ...returnAddress } };
}

const NO_SETTINGS = {
  channel: null,
  billingEntity: null,
  eInvoice: null,
  returnAddress: null,
  iossNumber: null,
  brandedPackaging: null,
  fileChecks: null,
  addressChecks: null,
  quotas: null,
} as const;
