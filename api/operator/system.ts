import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ScheduleNotFoundError } from '@temporalio/client';
import { z } from 'zod';
import { confirmServers, HOLD_REASONS, readKnownServers } from '../../src/orders/upkeep/known-servers';
import { DIFFERENCES, lastReconciliation } from '../../src/orders/upkeep/reconciliation';
import { shownConfiguration } from '../../src/platform/config';
import { timestamp } from '../../src/platform/domain/fields';
import { Refusal } from '../../src/platform/errors';
import { projectRoot } from '../../src/platform/project-root';
import { schemaStatus } from '../../src/platform/schema/schema-version';
import { readJobResults, triggerJob } from '../../src/platform/temporal/periodic-jobs';
import type { ApiDeps } from '../deps';
import { forOperators, type Route, route } from '../http/route';

const TAG = 'Operator: system';

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
    starts: z
      .object({
        hold: z
          .object({
            reason: z.enum(Object.keys(HOLD_REASONS) as [keyof typeof HOLD_REASONS]),
            description: z.string(),
            since: timestamp,
          })
          .nullable()
          .describe('Why no workflow starts. Null while workflows start.'),
        restartsFrom: timestamp
          .nullable()
          .describe('Orders that were accepted before are flagged, not started, when they have no workflow.'),
      })
      .describe('The starts of workflows.'),
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
    route('GET /v1/operator/system', {
      ...forOperators(TAG, 'viewer'),
      operationId: 'getSystem',
      summary: 'Retrieve versions, configuration and the last reconciliation',
      response: system,
      handler: async () => {
        const [[server], schema, known, reconciliation, temporalServer] = await Promise.all([
          sql<{ version: string }[]>`SELECT current_setting('server_version') AS version`,
          schemaStatus(sql),
          readKnownServers(sql),
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
          starts: {
            hold: known?.hold
              ? { reason: known.hold, description: HOLD_REASONS[known.hold], since: known.heldAt! }
              : null,
            restartsFrom: known?.restartsFrom ?? null,
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
    route('POST /v1/operator/system/servers/confirm', {
      ...forOperators(TAG, 'admin'),
      operationId: 'confirmServers',
      refuses: ['CONFLICT'],
      summary: 'Confirm the servers, so that workflows start',
      description:
        'Ends the hold of `GET /v1/operator/system`. Every open order without a workflow then starts from the state that ' +
        'its last record has stored, also one that was flagged instead of started.',
      audits: ['servers.confirm'],
      body: z.object({ reason: z.string().trim().min(1).max(500).describe('Kept in the audit log.') }),
      response: z.object({ confirmedAt: timestamp }).meta({ id: 'ConfirmedServers' }),
      handler: async ({ body: { reason }, audit, intend }) => {
        const before = await readKnownServers(sql);
        await intend({ action: 'servers.confirm', objectId: config.TEMPORAL_NAMESPACE });
        if (!(await confirmServers(sql, temporal)))
          throw new Refusal('CONFLICT', { message: 'No start of a workflow is held back.' });
        await audit(sql, {
          action: 'servers.confirm',
          objectId: config.TEMPORAL_NAMESPACE,
          before: { hold: before?.hold ?? null, restartsFrom: before?.restartsFrom?.toISOString() ?? null },
          after: { reason },
        });
        return { confirmedAt: new Date() };
      },
    }),
  ];
}

export const jobSchema = z
  .object({
    name: z.string(),
    everySeconds: z.number(),
    lastRun: z
      .object({
        endedAt: timestamp,
        seconds: z.number(),
        error: z.string().nullable().describe('Null for a successful run.'),
      })
      .nullable()
      .describe('Null before the first run has ended.'),
    lastSuccessAt: timestamp.nullable(),
  })
  .meta({ id: 'PeriodicJob' });

export function jobRoutes({ sql, temporal, config, jobs }: ApiDeps): Route[] {
  return [
    route('GET /v1/operator/jobs', {
      operationId: 'listJobs',
      summary: 'List the periodic jobs with their last runs',
      ...forOperators(TAG, 'viewer'),
      response: z.object({ jobs: z.array(jobSchema) }).meta({ id: 'PeriodicJobs' }),
      handler: async () => ({ jobs: await readJobResults(sql, jobs) }),
    }),
    route('POST /v1/operator/jobs/{name}/run', {
      operationId: 'runJob',
      refuses: ['CONFLICT'],
      summary: 'Run a periodic job now',
      description:
        'Starts a run beside the schedule. While a run is in progress, no second one starts: that run does the work. The ' +
        'result shows in the list of jobs when the run has ended.',
      ...forOperators(TAG, 'operator'),
      audits: ['job.run'],
      params: z.object({ name: z.string().min(1).max(100).describe('Name of the job, for example `reconcile`.') }),
      response: z.object({ name: z.string(), requestedAt: timestamp }).meta({ id: 'RequestedJobRun' }),
      handler: async ({ params: { name }, account, log, audit, intend }) => {
        const job = jobs.find((each) => each.name === name);
        if (job === undefined) throw new Refusal('NOT_FOUND', { message: 'There is no job with this name.' });
        await intend({ action: 'job.run', objectId: name });
        try {
          await triggerJob(temporal, config, job);
        } catch (error) {
          if (!(error instanceof ScheduleNotFoundError)) throw error;
          throw new Refusal('CONFLICT', {
            message: 'The schedule of the job does not exist yet. A worker creates it.',
          });
        }
        await audit(sql, { action: 'job.run', objectId: name, before: null, after: null });
        log.info({ job: name, by: account.name }, 'periodic job requested');
        return { name, requestedAt: new Date() };
      },
    }),
  ];
}
