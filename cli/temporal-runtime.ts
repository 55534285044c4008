import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import type { Logger } from '../src/platform/logging';

/** The pino level of each log level of the SDK. */
const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/**
 * Installs the runtime of the Temporal SDK: log lines of the SDK and of workflows go to the process log, and the SDK does
 * not stop workers at Ctrl-C as it does by default. Call it once per process, before the first worker is created.
 */
export function installTemporalRuntime(log: Logger): void {
  const level = log.isLevelEnabled('debug') ? 'DEBUG' : 'INFO';
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger(level, ({ level, message, meta: { error, ...meta } = {} }) => {
      // The lifecycle messages of a worker at `info` are of interest only for debugging.
      const isDetail = level === 'INFO' && meta.sdkComponent === 'worker';
      log[isDetail ? 'debug' : LEVELS[level]](error === undefined ? meta : { ...meta, err: error }, message);
    }),
    telemetryOptions: {
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) },
    },
  });
}
