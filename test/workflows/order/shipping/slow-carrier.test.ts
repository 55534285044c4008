import { request as forward } from 'node:http';
import { createPresslineClient } from '../../../../client/pressline-client';
import { startEasyPostServer } from '../../../../sandbox/carriers/easypost-server';
import { orderWorkflowId } from '../../../../src/platform/domain/workflows';
import { eventually } from '../../../support/eventually';
import { serveHttp } from '../../../support/other-systems/http-server';
import { type TestStack, testStack } from '../../../support/stack';
import { address, addressIn, framedPoster, orderOf, poster, sticker, tShirt } from '../client-orders';
import { operatorHelpers } from '../operator-fixture';
import { accepted, is, orderNow, orderUntil } from '../order-fixture';

/** Orders and changes while a carrier gateway accepts connections and does not respond. */

let stack: TestStack;
const { look, repair } = operatorHelpers(() => stack);
let gateway: Awaited<ReturnType<typeof startEasyPostServer>>;
let gatewayCalls = 0;
let hangs = true;

beforeAll(async () => {
  gateway = await startEasyPostServer();
  const proxy = await serveHttp((incoming, outgoing) => {
    gatewayCalls += 1;
    if (hangs) return;
    const { method, headers, url: path } = incoming;
    incoming.pipe(
      forward(new URL(path!, gateway.url), { method, headers }, (response) => {
        outgoing.writeHead(response.statusCode!, response.headers);
        response.pipe(outgoing);
      }),
    );
  });
  const printer = await serveHttp((request, response) => {
    request.resume().on('end', () => response.end('{}'));
  });
  stack = await testStack({
    mode: 'manual',
    config: { EASYPOST_API_KEY: 'EZTK-test', EASYPOST_API_URL: `${proxy.url}/v2/`, STALL_AFTER: 3_000 },
  });
  await thirdPartner(`${printer.url}/`);
});
afterAll(() => gateway.stop());

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

test('an order whose client named a method of the carrier is stalled while the carrier hangs, and planned when it responds', async () => {
  const { id } = await stack.client.submitOrder({
    body: orderOf(stack, {
      orderReferenceId: 'named-method',
      retailCurrency: 'EUR',
      retailShippingPriceInclVat: 5,
      shipmentMethodUid: 'easypost_usps_groundadvantage',
      shippingAddress: { ...addressIn.US, addressLine1: '1 Main St' },
      items: [poster(stack, { retailPriceInclVat: 20 })],
    }),
  });
  await orderUntil(stack, id, ({ attention }) => attention === 'stalled');
  const stalled = await eventually(async () => {
    const { run } = await look(id);
    return /easypost/i.test(run?.stalled?.message ?? '') ? run!.stalled! : undefined;
  });
  expect(stalled.message).toMatch(/^(prepareOrder|fetchOrderFiles): .*easypost/i);
  await repair(id, { action: 'hold' });
  expect(await orderNow(stack, id)).toMatchObject({ status: 'on_hold', printOrderIds: [] });
  await repair(id, { action: 'release' });
  hangs = false;
  await accepted(stack, id);
  expect(await orderUntil(stack, id, is('passed'))).toMatchObject({ attention: null });
  const [planned] = await stack.services.sql<{ uid: string }[]>`
    SELECT shipment_method_uid AS uid FROM planned_shipments WHERE order_id = ${id}`;
  expect(planned!.uid).toBe('easypost_usps_groundadvantage');
});

test('a dispatch request whose order is terminated while the carrier hangs is refused', async () => {
  const { sql, temporal } = stack.services;
  const [order] = await sql<{ id: string; printOrderId: string }[]>`
    SELECT o.id, p.id AS print_order_id FROM orders o JOIN print_orders p ON p.order_id = o.id
    WHERE o.order_reference_id = 'named-method'`;
  hangs = true;
  gatewayCalls = 0;
  const dispatch = stack.partner('prints-ohio').dispatchOrder({ body: { orderId: order!.printOrderId } });
  const refused = expect(dispatch).rejects.toMatchObject({ status: 409 });
  await eventually(async () => (gatewayCalls > 0 ? true : undefined));
  await temporal.workflow.getHandle(orderWorkflowId(order!.id)).terminate();
  await refused;
  hangs = false;
});
