import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestStack, testStack } from '../../support/stack';
import { addressIn, ordered, orderOf } from './client-orders';

/** Orders of businesses while a server answers in place of VIES. It knows one number, and breaks at another. */

const KNOWN = 'FR40303265045';
const BREAKS = 'FR23334175221';
let server: Server;
let stack: TestStack;
const asked: unknown[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body = JSON.parse((await request.toArray()).join(''));
    asked.push([request.url, body]);
    const number = `${body.countryCode}${body.vatNumber}`;
    if (number === BREAKS) response.end('{"actionSucceed":false,"errorWrappers":[{"error":"MS_UNAVAILABLE"}]}');
    else response.end(JSON.stringify({ ...body, valid: number === KNOWN, name: '---' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  stack = await testStack({ mode: 'manual', config: { VIES_URL: `http://127.0.0.1:${port}/vies` } });
});
afterAll(() => void server.close());

test.each([
  ['that VIES knows bears no VAT', KNOWN, true, { number: KNOWN, valid: true }],
  ['that VIES does not know bears VAT', 'FR83404833048', false, { number: 'FR83404833048', valid: false }],
  ['about which VIES gives no answer bears no VAT', BREAKS, true, undefined],
])('an order of a business with a number %s', async (_, federalTaxId, isReverseCharge, stored) => {
  const order = await ordered(
    stack,
    orderOf(stack, { shippingAddress: { ...addressIn.FR, isBusiness: true, companyName: 'Atelier', federalTaxId } }),
    ({ receipts }) => receipts.length > 0,
  );

  expect(order.receipts[0]!.totalVat === 0).toBe(isReverseCharge);
  const asking = { countryCode: 'FR', vatNumber: federalTaxId.slice(2) };
  expect(asked.filter((each) => JSON.stringify(each).includes(asking.vatNumber))).toEqual([
    ['/vies/check-vat-number', asking],
  ]);
  const { events } = await stack.operator.getOperatorOrder({ params: { orderId: order.id } });
  expect(events.find(({ type }) => type === 'vat_number_checked')?.data).toEqual(stored);
});
