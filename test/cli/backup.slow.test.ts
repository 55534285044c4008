import { chmod, cp, mkdtemp, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { type EmbeddedStack, startEmbeddedStack } from '../../cli/embedded-stack';
import { loadConfig } from '../../src/platform/config';
import { connectPostgres } from '../../src/platform/postgres';
import { testTemporalBinary } from '../support/servers';

/** A copy of the data folder of a stopped stack is a complete backup (docs/operation/backup-and-recovery.md). */

const folders: string[] = [];
let running: EmbeddedStack | undefined;
afterEach(async () => {
  await running?.stop();
  for (const dir of folders.splice(0)) {
    const linked = await readlink(join(dir, 'postgres')).catch(() => undefined);
    if (linked !== undefined) await rm(dirname(linked), { recursive: true, force: true });
    await rm(dir, { recursive: true, force: true });
  }
});

async function newFolder(mode: number): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'pressline-backup-'));
  await chmod(dir, mode);
  folders.push(dir);
  return dir;
}

async function start(dir: string): Promise<EmbeddedStack> {
  const environment = { DATA_DIR: dir, TEMPORAL_CLI_PATH: testTemporalBinary() };
  running = await startEmbeddedStack(loadConfig(environment), () => undefined);
  return running;
}

async function withServers<T>(
  dir: string,
  work: (sql: ReturnType<typeof connectPostgres>, temporal: Client) => Promise<T>,
): Promise<T> {
  const { postgres, config } = await start(dir);
  const sql = connectPostgres(postgres!.url, { max: 1 });
  const connection = await Connection.connect({ address: config.TEMPORAL_ADDRESS! });
  try {
    return await work(sql, new Client({ connection }));
  } finally {
    await connection.close();
    await sql.end();
    await running!.stop();
    running = undefined;
  }
}

const startWorkflow = (temporal: Client, workflowId: string) =>
  temporal.workflow.start('trace', { workflowId, taskQueue: 'nobody' });

test.each([
  ['that other users can enter', 0o755],
  // When root starts the stack, the cluster is in another folder, behind a link that the copy follows.
  ['that only its owner can enter', 0o700],
])(
  'the copy of a data folder %s restores the rows and workflows of its time, and none of later',
  async (_name, mode) => {
    const [dir, copy] = [await newFolder(mode), await newFolder(mode)];
    await withServers(dir, async (sql, temporal) => {
      await sql`CREATE TABLE traces AS SELECT 'before' AS at`;
      await startWorkflow(temporal, 'before');
    });
    await cp(dir, copy, { recursive: true, dereference: true, preserveTimestamps: true });
    await withServers(dir, async (sql, temporal) => {
      await sql`INSERT INTO traces VALUES ('after')`;
      await startWorkflow(temporal, 'after');
    });
    await withServers(copy, async (sql, temporal) => {
      expect([...(await sql`SELECT at FROM traces`)]).toEqual([{ at: 'before' }]);
      expect((await temporal.workflow.getHandle('before').describe()).status.name).toBe('RUNNING');
      await expect(temporal.workflow.getHandle('after').describe()).rejects.toThrow(/not found/i);
    });
  },
);
