import { hasEnded, isAskedForUnits, openJobs } from '../facts/jobs';
import type { RunEffect } from '../run-events';
import { JOB_PROGRESS, type JobState, NOT_TAKEN, type PrintOrderState } from '../run-state';
import { type Job, type PrintOrder, printOrderLog } from './change';

/**
 * How jobs and units of them end: what is refunded, which stock is released, and which labels are voided. Also how units end
 * that a partner was asked not to make.
 */

/**
 * Ends jobs as cancelled. Releases the stock of units that were not printed, refunds what was invoiced, and plans the shipment of
 * the rest again.
 */
export function endJobs(printOrder: PrintOrder, isEnding: (job: JobState) => boolean, reason: string): RunEffect[] {
  const ending = openJobs(printOrder).filter(isEnding);
  if (ending.length === 0) return [];
  for (const job of ending) job.ended = 'cancelled';
  return [
    ...releaseStock(ending),
    {
      type: 'refund',
      reason,
      printOrderId: printOrder.id,
      jobIds: ending.map(({ id }) => id),
      items: ending.map(({ itemId, quantity }) => ({ itemId, quantity })),
    },
    ...voidUnusedLabel(printOrder),
    ...replanRest(printOrder),
  ];
}

/**
 * Returns the effect that plans the shipment of what is left again, after units were cancelled. What left with a code of its partner
 * is part of it: no label was bought for it.
 */
function replanRest(printOrder: PrintOrder): RunEffect[] {
  if (hasEnded(printOrder)) return [];
  return [{ type: 'replan_shipments', printOrderIds: [printOrder.id], refunds: true }];
}

/** Returns the effect that releases the parts that were reserved for unprinted jobs. */
export function releaseStock(jobs: readonly JobState[]): RunEffect[] {
  const jobIds = jobs.flatMap(({ id, progress }) => (progress < JOB_PROGRESS.printed ? [id] : []));
  return jobIds.length === 0 ? [] : [{ type: 'release_stock', jobIds }];
}

/** Returns the effect that takes the parts of printed jobs out of stock. Units that the partner cancelled used none. */
export function consumeStock(printed: readonly JobState[]): RunEffect[] {
  const jobs = printed.map(({ id, quantity, cancelledQuantity }) => ({ id, units: quantity - cancelledQuantity }));
  return jobs.length === 0 ? [] : [{ type: 'consume_stock', jobs }];
}

/** Voids the labels of a print order that has nothing left to ship. */
export function voidUnusedLabel(printOrder: PrintOrder): RunEffect[] {
  const { id: printOrderId, shipment } = printOrder;
  if (shipment === null || !hasEnded(printOrder)) return [];
  printOrder.shipment = null;
  return [{ type: 'void_shipment', printOrderId, shipmentId: shipment.id }];
}

/** Returns the request to a partner to cancel these jobs. None to a partner that refused the print order. */
export function requestCancel(
  { id: printOrderId, delivery }: PrintOrderState,
  jobs: readonly JobState[],
  reason: string,
): RunEffect[] {
  if (jobs.length === 0 || NOT_TAKEN.includes(delivery)) return [];
  return [{ type: 'request_partner_cancel', printOrderId, jobIds: jobs.map(({ id }) => id), reason }];
}

/**
 * Ends units of jobs: refunds them, releases their stock and plans the shipment of the rest again.
 * @param units by job id
 */
export function endUnits(printOrder: PrintOrder, units: ReadonlyMap<string, number>, reason: string): RunEffect[] {
  const { id: printOrderId } = printOrder;
  const ending = printOrder.jobs.filter(({ id }) => units.has(id));
  if (ending.length === 0) return [];
  const whole = ending.filter(({ id, quantity }) => units.get(id)! >= quantity);
  const effects: RunEffect[] = [];
  for (const job of ending.filter((each) => !whole.includes(each))) {
    const { id, itemId, quantity, progress } = job;
    const items = [{ itemId, quantity: units.get(id)! }];
    job.quantity -= units.get(id)!;
    effects.push({ type: 'refund', reason, printOrderId, jobIds: [`${id}-${quantity}`], items });
    if (progress < JOB_PROGRESS.printed) effects.push({ type: 'reduce_stock', jobs: [{ id, units: job.quantity }] });
  }
  const ended = endJobs(printOrder, (job) => whole.some(({ id }) => id === job.id), reason);
  return [...effects, ...(ended.length > 0 ? ended : replanRest(printOrder))];
}

/** Removes units from the request to the partner of a job: they have ended. */
export function removeRequested(job: Job, units: number): void {
  if (job.unitsRequest === undefined) return;
  job.unitsRequest.quantity -= units;
  if (job.unitsRequest.quantity <= 0) delete job.unitsRequest;
}

/** Ends the units that a partner was asked not to make: it has agreed, or does not have the print order. */
export function endRequestedUnits(printOrder: PrintOrder): RunEffect[] {
  return endAsked(printOrder, (job) => {
    const { quantity } = job.unitsRequest!;
    delete job.unitsRequest;
    // The partner may have cancelled some of them itself.
    return Math.min(quantity, job.quantity - job.cancelledQuantity);
  });
}

/**
 * The partner cancelled units that it was asked not to make. This is its agreement: they end, and only the others wait for an
 * operator.
 * @param before the jobs before the partner's message
 */
export function endAgreedUnits(printOrder: PrintOrder, before: readonly JobState[]): RunEffect[] {
  return endAsked(printOrder, (job) => {
    const earlier = before.find(({ id }) => id === job.id)!.cancelledQuantity;
    const agreed = Math.min(job.cancelledQuantity - earlier, job.unitsRequest!.quantity);
    job.cancelledQuantity -= agreed;
    removeRequested(job, agreed);
    return agreed;
  });
}

/** Ends units of the jobs whose partner has been asked not to make them. @param settle returns the units of a job that end */
function endAsked(printOrder: PrintOrder, settle: (job: Job) => number): RunEffect[] {
  const asked = printOrder.jobs.filter(isAskedForUnits);
  const [reason = ''] = asked.map(({ unitsRequest }) => unitsRequest!.reason);
  const units = asked.map((job): [string, number] => [job.id, settle(job)]).filter(([, quantity]) => quantity > 0);
  return endUnits(printOrder, new Map(units), reason);
}

/** The partner makes the units that it was asked not to make. The client is notified of their items. */
export function refuseRequestedUnits(printOrder: PrintOrder, message: string): RunEffect[] {
  const asked = printOrder.jobs.filter(isAskedForUnits);
  if (asked.length === 0) return [];
  for (const job of asked) job.unitsRequest!.refused = true;
  const itemIds = [...new Set(asked.map(({ itemId }) => itemId))];
  return [printOrderLog('partner_cancel_refused', printOrder.id, { message, itemIds })];
}
