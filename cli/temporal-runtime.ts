import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import type { Logger } from '../src/platform/logging';

/** The SDK's names of levels, as pino has them. */
const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/**
 * Makes Temporal's SDK a part of this process: its words, and those of workflows, go into our log, and Ctrl-C is ours
 * alone (by default the SDK stops workers by itself). Once a process, before its first worker.
 */
export function installTemporalRuntime(log: Logger): void {
  const level = log.isLevelEnabled('debug') ? 'DEBUG' : 'INFO';
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger(level, ({ level, message, meta: { error, ...meta } = {} }) => {
      // What a worker says of its own life at `info` is detail beside what a running stack says of itself.
      const isDetail = level === 'INFO' && meta.sdkComponent === 'worker';
      log[isDetail ? 'debug' : LEVELS[level]](error === undefined ? meta : { ...meta, err: error }, message);
    }),
    telemetryOptions: {
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) },
    },
  });
}
