import { ScheduleNotFoundError } from '@temporalio/client';
import { z } from 'zod';
import { timestamp } from '../../src/platform/domain/fields';
import { Refusal } from '../../src/platform/errors';
import { readJobResults, triggerJob } from '../../src/platform/temporal/periodic-jobs';
import type { ApiDeps } from '../deps';
import { operatorsOnly, type Route, route } from '../http/route';

const tag = 'Operator: system';

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

/** Routes for the periodic jobs. */
export function jobRoutes({ sql, temporal, config, jobs }: ApiDeps): Route[] {
  return [
    route({
      tag,
      method: 'get',
      path: '/v1/operator/jobs',
      operationId: 'listJobs',
      summary: 'List the periodic jobs with their last runs',
      access: operatorsOnly('viewer'),
      response: z.object({ jobs: z.array(jobSchema) }).meta({ id: 'PeriodicJobs' }),
      handler: async () => ({ jobs: await readJobResults(sql, jobs) }),
    }),
    route({
      tag,
      method: 'post',
      path: '/v1/operator/jobs/{name}/run',
      operationId: 'runJob',
      summary: 'Run a periodic job now',
      description:
        'Starts a run beside the schedule. While a run is in progress, no second one starts: that run does the work. The ' +
        'result shows in the list of jobs when the run has ended.',
      access: operatorsOnly('operator'),
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
