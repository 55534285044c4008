import pino from 'pino';
import { item, order } from '../api/orders/sample-orders';
import { eventually, type TestStack, testStack } from '../support/stack';

/** Logs contain no secrets and no personal data. */

const PERSON = {
  country: 'DE',
  firstName: 'Wilhelmine',
  lastName: 'Zackenbarsch',
  companyName: 'Zackenbarsch Verlag',
  addressLine1: 'Kormoranweg 73b',
  addressLine2: 'Hinterhof links',
  city: 'Quakenbrück',
  postCode: '49610',
  email: 'wilhelmine@zackenbarsch.example',
  phone: '+49 5431 987654',
};

let stack: TestStack;
const lines: string[] = [];

beforeAll(async () => {
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  stack = await testStack({ log, config: { LOG_LEVEL: 'info' } });
});

test('the log of a delivered order, a refused order and a changed address contains no keys and no personal data', async () => {
  const { client, credentials, services } = stack;
  const url = `${stack.sandbox.url}/files/poster-a3.pdf?signature=sesame-open`;
  const body = order({ shippingAddress: PERSON, items: [item({ files: [{ type: 'default', url }] })] });
  const endpoint = await client.createWebhook({ body: { url: `${stack.sandbox.url}/nowhere` } });
  const { id } = await client.submitOrder({ body: body as never });
  const failing = await client.submitOrder({
    body: order({
      shippingAddress: PERSON,
      items: [
        item({
          files: [{ type: 'default', url: `${stack.sandbox.url}/no-such-file?signature=sesame-open` }],
        }),
      ],
    }) as never,
  });
  await fetch(`${stack.baseUrl}/v1/orders`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-API-KEY': `${credentials.client.apiKey}:${credentials.client.apiSecret}`,
    },
    body: JSON.stringify({ ...body, currency: 'no currency' }),
  });
  await fetch(`${stack.baseUrl}/v1/orders/${encodeURIComponent(id)}?email=${encodeURIComponent(PERSON.email)}`);
  const links: string[] = [];
  await eventually(async () => {
    const seen = await client.getOrder({ params: { orderId: id } });
    links.push(...seen.items.flatMap(({ previews }) => previews.map((preview) => preview.url)));
    return seen.fulfillmentStatus === 'delivered' ? true : undefined;
  });
  await eventually(async () =>
    (await client.getOrder({ params: { orderId: failing.id } })).fulfillmentStatus === 'failed' ? true : undefined,
  );
  await fetch(links[0]!);
  const [print] = Object.values(stack.sandbox.seen().partners).flatMap(({ printOrders }) => printOrders);
  await stack.partner('prints-berlin').dispatchOrder({ body: { orderId: print!.printOrderId } });

  const text = lines.join('');
  // The log does mention the order. Otherwise this test would prove nothing.
  expect(text).toContain(id);
  expect(lines.length).toBeGreaterThan(10);

  const persons = Object.entries(PERSON).filter(([name]) => !['country'].includes(name));
  for (const [name, value] of persons) expect([name, text.includes(value)]).toEqual([name, false]);
  const secrets = {
    'client key': credentials.client.apiKey,
    'client secret': credentials.client.apiSecret,
    'operator key': credentials.operator.apiKey,
    'partner key': credentials.partners[0]!.apiKey,
    'link secret': services.secrets.linkKeys[0].secret,
    'carrier secret': services.secrets.carrierWebhookSecrets.get('tern_parcel')![0]!,
    'endpoint secret': endpoint.secret,
    'query of a file’s address': 'sesame-open',
    'token of a document link': new URL(links[0]!).pathname.split('/')[2]!,
    'password of the database': new URL(services.config.DATABASE_URL!).password || 'no password',
  };
  for (const [name, value] of Object.entries(secrets)) expect([name, text.includes(value)]).toEqual([name, false]);
});
