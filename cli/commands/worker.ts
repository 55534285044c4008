import { startSteps } from '../../src/platform/start-steps';
import { type Command, connectServices } from '../command';
import { startObservability } from '../observability';
import { runWorker } from '../run-worker';
import { untilStopped } from '../stop-signals';
import { installTemporalRuntime } from '../temporal-runtime';
import { setUpTemporal } from '../temporal-setup';
import { workflowBundle } from '../workflow-bundle';

/** Runs a worker and an outbox relay. Postgres and Temporal are servers of the deployment. */
export const worker: Command = async ({ config, log, signals }) => {
  const services = await connectServices(config, log);
  await startSteps(config, log)('set up Temporal', () => setUpTemporal(services));
  await installTemporalRuntime(log, { metrics: config.METRICS_PORT !== 'off' });
  const metricsServer = await startObservability(services, config);
  const running = await runWorker(services, workflowBundle);
  log.info({ taskQueue: config.TEMPORAL_TASK_QUEUE, metricsUrl: metricsServer?.url }, 'worker is up');
  const stop = async () => {
    services.health.beginStop();
    await running.stop();
    await metricsServer?.stop();
    await services.close();
  };
  return await untilStopped(signals.wait(), { failure: running.failure, stop }, log, (line) => log.info(line));
};
