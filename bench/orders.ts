import { Command } from 'commander';
import { startBareRuns } from './support/bare-runs';
import { withBenchStack } from './support/bench-stack';
import { playShop } from './support/played-shop';
import { report, spreadOf } from './support/report';

/**
 * Orders per second from submission to shipped, labels bought, against a bare workflow with the same commands and
 * empty bodies on the same server; and the history events of one order's run up to shipped.
 */
async function main(): Promise<void> {
  const options = new Command()
    .option('--orders <count>', 'orders a round', '150')
    .option('--rounds <count>', 'rounds of each', '5')
    .option('--at-once <count>', 'orders under way at once', '30')
    .parse()
    .opts<{ orders: string; rounds: string; atOnce: string }>();
  const [orders, rounds, atOnce] = [Number(options.orders), Number(options.rounds), Number(options.atOnce)];
  await withBenchStack({}, async (stack) => {
    const shop = await playShop(stack);
    const bare = await startBareRuns(stack.services);
    const rates: { order: number[]; bare: number[] } = { order: [], bare: [] };
    await shop.run(atOnce, atOnce);
    await bare.run(atOnce, atOnce);
    for (let round = 1; round <= rounds; round += 1) {
      // Alternating, so that a slow minute of the machine falls on both.
      rates.order.push(orders / (await shop.run(orders, atOnce)));
      rates.bare.push(orders / (await bare.run(orders, atOnce)));
      const [mine, theirs] = [rates.order.at(-1)!, rates.bare.at(-1)!];
      process.stderr.write(`round ${round}: ${mine.toFixed(1)} orders/s, ${theirs.toFixed(1)} bare runs/s\n`);
    }
    const events = await shop.historyEvents();
    const bareEvents = await bare.historyEvents();
    await bare.stop();
    await shop.stop();
    const ratios = rates.order.map((rate, round) => rate / rates.bare[round]!);
    await report(
      'orders',
      [
        { what: 'order runs, submission to shipped', unit: '1/s', value: spreadOf(rates.order) },
        { what: 'bare workflow, same commands', unit: '1/s', value: spreadOf(rates.bare) },
        { what: 'ratio', unit: '', value: spreadOf(ratios), target: { value: 0.9, atLeast: true } },
        {
          what: 'history events to shipped',
          unit: '',
          value: spreadOf([events]),
          target: { value: 60, atLeast: false },
        },
        { what: 'history events, bare', unit: '', value: spreadOf([bareEvents]) },
      ],
      { orders, rounds, atOnce },
    );
  });
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${(error as Error).stack ?? String(error)}\n`);
    process.exit(1);
  },
);
