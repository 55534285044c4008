import { type Command, sayConsole, sayKeys } from '../command';
import { say } from '../say';
import { startStack } from '../start-stack';
import { untilStopped } from '../stop-signals';
import { workflowBundle } from '../workflow-bundle';

/** Starts all parts in this process and prints their addresses, and the keys of the demo accounts where there are any. */
export const start: Command = async ({ config, log, signals }) => {
  const stack = await startStack(config, log, { workflowBundle, report: say });
  const { urls, demo } = stack;
  say('');
  say(`Runs on      Node ${process.versions.node}`);
  say(`API          ${urls.baseUrl}`);
  say(`API pages    ${urls.baseUrl}/docs`);
  sayConsole(urls.baseUrl, await stack.signInLink());
  say(`Temporal UI  ${urls.temporalUiUrl}`);
  if (urls.metricsUrl) say(`Metrics      ${urls.metricsUrl}`);
  if (stack.sandbox) say(`Sandbox      ${stack.sandbox.url} (${config.SANDBOX})`);
  if (demo === undefined) {
    say('Keys         none: demo accounts are for an embedded database outside production.');
    say('             `pressline operator <name>` creates an admin.');
  } else {
    sayKeys(demo.credentials);
    say(`Saved in     ${demo.path}`);
  }
  say('Press Ctrl-C to stop.');
  return await untilStopped(signals.wait(), stack, log, say);
};
