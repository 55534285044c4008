import {
  ApplicationFailure,
  allHandlersFinished,
  condition,
  continueAsNew,
  defineUpdate,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { ProcurementActivities } from '../activities/procurement';
import {
  PROCUREMENT_RULES,
  type ProcurementStatus,
  type ProcurementStep,
  type StepOutcome,
} from '../src/procurement/domain/procurement-order';

/** A step told by an operator or supplier; answered once it is in the books, or with the reason why not. */
export const procurementStepUpdate = defineUpdate<StepOutcome, [ProcurementStep]>('procurementStep');

export interface ProcurementOrderInput {
  readonly orderId: number;
}

/** Database only, so local: one event each. Retried until the database is back. */
const books = proxyLocalActivities<ProcurementActivities>({
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' },
});

interface Told {
  readonly step: ProcurementStep;
  outcome?: StepOutcome;
}

/**
 * The run of one procurement order, from `supplier` to `invoiced`. Steps come as updates and are taken one
 * after the other; an order that stands still for longer than its status allows asks for attention.
 */
export async function procurementOrder({ orderId }: ProcurementOrderInput): Promise<void> {
  const told: Told[] = [];
  setHandler(procurementStepUpdate, async (step) => {
    const entry: Told = { step };
    told.push(entry);
    await condition(() => entry.outcome !== undefined);
    return entry.outcome!;
  });

  const known = await books.procurementOrderStatus(orderId);
  if (known === null)
    throw ApplicationFailure.nonRetryable(`No procurement order ${orderId}`, 'NoProcurementOrder');
  let status: ProcurementStatus = known;
  let flagged: ProcurementStatus | null = null;
  while (status !== 'invoiced') {
    setCurrentDetails(`**${status}**${flagged === status ? ': overdue' : ''}`);
    const { patienceDays }: { patienceDays: number | null } = PROCUREMENT_RULES[status];
    const patient = patienceDays === null || flagged === status;
    const heard = patient
      ? await condition(() => told.length > 0).then(() => true)
      : await condition(() => told.length > 0, `${patienceDays} days`);
    if (heard) {
      status = await take(orderId, told.shift()!, status);
    } else {
      await books.flagOverdueProcurementOrder(orderId, status, patienceDays!);
      flagged = status;
    }
    if (workflowInfo().continueAsNewSuggested && told.length === 0) {
      await condition(() => told.length > 0 || allHandlersFinished());
      if (told.length === 0) await continueAsNew<typeof procurementOrder>({ orderId });
    }
  }
  setCurrentDetails('**invoiced**');
  // Told in the last moment: the books answer these too.
  do {
    while (told.length > 0) await take(orderId, told.shift()!, status);
    await condition(() => told.length > 0 || allHandlersFinished());
  } while (told.length > 0);
}

/** Takes one step and lets its teller know. @returns the status afterwards */
async function take(orderId: number, entry: Told, status: ProcurementStatus): Promise<ProcurementStatus> {
  const outcome = await books.takeProcurementStep(orderId, entry.step);
  entry.outcome = outcome;
  return outcome.ok ? outcome.status : status;
}
