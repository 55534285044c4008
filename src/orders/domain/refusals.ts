import { jobStatus } from './derive';
import { type RepairRequest, RUN_REFUSALS } from './run-messages';
import { JOB_PROGRESS, type RunState } from './run-state';
import { hasShipped } from './statuses';

/** Why a run does not do what it is asked; null: it does. */
export type RunRefusal = { readonly type: string; readonly message: string } | null;

const conflict = (message: string): RunRefusal => ({ type: RUN_REFUSALS.conflict, message });

/** Dispatch asks for documents of a print order that its partner has, and that still has something to ship. */
export function whyNotDispatch(state: RunState, printOrderId: string): RunRefusal {
  const printOrder = state.printOrders.find((candidate) => candidate.id === printOrderId);
  if (printOrder === undefined)
    return { type: RUN_REFUSALS.notReady, message: `print order ${printOrderId} was not handed over yet` };
  if (printOrder.shipment !== null) return null;
  if (printOrder.delivery === 'refused') return conflict(`print order ${printOrderId} was refused`);
  const open = printOrder.jobs.filter((job) => job.ended === null && job.cancelledQuantity < job.quantity);
  if (open.length === 0) return conflict(`print order ${printOrderId} is cancelled`);
  if (printOrder.delivery !== 'accepted') {
    return { type: RUN_REFUSALS.notReady, message: `print order ${printOrderId} is not confirmed yet` };
  }
  if (state.held) return conflict(`print order ${printOrderId} is on hold`);
  if (open.every((job) => job.progress === JOB_PROGRESS.shipped)) {
    return conflict(`print order ${printOrderId} has shipped without these documents`);
  }
  return null;
}

/** Cancelling and changing address or method are possible until the order has shipped. */
export function whyNotCancel(state: RunState, what: 'cancelled' | 'changed'): RunRefusal {
  if (state.items.some((item) => hasShipped(item.status)))
    return conflict(`an order that has shipped cannot be ${what}`);
  if (state.items.every((item) => item.status === 'failed'))
    return conflict(`a refused order cannot be ${what}`);
  if (state.items.every((item) => item.status === 'cancelled')) return conflict('the order is cancelled');
  return null;
}

/** An operator's act needs items that it fits. */
export function whyNotRepair(state: RunState, request: RepairRequest): RunRefusal {
  if (state.phase === 'closed') return conflict('the order has ended');
  switch (request.action) {
    case 'hold':
      if (state.held) return conflict('the order is on hold already');
      return state.items.some((item) => hasShipped(item.status)) ? conflict('the order has shipped') : null;
    case 'release':
      return state.held ? null : conflict('the order is not on hold');
    case 'retry': {
      const unknown = request.itemIds.find((id) => !state.items.some((item) => item.id === id));
      if (unknown !== undefined)
        return { type: RUN_REFUSALS.invalid, message: `the order has no item ${unknown}` };
      const waiting = state.items.some(
        (item) =>
          request.itemIds.includes(item.id) &&
          (item.status === 'manual_handling' || item.status === 'on_hold'),
      );
      return waiting ? null : conflict('none of these items waits for an operator');
    }
    case 'cancel': {
      const chosen = state.items.filter((item) => request.itemIds.includes(item.id));
      if (chosen.length < new Set(request.itemIds).size) {
        return { type: RUN_REFUSALS.invalid, message: 'the order has no such item' };
      }
      return chosen.some((item) => hasShipped(item.status))
        ? conflict('an item that has shipped cannot be cancelled')
        : null;
    }
    case 'reroute': {
      const waiting = state.printOrders.some((printOrder) =>
        printOrder.jobs.some(
          (job) => job.itemId === request.itemId && jobStatus(job, printOrder) === 'manual_handling',
        ),
      );
      return waiting ? null : conflict(`item ${request.itemId} does not wait for an operator`);
    }
    case 'reproduce': {
      const known = state.printOrders.some((printOrder) =>
        printOrder.jobs.some((job) => job.itemId === request.itemId),
      );
      return known ? null : conflict(`item ${request.itemId} was not produced yet`);
    }
  }
}
