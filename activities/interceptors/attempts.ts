import { Context, type Info } from '@temporalio/activity';
import { ApplicationFailure, TemporalFailure } from '@temporalio/common';
import type { ActivityInterceptors } from '@temporalio/worker';
import { NO_SLOT, ShareTaken, type SlotShares } from '../../src/platform/temporal/slot-shares';
import { transient } from '../refusals';

/** What heartbeats of an activity carry to its later attempts. */
interface Carried {
  /** Attempts that got no slot, or found another share taken. */
  readonly waits?: number;
  /** The latest of the other attempts that did not end with its process, numbered without waits. */
  readonly ended?: number;
}

/** What the current attempts of this process carry, by their `Info`. */
const carriedNow = new WeakMap<Info, object>();

const carriedBy = (info: Info): Carried => (info.heartbeatDetails as Carried | null | undefined) ?? {};

/** Returns what a heartbeat carries to later attempts: what the current attempt was given, and what it has added. */
export function carriedDetails(): object | undefined {
  const { info } = Context.current();
  return carriedNow.get(info) ?? info.heartbeatDetails;
}

/** Sends a heartbeat that carries these details to later attempts, beside `carriedDetails`. */
export function carry(details: object): void {
  const { info, heartbeat } = Context.current();
  const all = { ...carriedDetails(), ...details };
  carriedNow.set(info, all);
  heartbeat(all);
}

/** Carries that the current attempt waited, and did nothing. Returns the failure that tries again. */
export function waitsFor(info: Info, reason: string, retryInMs: number): ApplicationFailure {
  carry({ waits: (carriedBy(info).waits ?? 0) + 1 });
  return transient(reason, NO_SLOT, retryInMs);
}

/** Carries that an attempt, by default the current one, has not ended with its process. Losses before it do not count. */
export const carryEnd = (info: Info, attempt = attemptOf(info)): void => carry({ ended: attempt });

/** Returns how many attempts before the current one, since one that ended, ended with their process. */
export const lostAttempts = (info: Info): number => attemptOf(info) - 1 - (carriedBy(info).ended ?? 0);

/** Returns the number of the current attempt. An attempt that got no slot does not count. */
export function attemptOf(info: Info): number {
  return info.attempt - (carriedBy(info).waits ?? 0);
}

/**
 * Returns the interceptor that gives each fairness key of activities a share of the worker's slots. An activity beyond the share
 * fails at once, so that it holds no slot, and is tried again when a slot of its key is likely to be free. It has not
 * called anyone: later attempts are numbered and delayed as if this one had not been.
 * The same holds for an activity that finds its partner busy, or no space on the disk (`ShareTaken`).
 * Only activities with a heartbeat timeout share slots, because heartbeats carry the number of such attempts. The others
 * call no partner, file host or purchase.
 * @param waited called for each activity that got no slot
 */
export function shareSlots(shares: SlotShares, waited: () => void): (context: Context) => ActivityInterceptors {
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        const key = info.priority?.fairnessKey;
        if (info.isLocal || !info.heartbeatTimeoutMs) return await next(input);
        const { waits = 0 } = carriedBy(info);
        const waitingFor = (reason: string, retryInMs: number) => {
          waited();
          return waitsFor(info, reason, retryInMs);
        };
        const taken = key ? shares.take(key) : undefined;
        if (taken !== undefined && 'retryInMs' in taken)
          throw waitingFor(`${key} has its share of the worker’s slots`, taken.retryInMs);
        try {
          return await next(input);
        } catch (error) {
          if (error instanceof ShareTaken) throw waitingFor(error.message, error.retryInMs);
          throw waits === 0 ? error : withDelayOf(info, error);
        } finally {
          taken?.release();
        }
      },
    },
  });
}

/** Returns the failure of an attempt with the delay that the retry policy has for the number of the attempt. */
function withDelayOf(info: Info, error: unknown): unknown {
  const isFailure = error instanceof ApplicationFailure;
  if (isFailure ? error.nonRetryable || error.nextRetryDelay != null : error instanceof TemporalFailure) return error;
  const { initialInterval, backoffCoefficient = 2, maximumInterval } = info.retryPolicy ?? {};
  if (initialInterval === undefined) return error;
  const delay = Math.min(
    Number(initialInterval) * backoffCoefficient ** (attemptOf(info) - 1),
    Number(maximumInterval ?? Number.POSITIVE_INFINITY),
  );
  return ApplicationFailure.fromError(error, { nextRetryDelay: delay });
}
