import { setTimeout as sleep } from 'node:timers/promises';
import { isGrpcServiceError } from '@temporalio/client';
import { randomToken } from '../../src/platform/ids';
import type { SeededRandom } from '../support/seeded-random';
import type { CutProxy } from './cut-proxy';
import type { DistributedStack, ProcessName } from './distributed-stack';

/** In the order of `apiUrls`. */
const API_PROCESSES = ['api-1', 'api-2'] as const;

/** A fault that can be injected into a stack, with the weight of its selection. */
type Fault = { readonly weight: number } & (
  | { readonly kind: 'kill' | 'stall'; readonly process: ProcessName }
  | { readonly kind: 'cut'; readonly proxy: keyof DistributedStack['proxies'] }
  | { readonly kind: 'hang' | 'odd words'; readonly proxy: 'gateway' }
  | { readonly kind: 'deploy and roll back'; readonly process: 'worker-3' }
  | { readonly kind: 'sign-ins'; readonly process: (typeof API_PROCESSES)[number] }
);

const FAULTS: readonly Fault[] = [
  { kind: 'kill', process: 'api-1', weight: 2 },
  { kind: 'kill', process: 'api-2', weight: 2 },
  { kind: 'kill', process: 'worker-1', weight: 3 },
  { kind: 'kill', process: 'worker-2', weight: 3 },
  { kind: 'kill', process: 'temporal', weight: 2 },
  { kind: 'kill', process: 'postgres', weight: 2 },
  { kind: 'kill', process: 'sandbox', weight: 2 },
  { kind: 'kill', process: 'worker-3', weight: 1 },
  { kind: 'deploy and roll back', process: 'worker-3', weight: 4 },
  { kind: 'stall', process: 'worker-1', weight: 1 },
  { kind: 'stall', process: 'worker-2', weight: 1 },
  // All partners, carriers and file hosts hang.
  { kind: 'stall', process: 'sandbox', weight: 2 },
  { kind: 'cut', proxy: 'postgres', weight: 2 },
  { kind: 'cut', proxy: 'temporal', weight: 2 },
  { kind: 'cut', proxy: 'api', weight: 1 },
  { kind: 'cut', proxy: 'gateway', weight: 1 },
  { kind: 'hang', proxy: 'gateway', weight: 3 },
  { kind: 'odd words', proxy: 'gateway', weight: 2 },
  { kind: 'sign-ins', process: 'api-1', weight: 2 },
  { kind: 'sign-ins', process: 'api-2', weight: 2 },
];

/** Time until a killed process starts again. */
const DOWN_MS = [0, 4_000] as const;
/** Duration of a stall. The longest exceeds the timeout of a workflow task (10 s), so that the other worker repeats its work. */
const STALL_MS = [2_000, 14_000] as const;
/** The longest exceeds the 20 s that a call to a partner has. */
const HANG_MS = [10_000, 25_000] as const;
/** Time until a deployed worker version is set back. */
const DEPLOYED_MS = [5_000, 20_000] as const;
/** Calls of each kind that a gateway refuses with odd words. */
const ODD_RESPONSES = 3;
/** Simultaneous sign-ins with unknown keys: many times the connections of a process. */
const SIGN_INS = 200;
const LONGEST_SIGN_IN_MS = 30_000;

/** Injects one fault after another until the signal. @param longest seconds between two @returns the number of each fault, by name */
export async function injectFaults(
  stack: DistributedStack,
  random: SeededRandom,
  longest: number,
  signal: AbortSignal,
): Promise<Readonly<Record<string, number>>> {
  const injected: Record<string, number> = {};
  let rolledBack = Promise.resolve();
  let isDeployed = false;
  for (;;) {
    const pause = random.between(longest / 2, longest) * 1_000;
    await sleep(pause, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) {
      await rolledBack;
      return injected;
    }
    const fault = random.weighted(FAULTS);
    if (fault.kind === 'deploy and roll back' && isDeployed) continue;
    const name = `${fault.kind} ${'process' in fault ? fault.process : fault.proxy}`;
    injected[name] = (injected[name] ?? 0) + 1;
    switch (fault.kind) {
      case 'kill':
        stack.processes[fault.process].kill(random.between(...DOWN_MS));
        break;
      case 'stall':
        stack.processes[fault.process].stall(
          fault.process === 'sandbox' ? random.between(...HANG_MS) : random.between(...STALL_MS),
        );
        break;
      case 'cut':
        stack.proxies[fault.proxy].cut();
        break;
      case 'hang':
        hang(stack.proxies[fault.proxy], random.between(...HANG_MS));
        break;
      case 'odd words':
        for (const call of ['create', 'buy', 'label'] as const)
          stack.gateway.fail(call, ...Array<'odd-words'>(ODD_RESPONSES).fill('odd-words'));
        break;
      case 'deploy and roll back': {
        const deployedMs = random.between(...DEPLOYED_MS);
        // One at a time: an earlier rollback must not take the next deployment back.
        isDeployed = true;
        rolledBack = rolledBack.then(async () => {
          const made = await deployAndRollBack(stack, deployedMs);
          isDeployed = false;
          if (!made) injected['deployments that failed'] = (injected['deployments that failed'] ?? 0) + 1;
        });
        break;
      }
      case 'sign-ins':
        signIns(stack.apiUrls[API_PROCESSES.indexOf(fault.process)]!);
    }
  }
}

/** Stops the responses of a proxy's servers for a while. */
function hang(proxy: CutProxy, ms: number): void {
  proxy.hold();
  setTimeout(() => proxy.release(), ms);
}

/**
 * Makes the newer worker version current and, after a while, the older one again.
 * @returns false when Temporal refused one of the two for minutes, as it does under heavy load. Either version then executes
 * the workflows.
 */
async function deployAndRollBack(stack: DistributedStack, deployedMs: number): Promise<boolean> {
  try {
    await stack.makeCurrent('newer');
    await sleep(deployedMs);
    await stack.makeCurrent('older');
    return true;
  } catch (error) {
    if (!isGrpcServiceError(error)) throw error;
    return false;
  }
}

/** Sends a burst of sign-ins to an API process. Their responses do not matter: other faults may hit the process meanwhile. */
function signIns(apiUrl: string): void {
  for (let sent = 0; sent < SIGN_INS; sent += 1) {
    fetch(`${apiUrl}/v1/operator/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ apiKey: randomToken(32) }),
      signal: AbortSignal.timeout(LONGEST_SIGN_IN_MS),
    })
      .then((response) => response.arrayBuffer())
      .catch(() => undefined);
  }
}
