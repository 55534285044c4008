import { request as forward, type RequestListener } from 'node:http';
import { startEasyPostServer } from '../../../sandbox/carriers/easypost-server';
import { internationalRequest } from '../../api/shipping/shipping-request';
import { eventually } from '../../support/eventually';
import { serveHttp } from '../../support/other-systems/http-server';
import { type TestStack, testStack } from '../../support/stack';

/** The gateway takes this long for each call: twelve labels take far longer than one call may. */
const RESPONSE_MS = 2_500;
const PACKAGES = 12;

let stack: TestStack;
let gateway: Awaited<ReturnType<typeof startEasyPostServer>>;
let isSlow = false;
/** Passes calls on to the gateway, slowly once the methods are quoted. */
const slowly: RequestListener = (incoming, outgoing) => {
  const { method, headers, url } = incoming;
  const passOn = () => {
    const target = new URL(gateway.url);
    const call = forward({ host: target.hostname, port: target.port, path: url, method, headers }, (response) => {
      outgoing.writeHead(response.statusCode!, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(call);
  };
  if (isSlow) setTimeout(passOn, RESPONSE_MS);
  else passOn();
};

beforeAll(async () => {
  gateway = await startEasyPostServer();
  const { url } = await serveHttp(slowly);
  const config = { EASYPOST_API_KEY: 'EZTK-test', EASYPOST_API_URL: `${url}/v2/` };
  stack = await testStack({ mode: 'manual', config });
});
afterAll(() => gateway.stop());

test('a shipping order of twelve packages at a slow gateway gets one label for each package', async () => {
  const body = internationalRequest();
  const packages = Array.from({ length: PACKAGES }, (_, index) => ({
    ...body.packages[0]!,
    packageReferenceId: `pkg-${index + 1}`,
  }));
  const order = {
    ...body,
    packages,
    currency: 'USD',
    shippingMethod: { uid: 'easypost_usps_groundadvantage' },
  };
  // The methods are quoted within the request; the labels are bought after it has got its response.
  const requested = stack.client.createShippingOrder({ body: order as never }).catch(() => undefined);
  const { sql } = stack.services;
  await eventually(async () => ((await sql`SELECT FROM shipping_orders`).length > 0 ? true : undefined));
  isSlow = true;
  await requested;
  const shipments = await eventually(async () => {
    const rows = await sql<{ status: string; numbers: string[] }[]>`
      SELECT s.status, array_agg(p.tracking_number) AS numbers FROM shipments s
      JOIN shipment_packages p ON p.shipment_id = s.id GROUP BY s.id`;
    return rows.length > 0 ? rows : undefined;
  });
  expect(shipments).toHaveLength(1);
  expect(shipments[0]!.status).toBe('bought');
  expect(new Set(shipments[0]!.numbers).size).toBe(PACKAGES);
  expect(gateway.live()).toBe(PACKAGES);
  expect(gateway.connections.filter(({ kind }) => kind === 'buy')).toHaveLength(PACKAGES);
});
