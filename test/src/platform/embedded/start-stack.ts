import { loadConfig } from '../../../../src/platform/config';
import { startEmbeddedStack } from '../../../../src/platform/embedded/stack';

/** A stack in a process of its own, that a test can kill: prints its configuration when it is up, and stays. */
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
