import type { ApiDeps } from '../../api/deps';
import { startSession } from '../../src/accounts/sessions';
import { createCarriers } from '../../src/carriers/carriers';
import { createChannel } from '../../src/channels/channels';
import { csvSettings } from '../../src/channels/domain/csv-order';
import { mappingTarget } from '../../src/channels/domain/order-content';
import { issueStatements, listStatements } from '../../src/orders/books/statements';
import { createBulkRepair } from '../../src/orders/upkeep/bulk-repair-rows';
import type { PaperPrintOrderBody } from '../../src/partners/message-schemas';
import { uuidv7 } from '../../src/platform/ids';
import { inTransaction, json, type Sql } from '../../src/platform/postgres';
import { recordTrackingEvents } from '../../src/shipping/tracking/tracking';
import { item, order } from '../api/orders/sample-orders';
import { MUNICH } from '../src/consignments/sample-addresses';
import { consignmentTo } from '../src/consignments/sample-consignments';
import { buyShipment } from '../src/shipping/bought-shipment';
import type { TestAccount } from '../support/api-deps';
import { LAST_MONTH, MIXED, receiptsOfMonth, SELLER } from '../support/rows/receipts-of-month';
import type { KnownIds } from './subject';

/** Creates the objects that fuzz requests name. */

/** Creates a draft order and returns its id. */
export async function draft(baseUrl: string, { keyAndSecret }: TestAccount): Promise<string> {
  const response = await fetch(`${baseUrl}/v1/orders`, {
    method: 'POST',
    headers: { ...keyAndSecret, 'Content-Type': 'application/json' },
    body: JSON.stringify(order({ orderType: 'draft' })),
  });
  return ((await response.json()) as { id: string }).id;
}

/** Issues the statement of a receipt. Returns its number. */
async function statement(sql: Sql, clientId: string): Promise<string> {
  await receiptsOfMonth(sql, clientId, [MIXED[0]!]);
  await issueStatements(sql, { month: LAST_MONTH, clientId, seller: SELLER });
  const [issued] = await listStatements(sql, { clientId }, { limit: 1 });
  return issued!.number;
}

/** Stores a claim of an order. Returns its id. */
async function claim(sql: Sql, orderId: string, note: string): Promise<string> {
  const id = uuidv7();
  await sql`
    INSERT INTO claims (id, order_id, reason, items, note, made_by) VALUES (${id}, ${orderId}, 'damaged', '[]', ${note}, 'client')`;
  return id;
}

/** Creates one object of each kind that a client can have. Their texts contain the mark. */
export async function belongings(sql: Sql, baseUrl: string, account: TestAccount, mark: string): Promise<KnownIds> {
  const post = async (path: string, body: object): Promise<{ id: string }> => {
    const response = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: { ...account.keyAndSecret, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (response.status !== 200) throw new Error(`${path}: ${await response.text()}`);
    return (await response.json()) as { id: string };
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
    claimId: [await claim(sql, submitted[0]!.id, mark)],
    statementNumber: [await statement(sql, account.id)],
    orderId: [...submitted.map(({ id }) => id), `of-${account.name}`],
    itemReferenceId: ['item-1'],
    type: ['default'],
    webhookId: [webhook.id],
    deliveryId: [delivery.id],
    id: [product.id],
    customerProductId: [product.id],
  };
}

/**
 * Settles the deliveries of an endpoint, so that they can be sent again, and adds one about an order.
 * @returns the id of the delivery about the order
 */
export async function settledDeliveries(sql: Sql, { orderId, webhookId }: KnownIds): Promise<string> {
  await sql`UPDATE webhook_deliveries SET state = 'dead', settled_at = now() WHERE endpoint_id = ${webhookId![0]!}`;
  const [row] = await sql<{ id: string }[]>`
    INSERT INTO webhook_deliveries (id, endpoint_id, message_id, event, order_id, body, state, settled_at)
    VALUES (${uuidv7()}, ${webhookId![0]!}, ${uuidv7()}, 'order_status_updated', ${orderId![0]!}, '{}', 'dead', now())
    RETURNING id`;
  return row!.id;
}

/** Stores a preflight that has ended, and returns its id. */
export async function endedPreflight(sql: Sql, { id: accountId, name }: TestAccount): Promise<string> {
  const id = uuidv7();
  const report = { effect: 'refuse', fault: { code: 'file_not_found', message: name }, checks: [], file: null };
  await sql`
    INSERT INTO preflights (id, account_id, subject, report, ended_at)
    VALUES (${id}, ${accountId}, '{}', ${json(sql, report)}, now())`;
  return id;
}

/** Creates a channel with a mapping, a file and an order that waits. Returns their ids. */
export async function channelOf(
  { sql, objects }: Pick<ApiDeps, 'sql' | 'objects'>,
  { id: clientId, name }: TestAccount,
): Promise<KnownIds> {
  const { id: channelId } = await createChannel(sql, clientId, { kind: 'csv', name, settings: csvSettings.parse({}) });
  const [mappingId, fileId, channelOrderId] = [uuidv7(), uuidv7(), uuidv7()];
  await objects.put(fileId, Buffer.from(`orderReferenceId\n${name}\n`), { contentType: 'text/csv' });
  await sql`
    INSERT INTO channel_mappings (id, channel_id, external_key, target)
    VALUES (${mappingId}, ${channelId}, 'sku:A', ${json(sql, mappingTarget.parse({ ignore: true }))})`;
  await sql`
    INSERT INTO channel_files (id, channel_id, name, sha256, size_bytes, dry_run, object_key, state)
    VALUES (${fileId}, ${channelId}, ${name}, '\\x00', 1, false, ${fileId}, 'read')`;
  await sql`
    INSERT INTO channel_orders (id, channel_id, client_id, file_id, external_id, revision, content_sha256, raw, judged_at)
    VALUES (${channelOrderId}, ${channelId}, ${clientId}, ${fileId}, ${name}, 0, '\\x00', ${json(sql, { decimal: null, lines: [] })}, now())`;
  return { channelId: [channelId], mappingId: [mappingId], fileId: [fileId], channelOrderId: [channelOrderId] };
}

/** Creates a bulk repair of one order and returns its id. */
export async function runningBulkRepair(sql: Sql, by: TestAccount, { orderId }: KnownIds): Promise<string> {
  const request = { action: 'hold', by: by.name, byId: by.id, reason: 'x', partnerId: null } as const;
  return await inTransaction(sql, (tx) => createBulkRepair(tx, request, [orderId![0]!]));
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
      assets: [
        { format: 'pdf', contentType: 'application/pdf', url: 'https://files.example/print.pdf', fileType: 'default' },
      ],
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
export async function printOrder(sql: Sql, orderId: string, partnerId: string, mark: string) {
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
export async function raisedProcurementOrder(baseUrl: string, sql: Sql, partner: TestAccount): Promise<string> {
  const adjustments = [{ partnerSku: 'frame-wood-white-a4', adjustmentType: 'consume', quantity: 390 }];
  await fetch(`${baseUrl}/procurement/v1/inventory/adjust-stock`, {
    method: 'POST',
    headers: { ...partner.key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ adjustments }),
  });
  const [row] = await sql<{ id: string }[]>`SELECT id FROM procurement_orders`;
  return row!.id;
}

/** Buys the label of a shipping order. */
export async function label(
  deps: ApiDeps,
  accountId: string,
  mark: string,
): Promise<{ readonly trackingNumber: string; readonly shippingOrderId: string }> {
  const { sql, objects } = deps;
  const id = uuidv7();
  await sql`
    INSERT INTO shipping_orders (id, account_id, order_reference_id, fingerprint, consignment, method_uid, label, status, waiting_until)
    VALUES (${id}, ${accountId}, ${mark}, '', '{}', '', '{}', 'bought', now())`;
  const bought = await buyShipment(
    { sql, objects, carriers: createCarriers(sql, 'https://pressline.test') },
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
  return { trackingNumber, shippingOrderId: id };
}

/** Starts a session of an operator and returns its id. */
export async function sessionOf(sql: Sql, { id: accountId }: Pick<TestAccount, 'id'>): Promise<string> {
  const signIn = { accountId, method: 'api_key', keyId: null, address: undefined, userAgent: 'fuzz' } as const;
  await inTransaction(sql, (tx) => startSession(tx, signIn));
  const [session] = await sql<{ id: string }[]>`SELECT id FROM operator_sessions WHERE account_id = ${accountId}`;
  return session!.id;
}
