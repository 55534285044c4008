import { MockActivityEnvironment } from '@temporalio/testing';
import { withHeartbeat } from '../../activities/heartbeats';
import { progressed } from '../../src/platform/progress';

test('an activity sends a heartbeat with its progress, and none without progress', async () => {
  const environment = new MockActivityEnvironment({ heartbeatDetails: undefined });
  const beats: unknown[] = [];
  environment.on('heartbeat', (details: unknown) => beats.push(details));
  jest.useFakeTimers({ now: 0 });
  let done = 0;
  const hanging = Promise.withResolvers<void>();
  const work = environment.run(() =>
    withHeartbeat(
      async () => {
        for (done = 1; done <= 4; done += 1) {
          jest.setSystemTime(done * 3_000);
          progressed();
        }
        await hanging.promise;
        return 'done';
      },
      () => done,
    ),
  );
  // At 3 and 9 seconds, the latest heartbeat is not old.
  expect(beats).toEqual([2, 4]);
  jest.advanceTimersByTime(3_600_000);
  jest.useRealTimers();
  expect(beats).toHaveLength(2);
  hanging.resolve();
  expect(await work).toBe('done');
});

test('progress that nobody observes has no effect', () => {
  expect(() => progressed()).not.toThrow();
});
