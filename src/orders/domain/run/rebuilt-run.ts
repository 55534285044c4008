import type { RunClock } from '../lifecycle/deadlines';
import { reduce } from '../lifecycle/reduce';
import type { PlannedPrintOrder, PostbackEvent, RunEvent } from '../lifecycle/run-events';
import { type Delivery, initialRunState, type RunState } from '../lifecycle/run-state';
import { hasShipped, type ItemStatus } from '../lifecycle/statuses';

/** An order as its rows show it: the input for rebuilding the state of a lost run. */
export interface RecordedOrder {
  /** The version of the run that the rows show. */
  readonly runVersion: number;
  readonly shippingRevision: number;
  readonly items: readonly { readonly id: string; readonly quantity: number; readonly status: ItemStatus }[];
  readonly printOrders: readonly RecordedPrintOrder[];
  /** The postbacks that the run had applied, in the order of their receipt. */
  readonly postbacks: readonly PostbackEvent[];
  /** Epoch milliseconds of the last change. */
  readonly updatedAt: number;
}

export interface RecordedPrintOrder extends PlannedPrintOrder {
  readonly status: Delivery | 'planned' | 'cancelled';
  /** Epoch milliseconds. Null before the partner accepted it. */
  readonly acceptedAt: number | null;
  /** The valid shipment: bought for the present address and method. */
  readonly shipmentId: string | null;
  readonly transit: 'in_transit' | 'delivered' | 'returned' | null;
}

/**
 * Rebuilds the state of a lost run: replays the events that the rows keep.
 * @returns null when the result has other statuses than the rows. The rows do not keep repairs and cancellations as
 *   events, so that an operator has to look at such an order
 */
export function rebuiltRun(order: RecordedOrder): { state: RunState; clock: RunClock } | null {
  const events: RunEvent[] = [];
  if (order.items.some(({ status }) => status !== 'created')) events.push({ type: 'fetching_files' });
  if (order.shippingRevision > 0) events.push({ type: 'shipping_changed', revision: order.shippingRevision });
  if (order.printOrders.length > 0) events.push({ type: 'prepared', printOrders: order.printOrders });
  for (const { id: printOrderId, acceptedAt } of order.printOrders) {
    if (acceptedAt !== null)
      events.push({ type: 'delivery', printOrderId, outcome: 'accepted', message: '' });
  }
  events.push(...order.postbacks);
  for (const { id: printOrderId, shipmentId } of order.printOrders) {
    const revision = order.shippingRevision;
    if (shipmentId !== null) events.push({ type: 'dispatched', printOrderId, shipmentId, revision });
  }
  for (const { id: printOrderId, shipmentId, transit } of order.printOrders) {
    if (transit !== null)
      events.push({ type: 'tracking', eventId: `${shipmentId}:${transit}`, printOrderId, transit });
  }
  let state = initialRunState(order.items);
  for (const event of events) ({ state } = reduce(state, event));
  const isSameStatus = order.items.every(
    ({ id, status }) => state.items.find((item) => item.id === id)?.status === status,
  );
  const isSameDelivery = order.printOrders.every(
    ({ id, status }) =>
      status === 'planned' || state.printOrders.find((each) => each.id === id)?.delivery === status,
  );
  if (!isSameStatus || !isSameDelivery || state.phase === 'closed') return null;
  const accepted = order.printOrders.flatMap(({ id, acceptedAt }) =>
    acceptedAt === null ? [] : [[id, acceptedAt] as const],
  );
  return {
    state: { ...state, version: Math.max(state.version, order.runVersion) },
    clock: {
      acceptedAt: Object.fromEntries(accepted),
      raised: [],
      shippedAt: order.items.every(({ status }) => hasShipped(status)) ? order.updatedAt : null,
    },
  };
}
