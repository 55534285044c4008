import { readFile } from 'node:fs/promises';
import { collectGarbage } from '../../../../src/files/retention';
import { eventually, type TestStack, testStack } from '../../../support/stack';
import { faultyFile, goodFile } from '../client-orders';
import { orderBody, orderUntil } from '../order-fixture';

/** Print files that operators upload for orders of clients. */

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

/** Makes an order that waits for another file, because its own cannot be fetched. */
async function withoutFile(reference: string) {
  const body = orderBody(stack, reference);
  const items = [{ ...body.items[0]!, files: [{ type: 'default', url: faultyFile(stack, 'broken.pdf') }] }];
  return (await stack.client.submitOrder({ body: { ...body, items } })).id;
}

const upload = (orderId: string, bytes: Uint8Array) =>
  stack.operator.uploadOrderFile({
    params: { orderId },
    query: { name: 'poster.pdf' },
    body: new Blob([bytes as Uint8Array<ArrayBuffer>]) as unknown as string,
  });

test('an uploaded file is checked for its item, and replaces the file of the order', async () => {
  const orderId = await withoutFile('uploaded');
  const response = await fetch(goodFile(stack, 'poster-a4.pdf'));
  const bytes = new Uint8Array(await response.arrayBuffer());
  const { url, sizeBytes } = await upload(orderId, bytes);
  expect(sizeBytes).toBe(bytes.length);
  const subject = { orderId, itemReferenceId: 'poster', type: 'default' };
  const checked = await eventually(async () => {
    const preflight = await stack.operator.preflightFile({ body: { ...subject, url } });
    return preflight.report ?? undefined;
  });
  expect(checked).toMatchObject({ effect: 'none', fault: null });
  await stack.operator.replaceFile({
    params: subject,
    body: { url, reason: 'sent by mail' },
  });
  await orderUntil(stack, orderId, ({ status }) => status === 'passed');

  // What is no print file is found before the file is replaced.
  const { url: other } = await upload(orderId, await readFile(__filename));
  const preflight = await stack.operator.preflightFile({ body: { ...subject, url: other } });
  expect(preflight.report?.fault?.code).toBe('file_type_not_supported');

  // The upload is deleted when its links have ended; the order keeps its copy.
  const { sql, objects } = stack.services;
  const removed = await collectGarbage(sql, objects, new Date(Date.now() + 9 * 86_400_000));
  expect(removed.uploads).toBe(2);
  expect((await fetch(url)).status).toBe(410);
  const { files } = await stack.operator.listOrderDocuments({ params: { orderId } });
  expect((await fetch(files[0]!.url!)).status).toBe(200);
});
