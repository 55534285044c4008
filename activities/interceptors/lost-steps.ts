import type { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptors } from '@temporalio/worker';
import { STEP_FAILS_PROCESS } from '../../src/orders/domain/run/run-messages';
import { flagOrder } from '../../src/orders/run/flags';
import { noteLoss } from '../../src/orders/run/lost-steps';
import { orderIdOfWorkflow } from '../../src/platform/domain/workflows';
import type { Logger } from '../../src/platform/logging/logging';
import type { Sql } from '../../src/platform/postgres';
import { NO_SLOT } from '../../src/platform/temporal/slot-shares';
import { attemptOf, carryEnd, lostAttempts, waitsFor } from './attempts';

export interface LostStepDeps {
  readonly sql: Sql;
  readonly log: Logger;
}

/** Orders that lose a step together, from which the end of their process is not one step's doing. */
const MANY = 4;
/** Longest time that a step waits for its turn. Then its losses are forgotten, and it runs beside others. */
const LONGEST_WAIT_MS = 120_000;
const NEXT_TURN_MS = 1_000;
/** Time before the timeout of an attempt at which a process that is alive says so. */
const SPARE_MS = 10_000;

/**
 * Returns the interceptor that parks steps of orders which end the process of their worker, or hold its event loop beyond
 * the timeout. Temporal counts an attempt before it starts, and an attempt that ends with an error says so by a heartbeat.
 * The others are lost. A process that ends from outside loses its steps too, and they look the same. So:
 *
 * - A step that was lost runs beside no other lost step of the process. The others wait, and have not started when the
 *   process ends.
 * - A second loss in a row parks the step when its first took few orders with it. Otherwise a third does. After a process with
 *   many steps was killed, a second kill that meets one of them parks nothing.
 * - An attempt that ends, with whatever error, makes up for all losses before it.
 *
 * A parked step fails for good with `STEP_FAILS_PROCESS`, and its order gets the attention reason of this name.
 */
export function parkLostSteps({ sql, log }: LostStepDeps): (context: Context) => ActivityInterceptors {
  let holder: string | null = null;
  return ({ info }) => {
    const orderId = orderIdOfWorkflow(info.workflowExecution?.workflowId ?? '');
    if (orderId === null || info.isLocal) return {};
    const { activityType } = info;
    const step = `${info.workflowExecution!.runId} ${info.activityId}`;

    /** Returns true when the step may run now, as the only lost one. */
    async function takeTurn(lost: number): Promise<boolean> {
      const { firstAt, others } = await noteLoss(sql, orderId!, { step: activityType, id: step, times: lost });
      if (lost > 2 || (lost === 2 && others + 1 < MANY)) {
        const message = `${activityType}: the process of the worker ended, or did not respond, in ${lost} attempts`;
        await flagOrder(sql, orderId!, 'step_fails_process', message);
        log.error({ orderId, activityType, lost }, 'a step fails its process: it is not tried again');
        throw ApplicationFailure.nonRetryable(message, STEP_FAILS_PROCESS);
      }
      if (holder !== null && Date.now() - firstAt.getTime() < LONGEST_WAIT_MS) return false;
      if (holder !== null) carryEnd(info, attemptOf(info) - 1);
      holder ??= step;
      return true;
    }

    return {
      inbound: {
        async execute(input, next) {
          const lost = lostAttempts(info);
          if (lost > 0) {
            const mayRun = await takeTurn(lost).catch((error: unknown) => {
              if (error instanceof ApplicationFailure) throw error;
              throw waitsFor(info, `a lost step was not noted: ${String(error)}`, NEXT_TURN_MS);
            });
            if (!mayRun) throw waitsFor(info, 'another step that was lost with its process has its turn', NEXT_TURN_MS);
          }
          // An attempt that hangs, while the process is alive, is not lost.
          const spare = setTimeout(() => carryEnd(info), info.startToCloseTimeoutMs - SPARE_MS).unref();
          try {
            return await next(input);
          } catch (error) {
            if (!(error instanceof ApplicationFailure && error.type === NO_SLOT)) carryEnd(info);
            throw error;
          } finally {
            clearTimeout(spare);
            if (holder === step) holder = null;
          }
        },
      },
    };
  };
}
