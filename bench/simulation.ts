import { Command, InvalidArgumentError } from 'commander';
import { type CoreChange, type SimulatedWaits, type Station, simulateQueues } from './simulation/queue-simulation';

/** CPU time of an order in milliseconds: the medians of docs/operation/capacity.md, with Temporal's development server. */
const COSTS = { api: 16.8, postgres: 35.8, temporal: 60.5, worker: 95.9 } as const;
type Part = keyof typeof COSTS;
const PARTS = Object.keys(COSTS) as Part[];

/**
 * What was measured on 2026-11-22 without other load (docs/development/benchmarks.md, orders): on a machine of two cores,
 * which all processes share, with 30 orders at once. CPU time in milliseconds, without that of the client and its partners.
 */
const MEASURED = [
  { name: 'orders, submission to shipped', cpuMs: 198, perSecond: 9.06 },
  { name: 'bare workflows with the same commands', cpuMs: 94, perSecond: 17.8 },
] as const;
const MEASURED_CORES = 2;
const MEASURED_AT_ONCE = 30;

/** A tenth of the orders of a day arrive in its busiest hour. */
const PEAK_SHARE = 0.1;
const HOUR = 3_600;
/** The outage begins when the queues have become steady. */
const WARM_UP = 600;
/** Seconds for which one process at a time is stopped, started and warmed during a rollout. */
const RESTART_SECONDS = 60;

type Cores = Readonly<Record<Part, number>>;

interface Scenario {
  readonly name: string;
  readonly changes: (cores: Cores) => readonly CoreChange[];
  /** The last change brings all cores back. */
  readonly recovers?: true;
}

const half = (cores: number) => Math.max(1, Math.floor(cores / 2));

const SCENARIOS: readonly Scenario[] = [
  { name: 'peak hour', changes: () => [] },
  {
    name: 'no worker for an hour',
    recovers: true,
    changes: ({ worker }) => [
      { at: WARM_UP, station: 'worker', cores: 0 },
      { at: WARM_UP + HOUR, station: 'worker', cores: worker },
    ],
  },
  {
    name: 'rollout of the workers',
    recovers: true,
    changes: ({ worker }) => [
      { at: WARM_UP, station: 'worker', cores: worker - 1 },
      { at: WARM_UP + worker * RESTART_SECONDS, station: 'worker', cores: worker },
    ],
  },
  {
    name: 'one of two regions gone',
    changes: (cores) => PARTS.map((part) => ({ at: WARM_UP, station: part, cores: half(cores[part]) })),
  },
];

const whole = (text: string): number => {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('must be a whole number of at least 1');
};

const { orders, scale, ...cores } = new Command('simulation')
  .description('waiting times of orders in queues for CPU time, from the measured costs of an order')
  .option('--orders <count>', 'orders a day', whole, 1_000_000)
  .option('--api <cores>', 'cores of API processes', whole, 2)
  .option('--worker <cores>', 'cores of worker processes, one each', whole, 5)
  .option('--temporal <cores>', 'cores of Temporal', whole, 3)
  .option('--postgres <cores>', 'cores of Postgres', whole, 2)
  .option('--scale <percent>', 'CPU time of an order, in percent of the measured one', whole, 100)
  .parse()
  .opts<Cores & { orders: number; scale: number }>();

const rate = (orders * PEAK_SHARE) / HOUR;
const stations: Station[] = PARTS.map((name) => ({
  name,
  meanSeconds: (COSTS[name] * scale) / 100 / 1_000,
  cores: cores[name],
}));

const line = (cells: readonly string[]) => process.stdout.write(`| ${cells.join(' | ')} |\n`);
const seconds = (value: number) => (value < 10 ? value.toFixed(2) : value.toFixed(0));
const quantile = (sorted: readonly number[], share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;

function rowOf({ name, recovers }: Scenario, { waits, longestQueue, caughtUpAfter }: SimulatedWaits): string[] {
  const sorted = [...waits].sort((a, b) => a - b);
  const figures = [quantile(sorted, 0.5), quantile(sorted, 0.95), quantile(sorted, 0.99), sorted.at(-1) ?? 0];
  const caughtUp = !recovers ? '' : caughtUpAfter === null ? 'never' : seconds(caughtUpAfter / 60);
  return [name, ...figures.map(seconds), String(longestQueue), caughtUp];
}

process.stdout.write(`${orders} orders a day, ${rate.toFixed(1)} a second in the peak hour\n\n`);
line(['Part', 'Cores', 'ms per order', 'Used']);
line(['---', '---:', '---:', '---:']);
for (const { name, cores: count, meanSeconds } of stations)
  line([name, String(count), (meanSeconds * 1_000).toFixed(1), `${((100 * rate * meanSeconds) / count).toFixed(0)} %`]);

process.stdout.write('\nSeconds that an order waits for CPU time, over all parts\n\n');
line(['', 'median', '95 %', '99 %', 'most', 'longest queue', 'minutes until none waits']);
line(['---', '---:', '---:', '---:', '---:', '---:', '---:']);
for (const scenario of SCENARIOS) {
  const made = scenario.changes(cores);
  const lastChange = Math.max(0, ...made.map(({ at }) => at));
  // The load of the peak hour goes on for two hours after the last change.
  line(rowOf(scenario, simulateQueues({ rate, seconds: lastChange + 2 * HOUR, stations, changes: made })));
}

process.stdout.write(`\n${MEASURED_AT_ONCE} at once on ${MEASURED_CORES} cores: orders a second\n\n`);
line(['', 'ms each', 'simulated', 'measured', 'deviation']);
line(['---', '---:', '---:', '---:', '---:']);
for (const { name, cpuMs, perSecond } of MEASURED) {
  const machine = { name: 'machine', meanSeconds: cpuMs / 1_000, cores: MEASURED_CORES };
  const { waits } = simulateQueues({ rate: { atOnce: MEASURED_AT_ONCE }, seconds: HOUR, stations: [machine] });
  const simulated = waits.length / HOUR;
  const deviation = `${(100 * (simulated / perSecond - 1)).toFixed(0)} %`;
  line([name, String(cpuMs), simulated.toFixed(2), perSecond.toFixed(2), deviation]);
}
