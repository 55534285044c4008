import { deriveStatus } from '../lifecycle/facts/items';
import { jobStatus } from '../lifecycle/facts/jobs';
import { endReasons } from '../lifecycle/rules/attention';
import type { PrintOrderState, RunState } from '../lifecycle/run-state';

/** The statuses that an order's rows in Postgres have, as a run's state defines them. */
export type RunRows = ReturnType<typeof rowsOf>;

/** Returns the statuses of the rows for a state. */
export function rowsOf(state: RunState) {
  const fulfillmentStatus = deriveStatus(state);
  return {
    fulfillmentStatus,
    items: state.items.map(({ id, status }) => ({ id, status })),
    jobs: state.printOrders.flatMap((printOrder) =>
      printOrder.jobs.map((job) => ({
        id: job.id,
        status: jobStatus(job, printOrder) ?? 'superseded',
        quantity: job.quantity,
        cancelled_quantity: job.cancelledQuantity,
      })),
    ),
    printOrders: state.printOrders.map((printOrder) => ({
      id: printOrder.id,
      status: printOrderStatus(printOrder),
    })),
    attention: [...state.attention, ...endReasons(fulfillmentStatus)],
  };
}

function printOrderStatus({ jobs, delivery }: PrintOrderState): string {
  return jobs.every((job) => job.ended !== null) ? 'cancelled' : delivery;
}
