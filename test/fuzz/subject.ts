import type { Express } from 'express';
import { createApp } from '../../api/app';
import type { ApiDeps } from '../../api/deps';
import { type HttpServer, startHttpServer } from '../../api/http/server';
import { allRoutes } from '../../api/routes';
import { seedDemoCatalog } from '../../sandbox/demo/catalog';
import { ensureDemoPartners } from '../../sandbox/demo/partners';
import { ensureDemoStock } from '../../sandbox/demo/stock';
import { issueKey, revokeKey } from '../../src/accounts/accounts-and-keys';
import { createRunGateway } from '../../src/orders/run/gateway';
import { newSigningSecret } from '../../src/platform/http/webhook-signature';
import type { Sql } from '../../src/platform/postgres';
import { inTransaction } from '../../src/platform/postgres';
import { storeErasure } from '../../src/privacy/erasures';
import { FILE_URL, POSTER } from '../api/orders/sample-orders';
import { testAccount, testApiDeps } from '../support/api-deps';
import { oneCarrierSecret } from '../support/carrier-events';
import { testDatabase } from '../support/database';
import { SELLER } from '../support/rows/receipts-of-month';
import {
  belongings,
  channelOf,
  draft,
  endedPreflight,
  label,
  printOrder,
  raisedProcurementOrder,
  runningBulkRepair,
  sessionOf,
  settledDeliveries,
} from './subject-objects';
import { stateOf, watchWrites, writesSince } from './written-rows';

/** Who sends a request. */
export type Sender = 'client' | 'partner' | 'operator' | 'nobody' | 'stranger';

/** A text in all objects of the accounts that are not under test. No response may contain it. */
export const FOREIGN_MARK = 'zq9-not-yours';

/**
 * Ids that requests name, by path parameter: of the sender's objects, of other accounts' objects, and for operators of the
 * account `prey`, which they may change. The key `operation parameter` holds ids for one operation.
 */
export type KnownIds = Record<string, string[]>;

export interface Subject {
  readonly sql: Sql;
  readonly deps: ApiDeps;
  readonly server: HttpServer;
  readonly headers: Readonly<Record<Sender, Readonly<Record<string, string>>>>;
  readonly carrierSecret: string;
  /** Ids that the sender's requests may name. Grows with the objects that it creates. */
  readonly ids: Readonly<Record<Sender, KnownIds>>;
  /** The address of print files in generated bodies, and the address that replaces it. */
  readonly printFile: readonly [written: string, meant: string];
  /** Objects of the client under test. */
  readonly own: KnownIds;
  /** Objects of the other client. */
  readonly foreign: KnownIds;
  /** The key of the other client. */
  readonly foreignClient: Readonly<Record<string, string>>;
  /** Print orders of the partner under test, then of the other partner. */
  readonly printOrders: readonly string[];
  readonly jobs: readonly string[];
  /** Items of the client's orders. */
  readonly items: readonly string[];
  /** Returns a digest of all objects of the other client and the other partner. */
  foreignState(): Promise<string>;
  /** Returns the rows written since the last call as `table operation count`. Rolled-back rows are not included. */
  written(): Promise<string[]>;
  stop(): Promise<void>;
}

const DRAFTS = 20;

/** Fails like a gRPC client without a server, but at once. A real client retries until its deadline. */
function unavailable(): Promise<never> {
  return Promise.reject(
    Object.assign(new Error('14 UNAVAILABLE: no server'), { code: 14, details: 'unavailable', metadata: {} }),
  );
}

const TEMPORAL_AWAY = {
  withDeadline: (_deadline: number, work: () => unknown) => work(),
  connection: {
    withDeadline: (_deadline: number, work: () => unknown) => work(),
    close: async () => undefined,
  },
  options: { namespace: 'default' },
  workflowService: { getSystemInfo: unavailable, describeTaskQueue: unavailable, describeNamespace: unavailable },
  schedule: { getHandle: () => ({ trigger: unavailable }) },
  workflow: {
    start: unavailable,
    getHandle: () => ({
      executeUpdate: unavailable,
      query: unavailable,
      result: unavailable,
      describe: unavailable,
      signal: unavailable,
    }),
  },
} as unknown as ApiDeps['temporal'];

/**
 * Starts the complete API over HTTP on its own database, without Temporal. Only the requests change the database, so that
 * every written row belongs to one request.
 */
export async function fuzzSubject(): Promise<Subject> {
  const database = await testDatabase();
  const { sql } = database;
  const carrierSecret = newSigningSecret();
  const deps: ApiDeps = {
    ...(await testApiDeps(sql, {
      config: { ...oneCarrierSecret(carrierSecret), OUTBOUND_ALLOW_PRIVATE: false, SELLER },
    })),
    temporal: TEMPORAL_AWAY,
    runs: createRunGateway(TEMPORAL_AWAY, sql),
  };
  const app: Express = createApp(deps, allRoutes(deps));
  const server = await startHttpServer(app, { host: '127.0.0.1', port: 0 });
  await seedDemoCatalog(sql);

  const accounts = {
    client: await testAccount(sql, 'client'),
    otherClient: await testAccount(sql, 'client', FOREIGN_MARK),
    prey: await testAccount(sql, 'client', 'prey'),
    operator: await testAccount(sql, 'operator'),
    preyOperator: await testAccount(sql, 'operator', 'prey-operator'),
    partner: await testAccount(sql, 'partner', 'prints-berlin'),
    otherPartner: await testAccount(sql, 'partner', 'prints-ohio'),
    preyPartner: await testAccount(sql, 'partner', 'prey-partner'),
  };
  const partners = await ensureDemoPartners(sql, [accounts.partner, accounts.otherPartner]);
  await ensureDemoStock(sql, partners);
  await sql`
    INSERT INTO partners (account_id, uid, name, country, currency, sender_address, capabilities)
    SELECT ${accounts.preyPartner.id}, 'prey-partner', 'Prey', country, currency, sender_address, capabilities
    FROM partners WHERE account_id = ${accounts.partner.id}`;
  await sql`
    UPDATE stock_items SET product_name = ${FOREIGN_MARK} WHERE partner_id = ${accounts.otherPartner.id}`;

  const own = await belongings(sql, server.url, accounts.client, 'mine');
  const foreign = await belongings(sql, server.url, accounts.otherClient, FOREIGN_MARK);
  const preyThings = await belongings(sql, server.url, accounts.prey, 'prey');
  const notified = await settledDeliveries(sql, preyThings);
  const [mine, theirs] = [
    await printOrder(sql, own.orderId![0]!, accounts.partner.id, 'mine'),
    await printOrder(sql, foreign.orderId![0]!, accounts.otherPartner.id, FOREIGN_MARK),
  ];
  const { keyId: revokedKey } = await issueKey(sql, accounts.prey.id);
  await revokeKey(sql, accounts.prey.id, revokedKey);
  const preyKeys = [(await issueKey(sql, accounts.prey.id)).keyId, (await issueKey(sql, accounts.prey.id)).keyId];
  await deps.objects.put('fuzz/label', Buffer.from('%PDF-1.7 label'), { contentType: 'application/pdf' });
  const [bought, foreignBought] = [
    await label(deps, accounts.client.id, 'mine'),
    await label(deps, accounts.otherClient.id, FOREIGN_MARK),
  ];
  const procurementOrder = await raisedProcurementOrder(server.url, sql, accounts.partner);
  const items = await sql<{ id: string }[]>`SELECT id FROM order_items WHERE order_id = ${own.orderId![0]!}`;
  // Requests turn drafts into orders and delete them.
  const drafts: string[] = [];
  for (let made = 0; made < DRAFTS; made += 1) drafts.push(await draft(server.url, accounts.client));
  const [operatorKey, partnerKey] = [
    (await issueKey(sql, accounts.preyOperator.id)).keyId,
    (await issueKey(sql, accounts.preyPartner.id)).keyId,
  ];
  await watchWrites(database);

  const shared: KnownIds = {
    attributeId: ['paper_format', 'apparel_size', 'fuzz_size'],
    valueId: ['a3', 'm', 'fuzz-value'],
    variantOptionId: ['size'],
    value: ['M'],
    productUid: [POSTER, 'nothing'],
    date: ['2026-01-05', '2030-12-31', '0001-01-01', '9999-12-31'],
    carrierUid: ['tern_parcel', 'corvid_post', 'no_such_carrier'],
    token: ['fuzz/label', 'fuzz/none'].map((objectKey) => {
      const target = { objectKey, contentType: 'application/pdf', fileName: 'a.pdf' };
      return new URL(deps.links.sign(target, { seconds: 86_400 })).pathname.split('/')[2]!;
    }),
    fileName: ['a.pdf', 'größe.pdf'],
    trackingNumber: [bought.trackingNumber, foreignBought.trackingNumber, 'RR473124829DE'],
    shippingOrderId: [bought.shippingOrderId, foreignBought.shippingOrderId, 'mine'],
  };
  const draftsOf = (operation: string) => ({ [`${operation} orderId`]: [...drafts, ...foreign.orderId!] });
  own.preflightId = [await endedPreflight(sql, accounts.client)];
  foreign.preflightId = [await endedPreflight(sql, accounts.otherClient)];
  Object.assign(preyThings, await channelOf(deps, accounts.prey));
  Object.assign(own, await channelOf(deps, accounts.client));
  Object.assign(foreign, await channelOf(deps, accounts.otherClient));
  const client = merged(shared, own, foreign, draftsOf('patchOrder'), draftsOf('deleteDraft'));
  const operator = merged(shared, preyThings, {
    orderId: [procurementOrder],
    'redeliverOrderDelivery orderId': [preyThings.orderId![0]!],
    'redeliverOrderDelivery deliveryId': [notified],
    attributeId: ['fuzz_size'],
    'deleteAttributeValue valueId': ['fuzz-value'],
    preflightId: own.preflightId,
    bulkRepairId: [await runningBulkRepair(sql, accounts.preyOperator, preyThings)],
    connectorId: [accounts.prey.id],
    keyId: preyKeys,
    operatorId: [accounts.preyOperator.id],
    'getOperatorKeyUses keyId': [operatorKey],
    'getPartnerKeyUses keyId': [partnerKey],
    'disableClientKeyEndpoints keyId': [revokedKey],
    'revokeOperatorKey keyId': [operatorKey],
    'revokePartnerKey keyId': [partnerKey],
    partnerId: [accounts.preyPartner.id],
    partnerSku: ['frame-wood-black-a4'],
    sessionId: [await sessionOf(sql, accounts.preyOperator)],
    erasureId: [await inTransaction(sql, (tx) => storeErasure(tx, accounts.operator.id, [], []))],
  });
  // What the setup wrote after the watch began is not the first request's.
  await writesSince(sql);
  return {
    sql,
    deps,
    server,
    carrierSecret,
    headers: {
      client: accounts.client.keyAndSecret,
      partner: accounts.partner.key,
      operator: accounts.operator.key,
      nobody: {},
      stranger: { 'X-API-KEY': `plk_${'A'.repeat(32)}:pls_${'B'.repeat(43)}` },
    },
    ids: {
      client,
      operator,
      partner: merged(shared, foreign, { printOrderId: [mine.id, theirs.id] }),
      nobody: client,
      stranger: client,
    },
    printFile: [FILE_URL, FILE_URL],
    own: {
      ...own,
      variantOptionId: ['size'],
      value: ['M'],
      trackingNumber: [bought.trackingNumber],
      shippingOrderId: [bought.shippingOrderId],
    },
    foreign: {
      ...foreign,
      variantOptionId: ['size'],
      value: ['M'],
      trackingNumber: [foreignBought.trackingNumber],
      shippingOrderId: [foreignBought.shippingOrderId],
      printOrderId: [theirs.id],
    },
    foreignClient: accounts.otherClient.keyAndSecret,
    printOrders: [mine.id, theirs.id],
    jobs: [...mine.jobs, ...theirs.jobs],
    items: items.map(({ id }) => id),
    foreignState: () => stateOf(sql, accounts.otherClient.id, accounts.otherPartner.id),
    written: () => writesSince(sql),
    stop: () => server.stop(500),
  };
}

function merged(...known: KnownIds[]): KnownIds {
  const all: KnownIds = {};
  for (const ids of known)
    for (const [name, values] of Object.entries(ids)) all[name] = [...(all[name] ?? []), ...values];
  return all;
}
