import { hasEnded, hasOpenJobs, isAskedForUnits, openJobs } from '../facts/jobs';
import type { RunEffect } from '../run-events';
import { JOB_PROGRESS, type JobState, NOT_TAKEN, type PrintOrderState } from '../run-state';
import { andThen, type Change, change, printOrderLog } from './change';

/**
 * How jobs and units of them end: what is refunded, which stock is released, and which labels are voided. Also how units end
 * that a partner was asked not to make.
 */

/** Ends jobs as cancelled. Releases the stock of units that were not printed, and refunds what was invoiced. */
export function endJobs(
  printOrder: PrintOrderState,
  isEnding: (job: JobState) => boolean,
  reason: string,
): Change<PrintOrderState> {
  const ending = openJobs(printOrder).filter(isEnding);
  if (ending.length === 0) return change(printOrder);
  const refund: RunEffect = {
    type: 'refund',
    reason,
    printOrderId: printOrder.id,
    jobIds: ending.map(({ id }) => id),
    items: ending.map(({ itemId, quantity }) => ({ itemId, quantity })),
  };
  const jobs = printOrder.jobs.map((job) => (ending.includes(job) ? { ...job, ended: 'cancelled' as const } : job));
  return andThen(change({ ...printOrder, jobs }, ...releaseStock(ending), refund), withoutUnusedLabel);
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
export function withoutUnusedLabel(printOrder: PrintOrderState): Change<PrintOrderState> {
  const { id: printOrderId, shipment } = printOrder;
  if (shipment === null || !hasEnded(printOrder)) return change(printOrder);
  return change({ ...printOrder, shipment: null }, { type: 'void_shipment', printOrderId, shipmentId: shipment.id });
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
export function endUnits(
  printOrder: PrintOrderState,
  units: ReadonlyMap<string, number>,
  reason: string,
): Change<PrintOrderState> {
  if (units.size === 0) return change(printOrder);
  const { id: printOrderId } = printOrder;
  const unitsOf = ({ id }: JobState) => units.get(id) ?? 0;
  const isPart = (job: JobState) => unitsOf(job) < job.quantity && units.has(job.id);
  const effects = printOrder.jobs.filter(isPart).flatMap((job): RunEffect[] => {
    const { id, itemId, quantity, progress } = job;
    const ended = unitsOf(job);
    const items = [{ itemId, quantity: ended }];
    const refund: RunEffect = { type: 'refund', reason, printOrderId, jobIds: [`${id}-${quantity}`], items };
    if (progress >= JOB_PROGRESS.printed) return [refund];
    return [refund, { type: 'reduce_stock', jobs: [{ id, units: quantity - ended }] }];
  });
  const jobs = printOrder.jobs.map((job) => (isPart(job) ? { ...job, quantity: job.quantity - unitsOf(job) } : job));
  const whole = printOrder.jobs.flatMap((job) => (units.has(job.id) && !isPart(job) ? [job.id] : []));
  return andThen(
    change<PrintOrderState>({ ...printOrder, jobs }, ...effects),
    (rest) => endJobs(rest, ({ id }) => whole.includes(id), reason),
    (rest) => change(rest, ...replanned(rest)),
  );
}

const replanned = (printOrder: PrintOrderState): RunEffect[] =>
  hasOpenJobs(printOrder) ? [{ type: 'replan_shipments', printOrderIds: [printOrder.id] }] : [];

/** Returns the job without units in the request to its partner: they have ended. */
export function withoutRequested({ unitsRequest, ...job }: JobState, units: number): JobState {
  const quantity = (unitsRequest?.quantity ?? 0) - units;
  return unitsRequest === undefined || quantity <= 0 ? job : { ...job, unitsRequest: { ...unitsRequest, quantity } };
}

/** Ends the units that a partner was asked not to make: it has agreed, or does not have the print order. */
export function endRequestedUnits(printOrder: PrintOrderState): Change<PrintOrderState> {
  // The partner may have cancelled some of them itself.
  return endAsked(
    printOrder,
    ({ unitsRequest, quantity, cancelledQuantity }) => Math.min(unitsRequest!.quantity, quantity - cancelledQuantity),
    (job) => withoutRequested(job, job.unitsRequest!.quantity),
  );
}

/**
 * The partner cancelled units that it was asked not to make. This is its agreement: they end, and only the others wait for an
 * operator.
 * @param before the print order before the partner's message
 */
export function endAgreedUnits(before: PrintOrderState, printOrder: PrintOrderState): Change<PrintOrderState> {
  const agreedOf = ({ id, cancelledQuantity, unitsRequest }: JobState) => {
    const earlier = before.jobs.find((job) => job.id === id)!.cancelledQuantity;
    return Math.min(cancelledQuantity - earlier, unitsRequest!.quantity);
  };
  return endAsked(printOrder, agreedOf, (job) => {
    const units = agreedOf(job);
    return withoutRequested({ ...job, cancelledQuantity: job.cancelledQuantity - units }, units);
  });
}

/** Ends units of the jobs whose partner has been asked not to make them. */
function endAsked(
  printOrder: PrintOrderState,
  unitsOf: (job: JobState) => number,
  settled: (job: JobState) => JobState,
): Change<PrintOrderState> {
  const asked = printOrder.jobs.filter(isAskedForUnits);
  if (asked.length === 0) return change(printOrder);
  const units = asked.map((job): [string, number] => [job.id, unitsOf(job)]).filter(([, quantity]) => quantity > 0);
  const jobs = printOrder.jobs.map((job) => (asked.includes(job) ? settled(job) : job));
  return endUnits({ ...printOrder, jobs }, new Map(units), asked[0]!.unitsRequest!.reason);
}

/** The partner makes the units that it was asked not to make. The client is notified of their items. */
export function refuseRequestedUnits(printOrder: PrintOrderState, message: string): Change<PrintOrderState> {
  const itemIds = [...new Set(printOrder.jobs.filter(isAskedForUnits).map(({ itemId }) => itemId))];
  if (itemIds.length === 0) return change(printOrder);
  const jobs = printOrder.jobs.map((job) =>
    isAskedForUnits(job) ? { ...job, unitsRequest: { ...job.unitsRequest!, refused: true } } : job,
  );
  return change({ ...printOrder, jobs }, printOrderLog('partner_cancel_refused', printOrder.id, { message, itemIds }));
}
