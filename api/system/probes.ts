import { z } from 'zod';
import type { ApiDeps } from '../deps';
import { openRoute, RawResponse, type Route } from '../http/route';

const serverState = z.enum(['ready', 'unavailable']);
const readiness = z
  .object({
    status: z.enum(['ready', 'unavailable', 'stopping']),
    postgres: serverState,
    temporal: serverState.describe('While Temporal is unavailable, orders are accepted and start later.'),
    objectStore: serverState.describe('While the object store is unavailable, files and documents are.'),
  })
  .meta({ id: 'Readiness' });

/** Timeout of a probe. Probes of container platforms wait a few seconds. */
const PROBE_TIMEOUT_MS = 5_000;
const probe = {
  timeoutMs: PROBE_TIMEOUT_MS,
  tag: 'System',
} as const;
const up = {
  response: z.object({ status: z.literal('up') }),
  handler: async () => ({ status: 'up' as const }),
};

export function systemRoutes({ health }: Pick<ApiDeps, 'health'>): Route[] {
  return [
    openRoute('GET /healthz', {
      ...probe,
      ...up,
      operationId: 'getHealth',
      summary: 'Check that the process is up',
    }),
    openRoute('GET /livez', {
      ...probe,
      ...up,
      operationId: 'getLiveness',
      summary: 'Check that the process is up',
      description: 'Restart a process that does not respond.',
    }),
    openRoute('GET /readyz', {
      ...probe,
      operationId: 'getReadiness',
      summary: 'Check that requests can be served',
      description:
        'Returns 200 when Postgres responds and the process is not stopping, else 503. The states of Temporal and the object store are reported and do not change the status.',
      response: readiness,
      handler: async () => {
        const state = await health.readiness();
        if (state.status === 'ready') return state;
        const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Retry-After': '2' };
        return new RawResponse(503, headers, JSON.stringify(state));
      },
    }),
  ];
}
