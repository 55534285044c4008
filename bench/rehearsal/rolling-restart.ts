import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, untilOrdersAre } from './orders';
import type { Service } from './service';
import type { StepResult } from './step';
import type { Topology } from './topology';

/** Load between two restarts. */
const PAUSE_MS = 3_000;
/** A process that takes as long was killed: `stop_grace_period` in docker-compose.yml. */
const KILLED_MS = 30_000;

/** Counts calls and responses from now on. */
export function watchRequests({ balancer }: Topology, client: Client) {
  const before = {
    calls: client.calls,
    failed: client.failedCalls.length,
    responses: balancer.responses(),
    failures: balancer.failed.length,
  };
  return {
    /** Calls of the client that failed after the client's retries. */
    failedCalls: () => client.failedCalls.slice(before.failed),
    /** Responses with status 500 and above that client, partners and carriers got, also if they repeated the request. */
    failedResponses: () => balancer.failed.slice(before.failures),
    counts: () => [
      `${client.calls - before.calls} calls of the client, ${client.failedCalls.length - before.failed} failed`,
      `${balancer.responses() - before.responses} responses, ${balancer.failed.length - before.failures} of status 5xx`,
    ],
  };
}

/** Returns one text for each kind of failed response. */
export function summary(failed: readonly { readonly request: string; readonly status: number }[]): string[] {
  const counts = new Map<string, number>();
  for (const { request, status } of failed) {
    // Ids, signed links and file names differ from request to request.
    const kind = `${status} ${request.replaceAll(/\/(documents\/.*|[0-9a-f-]{8,}|\d+)/g, '/…')}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => `${count} x ${kind}`);
}

/**
 * Restarts every process in turn while orders are submitted and read. API processes and workers have others of their kind, so
 * their restart must not fail a single request. The other servers are single: requests that need them get 503
 * meanwhile, and succeed when they are repeated, as the client does.
 */
export async function rollingRestart(
  topology: Topology,
  client: Client,
  report: (line: string) => void,
): Promise<StepResult> {
  const { apis, workers, sandbox, objects, temporal, database } = topology;
  const findings: string[] = [];
  const requests = watchRequests(topology, client);
  const stopLoad = client.startLoad();
  const restart = async (service: Service, isReplicated: boolean) => {
    const during = watchRequests(topology, client);
    const began = Date.now();
    await service.stop();
    const stoppedMs = Date.now() - began;
    await service.start();
    const ms = Date.now() - began;
    await sleep(PAUSE_MS);
    const failed = during.failedResponses();
    const responses = failed.length === 0 ? '' : `; ${summary(failed).join(', ')}`;
    report(
      `   ${service.name}: stopped in ${(stoppedMs / 1_000).toFixed(1)} s, ready after ${(ms / 1_000).toFixed(1)} s${responses}`,
    );
    if (stoppedMs > KILLED_MS) findings.push(`${service.name} did not stop in ${KILLED_MS / 1_000} s`);
    if (isReplicated && failed.length > 0) findings.push(`restart of ${service.name}: ${summary(failed).join(', ')}`);
  };
  for (const service of [...apis, ...workers]) await restart(service, true);
  for (const service of [sandbox, objects, temporal.server, temporal.postgres, database]) await restart(service, false);
  const submitted = await stopLoad();
  findings.push(...requests.failedCalls().map((message) => `a call of the client failed: ${message}`));
  findings.push(...(await untilOrdersAre(topology, ['delivered'])));
  const restarted = apis.length + workers.length + 5;
  return {
    counts: [
      `${restarted} processes restarted`,
      `${submitted} orders submitted and delivered meanwhile`,
      ...requests.counts(),
    ],
    findings,
  };
}
