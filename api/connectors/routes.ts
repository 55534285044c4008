import { changeConnector, listConnectors } from '../../src/accounts/connectors';
import { createAccount, issueKey } from '../../src/accounts/store';
import { Refusal } from '../../src/platform/errors';
import { inTransaction } from '../../src/platform/postgres';
import { type KeyOwners, keyRoutes } from '../accounts/key-routes';
import type { ApiDeps } from '../deps';
import { formatQuery } from '../http/lists/csv';
import { checkedIdCursor, pageOf } from '../http/lists/cursor';
import { exportedList, PAGES } from '../http/lists/exported-list';
import { operatorsOnly, type Route, route } from '../http/route';
import { connectorHealthRoute } from './health-route';
import {
  connector,
  connectorChange,
  connectorPage,
  connectorPath,
  createdConnector,
  newConnector,
  pageQuery,
} from './schemas';
import { connectorsWithKeys, connectorView, requireConnector, storedSettings } from './views';

type Deps = Pick<ApiDeps, 'sql' | 'publicUrl'>;

const common = {
  tag: 'Connectors',
  errors: 'coded',
} as const;

const CONNECTORS: KeyOwners = {
  noun: 'Connector',
  objectType: 'connector',
  tag: 'Connectors',
  path: '/v1/connectors/{connectorId}',
  maxOverlapSeconds: 30 * 86_400,
  find: async (sql, id) => (await requireConnector(sql, id)).id,
};

/**
 * Routes that set up clients. A connector is a client account with its three addresses (docs/orders.md) and
 * its keys.
 */
export function connectorRoutes(deps: Deps): Route[] {
  return [
    createRoute(deps),
    listRoute(deps),
    getRoute(deps),
    changeRoute(deps),
    connectorHealthRoute(deps),
    ...keyRoutes(deps, CONNECTORS),
  ];
}

function createRoute({ sql, publicUrl }: Deps): Route {
  return route({
    ...common,
    method: 'post',
    access: operatorsOnly('admin'),
    audits: ['connector.create'],
    path: '/v1/connectors',
    operationId: 'createConnector',
    summary: 'Set up a client',
    description:
      'The answer contains the client’s addresses, key and secret. Key and secret are shown only here.',
    idempotent: true,
    answersSecret: true,
    body: newConnector,
    response: createdConnector,
    handler: ({ body, idempotency, audit }) =>
      inTransaction(sql, async (tx) => {
        const settings = storedSettings(body);
        const account = await createAccount(tx, { role: 'client', name: body.name, settings });
        if (account === undefined) {
          throw new Refusal('CONFLICT', { message: 'A connector with this name exists already.' });
        }
        const { keyId, apiKey, apiSecret, hint } = await issueKey(tx, account.id);
        const view = connectorView({ ...account, settings }, publicUrl);
        const answer = { ...view, keyId, apiKey, apiSecret };
        await idempotency.complete(tx, answer);
        const after = { name: account.name, ...settings, keyId, hint };
        await audit(tx, { action: 'connector.create', objectId: account.id, before: null, after });
        return answer;
      }),
  });
}

function listRoute({ sql, publicUrl }: Deps): Route {
  return exportedList({
    csv: { name: 'clients', rows: 'connectors', pages: PAGES.byCursor },
    ...common,
    method: 'get',
    access: operatorsOnly('viewer'),
    path: '/v1/connectors',
    operationId: 'listConnectors',
    summary: 'List clients, newest first',
    query: pageQuery.extend({ format: formatQuery }),
    response: connectorPage,
    handler: async ({ query }) => {
      const after = checkedIdCursor(query.cursor);
      const rows = await listConnectors(sql, { limit: query.limit + 1, after });
      const { page, nextCursor } = pageOf(rows, query.limit, ({ id }) => id);
      return { connectors: await connectorsWithKeys(sql, page, publicUrl), nextCursor };
    },
  });
}

function getRoute({ sql, publicUrl }: Deps): Route {
  return route({
    ...common,
    method: 'get',
    access: operatorsOnly('viewer'),
    path: '/v1/connectors/{connectorId}',
    operationId: 'getConnector',
    summary: 'Get a client and its keys',
    params: connectorPath,
    response: connector,
    handler: async ({ params }) => {
      const found = await requireConnector(sql, params.connectorId);
      return (await connectorsWithKeys(sql, [found], publicUrl))[0]!;
    },
  });
}

function changeRoute({ sql, publicUrl }: Deps): Route {
  return route({
    ...common,
    method: 'patch',
    access: operatorsOnly('admin'),
    audits: ['connector.change'],
    path: '/v1/connectors/{connectorId}',
    operationId: 'changeConnector',
    summary: 'Change the settings of a client',
    params: connectorPath,
    body: connectorChange,
    response: connector,
    handler: ({ params, body, audit }) =>
      inTransaction(sql, async (tx) => {
        const { id, settings: before } = await requireConnector(tx, params.connectorId);
        const changed = (await changeConnector(tx, id, storedSettings(body)))!;
        await audit(tx, { action: 'connector.change', objectId: id, before, after: changed.settings });
        return (await connectorsWithKeys(tx, [changed], publicUrl))[0]!;
      }),
  });
}
