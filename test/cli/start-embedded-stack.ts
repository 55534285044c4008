import { startEmbeddedStack } from '../../cli/embedded-stack';
import { loadConfig } from '../../src/platform/config';

/** Starts a stack in a separate process that a test can kill. Prints the addresses of its servers when it is up. */
async function main(): Promise<void> {
  const stack = await startEmbeddedStack(loadConfig(), () => undefined);
  const addresses = { postgresUrl: stack.postgres!.url, temporalAddress: stack.config.TEMPORAL_ADDRESS! };
  process.stdout.write(`${JSON.stringify(addresses)}\n`);
  setInterval(() => undefined, 60_000);
}

main().catch((error: Error) => {
  process.stderr.write(error.message);
  process.exitCode = 1;
});
