import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compiledProgram } from '../support/compiled-program';
import { eventually } from '../support/eventually';
import { bash, blocks } from '../support/pages';
import { type TestStack, testStack } from '../support/stack';

/** The examples of the OpenAPI document, sent as a reader of the API pages sends them: with ids of objects that exist. */

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
type Json = any;
type Value = string | (() => string | Promise<string>);
/** What a reader enters in place of an id of the example, and the response when the example is refused on a new stack. */
interface Entry {
  readonly path?: Readonly<Record<string, Value>>;
  readonly body?: () => object | Promise<object>;
  readonly status?: number | readonly number[];
}
type Entries = Readonly<Record<string, Entry>>;

const ZURICH = {
  country: 'CH',
  city: 'Zürich',
  postCode: '8001',
  addressLine1: 'Bahnhofstrasse 1',
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.com',
  phone: '+41 44 211 5370',
};
const POSTER = 'flat_product_pf_a3_pt_200-gsm-uncoated_cl_4-0_ver';

let stack: TestStack;
beforeAll(async () => {
  // Partners accept print orders and report nothing, so that orders can be changed.
  stack = await testStack({ mode: 'manual' });
});

/** The responses to the examples, by operation. */
const made: Record<string, Json> = {};

async function request(method: string, path: string, key: string, body?: object) {
  const response = await fetch(stack.baseUrl + path, {
    method,
    headers: { 'X-API-KEY': key, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Json };
}

/** Operations that create come first, and those that cancel last. */
const rank = ({ path, operationId }: { readonly path: string; readonly operationId: string }) =>
  Number(path.includes('{')) + Number(/^cancel/.test(operationId));

/** Sends the example of each operation of a page. Returns their number. */
async function sendExamples(page: string, key: string, entries: Entries): Promise<number> {
  const { paths }: Json = await (await fetch(`${stack.baseUrl}/docs/${page}.json`)).json();
  const operations = Object.entries<Json>(paths)
    .flatMap(([path, methods]) => Object.entries<Json>(methods).map(([method, each]) => ({ path, method, ...each })))
    .filter(({ requestBody }) => requestBody?.content['application/json']?.example !== undefined)
    .toSorted((a, b) => rank(a) - rank(b));
  const faults: object[] = [];
  for (const { path, method, operationId, parameters = [], requestBody } of operations) {
    const entry = entries[operationId] ?? {};
    let address = path;
    for (const { name, example } of parameters.filter(({ in: place }: Json) => place === 'path')) {
      const given = entry.path?.[name] ?? example;
      const value = typeof given === 'function' ? await given() : given;
      address = address.replace(`{${name}}`, encodeURIComponent(value));
    }
    const { example } = requestBody.content['application/json'];
    const body = entry.body === undefined ? example : { ...example, ...(await entry.body()) };
    const response = await request(method.toUpperCase(), address, key, body);
    made[operationId] = response.body;
    const expected = [entry.status ?? 200].flat();
    if (!expected.includes(response.status)) faults.push({ operationId, address, expected, ...response });
  }
  expect(faults).toEqual([]);
  return operations.length;
}

let number = 0;
/** Submits the example of an order with other fields. Returns the id of the order. */
async function newOrder(fields: object = {}): Promise<string> {
  const { paths }: Json = await (await fetch(`${stack.baseUrl}/docs/shops.json`)).json();
  const { example } = paths['/v1/orders'].post.requestBody.content['application/json'];
  number += 1;
  const response = await request('POST', '/v1/orders', shopKey(), {
    ...example,
    orderReferenceId: `example-${number}`,
    ...fields,
  });
  expect(response).toMatchObject({ status: 200 });
  return response.body.id;
}

const shopKey = () => `${stack.credentials.client.apiKey}:${stack.credentials.client.apiSecret}`;
const operatorKey = () => stack.credentials.operator.apiKey;
const orderOf = async (orderId: string): Promise<Json> =>
  (await request('GET', `/v1/operator/orders/${orderId}`, operatorKey())).body;

/** Submits an order, and waits until it is in a status. Returns its id. */
async function orderIn(status: string, fields: object = {}): Promise<string> {
  const orderId = await newOrder(fields);
  await eventually(async () => ((await orderOf(orderId)).fulfillmentStatus === status ? true : undefined));
  return orderId;
}

/** Submits an order, and waits until a partner has accepted it. Returns the id of the print order. */
const newPrintOrder = async (): Promise<string> => (await orderOf(await orderIn('passed'))).printOrders[0].id;

/** Submits an order whose print file does not exist, and waits until it has failed. Returns its id. */
const failedOrder = () => {
  const file = { type: 'default', url: `${stack.sandbox.url}/files/missing.pdf` };
  const item = { itemReferenceId: 'line-1', productUid: POSTER, quantity: 1, files: [file] };
  return orderIn('failed', { items: [item] });
};

const customerProduct = { customerProductId: () => made.createCustomerProduct.id };
/** Uses up frames of the partner in Berlin, so that they are ordered. Returns the id of the procurement order. */
async function raisedOrder(): Promise<string> {
  const { apiKey } = stack.credentials.partners.find(({ name }) => name === 'prints-berlin')!;
  const adjustment = { partnerSku: 'frame-wood-black-a4', adjustmentType: 'consume', quantity: 400 };
  const used = await request('POST', '/procurement/v1/inventory/adjust-stock', apiKey, { adjustments: [adjustment] });
  expect(used).toMatchObject({ status: 200 });
  const { body } = await request('POST', '/procurement/v1/order/list', apiKey, {});
  return String(body.orders[0].orderId);
}

let channelId = '';
/** A new channel of the shop, with an order that waits in its inbox. */
const waiting = {
  channelId: async () => {
    number += 1;
    const { body } = await request('POST', '/v1/channels', shopKey(), { kind: 'csv', name: `Export ${number}` });
    channelId = body.id;
    return channelId;
  },
  channelOrderId: async () => {
    const sent = await fetch(`${stack.baseUrl}/v1/channels/${channelId}/files?name=may.csv`, {
      method: 'POST',
      headers: { 'X-API-KEY': shopKey(), 'Content-Type': 'text/csv' },
      body: 'orderReferenceId,items.sku\nmay-1,UNKNOWN\n',
    });
    expect(sent.status).toBe(200);
    const read = () => request('GET', `/v1/channels/${channelId}/orders`, shopKey());
    return await eventually(async () => (await read()).body.orders[0]?.id as string | undefined);
  },
};

/** What both shops and operators change. */
const SHARED: Entries = {
  changeChannel: { path: { channelId: () => made.createChannel.id } },
  // Only a channel with a server is tested.
  testChannel: { status: [200, 409], path: { channelId: () => made.createChannel.id } },
  // Nothing has shipped.
  makeClaim: { status: 409, path: { orderId: () => newOrder() } },
  storeChannelMapping: { path: { channelId: waiting.channelId } },
  retryChannelOrder: { path: waiting },
  correctChannelOrder: { path: waiting },
  ignoreChannelOrder: { path: waiting },
  updateCustomerProduct: { path: { id: () => made.createCustomerProduct.id } },
  addVariantValues: { path: customerProduct },
  replaceVariantValues: { path: customerProduct },
  // Refused, because it crosses a customs border without retail prices.
  patchOrder: { path: { orderId: () => orderIn('failed', { shippingAddress: ZURICH }) } },
  updateShipment: { path: { orderId: () => newOrder() } },
  replaceFile: { path: { orderId: () => newOrder() } },
  cancelOrder: { path: { orderId: () => newOrder() } },
  cancelShippingOrder: { path: { shippingOrderId: () => made.createShippingOrder.orderId } },
};

test('The examples of operations for shops work when they are sent', async () => {
  const webhook = { webhookId: () => made.createWebhook.id };
  const count = await sendExamples('shops', shopKey(), {
    ...SHARED,
    changeWebhook: { path: webhook },
    // 202: the check of the file goes on after ten seconds.
    preflightFile: { status: [200, 202] },
    rotateWebhookSecret: { path: webhook },
  });
  expect(count).toBeGreaterThan(18);
});

test('The examples of operations for operators work when they are sent, and those for the partner that one of them adds', async () => {
  const webhook = { webhookId: () => made.createOperatorWebhook.id };
  const client = { connectorId: () => made.createClient.id };
  /** Revokes the first key of the client. */
  const revokedKey = async (): Promise<string> => {
    const address = `/v1/connectors/${made.createClient.id}`;
    const { keys }: Json = (await request('GET', address, operatorKey())).body;
    await request('DELETE', `${address}/keys/${keys[0].id}`, operatorKey());
    return keys[0].id;
  };
  const partner = { partnerId: () => made.createPartner.id };
  const { partners }: Json = (await request('GET', '/v1/partners', operatorKey())).body;
  const berlin = { partnerId: partners.find(({ uid }: Json) => uid === 'prints-berlin').id };
  const operator = { operatorId: () => made.createOperator.id };
  const procured =
    (...statuses: string[]) =>
    async () => {
      const { orderId } = made.moveProcurementOrder;
      for (const status of statuses)
        await request('POST', `/v1/operator/procurement-orders/${orderId}/transitions`, operatorKey(), { status });
      return String(orderId);
    };
  let printOrderId = '';
  const count = await sendExamples('operators', operatorKey(), {
    ...SHARED,
    // The stack has no seller.
    issueStatements: { status: 409 },
    decideClaim: { status: 404, path: { orderId: () => newOrder(), claimId: randomUUID } },
    reviveOrder: { status: 409, path: { orderId: () => newOrder() } },
    updateProductModel: { path: { id: () => made.createProductModel.id } },
    previewProductModel: { path: { id: () => made.createProductModel.id } },
    changeOperatorWebhook: { path: webhook },
    rotateOperatorWebhookSecret: { path: webhook },
    createChannel: {
      body: async () => {
        const { connectors }: Json = (await request('GET', '/v1/connectors', operatorKey())).body;
        return { clientId: connectors[0].id };
      },
    },
    createClientWebhook: { path: client },
    changeClientWebhook: { path: { ...client, webhookId: () => made.createClientWebhook.id } },
    changeClient: { path: client },
    rotateClientKey: { path: client },
    disableClientKeyEndpoints: { path: { ...client, keyId: revokedKey } },
    changeOperator: { path: operator },
    rotateOperatorKey: { path: operator },
    changePartner: { path: partner },
    createPartnerSubscription: { path: partner },
    rotatePartnerKey: { path: partner },
    startOperatorSession: { body: () => ({ apiKey: operatorKey() }) },
    repairOrder: { path: { orderId: () => newOrder() } },
    orderAgain: { path: { orderId: () => newOrder() } },
    reprintOrder: { path: { orderId: () => failedOrder() } },
    startBulkRepair: { body: async () => ({ orderIds: [await newOrder()] }) },
    // Its one order may be done.
    cancelBulkRepair: { status: [200, 409], path: { bulkRepairId: () => made.startBulkRepair.id } },
    confirmServers: { status: 409 },
    sendSandboxPostback: {
      body: async () => {
        // An example made the partner refuse the next print order.
        await request('DELETE', '/v1/operator/sandbox/partners/prints-berlin/behaviour', operatorKey());
        printOrderId = await newPrintOrder();
        return { printOrderId };
      },
    },
    requestSandboxDispatch: { body: () => ({ printOrderId }) },
    sendSandboxCarrierEvent: {
      body: () => ({ trackingNumber: made.requestSandboxDispatch.body.trackingCode }),
    },
    moveProcurementOrder: { path: { orderId: raisedOrder } },
    receiveProcurementOrder: { path: { orderId: procured('in-transit') } },
    attachProcurementInvoice: { path: { orderId: procured('delivered') } },
    setUpStockItems: { path: partner },
    correctStock: { path: berlin },
  });
  expect(count).toBeGreaterThan(50);
  // Another example made the carrier refuse labels.
  await request('DELETE', '/v1/operator/sandbox/carriers/corvid_post/label-fault', operatorKey());
  const ofPartners = await sendExamples('partners', made.createPartner.apiKey, {
    ...SHARED,
    // The new partner has no print order.
    postOrderStatus: { status: 404 },
    dispatchOrder: { status: 404 },
  });
  expect(ofPartners).toBeGreaterThan(9);
});

describe('The commands of the pages', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pressline-page-'));
  beforeAll(() => {
    const { credentials, baseUrl, sandbox } = stack;
    mkdirSync(join(folder, '.data'));
    const file = { ...credentials, baseUrl, sandboxUrl: sandbox.url };
    writeFileSync(join(folder, '.data/credentials.json'), JSON.stringify(file));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const keyOf = (partner: string) => stack.credentials.partners.find(({ name }) => name === partner)!.apiKey;

  /** Runs commands in the folder of the credentials. `curl` fails where the API refuses the request. Returns what they print. */
  async function run(commands: readonly string[]): Promise<string> {
    const strict = `set -e; cd ${folder}; curl() { command curl -sS --fail-with-body "$@"; echo; }`;
    const { stdout, stderr, code } = await bash([strict, ...commands].join('\n'), 300_000);
    expect({ stderr, code, failed: code === 0 ? '' : stdout }).toEqual({ stderr: '', code: 0, failed: '' });
    return stdout;
  }

  test('of docs/how-to/play-the-partner.md take an order to shipped', async () => {
    const [settings, submit, read, play] = blocks('how-to/play-the-partner', 'sh').map((block) =>
      block.replaceAll('web-1001', 'web-played'),
    );
    const untilPassed = `PRINT_ORDER=undefined; until [ "$PRINT_ORDER" != undefined ]; do ${read} done`;
    const untilShipped = `until grep '"fulfillmentStatus":"shipped"' out/order.json; do ${read} done`;
    expect(await run([settings!, submit!, untilPassed, play!, untilShipped])).toMatch(/"type":"label"/);
  });

  test('of docs/partners.md report the progress of a print order, request its label and report stock', async () => {
    const id = await newPrintOrder();
    const commands = blocks('partners', 'sh')
      .filter((block) => block.startsWith('curl'))
      .map((block) => block.replaceAll('https://pressline.example', stack.baseUrl).replaceAll('500001', id))
      // The stack's partner keeps its own addresses.
      .filter((block) => !block.includes('/v2/subscribe'));
    const printed = await run([`KEY=${keyOf('prints-berlin')}`, ...commands]);
    expect(printed).toContain(`"${id}"`);
    expect(printed).toContain('"trackingCode"');
    expect(printed).toContain('"updated_skus":["tee-navy-m"]');
  });

  test('of docs/how-to/sign-in-with-openid-connect.md add, rotate and revoke keys of operators', async () => {
    const pressline = `pressline() { DATABASE_URL=${stack.database.url} ${process.execPath} ${compiledProgram()} "$@"; }`;
    // The examples of the API pages have an operator `ada`.
    const commands = blocks('how-to/sign-in-with-openid-connect', 'sh')[1]!.replaceAll(' ada', ' grace');
    const printed = await run([pressline, commands]);
    expect(printed.match(/plk_[\w-]{32}/g)).toHaveLength(3);
  });

  test('of the pages for operators find orders and changes', async () => {
    const { partners }: Json = (await request('GET', '/v1/partners', operatorKey())).body;
    const settings = `API=${stack.baseUrl} KEY=${operatorKey()} PARTNER_ID=${partners[0].id}`;
    const pages = ['operation/inspecting-orders', 'operation/audit-log'];
    const printed = await run([settings, ...pages.flatMap((page) => blocks(page, 'sh'))]);
    expect(printed).toContain('"orderReferenceId":"web-1001"');
  });
});
