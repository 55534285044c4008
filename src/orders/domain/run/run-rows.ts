import type { AttentionReason } from '../lifecycle/attention';
import { deriveStatus, jobStatus } from '../lifecycle/derive';
import type { PrintOrderState, RunState } from '../lifecycle/run-state';
import type { ItemStatus, OrderStatus } from '../lifecycle/statuses';

/** The statuses that an order's rows in Postgres have, as a run's state defines them. */
export interface RunRows {
  readonly fulfillmentStatus: OrderStatus;
  readonly items: readonly { readonly id: string; readonly status: ItemStatus }[];
  readonly jobs: readonly { readonly id: string; readonly status: string; readonly quantity: number }[];
  readonly printOrders: readonly { readonly id: string; readonly status: string }[];
  readonly attention: readonly AttentionReason[];
}

/** Returns the statuses of the rows for a state. */
export function rowsOf(state: RunState): RunRows {
  return {
    fulfillmentStatus: deriveStatus(state),
    items: state.items.map(({ id, status }) => ({ id, status })),
    jobs: state.printOrders.flatMap((printOrder) =>
      printOrder.jobs.map((job) => ({
        id: job.id,
        status: jobStatus(job, printOrder) ?? 'superseded',
        quantity: job.quantity,
      })),
    ),
    printOrders: state.printOrders.map((printOrder) => ({
      id: printOrder.id,
      status: printOrderStatus(printOrder),
    })),
    attention: state.attention,
  };
}

function printOrderStatus({ jobs, delivery }: PrintOrderState): string {
  return jobs.every((job) => job.ended !== null) ? 'cancelled' : delivery;
}
