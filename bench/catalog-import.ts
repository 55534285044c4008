import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { importCatalogFile } from '../cli/commands/data';
import { loadConfig } from '../src/platform/config';
import { runBenchmark } from './support/benchmark';
import { type Row, spreadOf } from './support/report';
import { seededRandom } from './support/seeded-random';

const HEADER =
  'kind,id,attributeId,reference,name,description,properties,categoryId,productUidTemplate,state,production,isDefault,customerIds,productModelId,variantOptions';
const COLUMNS = HEADER.split(',');
const COLORS = ['gold', 'silver', 'copper', 'rose', 'black', 'white'];
const WORDS = ['Amber', 'Birch', 'Coral', 'Dune', 'Ember', 'Fjord', 'Grove', 'Harbour', 'Isle', 'Juniper'];

function csvLine(fields: Readonly<Record<string, unknown>>): string {
  const cells = COLUMNS.map((column) => {
    const value = fields[column];
    if (value === undefined) return '';
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${cells.join(',')}\n`;
}

/** Yields the CSV lines of a catalog: one attribute, one product model, and customer products with two variant values each. */
function* catalogLines(products: number): Generator<string> {
  const random = seededRandom(1);
  yield `${HEADER}\n`;
  yield csvLine({ kind: 'attribute', id: 'foil', description: 'Foil' });
  for (const color of COLORS)
    yield csvLine({ kind: 'attribute_value', attributeId: 'foil', id: color, isDefault: color === 'gold' });
  yield csvLine({
    kind: 'product_model',
    id: 'foil-card',
    name: 'Foil card',
    categoryId: 'cards',
    productUidTemplate: 'foil_card_{foil}',
    state: 'active',
    production: { priceList: { EUR: [{ from: 1, unitMinor: 300 }] } },
  });
  for (let n = 1; n <= products; n += 1) {
    const values = [random.pick(COLORS.slice(0, 3)), random.pick(COLORS.slice(3))].map((color, at) => ({
      value: color,
      attributeValues: [{ partModelId: 'foil-card', attributes: { foil: color } }],
      isDefault: at === 0,
    }));
    yield csvLine({
      kind: 'customer_product',
      reference: `sku-${n}`,
      name: `${random.pick(WORDS)} ${random.pick(WORDS)} card ${n}`,
      customerIds: '*',
      productModelId: 'foil-card',
      variantOptions: [
        {
          id: 'foil',
          name: 'Foil',
          attributesMapping: [{ partModelId: 'foil-card', attributeIds: ['foil'] }],
          values,
        },
      ],
    });
  }
}

async function writeCatalog(file: string, products: number): Promise<void> {
  const stream = createWriteStream(file);
  for (const line of catalogLines(products)) if (!stream.write(line)) await once(stream, 'drain');
  stream.end();
  await once(stream, 'finish');
}

/** Imports a CSV of products with the code of the command into an empty database: a dry run, an import, and a repeated import. */
async function importCatalog(folder: string, products: number): Promise<Row[]> {
  const file = join(folder, 'catalog.csv');
  await writeCatalog(file, products);
  const config = loadConfig({ DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'warn' });
  const log = pino({ level: 'warn' }, pino.destination(2));
  const lines = products + 2 + COLORS.length;
  const run = async (what: string, expected: string, dryRun = false) => {
    const began = performance.now();
    let last = '';
    const code = await importCatalogFile(config, log, file, {
      dryRun,
      say: (line) => {
        last = line;
        process.stderr.write(`${line}\n`);
      },
    });
    if (code !== 0 || !last.includes(expected)) throw new Error(`${what}: ${last}; expected ${expected}`);
    return { what, unit: 'lines/s', value: spreadOf([lines / ((performance.now() - began) / 1_000)]) };
  };
  return [
    await run('dry run', `${lines} created`, true),
    await run('first import', `${lines} created`),
    await run('repeated import, no changes', `${lines} unchanged`),
  ];
}

runBenchmark({
  name: 'catalog-import',
  options: { products: [100_000, 'customer products in the file'] },
  measure: async ({ products }) => {
    const folder = await mkdtemp(join(tmpdir(), 'pressline-bench-'));
    try {
      return await importCatalog(folder, products);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
});
