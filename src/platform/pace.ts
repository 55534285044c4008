import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';

/** Parts up to which work runs without pauses. */
const UNPACED_PARTS = 50;
/** Pause after a part, as a multiple of the CPU time that the process used meanwhile, and its limit. */
const PAUSE = 4;
const LONGEST_PAUSE_MS = 100;

/**
 * Returns a function that runs the parts of long work one after the other. Those of work with many parts have pauses between them,
 * so that the other requests and tasks of the process go on: they wait at most for one part. A busy process pauses longer.
 * @param parts number of parts of the work
 */
export function createPace(parts: number): <T>(part: () => Promise<T>) => Promise<T> {
  const turn = pLimit(1);
  let pauseMs = 0;
  return (part) =>
    turn(async () => {
      await sleep(pauseMs);
      const before = process.cpuUsage();
      try {
        return await part();
      } finally {
        const { user, system } = process.cpuUsage(before);
        if (parts > UNPACED_PARTS) pauseMs = Math.min(LONGEST_PAUSE_MS, (PAUSE * (user + system)) / 1_000);
      }
    });
}
