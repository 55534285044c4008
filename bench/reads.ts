import { Command } from 'commander';
import { migrate } from '../src/platform/migrate';
import { CATALOG_READINGS, fillCatalog } from './customer-product-lists';
import { fillStock, STOCK_READINGS } from './stock-lists';
import { fillOrders, ORDER_READINGS } from './stored-orders';
import { compareSizes, type Filled } from './support/compare-sizes';
import { report } from './support/report';
import { withBenchDatabase } from './support/servers';

const SUBJECTS = [
  { name: 'orders', fill: fillOrders, readings: ORDER_READINGS },
  { name: 'products', fill: fillCatalog, readings: CATALOG_READINGS },
  { name: 'stock', fill: fillStock, readings: STOCK_READINGS },
] as const;

/** Orders, product lists, searches and stock lists with a million rows stored, against the same with ten thousand. */
async function main(): Promise<void> {
  const options = new Command()
    .option(
      '--small <rows>',
      'orders, customer products, stock items and reservations of the small size',
      '10000',
    )
    .option('--large <rows>', 'and of the large one', '1000000')
    .option('--turns <count>', 'reads of each list a round, by turns of either size', '300')
    .option('--rounds <count>', 'rounds', '5')
    .option('--only <subject>', `one of ${SUBJECTS.map(({ name }) => name).join(', ')}`)
    .parse()
    .opts<Record<'small' | 'large' | 'turns' | 'rounds', string> & { only?: string }>();
  const [small, large, turns, rounds] = [options.small, options.large, options.turns, options.rounds].map(
    Number,
  ) as [number, number, number, number];
  const rows = await withBenchDatabase({ shared_buffers: '1GB' }, async ({ url, sql }) => {
    const filled = async (
      fill: (url: string, rows: number) => Promise<Filled>,
      name: string,
      size: number,
    ) => {
      process.stderr.write(`${name}: filling in ${size} rows\n`);
      const database = `${name}_${size}`;
      await sql`CREATE DATABASE ${sql(database)}`;
      const address = new URL(url);
      address.pathname = `/${database}`;
      await migrate(address.href);
      return await fill(address.href, size);
    };
    const measured = [];
    for (const { name, fill, readings } of SUBJECTS) {
      if (options.only !== undefined && options.only !== name) continue;
      const sizes = [await filled(fill, name, small), await filled(fill, name, large)] as const;
      measured.push(...(await compareSizes(readings, sizes, { turns, rounds })));
      for (const size of sizes) {
        await size.sql.end({ timeout: 5 });
        await sql`DROP DATABASE ${sql(`${name}_${size.rows}`)}`;
      }
    }
    return measured;
  });
  await report('reads', rows, { small, large, turns, rounds });
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${(error as Error).stack ?? String(error)}\n`);
    process.exit(1);
  },
);
