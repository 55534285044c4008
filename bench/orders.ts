import { orderWorkflowId } from '../src/platform/domain/workflows';
import type { Metrics } from '../src/platform/metrics/metrics';
import { startBareRuns } from './support/bare-runs';
import { alternate, ratioOf, runBenchmark } from './support/benchmark';
import { countHistories, type HistoryCounts } from './support/history-counts';
import { withBenchStack } from './support/processes/bench-stack';
import { startClientProcess } from './support/processes/client-process';
import { withBenchDatabase } from './support/processes/servers';
import { type Row, spreadOf, writeResult } from './support/report';
import { countStatements, STATEMENT_COUNTING } from './support/statement-counts';

/**
 * Compares orders per second, from submission to the notification that they have shipped, with a bare workflow that has the
 * same commands and empty bodies on the same server. Also measures the CPU time of this process, which other load affects
 * less. A last round counts what an order costs: statements, history events, actions, requests and bytes.
 */
runBenchmark({
  name: 'orders',
  options: {
    orders: [150, 'orders per round'],
    rounds: [5, 'rounds of each contestant'],
    atOnce: [30, 'concurrent orders'],
  },
  measure: async ({ orders, rounds, atOnce }) =>
    await withBenchDatabase(STATEMENT_COUNTING, async (database) => {
      const settings = { DATABASE_URL: database.url, OUTBOUND_ALLOW_PRIVATE: true };
      return await withBenchStack(settings, async ({ credentials, services }) => {
        const client = await startClientProcess(credentials);
        const bare = await startBareRuns(services);
        const cpu: Record<'order' | 'bare', number[]> = { order: [], bare: [] };
        const runs = (what: 'order' | 'bare', run: () => Promise<number>) => async () => {
          const before = process.cpuUsage();
          const rate = orders / (await run());
          const { user, system } = process.cpuUsage(before);
          cpu[what].push((user + system) / 1_000 / orders);
          return rate;
        };
        await client.run(atOnce, atOnce);
        await bare.run(atOnce, atOnce);
        const rates = await alternate(rounds, 'runs per second', {
          order: runs('order', async () => (await client.run(orders, atOnce)).seconds),
          bare: runs('bare', () => bare.run(orders, atOnce)),
        });
        const bareEvents = await bare.historyEvents();
        await bare.stop();

        let ids: readonly string[] = [];
        const requestsBefore = await requestCounts(services.metrics);
        const counted = await countStatements(database.sql, async () => {
          ({ ids } = await client.run(orders, atOnce));
        });
        const requests = await requestCounts(services.metrics);
        await client.stop();
        const histories = await countHistories(services.temporal, ids.map(orderWorkflowId));
        await writeResult('orders-statements', {
          orders,
          statements: counted.calls.map(({ query, calls }) => ({ perOrder: calls / orders, query })),
        });

        const each = (what: string, total: number, unit = '', most?: number): Row => ({
          what: `${what} per order`,
          unit,
          value: spreadOf([total / orders]),
          ...(most === undefined ? {} : { target: { value: most, atLeast: false } }),
        });
        return [
          { what: 'order runs, submission to shipped', unit: '1/s', value: spreadOf(rates.order) },
          { what: 'bare workflow, same commands', unit: '1/s', value: spreadOf(rates.bare) },
          {
            what: 'ratio',
            unit: '',
            value: ratioOf(rates.order, rates.bare),
            target: { value: 0.8, atLeast: true },
          },
          { what: 'CPU per order: API and worker', unit: 'ms', value: spreadOf(cpu.order) },
          { what: 'CPU per bare run: worker and driver', unit: 'ms', value: spreadOf(cpu.bare) },
          { what: 'history events, bare', unit: '', value: spreadOf([bareEvents]) },
          each('SQL statements', counted.statements, '', 40),
          each('BEGIN and COMMIT', counted.transactionControl),
          each('WAL of Postgres', counted.walBytes / 1_024, 'KiB'),
          each('growth of tables and indexes', counted.tableBytes / 1_024, 'KiB'),
          each('HTTP requests to the API', requests.served - requestsBefore.served),
          each('HTTP requests of API and worker', requests.sent - requestsBefore.sent),
          ...historyRows(histories),
        ];
      });
    }),
});

function historyRows({ actions, ...counts }: HistoryCounts): Row[] {
  const row = (what: string, value: number, most?: number): Row => ({
    what: `${what} per order`,
    unit: '',
    value: spreadOf([value]),
    ...(most === undefined ? {} : { target: { value: most, atLeast: false } }),
  });
  const billed = Object.entries(actions);
  return [
    row('history events', counts.events, 38),
    row('workflow tasks', counts.workflowTasks, 6),
    row('local activities', counts.localActivities, 4),
    row('activities', counts.activities),
    { what: 'history per order', unit: 'KiB', value: spreadOf([counts.bytes / 1_024]) },
    row(
      'Temporal Cloud actions',
      billed.reduce((sum, [, count]) => sum + count, 0),
    ),
    ...billed.map(([type, count]) => row(`actions: ${type}`, count)),
  ];
}

/** Returns how many requests this process has handled and sent. */
async function requestCounts(metrics: Metrics): Promise<{ readonly served: number; readonly sent: number }> {
  const lines = (await metrics.expose()).split('\n');
  const sum = (name: string) =>
    lines
      .filter((line) => line.startsWith(`${name}_count{`))
      .reduce((total, line) => total + Number(line.slice(line.lastIndexOf('} ') + 2).split(' ')[0]), 0);
  return {
    served: sum('http_server_request_duration_seconds'),
    sent: sum('http_client_request_duration_seconds'),
  };
}
