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

/** A step by an operator or supplier. Completes when the step is stored, or with the reason why it is refused. */
export const procurementStepUpdate = defineUpdate<StepOutcome, [ProcurementStep]>('procurementStep');

export interface ProcurementOrderInput {
  readonly orderId: number;
}

/** Database-only activities. They are local, and retried until Postgres responds. */
const database = proxyLocalActivities<ProcurementActivities>({
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' },
});

interface PendingStep {
  readonly step: ProcurementStep;
  outcome?: StepOutcome;
}

/**
 * Workflow of one procurement order, from `supplier` to `invoiced`. Steps arrive as updates and are applied one after the
 * other. An order that stays in a status for too long is flagged as overdue.
 */
export async function procurementOrder({ orderId }: ProcurementOrderInput): Promise<void> {
  const pending: PendingStep[] = [];
  setHandler(procurementStepUpdate, async (step) => {
    const entry: PendingStep = { step };
    pending.push(entry);
    await condition(() => entry.outcome !== undefined);
    return entry.outcome!;
  });

  const known = await database.procurementOrderStatus(orderId);
  if (known === null) throw ApplicationFailure.nonRetryable(`No procurement order ${orderId}`, 'NoProcurementOrder');
  let status: ProcurementStatus = known;
  let flagged: ProcurementStatus | null = null;
  while (status !== 'invoiced') {
    setCurrentDetails(`**${status}**${flagged === status ? ': overdue' : ''}`);
    const { attentionAfterDays }: { attentionAfterDays: number | null } = PROCUREMENT_RULES[status];
    const isUnlimited = attentionAfterDays === null || flagged === status;
    const hasStep = isUnlimited
      ? await condition(() => pending.length > 0).then(() => true)
      : await condition(() => pending.length > 0, `${attentionAfterDays} days`);
    if (hasStep) {
      status = await apply(orderId, pending.shift()!, status);
    } else {
      await database.flagOverdueProcurementOrder(orderId, status, attentionAfterDays!);
      flagged = status;
    }
    if (workflowInfo().continueAsNewSuggested && pending.length === 0) {
      await condition(() => pending.length > 0 || allHandlersFinished());
      if (pending.length === 0) await continueAsNew<typeof procurementOrder>({ orderId });
    }
  }
  setCurrentDetails('**invoiced**');
  // Steps that arrived last: the database refuses them.
  do {
    while (pending.length > 0) await apply(orderId, pending.shift()!, status);
    await condition(() => pending.length > 0 || allHandlersFinished());
  } while (pending.length > 0);
}

/** Applies one step and completes its update. Returns the status afterwards. */
async function apply(orderId: number, entry: PendingStep, status: ProcurementStatus): Promise<ProcurementStatus> {
  const outcome = await database.takeProcurementStep(orderId, entry.step);
  entry.outcome = outcome;
  return outcome.ok ? outcome.status : status;
}
