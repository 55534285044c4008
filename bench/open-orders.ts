import { type StackProcess, startStackProcess } from './open-orders/stack-process';
import { withBenchFolder } from './support/bench-stack';
import { runBenchmark } from './support/benchmark';
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
    small: [1_000, 'open orders of the baseline'],
    large: [100_000, 'open orders'],
    postbacks: [100, 'orders in a round that get postbacks'],
    rounds: [5, 'rounds at each size'],
  },
  measure: async ({ small, large, postbacks, rounds }) =>
    await withBenchFolder(async (smallFolder) =>
      withBenchFolder(async (largeFolder) => {
        const fewSeconds = await fill(smallFolder, small);
        const manySeconds = await fill(largeFolder, large);
        const few = await startStackProcess(smallFolder);
        const many = await startStackProcess(largeFolder);
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

/** Fills a data folder. @returns the seconds until the workflows of all orders run */
async function fill(folder: string, orders: number): Promise<number> {
  const stack = await startStackProcess(folder);
  try {
    return await stack.fill(1, orders);
  } finally {
    await stack.stop();
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
