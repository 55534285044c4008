import { partnerServer } from '../../../support/other-systems/partner-server';
import { type TestStack, testStack } from '../../../support/stack';
import { operatorHelpers } from '../operator-fixture';
import { handedOver, is, misbehaveOnce, orderBody, orderLog, orderUntil, withBerlin } from '../order-fixture';

/** What partners write reaches workers, the log of an order and operators, and stops none of them. */

let stack: TestStack;
const { repair, say, look } = operatorHelpers(() => stack);

beforeAll(async () => {
  stack = await testStack();
});

/** Runs work while one of the addresses of prints-berlin responds with this JSON. */
async function responding(
  column: 'order_update_url' | 'order_cancel_url',
  [status, body]: readonly [number, string],
  work: () => Promise<void>,
): Promise<void> {
  const server = await partnerServer();
  server.respondWith(status, body);
  await withBerlin(stack, column, server.url, work);
}

/** JSON of partners, with what is kept of the text in it. */
const WORDS = [
  ['half of a surrogate pair', '"Wartung \\ud83d"', 'Wartung \ufffd'],
  ['U+0000', '"Wartung \\u0000."', 'Wartung \ufffd.'],
  ['an emoji across character 500', JSON.stringify(`${'x'.repeat(499)}\u{1f600}y`), `${'x'.repeat(499)}\u{1f600}`],
] as const;

test.each([1, 2, 3, 4])(
  'a partner that responds with 503, errors and updates with odd words (%s) still makes the order',
  async (words) => {
    const reference = `odd-words-${words}`;
    await misbehaveOnce(stack, 'prints-berlin', 'odd-words', reference, words);
    const { id } = await stack.client.submitOrder({ body: orderBody(stack, reference) });
    expect(await orderUntil(stack, id, is('delivered'))).toMatchObject({ attention: null });
  },
);

test.each([1, 2, 3, 4])('a refusal with odd words (%s) is recorded', async (words) => {
  const reference = `odd-refusal-${words}`;
  await misbehaveOnce(stack, 'prints-berlin', 'odd-refusal', reference, words);
  const { id } = await stack.client.submitOrder({ body: orderBody(stack, reference) });
  await orderUntil(stack, id, ({ attention }) => attention === 'partner_refused');
  const [refusal] = await orderLog(stack, id, 'print_order_refused');
  expect(String(refusal!.data.message)).toMatch(/^HTTP 422: .*Wartung/);
  await repair(id, { action: 'cancel' });
  await orderUntil(stack, id, is('canceled'));
});

test.each(WORDS)('the responses to an order update and to a cancel request may have %s', async (what, text, kept) => {
  const reference = what.slice(0, 20).trim();
  await misbehaveOnce(stack, 'prints-berlin', 'prints-slowly', reference, 60_000);
  const { orderId } = await handedOver(stack, reference);
  await responding('order_update_url', [422, `{"message":${text}}`], async () => {
    await stack.client.updateShipment({
      params: { orderId },
      body: { shippingAddress: { ...orderBody(stack, reference).shippingAddress, addressLine1: 'Invalidenstrasse 2' } },
    });
    await orderUntil(stack, orderId, ({ attention }) => attention === 'partner_not_updated');
  });
  await responding('order_cancel_url', [409, `{"error":${text}}`], async () => {
    await stack.client.cancelOrder({ params: { orderId }, body: {} });
    await orderUntil(stack, orderId, ({ attention }) => attention!.includes('cancel_refused'));
  });
  const messages = (await orderLog(stack, orderId)).map(({ data }) => data.message);
  expect(messages).toContain(`HTTP 422: ${kept}`);
  expect(messages).toContain(`HTTP 409: ${kept}`);
  expect((await look(orderId)).attention).not.toContain('record_refused');
});

test('an order goes on when Postgres refuses a record, and an operator dismisses its flag', async () => {
  const { sql } = stack.services;
  await misbehaveOnce(stack, 'prints-berlin', 'prints-slowly', 'refused-record', 60_000);
  const order = await handedOver(stack, 'refused-record');
  await stack.database.owner`
    CREATE FUNCTION refuse_words() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'unsupported Unicode escape sequence' USING ERRCODE = '22P05'; END $$`;
  await stack.database.owner`
    CREATE TRIGGER refuse_words BEFORE INSERT ON order_events FOR EACH ROW
    WHEN (NEW.data ->> 'message' = 'unspeakable') EXECUTE FUNCTION refuse_words()`;
  await say(order, 'error', { message: 'unspeakable' });
  await orderUntil(stack, order.orderId, ({ attention }) => attention === 'record_refused');
  const [count] = await sql`
    SELECT count(*)::int AS n FROM postbacks WHERE print_order_id = ${order.printOrderId} AND handled_at IS NULL`;
  expect(count).toEqual({ n: 0 });

  await repair(order.orderId, { action: 'dismiss' });
  await orderUntil(stack, order.orderId, ({ attention }) => attention === null);
  await say(order, 'printed');
  await orderUntil(stack, order.orderId, is('printed'));
});
