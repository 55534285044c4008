import { defaultPayloadConverter } from '@temporalio/common';
import { temporal as protocol } from '@temporalio/proto';
import { orderWorkflowId } from '../../../../src/platform/domain/workflows';
import { randomToken } from '../../../../src/platform/ids';
import { eventually, type TestStack, testStack } from '../../../support/stack';
import { fileHost } from '../file-host';
import { operatorHelpers } from '../operator-fixture';
import { currentDetails, handedOver, is, orderBody, orderUntil } from '../order-fixture';

/** What operators see of an order run in the Temporal UI: current details, search attributes and summaries. */

let stack: TestStack;
const files = fileHost();
const { repair, say, enablePartners } = operatorHelpers(() => stack);

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

const handleOf = (orderId: string) => stack.services.temporal.workflow.getHandle(orderWorkflowId(orderId));

const detailsWith = (orderId: string, part: string) =>
  eventually(async () => {
    const text = await currentDetails(stack, orderId).catch(() => '');
    return text.includes(part) ? text : undefined;
  });

test('the details are true from the start on, while steps run, and after they have ended', async () => {
  const body = orderBody(stack, 'details');
  const { url, send } = files.hold(stack);
  const { id } = await stack.client.submitOrder({
    body: { ...body, items: [{ ...body.items[0]!, files: [{ type: 'default', url }] }] },
  });
  const atStart = await detailsWith(id, '**uploading**');
  expect(atStart).toContain('Print files are being fetched');
  expect(atStart).toContain('Running: prepare');
  send();
  const accepted = await detailsWith(id, 'must send received');
  expect(accepted).not.toContain('Running:');
});

test('the static details link to the order’s page in the console', async () => {
  const { orderId } = await handedOver(stack, 'linked');
  const description = await handleOf(orderId).describe();
  expect(await description.staticDetails()).toBe(
    `[Open in the Pressline console](${stack.baseUrl}/console/orders/${orderId})`,
  );
});

test('the details of a parked order say when it is planned again', async () => {
  await enablePartners(false);
  try {
    const { id } = await stack.client.submitOrder({ body: orderBody(stack, 'parked-details') });
    await orderUntil(stack, id, is('on_hold'));
    const parked = await detailsWith(id, 'Planned again at');
    expect(parked).not.toContain('being fetched');
    const at = /Planned again at (\S+),/.exec(parked)![1]!;
    expect(Date.parse(at)).toBeGreaterThan(Date.now());
  } finally {
    await enablePartners(true);
  }
});

test('PresslineDue is the end of the dispatch date until everything has shipped', async () => {
  // Test files share the namespace.
  const reference = `due-${randomToken(6)}`;
  const { orderId, printOrderId } = await handedOver(stack, reference);
  const due = async () => {
    const { typedSearchAttributes } = await handleOf(orderId).describe();
    return typedSearchAttributes.getAll().find(({ key }) => key.name === 'PresslineDue')?.value as Date | undefined;
  };
  const { run } = await stack.operator.getOperatorOrder({ params: { orderId } });
  const [printOrder] = run!.printOrders;
  expect((await due())!.toISOString()).toBe(new Date(printOrder!.dispatchDueAt!).toISOString());
  const found = await eventually(async () => {
    const ids: string[] = [];
    const query = `PresslineDue > '2026-01-01T00:00:00Z' AND PresslineReference = '${reference}'`;
    for await (const { workflowId } of stack.services.temporal.workflow.list({ query })) ids.push(workflowId);
    return ids.length > 0 ? ids : undefined;
  });
  expect(found).toEqual([orderWorkflowId(orderId)]);
  await say({ printOrderId }, 'shipped');
  await orderUntil(stack, orderId, is('shipped'));
  await eventually(async () => ((await due()) === undefined ? true : undefined));
});

test('files, plan, delivery, cancel and void steps have summaries', async () => {
  const address = { addressLine2: 'sandbox:fails-first' };
  const { orderId, printOrderId, itemIds } = await handedOver(stack, 'summaries', { address });
  await stack.partner('prints-berlin').dispatchOrder({ body: { orderId: printOrderId } });
  await repair(orderId, { action: 'cancel', itemIds: [...itemIds] });
  await orderUntil(stack, orderId, ({ shipments }) => shipments.voided === 1);
  const { events } = await handleOf(orderId).fetchHistory();
  const { EVENT_TYPE_ACTIVITY_TASK_SCHEDULED } = protocol.api.enums.v1.EventType;
  const summaries = new Map(
    (events ?? []).flatMap(({ eventType, activityTaskScheduledEventAttributes: scheduled, userMetadata }) =>
      eventType === EVENT_TYPE_ACTIVITY_TASK_SCHEDULED && userMetadata?.summary
        ? [[scheduled!.activityType!.name!, defaultPayloadConverter.fromPayload(userMetadata.summary)]]
        : [],
    ),
  );
  expect(Object.fromEntries(summaries)).toMatchObject({
    fetchOrderFiles: 'files of 1 items, plan',
    deliverPrintOrder: `print order ${printOrderId}, prints-berlin`,
    cancelAtPartner: expect.stringContaining(`print order ${printOrderId}, prints-berlin: jobs `),
    voidOrderShipment: `print order ${printOrderId}, prints-berlin`,
  });
});
