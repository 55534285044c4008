import { type Command, say, sayConsole, sayKeys } from '../command';
import { startStack } from '../start-stack';
import { untilStopped } from '../stop-signals';
import { workflowBundle } from '../workflow-bundle';

/** Starts all parts in this process and prints their addresses and demo keys. */
export const start: Command = async ({ config, log, signals }) => {
  const stack = await startStack(config, log, { workflowBundle, report: say });
  const { credentials, credentialsPath } = stack;
  say('');
  say(`Runs on      Node ${process.versions.node}`);
  say(`API          ${credentials.baseUrl}`);
  say(`API pages    ${credentials.baseUrl}/docs`);
  sayConsole(credentials.baseUrl, await stack.signInLink());
  say(`Temporal UI  ${credentials.temporalUiUrl}`);
  if (credentials.metricsUrl) say(`Metrics      ${credentials.metricsUrl}`);
  if (stack.sandbox) say(`Sandbox      ${stack.sandbox.url} (${config.SANDBOX})`);
  sayKeys(credentials);
  say(`Saved in     ${credentialsPath}`);
  say('Press Ctrl-C to stop.');
  return await untilStopped(signals.wait(), stack, log, say);
};
