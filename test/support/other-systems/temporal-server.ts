import { spawn } from 'node:child_process';
import { Connection } from '@temporalio/client';
import { freePort } from '../../../packages/embedded-servers/ports';
import { ensureSearchAttributes } from '../../../src/platform/temporal/connection';
import { eventually } from '../eventually';
import { testTemporalBinary } from '../servers';

/**
 * Starts a Temporal server of its own, for tests that change the server's dynamic configuration. It keeps its data in
 * memory.
 */
export async function startTestTemporal(dynamicConfig: Readonly<Record<string, number>>) {
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const server = spawn(
    testTemporalBinary(),
    [
      ...['server', 'start-dev', '--headless', '--ip', '127.0.0.1', '--port', String(port), '--log-level', 'error'],
      ...Object.entries(dynamicConfig).flatMap(([key, value]) => ['--dynamic-config-value', `${key}=${value}`]),
    ],
    { stdio: 'ignore' },
  );
  const connection = await eventually(async () => {
    try {
      return await Connection.connect({ address, connectTimeout: 1_000 });
    } catch {
      return undefined;
    }
  });
  await ensureSearchAttributes(connection, 'default');
  await connection.close();
  return {
    address,
    async stop(): Promise<void> {
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGTERM');
      await ended;
    },
  };
}
