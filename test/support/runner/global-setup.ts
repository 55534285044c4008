import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { claimDataFolder, DataFolderBusy } from '../../../packages/embedded-servers/data-folder';
import { freePort } from '../../../packages/embedded-servers/ports';
import {
  type EmbeddedPostgres,
  startPostgres,
  stopLeftoverPostgres,
} from '../../../packages/embedded-servers/postgres-server';
import { findTemporalBinary } from '../../../packages/embedded-servers/temporal-binary';
import { startTemporal, stopLeftoverTemporal } from '../../../packages/embedded-servers/temporal-server';
import { connectPostgres } from '../../../src/platform/postgres';
import { projectRoot } from '../../../src/platform/project-root';
import { migrate } from '../../../src/platform/schema/migrate';
import { ensureSearchAttributes } from '../../../src/platform/temporal/connection';
import { startPooler } from '../other-systems/pooler';
import { SERVER_VARIABLES, TEMPLATE_DATABASE } from '../server-variables';
import { bundleForTests } from '../workflow-bundle';
import { TEMPORARY_FOLDERS, temporaryFolder } from './temporary-folder';

const PREFIX = 'pressline-test-';

/** A test database that is lost with the machine is no loss. */
const FAST_POSTGRES = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  shared_buffers: '128MB',
} as const;

declare global {
  /** Set by global-setup for global-teardown. */
  var stopTestServers: (() => Promise<void>) | undefined;
}

/**
 * Starts one Postgres and one Temporal server for the whole jest run, on free ports, and leaves their addresses in the
 * environment (server-variables.ts). PRESSLINE_TEST_SERVERS=none starts none, for pure unit tests.
 */
export default async function globalSetup(): Promise<void> {
  execFileSync(process.execPath, [join(projectRoot(), 'scripts', 'build', 'generate-client.mjs')], {
    stdio: 'inherit',
  });
  if (process.env.PRESSLINE_TEST_SERVERS === 'none') return;
  // Before a folder is chosen: what fills the memory may be what a killed run left there.
  for (const folder of TEMPORARY_FOLDERS) await sweep(folder);
  const dir = await mkdtemp(join(await temporaryFolder(), PREFIX));
  // The postgres user, whom root starts Postgres as, must be let through.
  await chmod(dir, 0o755);
  // Temporary files of tests, and of the programs that they start. What they leave goes with the folder.
  process.env.TMPDIR = join(dir, 'tmp');
  await mkdir(process.env.TMPDIR);
  await chmod(process.env.TMPDIR, 0o1777);
  const folder = await claimDataFolder(dir);
  await writeFile(
    join(dir, 'ports.json'),
    JSON.stringify({ postgres: await freePort(), temporal: await freePort(), temporalUi: await freePort() }),
  );

  const stops: (() => Promise<void>)[] = [];
  const pids: number[] = [];
  // When jest is interrupted, its teardown does not run.
  const killAll = () => {
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
    rmSync(dir, { recursive: true, force: true });
  };
  process.once('exit', killAll);
  globalThis.stopTestServers = async () => {
    await Promise.all(stops.map((stop) => stop()));
    process.off('exit', killAll);
    await folder.release();
    await rm(dir, { recursive: true, force: true });
  };

  const report = (line: string) => process.stderr.write(`${line}\n`);
  const postgres = async () => {
    const server = await startPostgres(dir, () => undefined, FAST_POSTGRES);
    pids.push(server.pid);
    stops.push(server.stop);
    await makeTemplate(server);
    if (process.env.TEST_POOLER) {
      const pooler = await startPooler(server.applicationUrl);
      stops.push(pooler.stop);
      process.env[SERVER_VARIABLES.pooler] = pooler.host;
    }
  };
  const temporal = async () => {
    const binary = await findTemporalBinary({
      cliPath: process.env.TEMPORAL_CLI_PATH || undefined,
      downloadTimeoutMs: 20_000,
      report: (line) => {
        if (!/\(cache\)|on PATH|TEMPORAL_CLI_PATH/.test(line)) report(line);
      },
    });
    const server = await startTemporal(dir, binary, 'default', () => undefined);
    pids.push(server.pid);
    stops.push(async () => {
      const stopped = server.stop();
      // Its data is not needed any more. An orderly stop would take 1.5 s.
      process.kill(server.pid, 'SIGKILL');
      await stopped;
    });
    const connection = await Connection.connect({ address: server.address });
    await ensureSearchAttributes(connection, 'default');
    await connection.close();
    process.env[SERVER_VARIABLES.temporalBinary] = binary;
    process.env[SERVER_VARIABLES.temporalAddress] = server.address;
    process.env[SERVER_VARIABLES.temporalUiUrl] = server.uiUrl;
  };
  const bundle = async () => {
    try {
      process.env[SERVER_VARIABLES.workflowBundle] = await bundleForTests();
    } catch (error) {
      process.env[SERVER_VARIABLES.workflowBundleError] = (error as Error).message;
    }
  };
  const results = await Promise.allSettled([postgres(), temporal(), bundle()]);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) {
    await globalThis.stopTestServers();
    throw failed.reason;
  }
}

async function makeTemplate(server: EmbeddedPostgres): Promise<void> {
  process.env[SERVER_VARIABLES.postgresUrl] = server.url;
  process.env[SERVER_VARIABLES.applicationUrl] = server.applicationUrl;
  const admin = connectPostgres(server.url, { max: 1 });
  await admin.unsafe(`CREATE DATABASE ${TEMPLATE_DATABASE}`);
  await admin.end();
  // The rights of the application's role are part of the template, so every copy has them.
  await migrate(Object.assign(new URL(server.url), { pathname: `/${TEMPLATE_DATABASE}` }).href, {
    applicationUrl: server.applicationUrl,
  });
}

/** Ends what a killed jest run left behind. */
async function sweep(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    if (!name.startsWith(PREFIX)) continue;
    const dir = join(parent, name);
    try {
      // A run that starts just now has its folder a moment before it claims it.
      if (Date.now() - (await stat(dir)).mtimeMs < 60_000) continue;
      await claimDataFolder(dir);
      await stopLeftoverPostgres(dir, () => undefined);
      await stopLeftoverTemporal(dir, () => undefined);
      await rm(dir, { recursive: true, force: true });
    } catch (error) {
      if (!(error instanceof DataFolderBusy)) process.stderr.write(`${dir}: ${(error as Error).message}\n`);
    }
  }
}
