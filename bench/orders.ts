import { resolve } from 'node:path';
import { loadConfig } from '../src/platform/config';
import { orderWorkflowId } from '../src/platform/domain/workflows';
import { projectRoot } from '../src/platform/project-root';
import { connectTemporal } from '../src/platform/temporal/connection';
import { type BareRuns, startBareRuns } from './support/bare-runs';
import { alternate, ratioOf, runBenchmark } from './support/benchmark';
import { countHistories, type HistoryCounts } from './support/history-counts';
import { type ClientProcess, startClientProcess } from './support/processes/client-process';
import { type MeasuredStack, withMeasuredStack } from './support/processes/measured-stack';
import { cpuOfProcess } from './support/processes/process-cpu';
import { type Row, spreadOf, writeResult } from './support/report';
import { countStatements } from './support/statement-counts';

interface Settings {
  readonly orders: number;
  readonly rounds: number;
  readonly atOnce: number;
}

/**
 * Measures the CPU time of an order in every process, from submission to the notification that it has shipped, and compares the
 * total with that of a bare workflow that has the same commands and empty bodies on the same Temporal server. Other load affects
 * CPU time less than rates. A last round counts what an order costs: statements, history events, actions, requests and bytes.
 */
runBenchmark({
  name: 'orders',
  options: {
    orders: [150, 'orders per round'],
    rounds: [5, 'rounds of each contestant'],
    atOnce: [30, 'concurrent orders'],
    against: ['', 'folder of another built Pressline, which is compared in alternating rounds'],
  },
  async measure({ against, ...settings }) {
    return await withMeasuredStack(projectRoot(), async (stack) => {
      const own = await ordersOf(stack, settings);
      await own.warmUp();
      const rows =
        against === ''
          ? await compareWithBareRuns(settings, own, stack)
          : await withMeasuredStack(resolve(against), async (otherStack) => {
              const other = await ordersOf(otherStack, settings);
              await other.warmUp();
              const measured = await compareWithBuild(settings, own, other);
              await other.client.stop();
              return measured;
            });
      rows.push(...(await countsOf(stack, own.client, settings)));
      await own.client.stop();
      return rows;
    });
  },
});

/** The process that is no part of the total: it is not Pressline's. */
const CLIENT = 'shop and partners';

/** CPU time in milliseconds by process. */
type Cpu = Readonly<Record<string, number>>;

const totalOf = (cpu: Cpu): number =>
  Object.entries(cpu).reduce((sum, [name, ms]) => (name === CLIENT ? sum : sum + ms), 0);

/** What is measured in rounds. */
interface Contestant {
  readonly what: string;
  /** Runs per second, and CPU time of a run by process, of each round. */
  readonly rates: number[];
  readonly perRun: Cpu[];
  warmUp(): Promise<void>;
  /** Runs a round. @returns the CPU time of a run, of all processes but the client's */
  round(): Promise<number>;
}

/**
 * @param run makes runs. @returns the duration in seconds
 * @param cpu returns the CPU time of the processes
 */
function contestant(
  what: string,
  { orders, atOnce }: Settings,
  run: (count: number, atOnce: number) => Promise<number>,
  cpu: () => Promise<Cpu>,
): Contestant {
  const rates: number[] = [];
  const perRun: Cpu[] = [];
  return {
    what,
    rates,
    perRun,
    warmUp: async () => void (await run(atOnce, atOnce)),
    async round() {
      const before = await cpu();
      rates.push(orders / (await run(orders, atOnce)));
      const after = await cpu();
      const used = Object.fromEntries(Object.entries(after).map(([name, ms]) => [name, (ms - before[name]!) / orders]));
      perRun.push(used);
      return totalOf(used);
    },
  };
}

async function ordersOf(
  stack: MeasuredStack,
  settings: Settings,
): Promise<Contestant & { readonly client: ClientProcess }> {
  const client = await startClientProcess(stack.credentials);
  const cpu = async () => ({ ...(await stack.cpu()), [CLIENT]: await cpuOfProcess(client.pid) });
  const run = async (count: number, atOnce: number) => (await client.run(count, atOnce)).seconds;
  return { ...contestant('order', settings, run, cpu), client };
}

function bareContestant(bare: BareRuns, stack: MeasuredStack, settings: Settings): Contestant {
  return contestant('bare run', settings, bare.run, async () => ({
    'worker and driver': await cpuOfProcess(bare.pid),
    Temporal: (await stack.cpu()).Temporal,
  }));
}

async function compareWithBareRuns(settings: Settings, own: Contestant, stack: MeasuredStack): Promise<Row[]> {
  const bare = await startBareRuns(stack.temporalAddress);
  const bareRuns = bareContestant(bare, stack, settings);
  await bareRuns.warmUp();
  const totals = await alternate(settings.rounds, 'ms of CPU', { order: own.round, bare: bareRuns.round });
  const bareEvents = await bare.historyEvents();
  await bare.stop();
  return [
    ...cpuRows(own),
    ...cpuRows(bareRuns),
    { what: 'CPU, order against bare run', unit: 'ratio', value: ratioOf(totals.order, totals.bare) },
    ratesOf(own),
    { what: 'bare runs, same commands', unit: '1/s', value: spreadOf(bareRuns.rates) },
    { what: 'history events, bare', unit: '', value: spreadOf([bareEvents]) },
  ];
}

/** Without bare runs: they would use the Temporal server of one of the builds, and make its orders dearer. */
async function compareWithBuild(settings: Settings, own: Contestant, other: Contestant): Promise<Row[]> {
  const totals = await alternate(settings.rounds, 'ms of CPU', { order: own.round, other: other.round });
  return [
    ...cpuRows(own),
    ...cpuRows({ ...other, what: 'order of the other build' }),
    { what: 'CPU, this build against the other', unit: 'ratio', value: ratioOf(totals.order, totals.other) },
    ratesOf(own),
  ];
}

const ratesOf = ({ rates }: Contestant): Row => ({
  what: 'orders, submission to shipped',
  unit: '1/s',
  value: spreadOf(rates),
});

/** Returns the CPU time of a run: the total, then each process. */
function cpuRows({ what, perRun }: Contestant): Row[] {
  const row = (name: string, of: (cpu: Cpu) => number): Row => ({
    what: `CPU per ${what}: ${name}`,
    unit: 'ms',
    value: spreadOf(perRun.map(of)),
  });
  return [row('total', totalOf), ...Object.keys(perRun[0]!).map((name) => row(name, (cpu) => cpu[name]!))];
}

/** Counts what an order costs in a round of its own. */
async function countsOf(stack: MeasuredStack, client: ClientProcess, { orders, atOnce }: Settings): Promise<Row[]> {
  const metricsUrl = stack.credentials.metricsUrl!;
  const temporal = connectTemporal({ ...loadConfig({}), TEMPORAL_ADDRESS: stack.temporalAddress });
  let ids: readonly string[] = [];
  const requestsBefore = await requestCounts(metricsUrl);
  const counted = await countStatements(stack.sql, async () => {
    ({ ids } = await client.run(orders, atOnce));
  });
  const requests = await requestCounts(metricsUrl);
  const histories = await countHistories(temporal, ids.map(orderWorkflowId));
  await temporal.connection.close();
  await writeResult('orders-statements', {
    orders,
    statements: counted.calls.map(({ query, calls, ms }) => ({
      perOrder: calls / orders,
      msPerOrder: ms / orders,
      query,
    })),
  });
  const each = (what: string, total: number, unit = ''): Row => ({
    what: `${what} per order`,
    unit,
    value: spreadOf([total / orders]),
  });
  return [
    each('SQL statements', counted.statements),
    each('BEGIN and COMMIT', counted.transactionControl),
    each('WAL of Postgres', counted.walBytes / 1_024, 'KiB'),
    each('growth of tables and indexes', counted.tableBytes / 1_024, 'KiB'),
    each('HTTP requests to the API', requests.served - requestsBefore.served),
    each('HTTP requests of API and worker', requests.sent - requestsBefore.sent),
    ...historyRows(histories),
  ];
}

function historyRows({ actions, ...counts }: HistoryCounts): Row[] {
  const row = (what: string, value: number): Row => ({ what: `${what} per order`, unit: '', value: spreadOf([value]) });
  const billed = Object.entries(actions);
  return [
    row('history events', counts.events),
    row('workflow tasks', counts.workflowTasks),
    row('local activities', counts.localActivities),
    row('activities', counts.activities),
    { what: 'history per order', unit: 'KiB', value: spreadOf([counts.bytes / 1_024]) },
    row(
      'Temporal Cloud actions',
      billed.reduce((sum, [, count]) => sum + count, 0),
    ),
    ...billed.map(([type, count]) => row(`actions: ${type}`, count)),
  ];
}

/** Returns how many requests a process has handled and sent, from its metrics. */
async function requestCounts(metricsUrl: string): Promise<{ readonly served: number; readonly sent: number }> {
  const lines = (await (await fetch(metricsUrl)).text()).split('\n');
  const sum = (name: string) =>
    lines
      .filter((line) => line.startsWith(`${name}_count{`))
      .reduce((total, line) => total + Number(line.slice(line.lastIndexOf('} ') + 2).split(' ')[0]), 0);
  return {
    served: sum('http_server_request_duration_seconds'),
    sent: sum('http_client_request_duration_seconds'),
  };
}
