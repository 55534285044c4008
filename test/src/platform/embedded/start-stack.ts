import { loadConfig } from '../../../../src/platform/config';
import { startEmbeddedStack } from '../../../../src/platform/embedded/stack';

/** Starts a stack in a separate process that a test can kill. Prints its configuration when it is up. */
async function main(): Promise<void> {
  const stack = await startEmbeddedStack(loadConfig(), () => undefined);
  const { DATABASE_URL, TEMPORAL_ADDRESS } = stack.config;
  process.stdout.write(`${JSON.stringify({ DATABASE_URL, TEMPORAL_ADDRESS })}\n`);
  setInterval(() => undefined, 60_000);
}

main().catch((error: Error) => {
  process.stderr.write(error.message);
  process.exitCode = 1;
});
