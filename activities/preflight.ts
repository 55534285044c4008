import { Context } from '@temporalio/activity';
import { endWith, type PreflightDeps, reportOfFault, runPreflight } from '../src/orders/production/run-preflight';
import { ShareTaken } from '../src/platform/temporal/slot-shares';
import { attemptOf, carry } from './interceptors/attempts';
import { transient } from './refusals';

/** Attempts to fetch a file. Who tries a file out does not wait for an hour. */
const ATTEMPTS = 3;
const PAUSE = 2_000;

export function createPreflightActivities(deps: PreflightDeps) {
  return {
    /** @throws ApplicationFailure `FileUnreachable` for a transient failure, before the last attempt */
    async preflightFile({ preflightId }: { readonly preflightId: string }): Promise<void> {
      const { info, cancellationSignal: signal } = Context.current();
      carry({});
      const timer = setInterval(() => carry({}), 5_000);
      try {
        const isLast = attemptOf(info) >= ATTEMPTS;
        const fault = await runPreflight(deps, preflightId, { signal, isLast });
        if (fault?.isOurs) throw new ShareTaken(fault.message, fault.retryAfterMs ?? PAUSE);
        if (fault !== null) throw transient(fault.message, 'FileUnreachable', fault.retryAfterMs ?? PAUSE);
      } finally {
        clearInterval(timer);
      }
    },

    /** Ends a preflight that no worker could finish in time. */
    async giveUpPreflight({ preflightId }: { readonly preflightId: string }): Promise<void> {
      const message = 'the file could not be checked in time';
      await endWith(deps.sql, preflightId, reportOfFault({ code: 'file_unreachable', message }));
    },
  };
}

export type PreflightActivities = ReturnType<typeof createPreflightActivities>;
