import { MockActivityEnvironment } from '@temporalio/testing';
import { withHeartbeat } from '../../activities/heartbeats';
import { progressed } from '../../src/platform/progress';

test('an activity sends a heartbeat at its start and with each part of its work, and none without progress', async () => {
  const environment = new MockActivityEnvironment({ heartbeatDetails: undefined });
  const beats: unknown[] = [];
  environment.on('heartbeat', (details: unknown) => beats.push(details));
  let done = 0;
  const hanging = Promise.withResolvers<void>();
  const work = environment.run(() =>
    withHeartbeat(
      async () => {
        for (done = 1; done <= 3; done += 1) progressed();
        await hanging.promise;
        return 'done';
      },
      () => done,
    ),
  );
  expect(beats).toEqual([0, 1, 2, 3]);
  jest.useFakeTimers();
  jest.advanceTimersByTime(3_600_000);
  jest.useRealTimers();
  expect(beats).toHaveLength(4);
  hanging.resolve();
  expect(await work).toBe('done');
});

test('progress that nobody observes has no effect', () => {
  expect(() => progressed()).not.toThrow();
});
