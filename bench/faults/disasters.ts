import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '../support/seeded-random';
import type { ProcessName, ScatteredStack } from './scattered-stack';

/** What may befall a stack, as data. */
type Disaster = { readonly weight: number } & (
  | { readonly kind: 'kill' | 'stall'; readonly process: ProcessName }
  | { readonly kind: 'cut'; readonly proxy: keyof ScatteredStack['proxies'] }
);

const DISASTERS: readonly Disaster[] = [
  { kind: 'kill', process: 'api-1', weight: 2 },
  { kind: 'kill', process: 'api-2', weight: 2 },
  { kind: 'kill', process: 'worker-1', weight: 3 },
  { kind: 'kill', process: 'worker-2', weight: 3 },
  { kind: 'kill', process: 'temporal', weight: 2 },
  { kind: 'kill', process: 'postgres', weight: 2 },
  { kind: 'kill', process: 'sandbox', weight: 2 },
  { kind: 'stall', process: 'worker-1', weight: 1 },
  { kind: 'stall', process: 'worker-2', weight: 1 },
  { kind: 'cut', proxy: 'postgres', weight: 2 },
  { kind: 'cut', proxy: 'temporal', weight: 2 },
  { kind: 'cut', proxy: 'api', weight: 1 },
];

const SECONDS_BETWEEN = [5, 10] as const;
/** A process may be up again at once, or be missed for a while. */
const DOWN_MS = [0, 4_000] as const;
/** Up to past the time-out of a workflow task (10 s): its work is then done by the other worker as well. */
const STALL_MS = [2_000, 14_000] as const;

/** Lets disasters happen one after another until the signal. @returns how many of each, by name */
export async function letDisastersHappen(
  stack: ScatteredStack,
  random: SeededRandom,
  signal: AbortSignal,
): Promise<Readonly<Record<string, number>>> {
  const happened: Record<string, number> = {};
  for (;;) {
    const pause = random.between(...SECONDS_BETWEEN) * 1_000;
    await sleep(pause, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return happened;
    const disaster = random.weighted(DISASTERS);
    const name = `${disaster.kind} ${'process' in disaster ? disaster.process : disaster.proxy}`;
    happened[name] = (happened[name] ?? 0) + 1;
    switch (disaster.kind) {
      case 'kill':
        stack.processes[disaster.process].kill(random.between(...DOWN_MS));
        break;
      case 'stall':
        stack.processes[disaster.process].stall(random.between(...STALL_MS));
        break;
      case 'cut':
        stack.proxies[disaster.proxy].cut();
    }
  }
}
