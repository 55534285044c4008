import { type StackProcess, startStackProcess } from './open-orders/stack-process';
import { withBenchFolder } from './support/bench-folder';
import { runBenchmark } from './support/benchmark';
import { type RealTemporal, startRealTemporal } from './support/processes/real-temporal';
import { type Row, spreadOf } from './support/report';

/**
 * Compares work with many open orders with the same work with few: postbacks, the tracking sweep, reconciliation, and
 * lists. Every order has its rows in Postgres and a run of the order workflow in Temporal. The runs are rebuilt from the
 * rows by reconciliation, in the state of an accepted print order, so their histories are shorter than those of orders that
 * were submitted.
 */
runBenchmark({
  name: 'open-orders',
  options: {
    temporal: ['dev', 'Temporal server: dev (a file) or real (Postgres)'],
    small: [1_000, 'open orders of the baseline'],
    large: [100_000, 'open orders'],
    postbacks: [100, 'orders in a round that get postbacks'],
    rounds: [5, 'rounds at each size'],
  },
  measure: async ({ temporal, small, large, postbacks, rounds }) =>
    await withServers(temporal, async (ofFew) =>
      withServers(temporal, async (ofMany) => {
        const fewSeconds = await fill(ofFew, small);
        const manySeconds = await fill(ofMany, large);
        const few = await startStackProcess(ofFew.folder, ofFew.temporal?.address);
        const many = await startStackProcess(ofMany.folder, ofMany.temporal?.address);
        try {
          return [
            { what: 'open orders in Postgres and in Temporal', unit: '', value: spreadOf([large]) },
            {
              what: 'time to start a run from its rows',
              unit: 'ms',
              value: spreadOf([(1_000 * fewSeconds) / small, (1_000 * manySeconds) / large]),
            },
            ...(await compare({ few, small, many, large, postbacks, rounds })),
          ];
        } finally {
          await Promise.all([few.stop(), many.stop()]);
        }
      }),
    ),
});

/** Where a stack keeps its data. */
interface Servers {
  readonly folder: string;
  /** Unset: the stack starts Temporal's development server. */
  readonly temporal?: RealTemporal;
}

async function withServers<T>(kind: string, measure: (servers: Servers) => Promise<T>): Promise<T> {
  return await withBenchFolder(async (folder) => {
    if (kind !== 'real') return await measure({ folder });
    const temporal = await startRealTemporal(folder);
    try {
      return await measure({ folder, temporal });
    } finally {
      await temporal.stop();
    }
  });
}

/** Fills the servers, and starts them again. @returns the seconds until the workflows of all orders run */
async function fill({ folder, temporal }: Servers, orders: number): Promise<number> {
  const stack = await startStackProcess(folder, temporal?.address);
  try {
    return await stack.fill(1, orders);
  } finally {
    await stack.stop();
    await temporal?.restart();
  }
}

interface Comparison {
  readonly few: StackProcess;
  readonly small: number;
  readonly many: StackProcess;
  readonly large: number;
  readonly postbacks: number;
  readonly rounds: number;
}

/** Measures both stacks alternately, so that a slow minute of the machine affects both. */
async function compare({ few, small, many, large, postbacks, rounds }: Comparison): Promise<Row[]> {
  const measured: { readonly few: Figures; readonly many: Figures }[] = [];
  for (const stack of [few, many]) await stack.vacuum();
  for (let round = 0; round <= rounds; round++) {
    const figures = { few: await few.round(small, postbacks), many: await many.round(large, postbacks) };
    // The first round fills caches.
    if (round > 0) measured.push(figures);
  }
  return Object.keys(measured[0]!.many).flatMap((what): Row[] => [
    {
      what: `${what}, ${large} open orders`,
      unit: 'ms',
      value: spreadOf(measured.map((each) => each.many[what]!)),
    },
    {
      what: `${what}, against ${small}`,
      unit: 'ratio',
      value: spreadOf(measured.map((each) => each.many[what]! / each.few[what]!)),
      target: { value: 1.3, atLeast: false },
    },
  ]);
}

type Figures = Readonly<Record<string, number>>;
