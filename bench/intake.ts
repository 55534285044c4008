import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { freePort } from '../src/platform/embedded/ports';
import { findTemporalBinary } from '../src/platform/embedded/temporal-binary';
import { startTemporal } from '../src/platform/embedded/temporal-server';
import { newSigningSecret } from '../src/platform/http/webhook-signature';
import { randomToken } from '../src/platform/ids';
import { projectRoot } from '../src/platform/project-root';
import { alternate, ratioOf, runBenchmark } from './support/benchmark';
import { startChildServer } from './support/child-process';
import { type Row, spreadOf } from './support/report';
import { sampleOrder } from './support/sample-order';
import { type BenchDatabase, withBenchDatabase } from './support/servers';

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
}

let sequence = 0;

/** Returns answers per second. @throws when an answer is not 200 */
async function submitsPerSecond({ url, headers, seconds, connections, keyed }: Load): Promise<number> {
  const result = await autocannon({
    url: `${url}/v1/orders`,
    connections,
    duration: seconds,
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
  return result['2xx'] / result.duration;
}

async function measure(
  { folder, url, sql, credentials }: BenchDatabase,
  load: Pick<Load, 'seconds' | 'connections'> & { readonly rounds: number },
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
  const bare = await startChildServer({
    script: join(__dirname, 'intake', 'bare-server.js'),
    args: [url, String(barePort)],
    env: {},
    logFile: logFile('bare'),
    readyText: 'bare server is up',
  });
  const { apiKey, apiSecret } = credentials.client;
  const submit = { url: apiUrl, headers: { 'x-api-key': `${apiKey}:${apiSecret}` }, ...load };
  const plain = { url: bareUrl, headers: {}, ...load };
  await submitsPerSecond({ ...plain, seconds: 3 });
  await submitsPerSecond({ ...submit, seconds: 3 });
  const up = await alternate(load.rounds, 'answers per second', {
    bare: () => submitsPerSecond(plain),
    submit: () => submitsPerSecond(submit),
    keyed: () => submitsPerSecond({ ...submit, keyed: true }),
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
  const down = await alternate(load.rounds, 'answers per second, Temporal down', {
    bare: () => submitsPerSecond(plain),
    submit: () => submitsPerSecond(submit),
  });
  await Promise.all([worker, api, bare].map((server) => server.stop()));
  const target = { value: 0.6, atLeast: true };
  return [
    { what: 'bare handler, one INSERT', unit: '1/s', value: spreadOf(up.bare) },
    { what: 'submit', unit: '1/s', value: spreadOf(up.submit) },
    { what: 'submit with Idempotency-Key', unit: '1/s', value: spreadOf(up.keyed) },
    { what: 'bare handler, Temporal down', unit: '1/s', value: spreadOf(down.bare) },
    { what: 'submit, Temporal down', unit: '1/s', value: spreadOf(down.submit) },
    { what: 'ratio', unit: '', value: ratioOf(up.submit, up.bare), target },
    { what: 'ratio, Temporal down', unit: '', value: ratioOf(down.submit, down.bare), target },
    { what: 'ratio with Idempotency-Key', unit: '', value: ratioOf(up.keyed, up.bare) },
  ];
}

/**
 * Compares submissions per second at one API process with a bare Express handler with one INSERT on the same Postgres.
 * Repeats this while Temporal is down and a worker tries to reach it. No order workflow runs meanwhile.
 */
runBenchmark({
  name: 'intake',
  options: {
    rounds: [7, 'rounds of each contestant'],
    seconds: [6, 'seconds per round'],
    connections: [20, 'concurrent clients'],
  },
  measure: async (load) =>
    await withBenchDatabase({}, async (database) => {
      await database.sql.unsafe(BARE_TABLE);
      return await measure(database, load);
    }),
});
