import { join } from 'node:path';
import autocannon from 'autocannon';
import { Command } from 'commander';
import { freePort } from '../src/platform/embedded/ports';
import { findTemporalBinary } from '../src/platform/embedded/temporal-binary';
import { startTemporal } from '../src/platform/embedded/temporal-server';
import { newSigningSecret } from '../src/platform/http/webhook-signature';
import { randomToken } from '../src/platform/ids';
import { projectRoot } from '../src/platform/project-root';
import { startChildServer } from './support/child-process';
import { report, spreadOf } from './support/report';
import { sampleOrder } from './support/sample-order';
import { type BenchDatabase, withBenchDatabase } from './support/servers';

/** Rows as large as those of an order; one table, one index. */
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

/** @returns answers a second; an answer other than 200 ends the benchmark */
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
      `${url}: ${result.non2xx} refusals and ${result.errors} errors of ${result.requests.total}`,
    );
  return result['2xx'] / result.duration;
}

/**
 * Submits a second at one API process, against a bare Express handler with one INSERT on the same Postgres; and the
 * same while Temporal is down and a worker tries to reach it. No order is run meanwhile: intake is what is measured.
 */
async function main(): Promise<void> {
  const options = new Command()
    .option('--rounds <count>', 'rounds of each', '7')
    .option('--seconds <count>', 'seconds a round', '6')
    .option('--connections <count>', 'clients at once', '20')
    .parse()
    .opts<{ rounds: string; seconds: string; connections: string }>();
  const [rounds, seconds, connections] = [
    Number(options.rounds),
    Number(options.seconds),
    Number(options.connections),
  ];
  const rates = await withBenchDatabase({}, async (database) => {
    await database.sql.unsafe(BARE_TABLE);
    return await measure(database, { rounds, seconds, connections });
  });
  const ratio = (mine: readonly number[], bare: readonly number[]) =>
    spreadOf(mine.map((rate, round) => rate / bare[round]!));
  const target = { value: 0.6, atLeast: true };
  await report(
    'intake',
    [
      { what: 'bare handler, one INSERT', unit: '1/s', value: spreadOf(rates.bare) },
      { what: 'submit', unit: '1/s', value: spreadOf(rates.submit) },
      { what: 'bare handler, Temporal down', unit: '1/s', value: spreadOf(rates.bareDown) },
      { what: 'submit, Temporal down', unit: '1/s', value: spreadOf(rates.down) },
      { what: 'submit with Idempotency-Key', unit: '1/s', value: spreadOf(rates.keyed) },
      { what: 'ratio', unit: '', value: ratio(rates.submit, rates.bare), target },
      { what: 'ratio, Temporal down', unit: '', value: ratio(rates.down, rates.bareDown), target },
      { what: 'ratio with Idempotency-Key', unit: '', value: ratio(rates.keyed, rates.bare) },
    ],
    { rounds, seconds, connections },
  );
}

type Rates = Record<'bare' | 'submit' | 'keyed' | 'bareDown' | 'down', number[]>;

async function measure(
  { folder, url, sql, credentials }: BenchDatabase,
  load: Pick<Load, 'seconds' | 'connections'> & { readonly rounds: number },
): Promise<Rates> {
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
    CARRIER_WEBHOOK_SECRET: newSigningSecret(),
    RATE_LIMIT: '0',
    LOG_FORMAT: 'json',
  };
  const cli = join(projectRoot(), 'dist', 'src', 'cli.js');
  const logFile = (name: string) => join(folder, 'logs', `${name}.log`);
  const api = await startChildServer({
    script: cli,
    args: ['api'],
    env,
    logFile: logFile('api'),
    saysWhenUp: 'API is up',
  });
  const bare = await startChildServer({
    script: join(__dirname, 'intake', 'bare-server.js'),
    args: [url, String(barePort)],
    env: {},
    logFile: logFile('bare'),
    saysWhenUp: 'bare server is up',
  });
  const { apiKey, apiSecret } = credentials.client;
  const submit = { url: apiUrl, headers: { 'x-api-key': `${apiKey}:${apiSecret}` }, ...load };
  const plain = { url: bareUrl, headers: {}, ...load };
  const rates: Rates = { bare: [], submit: [], keyed: [], bareDown: [], down: [] };
  await submitsPerSecond({ ...plain, seconds: 3 });
  await submitsPerSecond({ ...submit, seconds: 3 });
  const show = (round: number, list: readonly number[]) =>
    process.stderr.write(`round ${round}: ${list.map((rate) => rate.toFixed(0)).join(', ')} a second\n`);
  for (let round = 1; round <= load.rounds; round += 1) {
    rates.bare.push(await submitsPerSecond(plain));
    rates.submit.push(await submitsPerSecond(submit));
    rates.keyed.push(await submitsPerSecond({ ...submit, keyed: true }));
    show(
      round,
      [rates.bare, rates.submit, rates.keyed].map((list) => list.at(-1)!),
    );
  }

  // A worker whose relay looks for Temporal all the while; what was submitted before is not its business.
  await sql`TRUNCATE outbox`;
  const worker = await startChildServer({
    script: cli,
    args: ['worker'],
    env,
    logFile: logFile('worker'),
    saysWhenUp: 'worker is up',
  });
  await temporal.stop();
  for (let round = 1; round <= load.rounds; round += 1) {
    rates.bareDown.push(await submitsPerSecond(plain));
    rates.down.push(await submitsPerSecond(submit));
    show(
      round,
      [rates.bareDown, rates.down].map((list) => list.at(-1)!),
    );
  }
  await Promise.all([worker, api, bare].map((server) => server.stop()));
  return rates;
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${(error as Error).stack ?? String(error)}\n`);
    process.exit(1);
  },
);
