import { randomBytes } from 'node:crypto';
import { Connection } from '@temporalio/client';
import { type RunningWorker, runWorker } from '../../cli/run-worker';
import type { Config } from '../../src/platform/config';
import { randomToken } from '../../src/platform/ids';
import type { NamedKey } from '../../src/platform/sealing/named-keys';
import { connectTemporal } from '../../src/platform/temporal/connection';
import { bash, blocks } from '../support/pages';
import { testTemporalAddress, testTemporalBinary, workflowBundle } from '../support/servers';
import { eventually, type TestStack, testStack } from '../support/stack';
import { operatorHelpers } from './order/operator-fixture';
import { deliveredByCarrier, handedOver, is, misbehaveOnce, orderBody, orderUntil } from './order/order-fixture';

/** Payload encryption: searches the bytes that Temporal stores, as somebody with its database and no keys could. */

const newKey = (id: string): NamedKey => ({ id, key: randomBytes(32) });
const [spring, autumn] = [newKey('spring'), newKey('autumn')];
const REFERENCE = `for-mrs-${randomToken(6)}`;
const ADDRESS = {
  firstName: 'Wilhelmina',
  addressLine1: 'Muskauer Strasse 41',
  email: 'wilhelmina@example.org',
  phone: '+49 30 5557731',
};
const PERSONAL = [REFERENCE, ...Object.values(ADDRESS)];
const { say } = operatorHelpers(() => stack);

let stack: TestStack;
let plain: Connection;

beforeAll(async () => {
  stack = await testStack({ mode: 'manual', config: { PAYLOAD_KEYS: [spring, autumn] } });
  plain = await Connection.connect({ address: testTemporalAddress() });
});
afterAll(() => plain.close());

const workflowIdOf = (orderId: string) => `order-${orderId}`;

async function rawHistory(orderId: string) {
  const { history } = await plain.workflowService.getWorkflowExecutionHistory({
    namespace: 'default',
    execution: { workflowId: workflowIdOf(orderId) },
    maximumPageSize: 1_000,
  });
  return history!.events!;
}

/** Returns all text of a history, with payloads as they are stored. */
function textIn(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value).map(textIn).join('\n');
}

const found = (text: string, words: readonly string[]) => words.filter((word) => text.includes(word));

async function description(orderId: string): Promise<string> {
  const { workflowExecutionInfo, executionConfig } = await plain.workflowService.describeWorkflowExecution({
    namespace: 'default',
    execution: { workflowId: workflowIdOf(orderId) },
  });
  return textIn([workflowExecutionInfo, executionConfig]);
}

/** Restarts the stack's worker with other keys than the API has. */
async function withWorker(keys: Config['PAYLOAD_KEYS'], work: () => Promise<void>): Promise<void> {
  await stack.stopWorker();
  const config = { ...stack.services.config, PAYLOAD_KEYS: keys };
  const temporal = connectTemporal(config);
  const worker: RunningWorker = await runWorker({ ...stack.services, config, temporal }, workflowBundle());
  try {
    await work();
  } finally {
    await worker.stop();
    await temporal.connection.close();
    await stack.startWorker();
  }
}

const keyNames = async (orderId: string) => [
  ...new Set([...textIn(await rawHistory(orderId)).matchAll(/^(spring|autumn)$/gm)].map(([name]) => name)),
];

test('the history of a delivered order reveals no name, address, reference or partner message', async () => {
  const { orderId, printOrderId } = await handedOver(stack, REFERENCE, { address: ADDRESS });
  await say(printOrderId, 'error', { message: 'Wilhelmina’s picture is too dark' });
  await orderUntil(stack, orderId, is('on_hold'));
  const refused = stack.client.updateShipment({
    params: { orderId },
    body: { shippingAddress: { ...orderBody(stack, REFERENCE).shippingAddress, ...ADDRESS, country: 'AQ' } },
  });
  await expect(refused).rejects.toThrow(/AQ/);
  await say(printOrderId, 'printed');
  await orderUntil(stack, orderId, is('printed'));
  await stack.partner('prints-berlin').dispatchOrder({ body: { orderId: printOrderId } });
  await say(printOrderId, 'shipped');
  await orderUntil(stack, orderId, is('shipped'));
  await deliveredByCarrier(stack, orderId);
  await eventually(async () => {
    const { status } = await stack.services.temporal.workflow.getHandle(workflowIdOf(orderId)).describe();
    return status.name === 'COMPLETED' ? true : undefined;
  });

  const events = await rawHistory(orderId);
  expect(events.length).toBeGreaterThan(20);
  const words = [...PERSONAL, 'picture is too dark', 'retail', 'shipment method'];
  expect(found(textIn(events), words)).toEqual([]);
  expect(found(await description(orderId), words)).toEqual([]);
  expect(await keyNames(orderId)).toEqual(['spring']);
  // The refused change is in the history, as an encoded failure.
  const failures = events.flatMap((event) => {
    const failure = event.workflowExecutionUpdateCompletedEventAttributes?.outcome?.failure;
    return failure ? [failure] : [];
  });
  expect(failures).toMatchObject([{ message: 'Encoded failure', stackTrace: '' }]);
});

test('a partner’s refusal is stored encoded, and operators can read it', async () => {
  const reference = `refused-${randomToken(6)}`;
  await misbehaveOnce(stack, 'prints-berlin', 'refuses', reference);
  const { id: orderId } = await stack.client.submitOrder({ body: orderBody(stack, reference) });
  await orderUntil(stack, orderId, is('on_hold'));
  const { events } = await stack.operator.getOperatorOrder({ params: { orderId } });
  const { message } = events.find(({ type }) => type === 'print_order_refused')!.data as { message: string };
  expect(message).toMatch(/\w+ \w+/);
  const history = await rawHistory(orderId);
  expect(found(textIn(history), [message, reference])).toEqual([]);
});

test('a partner’s transient failure is stored as an encoded failure', async () => {
  const reference = `failed-${randomToken(6)}`;
  await misbehaveOnce(stack, 'prints-berlin', 'fails-first', reference, 1);
  const { orderId } = await handedOver(stack, reference);
  const history = await rawHistory(orderId);
  expect(found(textIn(history), ['Internal error', reference])).toEqual([]);
  const [failure] = history.flatMap((event) => event.activityTaskStartedEventAttributes?.lastFailure ?? []);
  expect(failure).toMatchObject({ message: 'Encoded failure' });
});

test('the Temporal CLI decodes a run through the codec server, with an operator’s key', async () => {
  const { orderId } = await handedOver(stack, `shown-${randomToken(6)}`);
  const show = async (command: string) => {
    const cli = `temporal() { ${testTemporalBinary()} "$@" --address ${testTemporalAddress()} -o json; }`;
    const { stdout } = await bash([cli, command].join('\n'));
    const bytes = [...stdout.matchAll(/"data": "([^"]*)"/g)].map(([, data]) => Buffer.from(data!, 'base64'));
    return Buffer.concat(bytes).toString();
  };
  const decoded = blocks('operation/encryption', 'sh')
    .at(-1)!
    .replace('order-…', workflowIdOf(orderId))
    .replace('https://pressline.example', stack.baseUrl)
    .replace('KEY=…', `KEY=${stack.credentials.operator.apiKey}`);
  const [encoded] = decoded.split(' \\\n');
  expect(await show(encoded!)).not.toContain('shown-');
  expect(await show(decoded)).toContain('shown-');
});

test('without encryption the same search finds the texts', async () => {
  await withWorker(undefined, async () => {
    const reference = `plain-${randomToken(6)}`;
    const { id } = await stack.client.submitOrder({ body: orderBody(stack, reference) });
    await orderUntil(stack, id, is('passed'));
    expect(found(textIn(await rawHistory(id)), [reference])).toEqual([reference]);
  });
});

test('a run that started without encryption continues with it', async () => {
  let order: Awaited<ReturnType<typeof handedOver>>;
  await withWorker(undefined, async () => {
    order = await handedOver(stack, `before-${randomToken(6)}`);
  });
  await say(order!.printOrderId, 'printed');
  await orderUntil(stack, order!.orderId, is('printed'));
  expect(await keyNames(order!.orderId)).toEqual(['spring']);
});

test('keys can be rotated while orders run, and older payloads stay readable', async () => {
  const { orderId, printOrderId } = await handedOver(stack, `rotated-${randomToken(6)}`);
  const finished = await handedOver(stack, `finished-${randomToken(6)}`);
  await stack.client.cancelOrder({ params: { orderId: finished.orderId }, body: {} });
  await orderUntil(stack, finished.orderId, is('canceled'));
  await withWorker([autumn, spring], async () => {
    await say(printOrderId, 'printed');
    await orderUntil(stack, orderId, is('printed'));
    await stack.partner('prints-berlin').dispatchOrder({ body: { orderId: printOrderId } });
    await say(printOrderId, 'shipped');
    await orderUntil(stack, orderId, is('shipped'));
    await deliveredByCarrier(stack, orderId);
    expect((await keyNames(orderId)).sort()).toEqual(['autumn', 'spring']);
    const result = await stack.services.temporal.workflow.getHandle(workflowIdOf(finished.orderId)).result();
    expect(result).toEqual({ fulfillmentStatus: 'canceled' });
  });
});

test('search attributes never contain personal data, and no reference when keys are set', async () => {
  const attributesOf = async (orderId: string) => {
    const { workflowExecutionInfo } = await plain.workflowService.describeWorkflowExecution({
      namespace: 'default',
      execution: { workflowId: workflowIdOf(orderId) },
    });
    return Object.fromEntries(
      Object.entries(workflowExecutionInfo!.searchAttributes!.indexedFields!).map(([name, { data }]) => [
        name,
        JSON.parse(Buffer.from(data!).toString()) as unknown,
      ]),
    );
  };
  const client = expect.stringMatching(/^[0-9a-f-]{36}$/);
  /** The search attribute that Temporal sets. */
  const builtIn = { BuildIds: expect.anything() };
  const ours = {
    PresslineDue: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/),
    PresslineOrderStatus: 'in_production',
    PresslineClient: client,
    PresslineCountry: 'DE',
    PresslinePartner: ['prints-berlin'],
  };
  const encrypted = await handedOver(stack, `attributes-${randomToken(6)}`, { address: ADDRESS });
  await eventually(async () => ('PresslinePartner' in (await attributesOf(encrypted.orderId)) ? true : undefined));
  expect(await attributesOf(encrypted.orderId)).toEqual({ ...builtIn, ...ours });
  await withWorker(undefined, async () => {
    const reference = `attributes-${randomToken(6)}`;
    const readable = await handedOver(stack, reference, { address: ADDRESS });
    await eventually(async () => ('PresslinePartner' in (await attributesOf(readable.orderId)) ? true : undefined));
    expect(await attributesOf(readable.orderId)).toEqual({
      ...builtIn,
      ...ours,
      PresslineReference: reference,
    });
  });
});
