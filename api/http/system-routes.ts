import { z } from 'zod';
import type { ApiDeps } from '../deps';
import { RawAnswer, type Route, route } from './route';

const serverState = z.enum(['ready', 'away']);
const readiness = z
  .object({
    status: z.enum(['ready', 'unavailable']),
    postgres: serverState,
    temporal: serverState.describe('While Temporal is unavailable, orders are accepted and start later.'),
  })
  .meta({ id: 'Readiness' });

type ServerState = z.infer<typeof serverState>;

/** Time limit of a probe's answer. Probes of container platforms wait a few seconds. */
const PROBE_TIMEOUT_MS = 5_000;
/** Time limit of the Postgres probe: enough for a busy server, short enough for a probe. */
const POSTGRES_PROBE_MS = 1_500;
/**
 * Deadline of the Temporal probe. The client retries with back-off until the deadline, so the probe takes at most about
 * twice this time. It is always awaited: a pending retry would meet a closed connection when the process stops.
 */
const TEMPORAL_PROBE_MS = 500;

async function stateOf(probe: PromiseLike<unknown>): Promise<ServerState> {
  try {
    await probe;
    return 'ready';
  } catch {
    return 'away';
  }
}

async function postgresState(sql: ApiDeps['sql']): Promise<ServerState> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<ServerState>((resolve) => {
    timer = setTimeout(resolve, POSTGRES_PROBE_MS, 'away');
  });
  const state = await Promise.race([late, stateOf(sql`SELECT 1`)]);
  clearTimeout(timer);
  return state;
}

function temporalState({ connection, workflowService }: ApiDeps['temporal']): Promise<ServerState> {
  return stateOf(
    connection.withDeadline(Date.now() + TEMPORAL_PROBE_MS, () => workflowService.getSystemInfo({})),
  );
}

/** Routes for liveness and readiness probes. */
export function systemRoutes(deps: Pick<ApiDeps, 'sql' | 'temporal'>): Route[] {
  return [
    route({
      method: 'get',
      path: '/healthz',
      operationId: 'getHealth',
      timeoutMs: PROBE_TIMEOUT_MS,
      summary: 'Check that the process is up',
      tag: 'System',
      access: { credentials: 'none' },
      errors: 'coded',
      response: z.object({ status: z.literal('up') }),
      handler: async () => ({ status: 'up' as const }),
    }),
    route({
      method: 'get',
      path: '/readyz',
      operationId: 'getReadiness',
      timeoutMs: PROBE_TIMEOUT_MS,
      summary: 'Check that requests can be served',
      description:
        'Returns 200 when Postgres responds, else 503. The state of Temporal is reported and does not change the status.',
      tag: 'System',
      access: { credentials: 'none' },
      errors: 'coded',
      response: readiness,
      handler: async () => {
        const [postgres, temporal] = await Promise.all([
          postgresState(deps.sql),
          temporalState(deps.temporal),
        ]);
        const body = { postgres, temporal };
        if (postgres === 'ready') return { status: 'ready' as const, ...body };
        const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Retry-After': '2' };
        return new RawAnswer(503, headers, JSON.stringify({ status: 'unavailable', ...body }));
      },
    }),
  ];
}
