import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { loadConfig } from '../../../../src/platform/config';
import {
  limitWorkflowHeap,
  thisMachine,
  tuningOptions,
  workerTuning,
} from '../../../../src/platform/temporal/worker-tuning';

const tuned = (machine: { memoryMb: number; cores: number }, env: Record<string, string> = {}) =>
  workerTuning(loadConfig(env), machine);

test.each([
  [{ memoryMb: 512, cores: 1 }, [256, 100, 20, { min: 10, max: 50 }, 20, 3, 10]],
  [{ memoryMb: 4_096, cores: 2 }, [2_048, 1_082, 40, { min: 20, max: 100 }, 40, 6, 20]],
  [{ memoryMb: 65_536, cores: 32 }, [16_384, 9_482, 400, { min: 200, max: 1_000 }, 160, 96, 100]],
])(
  'without settings, %p decides',
  (machine, [heapMb, cachedWorkflows, workflowSlots, activitySlots, fileSlots, clientStarts, pollers]) => {
    expect(tuned(machine)).toEqual({
      heapMb,
      cachedWorkflows,
      workflowSlots,
      activitySlots,
      localActivitySlots: 10,
      fileSlots,
      clientStarts,
      pollers,
    });
  },
);

test('settings replace the figures of the machine, and the cache follows the heap', () => {
  const machine = { memoryMb: 4_096, cores: 2 };
  expect(tuned(machine, { WORKER_HEAP_MB: '1024' })).toMatchObject({ heapMb: 1_024, cachedWorkflows: 482 });
  expect(
    tuned(machine, {
      WORKER_CACHED_WORKFLOWS: '30',
      WORKER_ACTIVITY_SLOTS: '7',
      WORKER_CLIENT_STARTS: '5',
      WORKER_POLLERS: '3',
      DATABASE_POOL_SIZE: '25',
    }),
  ).toMatchObject({
    cachedWorkflows: 30,
    // A workflow with a task is in the cache.
    workflowSlots: 30,
    activitySlots: { min: 7, max: 7 },
    localActivitySlots: 25,
    clientStarts: 5,
    pollers: 3,
  });
});

test('a fixed number of activity slots is not changed by the load of the machine', () => {
  const machine = { memoryMb: 4_096, cores: 2 };
  const supplierOf = (env: Record<string, string>) => tuningOptions(tuned(machine, env)).tuner.activityTaskSlotSupplier;
  expect(supplierOf({ WORKER_ACTIVITY_SLOTS: '7' })).toEqual({ type: 'fixed-size', numSlots: 7 });
  expect(supplierOf({})).toMatchObject({ type: 'resource-based', minimumSlots: 20, maximumSlots: 100 });
});

test('this machine has memory and cores', () => {
  const { memoryMb, cores } = thisMachine();
  expect(memoryMb).toBeGreaterThan(256);
  expect(cores).toBeGreaterThanOrEqual(1);
});

test('the heap limit holds for threads that start later', async () => {
  const heapOfThread = async () => {
    const thread = new Worker(
      `require('node:worker_threads').parentPort.postMessage(require('node:v8').getHeapStatistics().heap_size_limit)`,
      { eval: true },
    );
    const [bytes] = (await once(thread, 'message')) as [number];
    return bytes / 2 ** 20;
  };
  limitWorkflowHeap(300);
  const small = await heapOfThread();
  limitWorkflowHeap(900);
  // V8 adds its young generation.
  expect((await heapOfThread()) - small).toBeCloseTo(600, 0);
});
