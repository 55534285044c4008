import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findTemporalBinary } from '../../packages/embedded-servers/temporal-binary';
import { projectRoot } from '../../src/platform/project-root';

/** Programs of the servers. Go programs are built once per user and kept in the user's cache folder. */
export interface TemporalPrograms {
  readonly temporalServer: string;
  /** A folder for the PATH with the programs that the scripts in deploy/compose run. */
  readonly folder: string;
}

interface GoTools {
  goTool(name: string): string;
}
interface PostgresTools {
  postgresToolsFolder(serverMajor: number): string;
}

/** Imports a module of scripts/, which the compiled code does not contain. */
const script = async <T>(name: string) => (await import(pathToFileURL(join(projectRoot(), 'scripts', name)).href)) as T;

/** Returns a Go program that is pinned in tools/. Builds it first when the cache does not have it. */
export async function goTool(name: 'temporal-server' | 'temporal-sql-tool' | 'versitygw'): Promise<string> {
  return (await script<GoTools>('external/go-tool.mjs')).goTool(name);
}

/** Finds the programs of a Temporal server on Postgres, and links those that scripts run from `folder`. */
export async function temporalPrograms(folder: string, report: (line: string) => void): Promise<TemporalPrograms> {
  const temporalServer = await goTool('temporal-server');
  await linkProgram(folder, 'temporal-sql-tool', await goTool('temporal-sql-tool'));
  const cli = await findTemporalBinary({
    cliPath: process.env.TEMPORAL_CLI_PATH || undefined,
    downloadTimeoutMs: 20_000,
    report,
  });
  await linkProgram(folder, 'temporal', cli);
  return { temporalServer, folder };
}

/** Makes a program available under a name in a folder. */
export async function linkProgram(folder: string, name: string, path: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await symlink(path, join(folder, name));
}

/** Returns the folder of pg_dump and pg_restore for a server of this major version. */
export async function postgresTools(serverMajor: number): Promise<string> {
  return (await script<PostgresTools>('external/postgres-tools.mjs')).postgresToolsFolder(serverMajor);
}
