import { Agent, get } from 'node:http';

/** Longest time that the server may take for a response. */
export const LIMIT_MS = 5_000;

/** The duration of a request, with figures that do not depend on other load on the machine. */
export interface ResponseTime {
  readonly ms: number;
  /** CPU time of this process, which the API runs in. */
  readonly cpuMs: number;
  /**
   * Time that the probes sent during the request would take without other load: their number times the duration of the
   * fastest probe at the start. Probes run from half the limit to the response.
   */
  readonly probeMs: number;
}

/**
 * Returns true when the server took too long for a response. A long duration alone can come from other load: then the
 * request used little CPU time, and the probes were as slow as the request. On a machine without other load, this is true
 * for every duration above the limit.
 */
export function isSlow({ ms, cpuMs, probeMs }: ResponseTime, limitMs = LIMIT_MS): boolean {
  return ms > limitMs && (cpuMs > limitMs || probeMs > limitMs / 2);
}

/** Measures response times and compares them with probe requests. */
export interface Stopwatch {
  /** Starts to measure a request. Call the result when the response is complete, or when there will be none. */
  start(): () => ResponseTime;
  stop(): void;
}

/** Creates a stopwatch. Its probes are GET /readyz, which asks Postgres. */
export async function createStopwatch(baseUrl: string, limitMs = LIMIT_MS): Promise<Stopwatch> {
  const agent = new Agent({ keepAlive: true });
  const probe = () =>
    new Promise<void>((resolve, reject) => {
      get(`${baseUrl}/readyz`, { agent }, (response) => {
        response.on('end', resolve).on('error', reject).resume();
      }).on('error', reject);
    });
  const fastestMs = await shortestMs(probe);

  return {
    start() {
      const startedAt = performance.now();
      const cpuBefore = process.cpuUsage();
      let probes = 0;
      let pending = true;
      const timer = setTimeout(async () => {
        try {
          while (pending) {
            await probe();
            if (pending) probes += 1;
          }
        } catch {
          // A server that refuses probes proves nothing about the load.
        }
      }, limitMs / 2);
      return () => {
        pending = false;
        clearTimeout(timer);
        const { user, system } = process.cpuUsage(cpuBefore);
        return {
          ms: performance.now() - startedAt,
          cpuMs: (user + system) / 1_000,
          probeMs: probes * fastestMs,
        };
      };
    },
    stop: () => agent.destroy(),
  };
}

async function shortestMs(work: () => Promise<void>): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < 21; turn += 1) {
    const startedAt = performance.now();
    await work();
    shortest = Math.min(shortest, performance.now() - startedAt);
  }
  return shortest;
}
