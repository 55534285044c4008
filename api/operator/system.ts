import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { DIFFERENCES } from '../../src/orders/reconciliation/differences';
import { lastReconciliation } from '../../src/orders/reconciliation/reconciliation';
import { shownConfiguration } from '../../src/platform/configuration/shown-configuration';
import { timestamp } from '../../src/platform/domain/fields';
import { projectRoot } from '../../src/platform/project-root';
import { schemaStatus } from '../../src/platform/schema/schema-version';
import type { ApiDeps } from '../deps';
import { operatorsOnly, type Route, route } from '../http/route';

/** Timeout of the request for Temporal's version. */
const TEMPORAL_MS = 1_000;

const system = z
  .object({
    versions: z.object({
      pressline: z.string(),
      node: z.string(),
      postgres: z.string(),
      temporal: z.string().nullable().describe('Null while Temporal does not respond.'),
      schema: z.int().describe('The newest migration that has run.'),
      pendingMigrations: z.array(z.string()),
    }),
    temporal: z.object({
      namespace: z.string(),
      taskQueue: z.string(),
      uiUrl: z.string().nullable(),
    }),
    reconciliation: z
      .object({
        endedAt: timestamp,
        differences: z
          .array(z.object({ difference: z.string(), description: z.string(), count: z.int() }))
          .describe('What it found and repaired.'),
      })
      .nullable()
      .describe('The last reconciliation of Postgres with Temporal. Null before the first one.'),
    configuration: z
      .array(
        z.object({
          name: z.string(),
          value: z
            .string()
            .nullable()
            .describe('The value of this process. Secrets: `(set)`. Durations are in milliseconds.'),
          fallback: z.string(),
          doc: z.string(),
        }),
      )
      .describe('The environment variables, without secrets.'),
  })
  .meta({ id: 'System' });

/** The route with versions, configuration and the last reconciliation. */
export function systemInfoRoutes({ sql, config, temporal }: Pick<ApiDeps, 'sql' | 'config' | 'temporal'>): Route[] {
  const { version } = JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8')) as { version: string };
  const temporalVersion = () =>
    temporal
      .withDeadline(Date.now() + TEMPORAL_MS, () => temporal.workflowService.getSystemInfo({}))
      .then(
        ({ serverVersion }) => serverVersion || null,
        () => null,
      );
  return [
    route({
      method: 'get',
      path: '/v1/operator/system',
      operationId: 'getSystem',
      summary: 'Retrieve versions, configuration and the last reconciliation',
      tag: 'Operator: system',
      access: operatorsOnly('viewer'),
      response: system,
      handler: async () => {
        const [[server], schema, reconciliation, temporalServer] = await Promise.all([
          sql<{ version: string }[]>`SELECT current_setting('server_version') AS version`,
          schemaStatus(sql),
          lastReconciliation(sql),
          temporalVersion(),
        ]);
        return {
          versions: {
            pressline: version,
            node: process.versions.node,
            postgres: server!.version,
            temporal: temporalServer,
            schema: schema.version,
            pendingMigrations: schema.pending,
          },
          temporal: {
            namespace: config.TEMPORAL_NAMESPACE,
            taskQueue: config.TEMPORAL_TASK_QUEUE,
            uiUrl: config.TEMPORAL_UI_URL ?? null,
          },
          reconciliation: reconciliation && {
            endedAt: reconciliation.endedAt,
            differences: Object.entries(reconciliation.counts).map(([difference, count]) => ({
              difference,
              description: DIFFERENCES[difference as keyof typeof DIFFERENCES] ?? difference,
              count,
            })),
          },
          configuration: shownConfiguration(config),
        };
      },
    }),
  ];
}
