import { z } from 'zod';
import { accountKeySchema } from '../../src/accounts/accounts-and-keys';
import {
  billingEntity,
  clientQuotas,
  clientSettingsFields,
  fileCheckRule,
  returnAddress,
} from '../../src/accounts/clients';
import { FILE_FINDING_CODES, FINDING_SEVERITIES } from '../../src/files/domain/file-findings';
import { ORDER_STATUSES } from '../../src/orders/domain/lifecycle/statuses';
import { RECENT_ORDERS } from '../../src/orders/reading/client-health';
import { timestamp } from '../../src/platform/domain/fields';
import { QUOTA_NAMES } from '../../src/platform/domain/quotas';
import { credentialFields, keyExpiry } from '../accounts/key-routes';
import { idCursorField, limitField } from '../http/lists/cursor';

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

export const newClient = z
  .object({ name: z.string().trim().min(1).max(100), keyExpiresAt: keyExpiry, ...clientSettingsFields })
  .meta({ id: 'NewClient', examples: [{ name: 'poster-shop' }] });

export const clientChange = z
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

export const client = z
  .object({ ...clientFields, ...shownSettings, keys: z.array(accountKeySchema) })
  .meta({ id: 'Client' });

export const createdClient = z
  .object({ ...clientFields, ...shownSettings, ...credentialFields })
  .meta({ id: 'CreatedClient' });

export const clientPage = z.object({
  connectors: z.array(client),
  nextCursor: z.string().nullable().describe('Cursor of the next page; null on the last page.'),
});

export const pageQuery = z.object({
  limit: limitField,
  cursor: idCursorField.optional(),
});

export const clientPath = z.object({ connectorId: z.string().max(100) });

export const clientQuotasSchema = z
  .object({
    quotas: z.array(
      z.object({
        name: z.enum(QUOTA_NAMES),
        counts: z.string().describe('What the quota counts.'),
        limit: z.number().describe('0: no limit.'),
        isOwn: z.boolean().describe('False: the default of all clients.'),
        used: z
          .number()
          .describe(
            '`ordersPerMinute` without a limit is not counted. `exports` are those of the process that responds.',
          ),
      }),
    ),
  })
  .meta({ id: 'ClientQuotaUse' });

export const clientFileFaultsSchema = z
  .object({
    files: z.int().describe(`Checked print files of the latest ${RECENT_ORDERS} orders and drafts of the client.`),
    faults: z
      .array(
        z.object({
          code: z.enum(FILE_FINDING_CODES),
          severity: z.enum(FINDING_SEVERITIES),
          files: z.int().describe('Files that have it.'),
          orders: z.int().describe('Orders of these files.'),
          orderId: z.string().describe('The latest of these orders.'),
          orderReferenceId: z.string(),
          message: z.string().describe('What was found in a file of this order.'),
          at: timestamp.describe('When this order was created.'),
        }),
      )
      .describe('Warnings and errors by check, the most frequent first.'),
  })
  .meta({ id: 'ClientFileFaults' });

export const clientHealthSchema = z
  .object({
    orders: z
      .int()
      .describe(`Orders that the figures are of: the latest ${RECENT_ORDERS} of the client, without drafts.`),
    needAttention: z.int(),
    byStatus: z.array(z.object({ status: z.enum(ORDER_STATUSES), orders: z.int() })),
    oldestAt: timestamp.nullable().describe('When the oldest of these orders was created.'),
    newestAt: timestamp.nullable(),
  })
  .meta({ id: 'ClientHealth' });
