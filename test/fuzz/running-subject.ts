import type { HttpServer } from '../../api/http/server';
import { createPresslineClient } from '../../client/pressline-client';
import { address, FILE_URL, item, order, T_SHIRT } from '../api/orders/sample-orders';
import { testAccount } from '../support/api-deps';
import { type TestClient, type TestStack, testStack } from '../support/stack';
import { accepted } from '../workflows/order/order-fixture';
import { FOREIGN_MARK, type KnownIds, type Subject } from './subject';

/**
 * Starts the API with a worker and partners that have print orders. Background work writes rows too, so `written` returns
 * nothing.
 */
export async function runningSubject(): Promise<Subject> {
  const stack: TestStack = await testStack({ mode: 'manual' });
  const { services, credentials, sandbox } = stack;
  const { sql } = services;
  const [berlin, ohio] = [credentials.partners[0]!, credentials.partners[1]!];
  const otherClient = await testAccount(sql, 'client', FOREIGN_MARK);
  const client = { 'X-API-KEY': `${credentials.client.apiKey}:${credentials.client.apiSecret}` };
  const other = createPresslineClient({ baseUrl: stack.baseUrl, ...otherClient, retries: 0 });
  const submit = async (by: TestClient, body: object) => (await by.submitOrder({ body: body as never })).id;
  const file = (type: string, name: string) => ({ type, url: `${sandbox.url}/files/${name}` });
  const poster = () => order({ items: [item({ quantity: 3, files: [file('default', 'poster-a3.pdf')] })] });
  const shirt = order({
    metadata: [{ key: 'mark', value: FOREIGN_MARK }],
    shippingAddress: address({
      country: 'US',
      state: 'OH',
      city: 'Columbus',
      postCode: '43215',
      phone: '+16145550123',
    }),
    items: [
      item({
        productUid: T_SHIRT,
        files: [file('front', 't-shirt-front.png'), file('back', 't-shirt-back.png')],
      }),
    ],
  });
  // The last two orders are for the operator's repairs. Clients would have cancelled the others by then.
  const own: string[] = [];
  for (let made = 0; made < 5; made += 1) own.push(await submit(stack.client, poster()));
  const foreign = await submit(other, shirt);
  const printed = await Promise.all([...own, foreign].map((orderId) => accepted(stack, orderId)));

  const partners = await sql<{ id: string }[]>`SELECT account_id AS id FROM partners`;
  const items = await sql<{ id: string }[]>`SELECT id FROM order_items WHERE order_id = ${own.at(-1)!}`;

  const ids: KnownIds = {
    orderId: [...own.slice(0, -2), foreign],
    itemReferenceId: ['item-1'],
    type: ['default'],
    date: ['2026-01-05'],
    carrierUid: ['tern_parcel'],
  };
  return {
    sql,
    deps: services,
    server: { url: stack.baseUrl } as HttpServer,
    carrierSecret: services.secrets.carrierWebhookSecrets.get('tern_parcel')![0]!,
    headers: {
      client,
      partner: { 'X-API-KEY': berlin.apiKey },
      operator: { 'X-API-KEY': credentials.operator.apiKey },
      nobody: {},
      stranger: { 'X-API-KEY': ohio.apiKey.toUpperCase() },
    },
    ids: {
      client: ids,
      partner: ids,
      operator: { orderId: own.slice(-2), partnerId: partners.map(({ id }) => id) },
      nobody: ids,
      stranger: ids,
    },
    printFile: [FILE_URL, `${sandbox.url}/files/poster-a3.pdf`],
    own: { orderId: own },
    foreign: { orderId: [foreign] },
    foreignClient: otherClient.keyAndSecret,
    printOrders: printed.map(({ printOrderId }) => printOrderId),
    jobs: printed.flatMap(({ jobIds }) => jobIds),
    items: items.map(({ id }) => id),
    // The fields that a request could change. Fields that the order's workflow writes are not included.
    foreignState: async () => {
      const [row] = await sql<{ state: string }[]>`
        SELECT jsonb_build_array(o.shipping_address, o.shipment_method_uid, o.shipping_revision, o.metadata, o.financial_status,
          (SELECT jsonb_agg(jsonb_build_array(i.quantity, i.fulfillment_status) ORDER BY i.id) FROM order_items i
            WHERE i.order_id = o.id),
          (SELECT count(*) FROM postbacks b JOIN print_orders p ON p.id = b.print_order_id WHERE p.order_id = o.id),
          (SELECT count(*) FROM shipments s WHERE s.order_id = o.id))::text AS state
        FROM orders o WHERE o.id = ${foreign}`;
      return row!.state;
    },
    written: async () => [],
    stop: async () => undefined,
  };
}
