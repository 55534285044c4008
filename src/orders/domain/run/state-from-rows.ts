import type { AttentionReason } from '../lifecycle/attention';
import type { RunClock } from '../lifecycle/deadlines';
import {
  type Delivery,
  JOB_PROGRESS,
  type JobProgress,
  type JobState,
  type PrintOrderState,
  type RunState,
  type Transit,
} from '../lifecycle/run-state';
import { ENDED_ORDERS, hasShipped, type ItemStatus, type OrderStatus } from '../lifecycle/statuses';

/** The rows of an order from which operators see its run while no worker answers. */
export interface OrderRows {
  readonly fulfillmentStatus: OrderStatus;
  readonly attention: readonly AttentionReason[] | null;
  readonly shippingRevision: number;
  readonly runVersion: string;
  readonly updatedAt: Date;
  /** Set when the order has ended without a final status. */
  readonly trackingEndedAt: Date | null;
  readonly items:
    | readonly { readonly id: string; readonly quantity: number; readonly fulfillmentStatus: ItemStatus }[]
    | null;
  readonly printOrders: readonly PrintOrderRows[] | null;
  readonly events: readonly { readonly type: string }[] | null;
}

interface PrintOrderRows {
  readonly id: string;
  readonly partnerId: string;
  readonly partnerUid: string;
  readonly step: string;
  readonly status: string;
  readonly reproducesId: string | null;
  readonly acceptedAt: string | null;
  readonly dispatchDate: string;
  readonly dispatchDueAt: string;
  readonly createdAt: string;
  readonly jobs: readonly {
    readonly id: string;
    readonly itemId: string;
    readonly quantity: number;
    readonly status: string;
  }[];
  readonly shipments: readonly { readonly id: string; readonly status: string }[] | null;
  readonly postbacks:
    | readonly {
        readonly status: string;
        readonly at: string;
        readonly message: string | null;
        readonly jobId: string | null;
        readonly items: readonly { readonly jobId: string; readonly quantity: number | null }[] | null;
        readonly handledAt: string | null;
      }[]
    | null;
}

const PROGRESS: Readonly<Record<string, JobProgress>> = {
  in_production: JOB_PROGRESS.received,
  printed: JOB_PROGRESS.printed,
  shipped: JOB_PROGRESS.shipped,
  in_transit: JOB_PROGRESS.shipped,
  delivered: JOB_PROGRESS.shipped,
  returned: JOB_PROGRESS.shipped,
};
const TRANSITS: readonly string[] = ['in_transit', 'delivered', 'returned'] satisfies Transit[];

/**
 * Returns the state of an order run as its rows show it. It has the statuses of the rows, and so the same possible
 * repairs and deadlines. Facts that no status shows are left out: reminders, requests to stop, order updates.
 * @param stopDeadlineMs time that a replacement waits for the present partner
 */
export function stateFromRows(
  order: OrderRows,
  stopDeadlineMs: number,
): { readonly state: RunState; readonly clock: RunClock } {
  const items = (order.items ?? []).map(({ id, quantity, fulfillmentStatus: status }) => ({
    id,
    quantity,
    status,
  }));
  const rows = order.printOrders ?? [];
  const printOrders = rows
    .filter(({ status }) => status !== 'waiting')
    .map((row) => printOrderState(row, order.shippingRevision));
  const waiting = rows.filter(({ status }) => status === 'waiting');
  const hasEnded = ENDED_ORDERS.includes(order.fulfillmentStatus) || order.trackingEndedAt !== null;
  const lastHold = (order.events ?? []).findLast(({ type }) => type === 'hold' || type === 'release');
  const state: RunState = {
    version: Number(order.runVersion),
    phase: hasEnded ? 'closed' : printOrders.length === 0 ? 'preparing' : 'running',
    items,
    printOrders,
    ...(waiting.length === 0
      ? {}
      : {
          waitingReplacements: waiting.map((row) => ({
            action: row.step.startsWith('reroute') ? ('reroute' as const) : ('reproduce' as const),
            by: '',
            reason: '',
            printOrder: printOrderState(row, order.shippingRevision),
            replaces: [],
            until: Date.parse(row.createdAt) + stopDeadlineMs,
            shippingRevision: order.shippingRevision,
          })),
        }),
    shippingRevision: order.shippingRevision,
    held: lastHold?.type === 'hold' && !hasEnded,
    attention: order.attention ?? [],
    seen: [],
  };
  return {
    state,
    clock: {
      acceptedAt: Object.fromEntries(
        rows.flatMap(({ id, acceptedAt }) => (acceptedAt === null ? [] : [[id, Date.parse(acceptedAt)]])),
      ),
      raised: [],
      shippedAt: items.every(({ status }) => hasShipped(status)) ? order.updatedAt.getTime() : null,
    },
  };
}

function printOrderState(row: PrintOrderRows, revision: number): PrintOrderState {
  const { id, partnerId, partnerUid, dispatchDate, dispatchDueAt, reproducesId } = row;
  const bought = (row.shipments ?? []).findLast(({ status }) => status === 'bought');
  const transit = row.jobs.find(({ status }) => TRANSITS.includes(status))?.status ?? null;
  return {
    id,
    partnerId,
    partnerUid,
    dispatchDate,
    dispatchDueAt,
    reproducesId,
    delivery: deliveryOf(row),
    jobs: row.jobs.map((job) => jobState(job, row)),
    shipment: bought === undefined ? null : { id: bought.id, revision },
    cancel: null,
    transit: transit as Transit | null,
  };
}

function deliveryOf({ status, acceptedAt }: PrintOrderRows): Delivery {
  if (status === 'refused' || status === 'undeliverable' || status === 'accepted') return status;
  return acceptedAt === null ? 'pending' : 'accepted';
}

function jobState(job: PrintOrderRows['jobs'][number], printOrder: PrintOrderRows): JobState {
  const { id, itemId, quantity, status } = job;
  const about = (printOrder.postbacks ?? []).filter(
    ({ jobId, items, handledAt }) =>
      handledAt !== null &&
      (jobId === null || jobId === id) &&
      (items === null || items.some((item) => item.jobId === id)),
  );
  const state: JobState = {
    id,
    itemId,
    quantity,
    progress: PROGRESS[status] ?? JOB_PROGRESS.none,
    progressAt: about.findLast((postback) => postback.status === status)?.at ?? '',
    error: null,
    cancelledQuantity: 0,
    ended: status === 'cancelled' || status === 'superseded' ? status : null,
  };
  if (status !== 'manual_handling') return state;
  const stop = about.findLast((postback) => postback.status === 'error' || postback.status === 'cancelled');
  if (stop?.status === 'cancelled') {
    const units = stop.items?.find((item) => item.jobId === id)?.quantity ?? quantity;
    return { ...state, cancelledQuantity: Math.min(units, quantity), cancelledAt: stop.at };
  }
  // Without a postback, the print order was refused or could not be delivered: its status shows that.
  return stop === undefined ? state : { ...state, error: { at: stop.at, message: stop.message ?? '' } };
}
