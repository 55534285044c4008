import type { ScriptedStep } from '../behaviour';
import { BEHAVIOURS } from '../behaviours';
import type { Pace } from '../pace';
import { checkAssets } from './asset-check';
import type { PartnerCalls } from './calls';
import { dispatch } from './dispatch';
import type { PartnerContext } from './partner-context';
import { allHeld, type PrintOrderRecord } from './partner-record';
import { createPauses } from './pauses';
import { createPostbackSender, type PostbackSender } from './postbacks';
import { workloadOf } from './print-order';
import { cancelOwnShippingOrder } from './shipping-orders';

/** Carries out the plan of an accepted print order, starting with its first unfinished step. */
export interface Production {
  /**
   * Works on a print order until it has ended. When the work is running, a cancel request that it has to confirm ends its
   * pause. A repeated delivery does not. After a kill, the step that was interrupted may be repeated.
   */
  work(record: PrintOrderRecord): void;
  /** Ends the pause of a print order. */
  endPause(printOrderId: string): void;
}

export function createProduction(context: PartnerContext, calls: PartnerCalls): Production {
  const { pace, enter, signal, log } = context;
  const postbacks = createPostbackSender(context, calls);
  const pauses = createPauses(signal);
  const steps = createSteps(context, calls, postbacks, runInBackground);
  const running = new Set<string>();

  /** Logs the failure of background work, except when the sandbox stops. */
  function runInBackground(work: Promise<unknown>, record: PrintOrderRecord): void {
    work.catch((error: unknown) => {
      if (!signal.aborted) log.error({ err: error, printOrderId: record.id }, 'partner failed');
    });
  }

  function end(record: PrintOrderRecord, state: 'finished' | 'cancelled' | 'given-up', reason?: string): void {
    enter({ type: 'ended', printOrderId: record.id, state, ...(reason === undefined ? {} : { reason }) });
    if (state === 'given-up') log.warn({ printOrderId: record.id, reason }, 'partner abandoned a print order');
  }

  async function confirmCancel(record: PrintOrderRecord, itemIds: readonly string[]): Promise<void> {
    const whole = allHeld(record);
    await pauses.wait(record.id, pace.trouble);
    if (signal.aborted) return;
    await postbacks.sendCancelled(record, whole ? undefined : itemIds);
    enter({ type: 'cancel-told', printOrderId: record.id });
    if (whole) end(record, 'cancelled', 'by the service');
  }

  async function runPlan(record: PrintOrderRecord): Promise<void> {
    const behaviour = BEHAVIOURS[record.behaviour.name];
    const plan = behaviour.plan(record.behaviour.amount);
    while (!signal.aborted) {
      if (record.cancelToConfirm !== undefined) {
        await confirmCancel(record, record.cancelToConfirm);
        continue;
      }
      if (record.state !== 'taken') return;
      // A partner that makes duplicates works through its plan once for each delivery.
      const times = behaviour.duplicates === 'made-again' ? record.deliveries : 1;
      const step = record.stepsDone < times * plan.length ? plan[record.stepsDone % plan.length] : undefined;
      if (step === undefined) return end(record, 'finished');
      await pauses.wait(record.id, pauseBefore(step, pace) * (behaviour.slowness ?? 1));
      if (signal.aborted || record.cancelToConfirm !== undefined) continue;
      const fault = await steps.carryOut(record, step);
      if (record.cancelToConfirm !== undefined) continue;
      if (fault !== undefined) return end(record, 'given-up', fault);
      enter({ type: 'step', printOrderId: record.id, done: record.stepsDone + 1 });
      const cancelled = step.do === 'postback' && step.status === 'cancelled';
      if (cancelled && (step.firstItem === undefined || allHeld(record)))
        return end(record, 'cancelled', 'by the partner');
    }
  }

  return {
    work(record) {
      if (record.cancelToConfirm !== undefined) pauses.wake(record.id);
      if (running.has(record.id)) return;
      running.add(record.id);
      runInBackground(
        runPlan(record).finally(() => running.delete(record.id)),
        record,
      );
    },
    endPause: (printOrderId) => pauses.wake(printOrderId),
  };
}

function pauseBefore(step: ScriptedStep, pace: Pace): number {
  switch (step.do) {
    case 'postback':
      return step.status === 'error' || step.status === 'cancelled' ? pace.trouble : pace[step.status];
    case 'fetch-assets':
      return pace.assets;
    case 'dispatch':
      return pace.dispatch;
    case 'pause':
      return step.ms;
    default:
      return 0;
  }
}

function createSteps(
  context: PartnerContext,
  calls: PartnerCalls,
  postbacks: PostbackSender,
  runInBackground: (work: Promise<unknown>, record: PrintOrderRecord) => void,
) {
  const { enter, outbound, carriers, name } = context;
  return {
    /** Carries out one step. @returns the reason why the print order cannot continue, or undefined */
    async carryOut(record: PrintOrderRecord, step: ScriptedStep): Promise<string | undefined> {
      const { copies = 1, journey = 'delivered' } = BEHAVIOURS[record.behaviour.name];
      switch (step.do) {
        case 'postback':
          if (step.firstItem !== undefined) {
            enter({ type: 'held', printOrderId: record.id, itemIds: [record.itemIds[0]!] });
          }
          await postbacks.sendStep(record, step, copies, (work) => runInBackground(work, record));
          return undefined;
        case 'fetch-assets': {
          const checked = await checkAssets(outbound, workloadOf(record.order!).assets);
          if ('fault' in checked) {
            await postbacks.sendError(record, checked.fault);
            return checked.fault;
          }
          enter({ type: 'assets', printOrderId: record.id, fetched: checked.fetched });
          return undefined;
        }
        case 'dispatch': {
          const damaged = step.replacesLabel === true ? record.parcels.slice(0, 1) : [];
          const requests = Array.from({ length: step.atOnce ?? 1 }, () => dispatch(context, calls, record, damaged));
          return (await Promise.all(requests)).find((fault) => fault !== undefined);
        }
        case 'hand-over':
          for (const trackingNumber of record.parcels) {
            carriers.handOver({ trackingNumber, journey, partner: name });
          }
          return undefined;
        case 'canceled-shipping-order':
          return await cancelOwnShippingOrder(context, calls, record);
        case 'faulty-postbacks':
          await postbacks.sendFaulty(record);
          return undefined;
        case 'pause':
          return undefined;
      }
    },
  };
}
