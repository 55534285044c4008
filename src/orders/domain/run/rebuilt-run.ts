import type { RunClock } from '../lifecycle/deadlines';
import { reduce } from '../lifecycle/reduce';
import type { PlannedPrintOrder, PostbackEvent, RunEvent } from '../lifecycle/run-events';
import { type Delivery, initialRunState, type RunState } from '../lifecycle/run-state';
import { hasShipped, type ItemStatus } from '../lifecycle/statuses';

/** An order as its rows tell of it: what a run that was lost knew. */
export interface RecordedOrder {
  /** The run's version that the rows show. */
  readonly runVersion: number;
  readonly shippingRevision: number;
  readonly items: readonly { readonly id: string; readonly quantity: number; readonly status: ItemStatus }[];
  readonly printOrders: readonly RecordedPrintOrder[];
  /** Those the run had taken in, in the order of their receipt. */
  readonly postbacks: readonly PostbackEvent[];
  /** Epoch milliseconds of the last change. */
  readonly updatedAt: number;
}

export interface RecordedPrintOrder extends PlannedPrintOrder {
  readonly status: Delivery | 'planned' | 'cancelled';
  /** Epoch milliseconds; null before the partner took it. */
  readonly acceptedAt: number | null;
  /** The label that stands: bought for the order's present address and method. */
  readonly shipmentId: string | null;
  readonly transit: 'in_transit' | 'delivered' | 'returned' | null;
}

/**
 * The state in which a lost run would stand, made by telling the lifecycle once more what the rows keep.
 * @returns null when that gives other statuses than the rows show: operators' acts and cancellations are
 *   not kept as events, so that an order that saw one is left to a person
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
  const isSame = order.items.every(
    ({ id, status }) => state.items.find((item) => item.id === id)?.status === status,
  );
  const arrived = order.printOrders.every(
    ({ id, status }) =>
      status === 'planned' || state.printOrders.find((each) => each.id === id)?.delivery === status,
  );
  if (!isSame || !arrived || state.phase === 'closed') return null;
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
