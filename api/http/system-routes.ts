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

/** Long enough for a busy server, short enough for a probe. */
const PROBE_MS = 1_500;

async function answers(probe: PromiseLike<unknown>): Promise<z.infer<typeof serverState>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'away'>((resolve) => {
    timer = setTimeout(resolve, PROBE_MS, 'away');
  });
  try {
    return await Promise.race([late, Promise.resolve(probe).then(() => 'ready' as const)]);
  } catch {
    return 'away';
  } finally {
    clearTimeout(timer);
  }
}

/** Probes for whoever runs the process. */
export function systemRoutes({ sql, temporal }: Pick<ApiDeps, 'sql' | 'temporal'>): Route[] {
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
        const [postgresState, temporalState] = await Promise.all([
          answers(sql`SELECT 1`),
          answers(
            temporal.connection.withDeadline(Date.now() + PROBE_MS, () =>
              temporal.workflowService.getSystemInfo({}),
            ),
          ),
        ]);
        const body = { postgres: postgresState, temporal: temporalState };
        if (postgresState === 'ready') return { status: 'ready' as const, ...body };
        const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Retry-After': '2' };
        return new RawAnswer(503, headers, JSON.stringify({ status: 'unavailable', ...body }));
      },
    }),
  ];
}
