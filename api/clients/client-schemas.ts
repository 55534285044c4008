import { z } from 'zod';
import { countryCode, currencyCode, text } from '../../src/platform/domain/fields';
import { accountKey, credentialFields } from '../accounts/key-schemas';
import { limitField } from '../http/lists/cursor';

const timestamp = z.iso.datetime();
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

const billingEntity = z
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
    email: z.email().max(254),
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

const returnAddress = z
  .object({
    country: countryCode,
    companyName: text(60).nullable().default(null),
    addressLine1: text(35),
    addressLine2: text(35).nullable().default(null),
    city: text(30),
    postCode: text(15),
    state: text(35).nullable().default(null),
    email: z.email().max(254).nullable().default(null),
    phone: text(25).nullable().default(null),
  })
  .meta({ id: 'ReturnAddress' });

const settings = {
  channel: text(50)
    .nullish()
    .describe(
      'Name of the sales channel: `channel` of the orders that the client submits from now on. Default: `api`.',
    ),
  billingEntity: billingEntity.nullish().describe('Recipient of receipts.'),
  returnAddress: returnAddress
    .nullish()
    .describe('Address that undeliverable parcels return to. It is the sender on print orders and labels.'),
  iossNumber: z
    .string()
    .regex(/^IM\d{10}$/, 'Not an IOSS number: it is IM and ten digits.')
    .nullish()
    .describe('Printed on the customs forms of parcels into the EU up to 150 EUR.'),
  brandedPackaging: text(100)
    .nullish()
    .describe('Packaging workflow of print orders. Packaging instructions of an order can name another.'),
};

export const newClient = z
  .object({ name: z.string().trim().min(1).max(100), ...settings })
  .meta({ id: 'NewClient', examples: [{ name: 'poster-shop' }] });

export const clientChange = z
  .object(settings)
  .meta({ id: 'ClientChange', description: 'Null removes a setting. Settings that are left out stay.' });

const shownSettings = {
  channel: z.string().nullable(),
  billingEntity: billingEntity.nullable(),
  returnAddress: returnAddress.extend({ id: z.string() }).nullable(),
  iossNumber: z.string().nullable(),
  brandedPackaging: z.string().nullable(),
};

export const client = z.object({ ...clientFields, ...shownSettings, keys: z.array(accountKey) }).meta({ id: 'Client' });

export const createdClient = z
  .object({ ...clientFields, ...shownSettings, ...credentialFields })
  .meta({ id: 'CreatedClient' });

export const clientPage = z.object({
  connectors: z.array(client),
  nextCursor: z.string().nullable().describe('Cursor of the next page; null on the last page.'),
});

export const pageQuery = z.object({
  limit: limitField,
  cursor: z.string().max(100).optional(),
});

export const clientPath = z.object({ connectorId: z.string().max(100) });
