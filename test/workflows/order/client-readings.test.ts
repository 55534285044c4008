import { allRoutes } from '../../../api/routes';
import { testApiDeps } from '../../support/api-deps';
import { type PartnerServer, partnerServer } from '../../support/other-systems/partner-server';
import { eventually, type TestStack, testStack } from '../../support/stack';
import {
  address,
  addressIn,
  framedPoster,
  isAt,
  type Order,
  type OrderBody,
  orderOf,
  poster,
  readUntil,
  T_SHIRT,
  tShirt,
} from './client-orders';
import { operatorHelpers } from './operator-fixture';

/** What clients read of their orders names no partner, and gives no reason that is for operators. */

/** A reason that an operator gives. */
const INTERNAL = 'the foreman has lost the job';

let stack: TestStack;
let receiver: PartnerServer;
/** Texts that no client reads: names of partners and operators, SKUs, the words of both. */
let internal: readonly string[];
let orders: Order[];
const { repair, look } = operatorHelpers(() => stack);

beforeAll(async () => {
  receiver = await partnerServer();
  stack = await testStack();
  await stack.client.createWebhook({ body: { url: receiver.url } });
  const names = await stack.services.sql<{ name: string }[]>`
    SELECT uid AS name FROM partners UNION SELECT name FROM partners UNION SELECT partner_sku FROM stock_items
    UNION SELECT name FROM accounts WHERE role <> 'client'`;
  const words = [
    INTERNAL,
    'disabled',
    'subscribed',
    'until our press',
    'opened in prepress',
    'Spoiled',
    'on the press',
  ];
  internal = [...names.map(({ name }) => name), ...words];
  orders = await Promise.all([
    shipped(),
    rerouted(),
    canceledByOperator(),
    until(treated('error-only'), isAt('on_hold')),
    until(treated('cancels-some-units'), isAt('on_hold', 'shipped', 'in_transit', 'delivered')),
    cancelRefused(),
  ]);
  // No other order may be routed meanwhile.
  orders.push(await parked(), await unserved());
});

const retail = { retailCurrency: 'EUR', retailShippingPriceInclVat: 5 };
const priced = { retailPriceInclVat: 20 };

async function until(body: OrderBody, isSo: (order: Order) => boolean): Promise<Order> {
  const { id } = await stack.client.submitOrder({ body });
  return await readUntil(stack.client, id, isSo);
}

/** An order that sandbox partners treat by a behaviour. */
const treated = (behaviour: string, items = [poster(stack, { ...priced, quantity: 3 })]) =>
  orderOf(stack, { ...retail, items, shippingAddress: { ...address, addressLine2: `sandbox:${behaviour}` } });

const shipped = () =>
  until(
    orderOf(stack, { ...retail, items: [tShirt(stack, priced), poster(stack, priced), framedPoster(stack, priced)] }),
    isAt('delivered'),
  );

async function rerouted(): Promise<Order> {
  const { id, items } = await until(treated('refuses'), isAt('on_hold'));
  await repair(id, { action: 'reroute', itemId: items[0]!.id, reason: INTERNAL } as never);
  return await readUntil(stack.client, id, ({ eventLog }) => eventLog.some(({ type }) => type === 'reroute'));
}

async function canceledByOperator(): Promise<Order> {
  const { id } = await until(treated('stops-after-received'), isAt('in_production'));
  await repair(id, { action: 'hold', reason: INTERNAL } as never);
  await repair(id, { action: 'release', reason: INTERNAL } as never);
  await stack.operator.cancelOrder({ params: { orderId: id }, body: { reason: INTERNAL } });
  return await readUntil(stack.client, id, isAt('canceled'));
}

async function cancelRefused(): Promise<Order> {
  const { id } = await until(treated('refuses-cancel=60000'), isAt('in_production'));
  await stack.client.cancelOrder({ params: { orderId: id }, body: {} });
  return await readUntil(stack.client, id, ({ eventLog }) =>
    eventLog.some(({ type }) => type === 'partner_cancel_refused'),
  );
}

/** Changes a column of every partner during a call. */
async function withPartners<T>(column: 'enabled' | 'capabilities', call: () => Promise<T>): Promise<T> {
  const { sql } = stack.services;
  const served = (countries: string[]) => sql`
    UPDATE partners SET capabilities = jsonb_set(capabilities, '{countriesServed}', ${sql.json(countries)})`;
  await (column === 'enabled' ? sql`UPDATE partners SET enabled = false` : served(['DE']));
  try {
    return await call();
  } finally {
    await (column === 'enabled' ? sql`UPDATE partners SET enabled = true` : served(['*']));
  }
}

const parked = () => withPartners('enabled', () => until(orderOf(stack), isAt('on_hold')));

const unserved = () => {
  const items = [poster(stack, priced)];
  const body = orderOf(stack, { ...retail, items, shippingAddress: addressIn.FR });
  return withPartners('capabilities', () => until(body, isAt('failed')));
};

/** Returns the response of a quote, or the body of its error. */
async function quoted(): Promise<unknown> {
  const items = [{ itemReferenceId: 'shirt', productUid: T_SHIRT, quantity: 1 }];
  const body = { currency: 'EUR', shippingAddress: addressIn.FR, items };
  return await stack.client.quoteOrder({ body }).catch(({ body: error }) => error);
}

const webhookIds = async () => (await stack.client.listWebhooks()).webhooks.map(({ id }) => id);

async function deliveries() {
  const lists = await Promise.all(
    (await webhookIds()).map(async (webhookId) => {
      const params = { webhookId };
      const list = await stack.client.listWebhookDeliveries({ params, query: { limit: 250 } });
      return list.deliveries.map(({ id }) => ({ webhookId, deliveryId: id }));
    }),
  );
  return lists.flat();
}

/** Returns the internal texts that a text contains. */
const leaked = (text: string) => internal.filter((word) => text.toLowerCase().includes(word.toLowerCase()));

/** Every operation with which a client reads its orders, with the responses that it reads here. */
const READINGS: Readonly<Record<string, () => Promise<unknown[]>>> = {
  getOrder: () => Promise.all(orders.map(({ id }) => stack.client.getOrder({ params: { orderId: id } }))),
  listClaims: () => Promise.all(orders.map(({ id }) => stack.client.listClaims({ params: { orderId: id } }))),
  searchOrders: async () => [await stack.client.searchOrders({ body: {} })],
  quoteOrder: async () => [
    await quoted(),
    await withPartners('enabled', quoted),
    await withPartners('capabilities', quoted),
  ],
  getTracking: async () => {
    const codes = orders.flatMap(({ shipment }) => shipment?.packages.map(({ trackingCode }) => trackingCode) ?? []);
    return await Promise.all(codes.map((trackingNumber) => stack.client.getTracking({ params: { trackingNumber } })));
  },
  listWebhookDeliveries: async () => await deliveries(),
  getWebhookDelivery: async () =>
    await Promise.all((await deliveries()).map((params) => stack.client.getWebhookDelivery({ params }))),
  listReceipts: async () => [await stack.client.listReceipts({})],
  sumReceipts: async () => [await stack.client.sumReceipts({ query: { month: new Date().toISOString().slice(0, 7) } })],
  getProduct: async () => [await stack.client.getProduct({ params: { productUid: T_SHIRT } })],
};

/** Operations with which a client reads the catalog, its own shipping orders, channels, endpoints and checks of files. */
const NOT_OF_ORDERS = [
  // What `listClaims` lists.
  'getClaim',
  'countChannelOrders',
  'getChannel',
  'getChannelFile',
  'getChannelFileErrors',
  'listChannelFileRows',
  'getChannelOrder',
  'listAllChannelOrders',
  'listChannelFiles',
  'listChannelMappings',
  'listChannelOrders',
  'listChannelShipments',
  'listChannels',
  'listCustomerProducts',
  'getVariantValues',
  'listAttributeValues',
  'listProductModels',
  'searchShippingOrders',
  'getShippingOrder',
  'quoteShippingMethods',
  // Sums of receipts.
  'getStatement',
  'listStatements',
  'listWebhooks',
  'getWebhook',
  'getPreflight',
];

test('every operation with which a client reads is known', async () => {
  const routes = allRoutes(await testApiDeps(stack.services.sql));
  const reading = routes.flatMap(({ operationId, method, isRead, access }) =>
    'roles' in access && access.roles.includes('client') && (method === 'get' || isRead) ? [operationId] : [],
  );
  expect([...Object.keys(READINGS), ...NOT_OF_ORDERS].sort()).toEqual(reading.sort());
});

test('operators read the names and reasons that clients must not read', async () => {
  const views = await Promise.all(orders.map(({ id }) => look(id)));
  const text = JSON.stringify(views);
  expect(leaked(text)).toEqual(expect.arrayContaining(['prints-berlin', 'prints-ohio', INTERNAL, 'disabled']));
});

test.each(Object.keys(READINGS))('%s shows a client no name of a partner and no internal reason', async (operation) => {
  const responses = await READINGS[operation]!();
  expect(responses.length).toBeGreaterThan(0);
  for (const response of responses) expect(leaked(JSON.stringify(response))).toEqual([]);
});

test('no notification has a name of a partner or an internal reason', async () => {
  const messages = await eventually(async () => {
    const told = new Set(receiver.received.map(({ body }) => JSON.parse(body).event));
    return told.has('order_cancel_refused') && told.has('order_item_tracking_code_updated')
      ? receiver.received
      : undefined;
  });
  for (const { body } of messages) expect(leaked(body)).toEqual([]);
});

test('a change of address that is refused has no internal reason', async () => {
  const orderId = orders.find(({ fulfillmentStatus }) => fulfillmentStatus === 'on_hold')!.id;
  const refused = await withPartners('capabilities', () =>
    stack.client
      .updateShipment({ params: { orderId }, body: { shippingAddress: addressIn.FR } })
      .catch(({ body }) => body),
  );
  expect(refused).toMatchObject({ code: 'VALIDATION_ERROR' });
  expect(leaked(JSON.stringify(refused))).toEqual([]);
});
