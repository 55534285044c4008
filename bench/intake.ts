import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { freePort } from '../packages/embedded-servers/ports';
import { findTemporalBinary } from '../packages/embedded-servers/temporal-binary';
import { startTemporal } from '../packages/embedded-servers/temporal-server';
import { newSigningSecret } from '../src/platform/http/webhook-signature';
import { randomToken } from '../src/platform/ids';
import { projectRoot } from '../src/platform/project-root';
import { alternate, ratioOf, runBenchmark } from './support/benchmark';
import { type ChildServer, startChildServer } from './support/processes/child-process';
import { cpuOfFamily, cpuOfProcess, postgresPid } from './support/processes/process-cpu';
import { type BenchDatabase, withBenchDatabase } from './support/processes/servers';
import { type Row, spreadOf } from './support/report';
import { sampleOrder } from './support/sample-order';

/** One table with one index. Its rows are as large as those of an order. */
const BARE_TABLE = `
  CREATE TABLE bench_orders (
    id uuid PRIMARY KEY, reference text NOT NULL, body jsonb NOT NULL, created_at timestamptz NOT NULL DEFAULT now())`;

interface Load {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly seconds: number;
  readonly connections: number;
  readonly keyed?: boolean;
  /** Requests per second. Default: as many as the server handles. */
  readonly rate?: number;
}

let sequence = 0;

/** Submits orders. @throws when a response is not 200 */
async function submitOrders({ url, headers, seconds, connections, keyed, rate }: Load): Promise<autocannon.Result> {
  const result = await autocannon({
    url: `${url}/v1/orders`,
    connections,
    duration: seconds,
    ...(rate === undefined ? {} : { overallRate: rate }),
    requests: [
      {
        method: 'POST',
        setupRequest: (request) => {
          sequence += 1;
          return {
            ...request,
            headers: {
              ...headers,
              'content-type': 'application/json',
              ...(keyed ? { 'idempotency-key': `bench-${sequence}` } : {}),
            },
            body: JSON.stringify(sampleOrder(`bench-${sequence}`, 'https://files.example.com/poster.pdf')),
          };
        },
      },
    ],
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(
      `${url}: ${result.non2xx} refusals and ${result.errors} errors in ${result.requests.total} requests`,
    );
  return result;
}

/** One server under load, with the CPU time that it and Postgres use per response. */
interface Contestant {
  readonly what: string;
  /** Responses per second in one round. */
  rate(): Promise<number>;
  rows(rates: readonly number[]): Row[];
}

function contestant(what: string, load: Load, server: ChildServer, postgres: number): Contestant {
  const cpu: { server: number[]; postgres: number[] } = { server: [], postgres: [] };
  return {
    what,
    async rate() {
      const before = [await cpuOfProcess(server.pid), await cpuOfFamily(postgres)] as const;
      const result = await submitOrders(load);
      cpu.server.push(((await cpuOfProcess(server.pid)) - before[0]) / result['2xx']);
      cpu.postgres.push(((await cpuOfFamily(postgres)) - before[1]) / result['2xx']);
      return result['2xx'] / result.duration;
    },
    rows: (rates) => [
      { what, unit: '1/s', value: spreadOf(rates) },
      { what: `${what}: CPU per response`, unit: 'ms', value: spreadOf(cpu.server) },
      { what: `${what}: CPU of Postgres per response`, unit: 'ms', value: spreadOf(cpu.postgres) },
    ],
  };
}

/** Largest p99 of a submission at half of the largest rate, in milliseconds. */
const P99_TARGET_MS = 25;

async function measure(
  { folder, url, sql, credentials }: BenchDatabase,
  { rounds, ...load }: Pick<Load, 'seconds' | 'connections'> & { readonly rounds: number },
): Promise<Row[]> {
  const binary = await findTemporalBinary({
    cliPath: process.env.TEMPORAL_CLI_PATH || undefined,
    downloadTimeoutMs: 20_000,
    report: (line) => process.stderr.write(`${line}\n`),
  });
  const temporal = await startTemporal(folder, binary, 'default', () => undefined);
  const [apiPort, barePort] = [await freePort(), await freePort()];
  const [apiUrl, bareUrl] = [apiPort, barePort].map((port) => `http://127.0.0.1:${port}`) as [string, string];
  const env = {
    DATA_DIR: folder,
    DATABASE_URL: url,
    TEMPORAL_ADDRESS: temporal.address,
    PUBLIC_URL: apiUrl,
    PORT: String(apiPort),
    LINK_SECRET: randomToken(32),
    SECRET_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    CARRIER_WEBHOOK_SECRETS: `tern_parcel:${newSigningSecret()}`,
    RATE_LIMIT: '0',
    CLIENT_QUOTAS: 'ordersPerMinute:0,ordersUnderWay:0',
    CONCURRENT_REQUESTS: '0',
    LOG_FORMAT: 'json',
  };
  const cli = join(projectRoot(), 'dist', 'cli', 'main.js');
  const logFile = (name: string) => join(folder, 'logs', `${name}.log`);
  const api = await startChildServer({
    script: cli,
    args: ['api'],
    env,
    logFile: logFile('api'),
    readyText: 'API is up',
  });
  const bareServer = await startChildServer({
    script: join(__dirname, 'intake', 'bare-server.js'),
    args: [url, String(barePort)],
    env: {},
    logFile: logFile('bare'),
    readyText: 'bare server is up',
  });
  const postgres = await postgresPid(sql);
  const { apiKey, apiSecret } = credentials.client;
  const toApi = { url: apiUrl, headers: { 'x-api-key': `${apiKey}:${apiSecret}` }, ...load };
  const toBare = { url: bareUrl, headers: {}, ...load };
  const at = (state: '' | ', Temporal down') => ({
    state,
    bare: contestant(`bare handler, one INSERT${state}`, toBare, bareServer, postgres),
    submit: contestant(`submit${state}`, toApi, api, postgres),
    keyed: contestant(`submit with Idempotency-Key${state}`, { ...toApi, keyed: true }, api, postgres),
  });
  const compare = async ({ state, bare, submit, keyed }: ReturnType<typeof at>) => {
    const rates = await alternate(rounds, `responses per second${state}`, {
      bare: () => bare.rate(),
      submit: () => submit.rate(),
      keyed: () => keyed.rate(),
    });
    return {
      rates,
      rows: [...bare.rows(rates.bare), ...submit.rows(rates.submit), ...keyed.rows(rates.keyed)],
    };
  };
  await submitOrders({ ...toBare, seconds: 3 });
  await submitOrders({ ...toApi, seconds: 3 });
  const up = await compare(at(''));
  const halfOfLargest = Math.floor(spreadOf(up.rates.keyed).median / 2);
  const latencies = await alternate(rounds, 'ms at half of the largest rate', {
    p99: async () => (await submitOrders({ ...toApi, keyed: true, rate: halfOfLargest })).latency.p99,
  });

  // The relay of this worker tries to reach Temporal all the time. It starts without the earlier submissions.
  await sql`TRUNCATE outbox`;
  const worker = await startChildServer({
    script: cli,
    args: ['worker'],
    env,
    logFile: logFile('worker'),
    readyText: 'worker is up',
  });
  await temporal.stop();
  const before = { at: performance.now(), cpu: await cpuOfProcess(worker.pid) };
  const down = await compare(at(', Temporal down'));
  const workerShare = ((await cpuOfProcess(worker.pid)) - before.cpu) / (performance.now() - before.at);
  await Promise.all([worker, api, bareServer].map((server) => server.stop()));
  const keyTarget = { value: 0.5, atLeast: true };
  const target = { value: 0.65, atLeast: true };
  return [
    ...up.rows,
    ...down.rows,
    { what: 'cores that the worker uses, Temporal down', unit: '', value: spreadOf([workerShare]) },
    { what: 'ratio', unit: '', value: ratioOf(up.rates.submit, up.rates.bare), target },
    { what: 'ratio, Temporal down', unit: '', value: ratioOf(down.rates.submit, down.rates.bare), target },
    {
      what: 'ratio with Idempotency-Key',
      unit: '',
      value: ratioOf(up.rates.keyed, up.rates.bare),
      target: keyTarget,
    },
    {
      what: 'ratio with Idempotency-Key, Temporal down',
      unit: '',
      value: ratioOf(down.rates.keyed, down.rates.bare),
      target: keyTarget,
    },
    {
      what: `p99 with Idempotency-Key at ${halfOfLargest} per second`,
      unit: 'ms',
      value: spreadOf(latencies.p99),
      target: { value: P99_TARGET_MS, atLeast: false },
    },
  ];
}

/**
 * Compares submissions per second at one API process with a bare Express handler with one INSERT on the same Postgres.
 * Repeats this while Temporal is down and a worker tries to reach it. No order workflow runs meanwhile.
 */
runBenchmark({
  name: 'intake',
  options: {
    rounds: [5, 'rounds of each contestant'],
    seconds: [6, 'seconds per round'],
    connections: [20, 'concurrent clients'],
  },
  measure: async (load) =>
    await withBenchDatabase({}, async (database) => {
      await database.sql.unsafe(BARE_TABLE);
      return await measure(database, load);
    }),
});
