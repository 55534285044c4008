import type { Context, Info } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { attemptOf, carry, shareSlots } from '../../../activities/interceptors/attempts';
import { transient } from '../../../activities/refusals';
import { createSlotShares, ShareTaken } from '../../../src/platform/temporal/slot-shares';

/** Retry policy of messages to partners. */
const RETRY = { initialInterval: 5_000, backoffCoefficient: 2, maximumInterval: 600_000 };

let shares: ReturnType<typeof createSlotShares>;
let waited: number;
beforeEach(() => {
  shares = createSlotShares(2);
  waited = 0;
});

/** Runs one attempt of an activity. Returns its result or failure, and what its heartbeats carry to the next. */
async function attempt<T>(info: Partial<Info>, work: (context: Context) => Promise<T>) {
  const environment = new MockActivityEnvironment(
    { retryPolicy: RETRY, priority: { fairnessKey: 'partner' }, heartbeatTimeoutMs: 40_000, ...info },
    { interceptors: [shareSlots(shares, () => (waited += 1))] },
  );
  let carried: unknown = info.heartbeatDetails;
  environment.on('heartbeat', (details) => (carried = details));
  const outcome = await environment
    .run(() => work(environment.context))
    .then(
      (result) => ({ result }),
      (failure: ApplicationFailure) => ({ failure }),
    );
  return { ...outcome, carried };
}

const fails = async () => {
  throw transient('HTTP 503', 'PartnerUnreachable', null);
};

test('an activity beyond the share of its key fails at once and calls nobody', async () => {
  const holder = shares.take('partner');
  const { carried, ...outcome } = await attempt({ attempt: 1 }, async () => 'called');
  expect(outcome).toMatchObject({ failure: { type: 'ShareTaken', nextRetryDelay: 250 } });
  expect(outcome).not.toHaveProperty('result');
  expect(carried).toEqual({ waits: 1 });
  expect(waited).toBe(1);
  // Another key, and an activity without one, run.
  expect(await attempt({ priority: { fairnessKey: 'other' } }, async () => 1)).toMatchObject({ result: 1 });
  expect(await attempt({ priority: {} }, async () => 2)).toMatchObject({ result: 2 });
  // A plan of the partner's orders has the key of its workflow, and no heartbeat.
  expect(await attempt({ heartbeatTimeoutMs: 0 }, async () => 3)).toMatchObject({ result: 3 });
  (holder as { release(): void }).release();
  expect(await attempt({ attempt: 2 }, async () => 3)).toMatchObject({ result: 3 });
  // A failed activity gives its slot back too.
  await attempt({ attempt: 3 }, fails);
  expect(await attempt({ attempt: 4 }, async () => 4)).toMatchObject({ result: 4 });
});

test('an activity that finds its partner busy waits as one without a slot does', async () => {
  const busy = async () => {
    throw new ShareTaken('prints-ohio has not responded', 3_000);
  };
  const first = await attempt({ attempt: 1 }, busy);
  expect(first).toMatchObject({ failure: { type: 'ShareTaken', nextRetryDelay: 3_000 }, carried: { waits: 1 } });
  // A stock poll has no fairness key, and carries how far it is.
  const poll = await attempt({ attempt: 2, priority: {}, heartbeatDetails: { afterSku: 'b', waits: 1 } }, busy);
  expect(poll).toMatchObject({ failure: { type: 'ShareTaken' }, carried: { afterSku: 'b', waits: 2 } });
});

test.each([
  [1, 5_000],
  [2, 10_000],
  [4, 40_000],
  [20, 600_000],
])('the pause after real attempt %i is the same with waits before it as without', async (number, pause) => {
  const waits = 7;
  const seen = await attempt({ attempt: number + waits, heartbeatDetails: { since: 1, waits } }, async ({ info }) => {
    expect(attemptOf(info)).toBe(number);
    return await fails();
  });
  expect(seen).toMatchObject({
    failure: { type: 'PartnerUnreachable', message: 'HTTP 503', nextRetryDelay: pause },
  });
  // Without waits, the server computes it from the policy.
  const alone = (await attempt({ attempt: number }, fails)) as { failure: ApplicationFailure };
  expect(alone.failure.nextRetryDelay).toBeUndefined();
});

test('a pause that the other side names is kept, and so is a refusal for good', async () => {
  const after = (failure: Error) =>
    attempt({ attempt: 3, heartbeatDetails: { waits: 2 } }, async () => {
      throw failure;
    });
  expect(await after(transient('busy', 'PartnerUnreachable', 1_234))).toMatchObject({
    failure: { nextRetryDelay: 1_234 },
  });
  expect(await after(ApplicationFailure.nonRetryable('no'))).toMatchObject({
    failure: { nonRetryable: true, nextRetryDelay: undefined },
  });
  // An unexpected exception too is retried as if it had not waited.
  expect(await after(new Error('a bug'))).toMatchObject({ failure: { nextRetryDelay: 5_000 } });
});

test('an activity’s own heartbeats keep the number of waits', async () => {
  const { carried } = await attempt({ attempt: 4, heartbeatDetails: { since: 5, waits: 3 } }, async () =>
    carry({ since: 6 }),
  );
  expect(carried).toEqual({ since: 6, waits: 3 });
});
