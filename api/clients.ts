import { z } from 'zod';
import { createAccount, issueKey } from '../src/accounts/accounts-and-keys';
import {
  changeClient,
  clientChangeSchema,
  clientSchema,
  clientsWithKeys,
  clientView,
  createdClientSchema,
  listClients,
  newClientSchema,
  requireClient,
  storedSettings,
} from '../src/accounts/clients';
import { clientQuotasSchema } from '../src/orders/intake/client-quotas';
import { unprintableFields } from '../src/orders/planning/address-checks';
import {
  clientFileFaults,
  clientFileFaultsSchema,
  clientHealth,
  clientHealthSchema,
} from '../src/orders/reading/client-health';
import { QUOTA_NAMES, QUOTAS } from '../src/platform/domain/quotas';
import { type FieldError, Refusal } from '../src/platform/errors';
import { inTransaction } from '../src/platform/postgres';
import { type KeyOwners, keyRoutes } from './accounts/key-routes';
import type { ApiDeps } from './deps';
import { exportedList, formatQuery, PAGES } from './http/exported-list';
import { idCursorField, limitField, pageById } from './http/list-query';
import { forOperators, type Route, route } from './http/route';

const clientPath = z.object({ connectorId: z.string().max(100) });

const CLIENTS: KeyOwners = {
  noun: 'Client',
  objectType: 'client',
  tag: 'Clients',
  path: '/v1/connectors/{connectorId}',
  maxOverlapSeconds: 30 * 86_400,
  find: async (sql, id) => (await requireClient(sql, id)).id,
};

/**
 * Returns the settings to store.
 * @throws Refusal `VALIDATION_ERROR` for a return address with letters that labels cannot show
 */
function printableSettings(body: Parameters<typeof storedSettings>[0]): ReturnType<typeof storedSettings> {
  const errors = unprintableFields(body.returnAddress ?? {}).map(({ field, message }): FieldError => {
    return { code: 'VALIDATION_ERROR', message, reference: `returnAddress.${field}` };
  });
  if (errors.length > 0) throw new Refusal('VALIDATION_ERROR', { errors });
  return storedSettings(body);
}

export function clientRoutes(deps: Pick<ApiDeps, 'sql' | 'keyUses' | 'publicUrl'>): Route[] {
  const { sql, publicUrl } = deps;
  return [
    route('POST /v1/connectors', {
      ...forOperators('Clients', 'admin'),
      audits: ['client.create'],
      operationId: 'createClient',
      refuses: ['CONFLICT'],
      summary: 'Set up a client',
      description: 'The response contains the client’s addresses, key and secret. Key and secret are shown only here.',
      idempotent: true,
      returnsSecret: true,
      body: newClientSchema,
      response: createdClientSchema,
      handler: ({ body, idempotency, audit }) =>
        inTransaction(sql, async (tx) => {
          const { name, keyExpiresAt: expiresAt = null, ...given } = body;
          const settings = printableSettings(given);
          const account = await createAccount(tx, { role: 'client', name, settings });
          if (account === undefined) {
            throw new Refusal('CONFLICT', { message: 'A client with this name exists already.' });
          }
          const { keyId, apiKey, apiSecret, hint } = await issueKey(tx, account.id, { expiresAt });
          const view = clientView({ ...account, settings }, publicUrl);
          const response = { ...view, keyId, apiKey, apiSecret };
          await idempotency.complete(tx, response);
          const after = { name, ...settings, keyId, hint, keyExpiresAt: expiresAt };
          await audit(tx, { action: 'client.create', objectId: account.id, before: null, after });
          return response;
        }),
    }),
    exportedList('GET /v1/connectors', {
      csv: { name: 'clients', rows: 'connectors', pages: PAGES.byCursor },
      ...forOperators('Clients', 'viewer'),
      operationId: 'listClients',
      onStandby: true,
      summary: 'List clients, newest first',
      query: z.object({ limit: limitField, cursor: idCursorField.optional(), format: formatQuery }),
      response: z.object({
        connectors: z.array(clientSchema),
        nextCursor: z.string().nullable().describe('Cursor of the next page; null on the last page.'),
      }),
      handler: async ({ query }) => {
        const { page, nextCursor } = await pageById(query, (wanted) => listClients(sql, wanted));
        return { connectors: await clientsWithKeys(sql, page, publicUrl), nextCursor };
      },
    }),
    route('GET /v1/connectors/{connectorId}', {
      ...forOperators('Clients', 'viewer'),
      operationId: 'getClient',
      summary: 'Get a client and its keys',
      params: clientPath,
      response: clientSchema,
      handler: async ({ params }) => {
        const found = await requireClient(sql, params.connectorId);
        return (await clientsWithKeys(sql, [found], publicUrl))[0]!;
      },
    }),
    route('PATCH /v1/connectors/{connectorId}', {
      ...forOperators('Clients', 'admin'),
      audits: ['client.change'],
      operationId: 'changeClient',
      summary: 'Change the settings of a client',
      params: clientPath,
      body: clientChangeSchema,
      response: clientSchema,
      handler: ({ params, body, audit }) =>
        inTransaction(sql, async (tx) => {
          const { id, settings: before } = await requireClient(tx, params.connectorId);
          const changed = (await changeClient(tx, id, printableSettings(body)))!;
          await audit(tx, { action: 'client.change', objectId: id, before, after: changed.settings });
          return (await clientsWithKeys(tx, [changed], publicUrl))[0]!;
        }),
    }),
    route('GET /v1/connectors/{connectorId}/health', {
      ...forOperators('Clients', 'viewer'),
      operationId: 'getClientHealth',
      summary: 'Get figures of a client’s latest orders',
      description: 'The figures of its endpoints are in the list of its webhooks.',
      params: clientPath,
      response: clientHealthSchema,
      handler: async ({ params }) => await clientHealth(sql, (await requireClient(sql, params.connectorId)).id),
    }),
    route('GET /v1/connectors/{connectorId}/file-faults', {
      ...forOperators('Clients', 'viewer'),
      operationId: 'getClientFileFaults',
      onStandby: true,
      summary: 'Get the most frequent faults of a client’s print files',
      params: clientPath,
      response: clientFileFaultsSchema,
      handler: async ({ params }) => await clientFileFaults(sql, (await requireClient(sql, params.connectorId)).id),
    }),
    route('GET /v1/connectors/{connectorId}/quotas', {
      ...forOperators('Clients', 'viewer'),
      operationId: 'getClientQuotas',
      summary: 'Get the quotas of a client with their current use',
      description: 'Change them with the setting `quotas` of the client.',
      params: clientPath,
      response: clientQuotasSchema,
      handler: async ({ params, quotas }) => {
        const { id, settings } = await requireClient(sql, params.connectorId);
        const { limits, used } = await quotas.useOf(id);
        return {
          quotas: QUOTA_NAMES.map((name) => ({
            name,
            counts: QUOTAS[name].counts,
            limit: limits[name],
            isOwn: settings.quotas?.[name] !== undefined,
            used: used[name],
          })),
        };
      },
    }),
    ...keyRoutes(deps, CLIENTS),
  ];
}
