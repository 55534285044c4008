import { migrate } from '../src/platform/schema/migrate';
import { CATALOG_READINGS, fillCatalog } from './reads/customer-product-lists';
import { fillStock, STOCK_READINGS } from './reads/stock-lists';
import { fillGauges, GAUGE_READINGS } from './reads/stored-gauges';
import { fillOrders, ORDER_READINGS } from './reads/stored-orders';
import { runBenchmark } from './support/benchmark';
import { compareSizes, type Filled } from './support/compare-sizes';
import { withBenchDatabase } from './support/processes/servers';

const SUBJECTS = [
  { name: 'orders', fill: fillOrders, readings: ORDER_READINGS },
  { name: 'products', fill: fillCatalog, readings: CATALOG_READINGS },
  { name: 'stock', fill: fillStock, readings: STOCK_READINGS },
  { name: 'gauges', fill: fillGauges, readings: GAUGE_READINGS },
] as const;

/** Compares reads of orders, product lists, searches, stock lists and gauges with a million rows and with ten thousand rows. */
runBenchmark({
  name: 'reads',
  options: {
    small: [10_000, 'rows of the small size: orders, customer products, stock items, reservations'],
    large: [1_000_000, 'rows of the large size'],
    turns: [300, 'reads of each list and size per round'],
    rounds: [5, 'rounds'],
    only: ['all', `one of ${SUBJECTS.map(({ name }) => name).join(', ')}`],
  },
  measure: async ({ small, large, turns, rounds, only }) =>
    await withBenchDatabase({ shared_buffers: '1GB' }, async ({ url, sql }) => {
      const filled = async (fill: (url: string, rows: number) => Promise<Filled>, name: string, size: number) => {
        process.stderr.write(`${name}: inserting ${size} rows\n`);
        const database = `${name}_${size}`;
        await sql`CREATE DATABASE ${sql(database)}`;
        const address = new URL(url);
        address.pathname = `/${database}`;
        await migrate(address.href);
        return await fill(address.href, size);
      };
      const measured = [];
      for (const { name, fill, readings } of SUBJECTS) {
        if (only !== 'all' && only !== name) continue;
        const sizes = [await filled(fill, name, small), await filled(fill, name, large)] as const;
        measured.push(...(await compareSizes(readings, sizes, { turns, rounds })));
        for (const size of sizes) {
          await size.sql.end({ timeout: 5 });
          await sql`DROP DATABASE ${sql(`${name}_${size.rows}`)}`;
        }
      }
      return measured;
    }),
});
