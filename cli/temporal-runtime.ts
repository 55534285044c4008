import { join } from 'node:path';
import type { Connection } from '@temporalio/client';
import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import { request } from 'undici';
import { freePort } from '../packages/embedded-servers/ports';
import { PERIODIC_JOBS } from '../src/platform/domain/periodic-jobs';
import { type Logger, wasReported } from '../src/platform/logging/logging';
import { projectRoot } from '../src/platform/project-root';
import { ensureSearchAttributes } from '../src/platform/temporal/connection';
import { ensureSchedule } from '../src/platform/temporal/periodic-jobs';
import type { Services } from './composition-root';

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/** Address at which the SDK's core serves its metrics, on this machine only. */
let metricsAddress: string | undefined;

/**
 * Installs the runtime of the Temporal SDK: log lines of the SDK and of workflows go to the process log, and the SDK does
 * not stop workers at Ctrl-C as it does by default. Call it once per process, before the first worker is created.
 * @param options `metrics`: collect the SDK's own metrics
 */
export async function installTemporalRuntime(log: Logger, options: { readonly metrics: boolean }): Promise<void> {
  const level = log.isLevelEnabled('debug') ? 'DEBUG' : 'INFO';
  if (options.metrics) metricsAddress = `127.0.0.1:${await freePort()}`;
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger(level, ({ level, message, meta: { error, ...meta } = {} }) => {
      // The lifecycle messages of a worker at `info` are of interest only for debugging.
      const isLifecycle = level === 'INFO' && meta.sdkComponent === 'worker';
      // "Activity failed" follows the report of an unexpected exception, and repeats it.
      // The worker for print files has activities only.
      const isDetail = isLifecycle || wasReported(error) || message.startsWith('No workflows registered');
      log[isDetail ? 'debug' : LEVELS[level]](error === undefined ? meta : { ...meta, err: error }, message);
    }),
    telemetryOptions: {
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) },
      ...(metricsAddress === undefined
        ? {}
        : {
            metrics: {
              prometheus: {
                bindAddress: metricsAddress,
                countersTotalSuffix: true,
                unitSuffix: true,
                useSecondsForDurations: true,
              },
            },
          }),
    },
  });
}

/** Returns the metrics of the Temporal SDK in the Prometheus text format. Empty in a process without a worker. */
export async function readTemporalMetrics(): Promise<string> {
  if (metricsAddress === undefined) return '';
  const { body } = await request(`http://${metricsAddress}/metrics`, { headersTimeout: 5_000 });
  return await body.text();
}

/** Registers the search attributes and schedules that workflows need. Can be called again, and by several processes. */
export async function setUpTemporal({ temporal, config }: Services): Promise<void> {
  await ensureSearchAttributes(temporal.connection as Connection, config.TEMPORAL_NAMESPACE);
  for (const job of PERIODIC_JOBS) await ensureSchedule(temporal, config, job);
}

/** The workflow bundle that scripts/build/build.mjs creates. */
export const workflowBundle = { codePath: join(projectRoot(), 'dist', 'workflow-bundle.js') };
