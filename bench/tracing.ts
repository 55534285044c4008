import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../packages/embedded-servers/ports';
import { projectRoot } from '../src/platform/project-root';
import { setTracer } from '../src/platform/tracing/spans';
import { alternate, ratioOf, runBenchmark } from './support/benchmark';
import { withBenchStack } from './support/processes/bench-stack';
import { startChildServer } from './support/processes/child-process';
import { startClientProcess } from './support/processes/client-process';
import { spreadOf } from './support/report';

const EXPORT_EVERY_MS = 200;

/**
 * Compares the CPU time of orders, from submission to shipped, with every span recorded and with none, in one stack. The collector
 * is another process. Between rounds the tracer is removed and set again: a process without an endpoint also has no wrappers.
 */
runBenchmark({
  name: 'tracing',
  options: {
    orders: [60, 'orders per round'],
    rounds: [5, 'rounds of each contestant'],
    atOnce: [30, 'concurrent orders'],
  },
  measure: async ({ orders, rounds, atOnce }) => {
    const folder = await mkdtemp(join(tmpdir(), 'pressline-collector-'));
    const port = await freePort();
    const collector = await startChildServer({
      script: join(projectRoot(), 'dist', 'bench', 'support', 'discarding-collector.js'),
      args: [String(port)],
      env: {},
      logFile: join(folder, 'log'),
      readyText: 'collector is up',
    });
    const settings = {
      OUTBOUND_ALLOW_PRIVATE: true,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_BSP_SCHEDULE_DELAY: EXPORT_EVERY_MS,
      OTEL_BSP_MAX_QUEUE_SIZE: 100_000,
    };
    try {
      return await withBenchStack(settings, async ({ credentials }) => {
        const client = await startClientProcess(credentials);
        const tracer = setTracer(undefined);
        const cpuPerOrder = (traced: boolean) => async () => {
          setTracer(traced ? tracer : undefined);
          const before = process.cpuUsage();
          await client.run(orders, atOnce);
          // Notifications of the last orders, and the exports of their spans.
          await sleep(5 * EXPORT_EVERY_MS);
          const { user, system } = process.cpuUsage(before);
          setTracer(undefined);
          return (user + system) / 1_000 / orders;
        };
        await cpuPerOrder(true)();
        const cpu = await alternate(rounds, 'ms of CPU per order', {
          off: cpuPerOrder(false),
          on: cpuPerOrder(true),
        });
        await client.stop();
        return [
          { what: 'CPU per order, no spans', unit: 'ms', value: spreadOf(cpu.off) },
          { what: 'CPU per order, every span recorded', unit: 'ms', value: spreadOf(cpu.on) },
          {
            what: 'with spans against without',
            unit: 'ratio',
            value: ratioOf(cpu.on, cpu.off),
            target: { value: 1.05, atLeast: false },
          },
        ];
      });
    } finally {
      await collector.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
});
