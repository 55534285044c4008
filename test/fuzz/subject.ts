import type { Express } from 'express';
import { createApp } from '../../api/app';
import type { ApiDeps } from '../../api/deps';
import { type HttpServer, startHttpServer } from '../../api/http/server';
import { allRoutes } from '../../api/routes';
import { issueKey } from '../../src/accounts/store';
import { createCarriers } from '../../src/carriers/carriers';
import { seedDemoCatalog } from '../../src/catalog/demo/seed';
import { createRunGateway } from '../../src/orders/run/gateway';
import { ensureDemoPartners } from '../../src/partners/demo-partners';
import type { PaperPrintOrderBody } from '../../src/partners/schemas';
import { newSigningSecret } from '../../src/platform/http/webhook-signature';
import { uuidv7 } from '../../src/platform/ids';
import type { Sql } from '../../src/platform/postgres';
import { ensureDemoStock } from '../../src/procurement/demo-stock';
import { buyShipment } from '../../src/shipping/purchase';
import { recordTrackingEvents } from '../../src/shipping/tracking';
import { FILE_URL, item, order } from '../api/orders/sample-orders';
import { MUNICH } from '../src/consignments/sample-addresses';
import { consignmentTo } from '../src/consignments/sample-consignments';
import { type TestAccount, testAccount, testApiDeps } from '../support/api-deps';
import { testDatabase } from '../support/database';

/** Who sends a request. */
export type Sender = 'client' | 'partner' | 'operator' | 'nobody' | 'stranger';

/** A text in all objects of the accounts that are not under test. No answer may contain it. */
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
function away(): Promise<never> {
  return Promise.reject(
    Object.assign(new Error('14 UNAVAILABLE: no server'), { code: 14, details: 'away', metadata: {} }),
  );
}

const TEMPORAL_AWAY = {
  withDeadline: (_deadline: number, work: () => unknown) => work(),
  connection: {
    withDeadline: (_deadline: number, work: () => unknown) => work(),
    close: async () => undefined,
  },
  workflowService: { getSystemInfo: away },
  workflow: {
    start: away,
    getHandle: () => ({ executeUpdate: away, query: away, result: away, describe: away, signal: away }),
  },
} as unknown as ApiDeps['temporal'];

/**
 * Starts the complete API over HTTP on its own database, without Temporal. Only the requests change the database, so that
 * every written row belongs to one request.
 */
export async function fuzzSubject(): Promise<Subject> {
  const { sql } = await testDatabase();
  const carrierSecret = newSigningSecret();
  const deps: ApiDeps = {
    ...(await testApiDeps(sql, {
      config: { CARRIER_WEBHOOK_SECRET: carrierSecret, OUTBOUND_ALLOW_PRIVATE: false },
    })),
    temporal: TEMPORAL_AWAY,
    runs: createRunGateway(TEMPORAL_AWAY),
  };
  const app: Express = createApp(deps, allRoutes(deps));
  const server = await startHttpServer(app, { host: '127.0.0.1', port: 0 });
  await seedDemoCatalog(sql);

  const accounts = {
    client: await testAccount(sql, 'client'),
    otherClient: await testAccount(sql, 'client', FOREIGN_MARK),
    prey: await testAccount(sql, 'client', 'prey'),
    operator: await testAccount(sql, 'operator'),
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

  const own = await belongings(server.url, accounts.client, 'mine');
  const foreign = await belongings(server.url, accounts.otherClient, FOREIGN_MARK);
  const preyThings = await belongings(server.url, accounts.prey, 'prey');
  const [mine, theirs] = [
    await printOrder(sql, own.orderId![0]!, accounts.partner.id, 'mine'),
    await printOrder(sql, foreign.orderId![0]!, accounts.otherPartner.id, FOREIGN_MARK),
  ];
  const preyKeys = [
    (await issueKey(sql, accounts.prey.id)).keyId,
    (await issueKey(sql, accounts.prey.id)).keyId,
  ];
  await deps.objects.put('fuzz/label', Buffer.from('%PDF-1.7 label'), { contentType: 'application/pdf' });
  const [tracked, foreignTracked] = [
    await label(deps, accounts.client.id, 'mine'),
    await label(deps, accounts.otherClient.id, FOREIGN_MARK),
  ];
  const procurementOrder = await raisedProcurementOrder(server.url, sql, accounts.partner);
  const items = await sql<{ id: string }[]>`SELECT id FROM order_items WHERE order_id = ${own.orderId![0]!}`;
  // Requests turn drafts into orders and delete them.
  const drafts: string[] = [];
  for (let made = 0; made < DRAFTS; made += 1) drafts.push(await draft(server.url, accounts.client));
  await watchWrites(sql);

  const shared: KnownIds = {
    attributeId: ['paper_format', 'apparel_size', 'fuzz_size'],
    valueId: ['a3', 'm', 'fuzz-value'],
    date: ['2026-01-05', '2030-12-31', '0001-01-01', '9999-12-31'],
    carrierUid: ['tern_parcel', 'corvid_post', 'no_such_carrier'],
    token: ['fuzz/label', 'fuzz/none'].map((objectKey) => {
      const target = { objectKey, contentType: 'application/pdf', fileName: 'a.pdf' };
      return new URL(deps.links.sign(target, { seconds: 86_400 })).pathname.split('/')[2]!;
    }),
    fileName: ['a.pdf', 'größe.pdf'],
    trackingNumber: [tracked, foreignTracked, 'RR473124829DE'],
  };
  const draftsOf = (operation: string) => ({ [`${operation} orderId`]: [...drafts, ...foreign.orderId!] });
  const client = merged(shared, own, foreign, draftsOf('patchDraft'), draftsOf('deleteDraft'));
  const operator = merged(shared, preyThings, {
    orderId: [procurementOrder],
    attributeId: ['fuzz_size'],
    connectorId: [accounts.prey.id],
    keyId: preyKeys,
    partnerId: [accounts.preyPartner.id],
    partnerSku: ['frame-wood-black-a4'],
  });
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
    own: { ...own, trackingNumber: [tracked] },
    foreign: { ...foreign, trackingNumber: [foreignTracked], printOrderId: [theirs.id] },
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

/** Creates a draft order and returns its id. */
async function draft(baseUrl: string, { keyAndSecret }: TestAccount): Promise<string> {
  const answer = await fetch(`${baseUrl}/v1/orders`, {
    method: 'POST',
    headers: { ...keyAndSecret, 'Content-Type': 'application/json' },
    body: JSON.stringify(order({ orderType: 'draft' })),
  });
  return ((await answer.json()) as { id: string }).id;
}

/** Creates one object of each kind that a client can have. Their texts contain the mark. */
async function belongings(baseUrl: string, account: TestAccount, mark: string): Promise<KnownIds> {
  const post = async (path: string, body: object): Promise<{ id: string }> => {
    const answer = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: { ...account.keyAndSecret, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (answer.status !== 200) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()) as { id: string };
  };
  const marked = (over: object) =>
    order({
      ...over,
      metadata: [{ key: 'mark', value: mark }],
      items: [item({ metadata: [{ key: 'mark', value: mark }], quantity: 5 })],
    });
  const submitted = [
    await post('/v1/orders', marked({})),
    await post('/v1/orders', marked({ orderReferenceId: `of-${account.name}` })),
    await post('/v1/orders', marked({ orderType: 'draft' })),
  ];
  const webhook = await post('/v1/webhooks', { url: 'https://shop.example/hooks', description: mark });
  const delivery = await post(`/v1/webhooks/${webhook.id}/test`, {});
  const product = await post('/product/v1/customer-product', {
    name: `tee ${mark}`,
    customerIds: [account.id],
    productModelId: 't-shirt',
    variantOptions: [
      {
        id: 'size',
        name: mark,
        attributesMapping: [{ partModelId: 'blank-t-shirt', attributeIds: ['apparel_size'] }],
      },
    ],
  });
  return {
    orderId: [...submitted.map(({ id }) => id), `of-${account.name}`],
    webhookId: [webhook.id],
    deliveryId: [delivery.id],
    id: [product.id],
    customerProductId: [product.id],
  };
}

/** Returns the message of a print order as its partner gets it. */
function sentBody(id: string, jobs: readonly string[], mark: string): PaperPrintOrderBody {
  const address = {
    firstName: 'Ada',
    lastName: mark,
    addressLine1: 'Torstrasse 1',
    postalCode: '10119',
    city: 'Berlin',
    countryCode: 'DE',
    email: 'ada@example.com',
  };
  return {
    version: '1.1',
    id,
    orderDate: '2026-01-05T10:00:00.000Z',
    dispatchDate: '2026-01-09',
    items: jobs.map((job) => ({
      id: job,
      count: 1,
      type: 'print',
      product: { modelUid: 'flat_product', desc: mark, attributes: [] },
      assets: [{ format: 'pdf', contentType: 'application/pdf', url: 'https://files.example/print.pdf' }],
    })),
    shipping: {
      shipmentMethodUid: 'postal_tracked',
      address: [
        { type: 'sender', ...address },
        { type: 'delivery', ...address },
      ],
      customs: { priceTotal: 0, tax: 0, currencyCode: 'EUR' },
    },
  };
}

/** Creates a print order as the workflow of an order does. */
async function printOrder(sql: Sql, orderId: string, partnerId: string, mark: string) {
  const [made] = await sql<{ id: string }[]>`
    INSERT INTO print_orders (order_id, partner_id, step, kind, version, status, message_id, body, dispatch_date, accepted_at)
    VALUES (${orderId}, ${partnerId}, 'handoff:0', 'print', '1.1', 'accepted', ${`msg-${mark}`}, ${mark}, '2026-01-09', now())
    RETURNING id`;
  const jobs = await sql<{ id: string }[]>`
    INSERT INTO print_jobs (print_order_id, order_item_id, quantity)
    SELECT ${made!.id}, id, quantity FROM order_items WHERE order_id = ${orderId} RETURNING id`;
  const body = sentBody(
    made!.id,
    jobs.map(({ id }) => id),
    mark,
  );
  await sql`UPDATE print_orders SET body = ${JSON.stringify(body)} WHERE id = ${made!.id}`;
  return { id: made!.id, jobs: jobs.map(({ id }) => id) };
}

/** Consumes stock below its minimum. @returns the id of the resulting procurement order */
async function raisedProcurementOrder(baseUrl: string, sql: Sql, partner: TestAccount): Promise<string> {
  const adjustments = [{ partnerSku: 'frame-wood-white-a4', adjustmentType: 'consume', quantity: 390 }];
  await fetch(`${baseUrl}/procurement/v1/inventory/adjust-stock`, {
    method: 'POST',
    headers: { ...partner.key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ adjustments }),
  });
  const [row] = await sql<{ id: string }[]>`SELECT id FROM procurement_orders`;
  return row!.id;
}

/** Buys the label of a shipping order and returns its tracking number. */
async function label(deps: ApiDeps, accountId: string, mark: string): Promise<string> {
  const { sql, objects } = deps;
  const id = uuidv7();
  await sql`
    INSERT INTO shipping_orders (id, account_id, order_reference_id, fingerprint, consignment, method_uid, label, waiting_until)
    VALUES (${id}, ${accountId}, ${mark}, '', '{}', '', '{}', now())`;
  const bought = await buyShipment(
    { sql, objects, carriers: createCarriers(sql) },
    {
      consignment: consignmentTo(MUNICH),
      methodUid: 'tern_parcel_domestic',
      idempotencyKey: id,
      owner: { kind: 'shipping_order', shippingOrderId: id },
    },
  );
  if (!bought.ok) throw new Error(bought.refusal.message);
  const { trackingNumber } = bought.shipment.packages[0]!;
  await recordTrackingEvents(sql, 'tern_parcel', [
    {
      trackingNumber,
      eventId: id,
      statusUid: 'in_transit',
      message: mark,
      occurredAt: '2026-01-05T10:00:00Z',
      signedBy: 'Tern',
    },
  ]);
  return trackingNumber;
}

/** Installs a trigger on every table that records each written row in the same transaction, updates included. */
async function watchWrites(sql: Sql): Promise<void> {
  await sql.unsafe(`
    CREATE UNLOGGED TABLE fuzz_writes (relation text NOT NULL, operation text NOT NULL);
    CREATE FUNCTION note_write() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO fuzz_writes VALUES (TG_TABLE_NAME, TG_OP); RETURN NULL; END $$;
    DO $$ DECLARE watched text; BEGIN
      FOR watched IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'fuzz_writes' LOOP
        EXECUTE format('CREATE TRIGGER note_write AFTER INSERT OR UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION note_write()', watched);
      END LOOP;
    END $$;`);
}

async function writesSince(sql: Sql): Promise<string[]> {
  const rows = await sql<{ relation: string; operation: string; times: number }[]>`
    WITH noted AS (DELETE FROM fuzz_writes RETURNING relation, operation)
    SELECT relation, operation, count(*)::int AS times FROM noted GROUP BY 1, 2 ORDER BY 1, 2`;
  const count = (relation: string, operation: string) =>
    rows.find((row) => row.relation === relation && row.operation === operation)?.times ?? 0;
  // An idempotency key that was reserved and released after a failed attempt does not count.
  const keyFreed = count('idempotency_keys', 'INSERT') === count('idempotency_keys', 'DELETE');
  return rows
    .filter(
      ({ relation, operation }) => !(relation === 'idempotency_keys' && operation !== 'UPDATE' && keyFreed),
    )
    .map(({ relation, operation, times }) => `${relation} ${operation} ${times}`);
}

async function stateOf(sql: Sql, clientId: string, partnerId: string): Promise<string> {
  const [row] = await sql<{ digest: string }[]>`
    SELECT md5(string_agg(part, '|' ORDER BY part)) AS digest FROM (
      SELECT o::text AS part FROM orders o WHERE client_id = ${clientId}
      UNION ALL SELECT i::text FROM order_items i JOIN orders o ON o.id = i.order_id WHERE o.client_id = ${clientId}
      UNION ALL SELECT w::text FROM webhook_endpoints w WHERE client_id = ${clientId}
      UNION ALL SELECT d::text FROM webhook_deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id
        WHERE w.client_id = ${clientId}
      UNION ALL SELECT c::text FROM customer_products c WHERE owner_id = ${clientId}
      UNION ALL SELECT k::text FROM api_keys k WHERE account_id IN (${clientId}, ${partnerId})
      UNION ALL SELECT s::text FROM stock_items s WHERE partner_id = ${partnerId}
      UNION ALL SELECT p::text FROM partners p WHERE account_id = ${partnerId}
      UNION ALL SELECT p::text FROM postbacks p WHERE partner_id = ${partnerId}
      UNION ALL SELECT p::text FROM print_orders p WHERE partner_id = ${partnerId}) AS foreign_rows`;
  return row!.digest;
}
