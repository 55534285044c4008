import { join, resolve } from 'node:path';
import { DemoOrder, DemoStopped, type DemoTarget, seconds } from '../../sandbox/demo/demo-order';
import { showSteps } from '../../sandbox/demo/display';
import { type Config, ConfigError } from '../../src/platform/config';
import { type Command, sayConsole } from '../command';
import { hasDemoAccounts, type RunningStack, startStack } from '../start-stack';
import { workflowBundle } from '../temporal-runtime';
import { say, untilStopped } from '../terminal';

/** Returns the path of the log file. The terminal shows the progress of the order instead of the log. */
export const demoLogFile = (config: Config) => join(config.DATA_DIR, 'logs', 'pressline.log');

/** Starts all parts, and shows the progress of one order until it is delivered. The parts keep running. */
export const demo: Command = async ({ config, log, signals }) => {
  if (config.SANDBOX !== 'auto') {
    throw new ConfigError(
      'Wrong configuration: SANDBOX: the demo requires the sandbox partners; set auto or leave it unset',
    );
  }
  if (!hasDemoAccounts(config)) {
    throw new ConfigError(
      'The demo creates demo accounts, so it needs an embedded database: leave DATABASE_URL unset, and NODE_ENV not production',
    );
  }
  const live = process.stdout.isTTY === true;
  let stack: RunningStack | undefined;
  await showSteps(
    [
      {
        title: 'Servers',
        async run(report) {
          const started = Date.now();
          stack = await startStack(config, log, { workflowBundle, report });
          return `Postgres, Temporal, API, worker and sandbox are up (${seconds(Date.now() - started)})`;
        },
      },
    ],
    { live, say },
  );
  const running = stack!;
  const stopRequest = signals.wait();
  const stopped = new AbortController();
  stopRequest.then(() => stopped.abort());
  const order = new DemoOrder(targetOf(running), stopped.signal);
  let failed = false;
  try {
    await showSteps(order.steps(), { live, say });
  } catch (error) {
    failed = !stopped.signal.aborted;
    if (failed) {
      log.error({ err: error }, 'the demo failed');
      say(error instanceof DemoStopped ? error.message : `The demo failed: ${(error as Error).message}`);
    }
  }
  if (!stopped.signal.aborted) {
    printAddresses(running, order, demoLogFile(config));
    sayConsole(running.urls.baseUrl, await running.signInLink());
    say('');
    say('Everything keeps running. Press Ctrl-C to stop.');
  }
  const code = await untilStopped(stopRequest, running, log, say);
  return failed ? 1 : code;
};

function targetOf({ demo, services, sandbox }: RunningStack): DemoTarget {
  return {
    credentials: demo!.credentials,
    namespace: services.config.TEMPORAL_NAMESPACE,
    temporal: services.temporal,
    sandboxUrl: sandbox!.url,
    seen: () => sandbox!.seen(),
    documentsFolder: resolve('out'),
  };
}

function printAddresses({ urls, demo, sandbox }: RunningStack, order: DemoOrder, logFile: string): void {
  say('');
  say(`Runs on      Node ${process.versions.node}`);
  for (const path of order.saved) say(`Document     ${path}`);
  say(`Workflow     ${order.workflowUrl}`);
  say(`API          ${urls.baseUrl}`);
  say(`API pages    ${urls.baseUrl}/docs`);
  if (urls.metricsUrl) say(`Metrics      ${urls.metricsUrl}`);
  say(`Sandbox      ${sandbox!.controlUrl}/seen`);
  say(`Keys         ${demo!.path}`);
  say(`Log          ${logFile}`);
}
