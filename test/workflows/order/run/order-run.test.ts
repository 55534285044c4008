import { orderWorkflowId } from '../../../../src/platform/domain/workflows';
import { barcodesIn, pagesOf } from '../../../src/documents/pictures';
import { eventually, testStack } from '../../../support/stack';
import { address } from '../client-orders';

test('a poster is delivered with one print order and one label whose barcode scans', async () => {
  const stack = await testStack();
  const { id } = await stack.client.submitOrder({
    body: {
      orderReferenceId: 'first',
      currency: 'EUR',
      shippingAddress: address,
      items: [
        {
          itemReferenceId: 'poster',
          productUid: 'flat_product_pf_a3_pt_200-gsm-uncoated_cl_4-0_ver',
          quantity: 1,
          files: [{ type: 'default', url: `${stack.sandbox.url}/files/poster-a3.pdf` }],
        },
      ],
    },
  });
  const order = await eventually(async () => {
    const seen = await stack.client.getOrder({ params: { orderId: id } });
    return seen.fulfillmentStatus === 'delivered' ? seen : undefined;
  });

  expect(order).toMatchObject({ financialStatus: 'invoiced', refusalReason: null, connectedOrderIds: [] });
  expect(order.items[0]).toMatchObject({ fulfillmentStatus: 'delivered', pageCount: 1 });
  const { printOrders } = stack.sandbox.seen().partners['prints-berlin']!;
  expect(printOrders).toHaveLength(1);
  expect(printOrders[0]).toMatchObject({ distinctContents: 1, distinctLabels: 1, state: 'finished' });

  // The partner's links to print files expire, but not during a wait for stock.
  const [message] = await stack.services.sql<{ url: string }[]>`
    SELECT body::jsonb #>> '{items,0,assets,0,url}' AS url FROM print_orders WHERE order_id = ${id}`;
  const token = new URL(message!.url).pathname.split('/')[2]!;
  const inDays = (days: number) => new Date(Date.now() + days * 24 * 60 * 60 * 1000);
  expect(stack.services.links.open(token, inDays(29)).ok).toBe(true);
  expect(stack.services.links.open(token, inDays(30))).toEqual({ ok: false, reason: 'expired' });

  // A repeated dispatch returns the same shipment. The barcode of its label is the client's tracking code.
  const again = await stack.partner('prints-berlin').dispatchOrder({ body: { orderId: printOrders[0]!.printOrderId } });
  const trackingCode = order.shipment!.packages[0]!.trackingCode;
  expect(again.trackingCode).toBe(trackingCode);
  const label = again.documents.find(({ type }) => type === 'label')!;
  const pdf = new Uint8Array(await (await fetch(label.url)).arrayBuffer());
  const [page] = await pagesOf(pdf, 'order-run-label');
  const scanned = (await barcodesIn(page!)).map(({ text }) => text);
  expect(scanned.some((text) => text.includes(trackingCode))).toBe(true);

  // The whole history is far below Temporal's limit.
  const run = stack.services.temporal.workflow.getHandle(orderWorkflowId(id));
  expect(await run.result()).toEqual({ fulfillmentStatus: 'delivered' });
  expect((await run.describe()).historyLength).toBeLessThanOrEqual(80);
});
