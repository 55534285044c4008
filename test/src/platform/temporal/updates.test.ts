import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { asRefusal } from '../../../../api/http/error-body';
import { sendUpdate } from '../../../../src/platform/temporal/updates';

const givenBack = () =>
  new WorkflowUpdateFailedError(
    'Workflow Update failed',
    ApplicationFailure.nonRetryable('not processed by worker', 'UnprocessedUpdate'),
  );
const refused = new WorkflowUpdateFailedError(
  'Workflow Update failed',
  ApplicationFailure.nonRetryable('shipped already', 'Conflict'),
);
const A_MINUTE = 60_000;
const client = { withDeadline: <T>(_deadline: unknown, call: () => Promise<T>) => call() };

/** Fails with each of the errors, one a try, and then responds. */
function sending(...errors: Error[]) {
  let tries = 0;
  const send = async () => {
    const error = errors[tries];
    tries += 1;
    if (error !== undefined) throw error;
    return 'done';
  };
  return { send, tries: () => tries };
}

test('an update is sent again until a worker processes it', async () => {
  const { send, tries } = sending(givenBack(), givenBack());
  expect(await sendUpdate(client, A_MINUTE, send)).toBe('done');
  expect(tries()).toBe(3);
});

test('a refusal by the workflow is a response and is not retried', async () => {
  const { send, tries } = sending(refused);
  await expect(sendUpdate(client, A_MINUTE, send)).rejects.toBe(refused);
  expect(tries()).toBe(1);
});

test('an update fails after its deadline, with an error that can be retried', async () => {
  const error = givenBack();
  await expect(sendUpdate(client, 0, sending(error).send)).rejects.toBe(error);
  expect(asRefusal(error)).toMatchObject({ code: 'UNAVAILABLE', retryAfter: expect.any(Number) });
  expect(asRefusal(refused).code).toBe('INTERNAL_ERROR');
});
