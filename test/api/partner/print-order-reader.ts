import type { Operations } from '../../../client/operations';
import { eventually, type TestStack } from '../../support/stack';
import { type Order, type OrderBody, orderOf } from '../../workflows/order/client-orders';

/** Reads print orders over HTTP as their partners do. */

export type PrintOrder = Operations['getPrintOrder']['response'];
/** A line of a print order: an item, or a bundle of parts. */
export interface Line {
  readonly id?: string;
  readonly type: string;
  readonly count?: number;
  readonly product: { readonly modelUid: string; readonly attributes: readonly Attribute[] };
  readonly assets:
    | readonly {
        readonly type?: string;
        readonly format: string;
        readonly fileType?: string;
        readonly page?: number;
        readonly metadata?: readonly { readonly key: string; readonly value: string }[];
        readonly report?: {
          readonly url: string;
          readonly pageCount: number;
          readonly widthMm: number | null;
          readonly heightMm: number | null;
          readonly findings: readonly string[];
        };
        readonly url: string;
      }[]
    | null;
}
export interface Attribute {
  readonly name: string;
  readonly value: string;
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

export const PARTNERS = ['prints-berlin', 'prints-ohio'] as const;

/** Submits an order, waits until its print orders are sent, and returns both, sorted by partner. */
export async function sentOrder(
  stack: TestStack,
  over: Partial<OrderBody>,
  count = 1,
): Promise<{ orderId: string; printOrders: PrintOrder[] }> {
  const { id: orderId } = await stack.client.submitOrder({ body: orderOf(stack, over) });
  return { orderId, printOrders: await sentPrintOrders(stack, orderId, count) };
}

/** Waits until an order has a number of sent print orders, and returns them as their partners read them. */
export async function sentPrintOrders(stack: TestStack, orderId: string, count = 1): Promise<PrintOrder[]> {
  return await eventually(async () => {
    const rows = await stack.services.sql<{ id: string; uid: string }[]>`
      SELECT p.id::text, a.uid FROM print_orders p JOIN partners a ON a.account_id = p.partner_id
      WHERE p.order_id = ${orderId} AND p.status = 'accepted' ORDER BY a.uid, p.id`;
    if (rows.length < count) {
      const order: Order = await stack.client.getOrder({ params: { orderId } });
      if (order.fulfillmentStatus === 'failed') throw new Error(String(order.refusalReason));
      return undefined;
    }
    return await Promise.all(
      rows.map(({ id, uid }) => stack.partner(uid).getPrintOrder({ params: { printOrderId: id } })),
    );
  });
}

/** Returns the items of a print order; of a mounted one the parts of all bundles. */
export function linesOf({ items }: PrintOrder): Line[] {
  return (items as readonly (Line | { readonly parts: readonly Line[] })[]).flatMap((item) =>
    'parts' in item ? [...item.parts] : [item],
  );
}

/** Returns the attributes with a name, of all lines. */
export function attributesNamed(printOrder: PrintOrder, name: string): Attribute[] {
  return linesOf(printOrder).flatMap(({ product }) =>
    product.attributes.filter((attribute) => attribute.name === name),
  );
}
