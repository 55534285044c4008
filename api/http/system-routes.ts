import { z } from 'zod';
import type { ApiDeps } from '../deps';
import { RawAnswer, type Route, route } from './route';

const serverState = z.enum(['ready', 'away']);
const readiness = z
  .object({
    status: z.enum(['ready', 'unavailable']),
    postgres: serverState,
    temporal: serverState.describe('Orders are taken while Temporal is away; they run when it is back.'),
  })
  .meta({ id: 'Readiness' });

type ServerState = z.infer<typeof serverState>;

/** Long enough for a busy server, short enough for a probe. */
const POSTGRES_PROBE_MS = 1_500;
/**
 * Deadline of the Temporal probe. Its client retries with backoff until the deadline has passed, so the probe
 * itself takes about twice this at most; it is awaited to its end, for a retry left over from it would find the
 * connection closed when the process stops.
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

/** Probes for whoever runs the process. */
export function systemRoutes(deps: Pick<ApiDeps, 'sql' | 'temporal'>): Route[] {
  return [
    route({
      method: 'get',
      path: '/healthz',
      operationId: 'getHealth',
      summary: 'Whether the process is up',
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
      summary: 'Whether requests can be served',
      description:
        '200 when Postgres answers, 503 when it does not. Temporal’s state is told but decides nothing.',
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
