import { textOf } from '../../../src/documents/pictures';
import { eventually, type TestClient, type TestStack } from '../../../support/stack';
import { type Order, type OrderBody, ordered, readUntil } from '../client-orders';

/** A document of a dispatch response, with its bytes and its text in one line. */
export interface DispatchedDocument {
  readonly type: string;
  readonly bytes: Buffer;
  readonly text: string;
}

export interface DispatchedOrder {
  readonly order: Order;
  readonly printOrderId: string;
  readonly partner: TestClient;
  /** The print order as it was sent to the partner. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read single fields
  readonly printOrder: any;
  readonly documents: readonly DispatchedDocument[];
}

/** Submits an order, confirms the print order of its first item as its partner, and dispatches it. */
export async function dispatchedOrder(
  stack: TestStack,
  body: OrderBody,
  client: TestClient = stack.client,
): Promise<DispatchedOrder> {
  const order = await ordered(
    stack,
    body,
    ({ eventLog }) => eventLog.some(({ type }) => type === 'handed_over' || type === 'refused'),
    client,
  );
  const job = order.items[0]!.printJobs[0];
  if (job === undefined) throw new Error(`the order was not handed over: ${order.refusalReason}`);
  const { printOrderId } = job;
  const sent = await eventually(async () => {
    const [row] = await stack.services.sql<{ body: string; partner: string }[]>`
      SELECT p.body, a.uid AS partner FROM print_orders p JOIN partners a ON a.account_id = p.partner_id
      WHERE p.id = ${printOrderId} AND p.body IS NOT NULL`;
    return row;
  });
  const partner = stack.partner(sent.partner);
  await partner.postOrderStatus({
    body: { timestamp: new Date().toISOString(), orderId: printOrderId, status: 'received' },
  });
  await readUntil(client, order.id, ({ items }) => items[0]!.fulfillmentStatus === 'in_production');
  return {
    order,
    printOrderId,
    partner,
    printOrder: JSON.parse(sent.body),
    documents: await dispatchDocuments(partner, printOrderId),
  };
}

/** Sends a dispatch request and downloads the documents of its response. */
export async function dispatchDocuments(partner: TestClient, printOrderId: string): Promise<DispatchedDocument[]> {
  return await downloaded(await partner.dispatchOrder({ body: { orderId: printOrderId } }));
}

type Dispatched = Awaited<ReturnType<TestClient['dispatchOrder']>>;

/** Downloads the documents of a dispatch response. */
export async function downloaded({ documents }: Pick<Dispatched, 'documents'>): Promise<DispatchedDocument[]> {
  return await Promise.all(
    documents.map(async ({ type, url }) => {
      const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
      return { type, bytes, text: (await textOf(bytes)).join(' ').replace(/\s+/g, ' ') };
    }),
  );
}
