import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CredentialsFile } from '../../../cli/credentials';
import { freePort } from '../../../packages/embedded-servers/ports';
import { startPostgres } from '../../../packages/embedded-servers/postgres-server';
import { findTemporalBinary } from '../../../packages/embedded-servers/temporal-binary';
import type { DemoCredentials } from '../../../sandbox/demo/accounts';
import { connectPostgres, type Sql } from '../../../src/platform/postgres';
import { withBenchFolder } from '../bench-folder';
import { STATEMENT_COUNTING } from '../statement-counts';
import { startChildServer } from './child-process';
import { childrenOf, cpuOfEndedChildren, cpuOfFamily, cpuOfProcess, postgresPid } from './process-cpu';

const run = promisify(execFile);

/** CPU time in milliseconds by process. All only grow. */
export type StackCpu = Readonly<Record<'API and worker' | 'Temporal' | 'Postgres' | 'inspection of files', number>>;

/** A stack whose API and worker are one process, beside servers of its own. */
export interface MeasuredStack {
  readonly credentials: DemoCredentials & Pick<CredentialsFile, 'baseUrl' | 'metricsUrl'>;
  readonly temporalAddress: string;
  /** Connection URL of the owner of the database: a secret. */
  readonly url: string;
  /** `DATA_DIR` of the stack. */
  readonly dataDir: string;
  /** A connection of the owner of the database. */
  readonly sql: Sql;
  cpu(): Promise<StackCpu>;
}

/**
 * Runs `measure` with a stack on an empty folder, and removes it afterwards.
 * @param project folder of a built Pressline, which may be another version
 * @param settings of Postgres
 */
export async function withMeasuredStack<T>(
  project: string,
  measure: (stack: MeasuredStack) => Promise<T>,
  settings: Readonly<Record<string, string>> = {},
): Promise<T> {
  return await withBenchFolder(async (folder) => {
    const [dataDir, postgresDir] = [join(folder, 'stack'), join(folder, 'postgres')];
    for (const each of [dataDir, postgresDir]) {
      await mkdir(each);
      const ports = { postgres: await freePort(), temporal: await freePort(), temporalUi: await freePort() };
      await writeFile(join(each, 'ports.json'), JSON.stringify(ports));
    }
    const postgres = await startPostgres(postgresDir, () => undefined, { ...STATEMENT_COUNTING, ...settings });
    const sql = connectPostgres(postgres.url, { max: 4, applicationName: 'bench' });
    try {
      return await onPostgres(project, dataDir, postgres.url, sql, measure);
    } finally {
      await sql.end({ timeout: 5 });
      await postgres.stop();
    }
  });
}

async function onPostgres<T>(
  project: string,
  dataDir: string,
  url: string,
  sql: Sql,
  measure: (stack: MeasuredStack) => Promise<T>,
): Promise<T> {
  const script = join(project, 'dist', 'cli', 'main.js');
  const temporalBinary = await findTemporalBinary({
    cliPath: process.env.TEMPORAL_CLI_PATH || undefined,
    downloadTimeoutMs: 20_000,
    report: () => undefined,
  });
  const env = {
    DATABASE_URL: url,
    // Another version has the same server.
    TEMPORAL_CLI_PATH: temporalBinary,
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    METRICS_PORT: '0',
    SANDBOX: 'off',
    OUTBOUND_ALLOW_PRIVATE: 'true',
    RATE_LIMIT: '0',
    CLIENT_QUOTAS: 'ordersPerMinute:0,ordersUnderWay:0',
    CONCURRENT_REQUESTS: '0',
    LOG_LEVEL: 'warn',
    DATABASE_POOL_SIZE: '20',
  };
  const command = async (name: string) =>
    await run(process.execPath, [script, name], { env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env } });
  await command('migrate');
  const demo = demoCredentialsOf((await command('seed')).stdout);
  const logFile = join(dataDir, 'pressline.log');
  const engine = await startChildServer({ script, args: ['start'], env, logFile, readyText: 'Press Ctrl-C' });
  try {
    const temporal = (await childrenOf(engine.pid)).find(({ args }) => args.includes('start-dev'))!;
    const postgresServer = await postgresPid(sql);
    return await measure({
      credentials: { ...demo, ...urlsOf(await readFile(logFile, 'utf8')) },
      url,
      dataDir,
      temporalAddress: `127.0.0.1:${temporal.args[temporal.args.indexOf('--port') + 1]}`,
      sql,
      async cpu() {
        const inspections = (await childrenOf(engine.pid)).filter(({ pid }) => pid !== temporal.pid);
        const ended = await cpuOfEndedChildren(engine.pid);
        return {
          'API and worker': await cpuOfProcess(engine.pid),
          Temporal: await cpuOfProcess(temporal.pid),
          Postgres: await cpuOfFamily(postgresServer),
          'inspection of files': inspections.reduce((sum, { cpuMs }) => sum + cpuMs, ended),
        };
      },
    });
  } finally {
    await engine.stop();
  }
}

/** Returns the keys that `seed` prints. */
function demoCredentialsOf(output: string): DemoCredentials {
  const [[client], partners, [operator]] = ['Client', 'Partner', 'Operator'].map((role) => [
    ...output.matchAll(new RegExp(`^${role} +X-API-KEY: (\\S+)(?: \\((\\S+)\\))?$`, 'gm')),
  ]) as [RegExpMatchArray[], RegExpMatchArray[], RegExpMatchArray[]];
  const [apiKey, apiSecret] = client![1]!.split(':') as [string, string];
  return {
    client: { apiKey, apiSecret },
    partners: partners.map(([, key, name]) => ({ name: name!, apiKey: key! })),
    operator: { apiKey: operator![1]! },
  };
}

/** Returns the addresses that `start` prints. */
function urlsOf(output: string): Pick<CredentialsFile, 'baseUrl' | 'metricsUrl'> {
  const url = (name: string) => new RegExp(`^${name} +(http\\S+)$`, 'm').exec(output)![1]!;
  return { baseUrl: url('API'), metricsUrl: url('Metrics') };
}
