import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import { request } from 'undici';
import { freePort } from '../src/platform/embedded/ports';
import { wasReported } from '../src/platform/logging/error-report';
import type { Logger } from '../src/platform/logging/logging';

/** The pino level of each log level of the SDK. */
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
