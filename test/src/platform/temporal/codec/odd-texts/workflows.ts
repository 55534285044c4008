import {
  ApplicationFailure,
  condition,
  defineQuery,
  defineSignal,
  defineUpdate,
  proxyActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';

/** Activities that use the odd text with this number. */
export interface OddActivities {
  fail(text: number): Promise<void>;
  report(text: number): Promise<unknown>;
  beat(text: number): Promise<unknown>;
}

const { fail, report } = proxyActivities<OddActivities>({
  startToCloseTimeout: '1 minute',
  retry: { maximumAttempts: 1 },
});
const { beat } = proxyActivities<OddActivities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: 1, maximumAttempts: 2 },
});

/** Code units, because an argument of a workflow is cleaned before it arrives. */
const textOf = (codes: readonly number[]) => String.fromCharCode(...codes);

export const echoUpdate = defineUpdate<string, [number[]]>('echo');
export const refuseUpdate = defineUpdate<void, [number[]]>('refuse');
export const echoQuery = defineQuery<string, [number[]]>('echo');
export const endSignal = defineSignal('end');

/** Runs three activities for each odd text. Returns what arrives. */
export async function activityTexts(count: number): Promise<unknown[][]> {
  const arriving = Array.from({ length: count }, async (_, text) => {
    const failing = fail(text).then(
      () => undefined,
      ({ cause }: { cause: ApplicationFailure }) => cause,
    );
    const [failed, reported, beaten] = await Promise.all([failing, report(text), beat(text)]);
    return [failed?.message, failed?.type, failed?.details, failed?.cause?.message, reported, beaten];
  });
  return await Promise.all(arriving);
}

/** Fails with an odd text after odd updates, queries, details and summaries. */
export async function workflowTexts(codes: number[]): Promise<void> {
  const text = textOf(codes);
  let ended = false;
  setHandler(echoUpdate, (more) => textOf(more));
  setHandler(refuseUpdate, () => undefined, {
    validator: (more) => {
      throw ApplicationFailure.nonRetryable(textOf(more), textOf(more), textOf(more));
    },
  });
  setHandler(echoQuery, (more) => textOf(more));
  setHandler(endSignal, () => {
    ended = true;
  });
  setCurrentDetails(text);
  await report.executeWithOptions({ summary: text.slice(0, 20) }, [0]);
  await condition(() => ended);
  throw ApplicationFailure.nonRetryable(text, text, text);
}
