import { join } from 'node:path';
import { pino } from 'pino';
import type { CredentialsFile } from '../../../cli/credentials';
import { type RunningStack, startStack } from '../../../cli/start-stack';
import { type Config, loadConfig } from '../../../src/platform/config';
import { projectRoot } from '../../../src/platform/project-root';
import { withBenchFolder } from '../bench-folder';

/** A stack with embedded servers and demo accounts. */
export interface BenchStack extends RunningStack {
  readonly credentials: CredentialsFile;
}

/** Runs `measure` with a complete stack in this process, on its own servers and folder, and removes them afterwards. */
export async function withBenchStack<T>(
  settings: Partial<Config>,
  measure: (stack: BenchStack) => Promise<T>,
): Promise<T> {
  return await withBenchFolder(async (folder) => await runBenchStack(folder, settings, measure));
}

/** Runs `measure` with a complete stack in this process, on the servers of a data folder. */
export async function runBenchStack<T>(
  folder: string,
  settings: Partial<Config>,
  measure: (stack: BenchStack) => Promise<T>,
): Promise<T> {
  const config: Config = {
    ...loadConfig({
      DATA_DIR: folder,
      PORT: '0',
      METRICS_PORT: '0',
      SANDBOX: 'off',
      RATE_LIMIT: '0',
      CLIENT_QUOTAS: 'ordersPerMinute:0,ordersUnderWay:0',
      CONCURRENT_REQUESTS: '0',
      LOG_LEVEL: 'warn',
      DATABASE_POOL_SIZE: '20',
    }),
    ...settings,
  };
  const stack = await startStack(config, pino({ level: config.LOG_LEVEL }, pino.destination(2)), {
    workflowBundle: { codePath: join(projectRoot(), 'dist', 'workflow-bundle.js') },
    report: (line) => process.stderr.write(`${line}\n`),
  });
  try {
    return await measure({ ...stack, credentials: stack.demo!.credentials });
  } finally {
    await stack.stop();
  }
}
