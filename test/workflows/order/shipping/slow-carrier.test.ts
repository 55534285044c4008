import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPresslineClient } from '../../../../client/pressline-client';
import { type TestStack, testStack } from '../../../support/stack';
import { address, framedPoster, orderOf, sticker, tShirt } from '../client-orders';
import { accepted, orderNow } from '../order-fixture';

/** Orders and changes while a carrier gateway accepts connections and never responds. */

let stack: TestStack;
let servers: Server[];
let gatewayCalls = 0;

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

beforeAll(async () => {
  const gateway = createServer(() => {
    gatewayCalls += 1;
  });
  const printer = createServer((request, response) => {
    request.resume().on('end', () => response.end('{}'));
  });
  servers = [gateway, printer];
  stack = await testStack({
    mode: 'manual',
    config: { EASYPOST_API_KEY: 'EZTK-test', EASYPOST_API_URL: await listen(gateway) },
  });
  await thirdPartner(await listen(printer));
});
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** Creates a subscribed partner. It is the only one that makes stickers. */
async function thirdPartner(orderSubmitUrl: string): Promise<void> {
  const { sql } = stack.services;
  await sql`UPDATE partners SET capabilities = capabilities #- '{models,sticker_product}'`;
  const { apiKey } = await stack.operator.createPartner({
    body: {
      uid: 'prints-lyon',
      name: 'Prints Lyon',
      currency: 'EUR',
      senderAddress: {
        firstName: 'Service',
        lastName: 'Expéditions',
        company: 'Prints Lyon',
        addressLine1: '12 rue Mercière',
        country: 'FR',
        city: 'Lyon',
        postcode: '69002',
        email: 'expedition@prints-lyon.example',
      },
      capabilities: {
        productKinds: ['print'],
        models: { sticker_product: { unitPriceMinor: 40, leadDays: 1 } },
        countriesServed: ['*'],
        calendar: {
          timeZone: 'Europe/Paris',
          workingDays: [1, 2, 3, 4, 5],
          cutOff: '12:00',
          holidays: { country: 'FR' },
        },
        capacityPerDay: 200,
      },
    },
  });
  await createPresslineClient({ baseUrl: stack.baseUrl, apiKey, retries: 0 }).subscribePartner({
    body: { orderSubmitUrl },
  });
}

test('an order of three partners is planned, and its address changes, without the carrier that hangs', async () => {
  const { id } = await stack.client.submitOrder({
    body: orderOf(stack, {
      orderReferenceId: 'slow-carrier',
      retailCurrency: 'EUR',
      retailShippingPriceInclVat: 5,
      items: [
        framedPoster(stack, { retailPriceInclVat: 40 }),
        tShirt(stack, { retailPriceInclVat: 20 }),
        sticker(stack, { retailPriceInclVat: 3 }),
      ],
    }),
  });
  await accepted(stack, id, 3);
  const { printOrderIds } = await orderNow(stack, id);
  expect(gatewayCalls).toBeGreaterThan(0);
  const planned = await stack.services.sql<{ uid: string }[]>`
    SELECT a.uid FROM planned_shipments s JOIN print_orders p ON p.id = s.print_order_id
      JOIN partners a ON a.account_id = p.partner_id WHERE p.order_id = ${id} ORDER BY a.uid`;
  expect(planned.map(({ uid }) => uid)).toEqual(['prints-berlin', 'prints-lyon', 'prints-ohio']);

  await stack.client.updateShipment({
    params: { orderId: id },
    body: { shippingAddress: { ...address, addressLine1: 'Linienstraße 2' } },
  });
  const { shippingAddress } = await stack.client.getOrder({ params: { orderId: id } });
  expect(shippingAddress.addressLine1).toBe('Linienstraße 2');
  expect((await orderNow(stack, id)).printOrderIds).toEqual(printOrderIds);
});
