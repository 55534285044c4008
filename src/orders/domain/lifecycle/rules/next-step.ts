import { hasOpenJobs, jobStatus, openJobs } from '../facts/jobs';
import { JOB_PROGRESS, type PrintOrderState, type RunState } from '../run-state';
import { hasShipped } from '../statuses';
import type { ShownDeadline } from './deadlines';

/** What an order waits for. `nothing`: it has ended. `decision`: it has ended or a claim is open, and an operator has not decided. */
export const WAITS_FOR = [
  'submission',
  'planning',
  'partner_found',
  'file_replaced',
  'address_changed',
  'release',
  'repair',
  'delivery',
  'stop',
  'received',
  'printed',
  'dispatch',
  'shipping',
  'tracking',
  'decision',
  'nothing',
] as const;

/** Who has to act next for an order, and until when. */
export interface NextStep {
  readonly who: 'client' | 'pressline' | 'operator' | 'partner' | 'carrier' | 'nobody';
  readonly waitsFor: (typeof WAITS_FOR)[number];
  /** The print order that waits. Null when the whole order does. */
  readonly printOrderId: string | null;
  readonly partnerId: string | null;
  readonly partnerUid: string | null;
  /** ISO 8601. Null without a deadline. */
  readonly dueAt: string | null;
}

/** Returns a step of the whole order, or of one print order. */
function stepOf(
  who: NextStep['who'],
  waitsFor: NextStep['waitsFor'],
  dueAt: string | null = null,
  printOrder?: PrintOrderState,
): NextStep {
  const { id = null, partnerId = null, partnerUid = null } = printOrder ?? {};
  return { who, waitsFor, printOrderId: id, partnerId, partnerUid, dueAt };
}

/** The next step of a draft: its client has to submit it. */
export const DRAFT_NEXT_STEP: NextStep = stepOf('client', 'submission');

/** The next step of an order with an open claim, and of one that has ended and needs attention: it was refused or returned, or something went wrong. */
export const DECISION_NEXT_STEP: NextStep = stepOf('operator', 'decision');

/**
 * Returns who has to act next. What waits for an operator comes first, then the partner that is due first, then
 * Pressline's own steps, then the carrier.
 * @param deliveryBy the latest promised delivery, ISO 8601. Null before the order is planned
 */
export function nextStepOf(state: RunState, deadlines: readonly ShownDeadline[], deliveryBy: string | null): NextStep {
  if (state.phase === 'closed') return stepOf('nobody', 'nothing');
  if (state.held) return stepOf('operator', 'release');
  if (state.phase === 'preparing') {
    if (state.attention.includes('file_check')) return stepOf('client', 'file_replaced');
    if (state.attention.includes('address_check')) return stepOf('client', 'address_changed');
    // The order is planned again by itself. An operator can find out why no partner makes it.
    return state.attention.includes('no_partner')
      ? stepOf('operator', 'partner_found')
      : stepOf('pressline', 'planning');
  }
  const steps = state.printOrders.filter(hasOpenJobs).map((printOrder) => printOrderStep(printOrder, deadlines));
  for (const { printOrder, until } of state.waitingReroutes ?? []) {
    const current = state.printOrders.find(({ jobs }) => jobs.some(({ stopRequest }) => stopRequest === 'waiting'));
    steps.push(stepOf('partner', 'stop', new Date(until).toISOString(), current ?? printOrder));
  }
  const [first] = steps.sort((a, b) => RANK[a.who] - RANK[b.who] || (a.dueAt ?? LAST).localeCompare(b.dueAt ?? LAST));
  if (first !== undefined) return first;
  if (state.items.some(({ status }) => status === 'manual_handling')) return stepOf('operator', 'repair');
  return state.items.some(({ status }) => hasShipped(status))
    ? stepOf('carrier', 'tracking', deliveryBy)
    : stepOf('pressline', 'planning');
}

const RANK: Readonly<Record<NextStep['who'], number>> = {
  operator: 0,
  partner: 1,
  client: 2,
  pressline: 3,
  carrier: 4,
  nobody: 5,
};
/** Sorts after every time. */
const LAST = '~';

/** Returns who has to act for a print order with units that have not shipped. */
function printOrderStep(printOrder: PrintOrderState, deadlines: readonly ShownDeadline[]): NextStep {
  const { id, delivery, shipment, dispatchDueAt } = printOrder;
  const jobs = openJobs(printOrder);
  if (jobs.some((job) => jobStatus(job, printOrder) === 'manual_handling')) {
    return stepOf('operator', 'repair', null, printOrder);
  }
  if (delivery !== 'accepted') return stepOf('pressline', 'delivery', null, printOrder);
  const partner = (waitsFor: NextStep['waitsFor'], reason: ShownDeadline['reason']) => {
    const due = deadlines.find((deadline) => deadline.printOrderId === id && deadline.reason === reason);
    return stepOf('partner', waitsFor, due?.dueAt ?? null, printOrder);
  };
  const least = Math.min(...jobs.map(({ progress }) => progress));
  if (least === JOB_PROGRESS.none) return partner('received', 'not_received');
  if (shipment !== null) return stepOf('partner', 'shipping', new Date(dispatchDueAt).toISOString(), printOrder);
  return least === JOB_PROGRESS.received ? partner('printed', 'not_printed') : partner('dispatch', 'not_dispatched');
}
