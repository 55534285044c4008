import { seedDemoCatalog } from '../../../sandbox/demo/catalog';
import { listCustomerProducts } from '../../../src/catalog/customer-product-list';
import { createCustomerProduct } from '../../../src/catalog/customer-products';
import { type ImportCounts, importCatalog, type RefusedLine } from '../../../src/catalog/import-catalog';
import { csvLines, jsonLines } from '../../../src/catalog/import-lines';
import { resolveProducts } from '../../../src/catalog/resolve-products';
import { connectPostgres, inTransaction, type Sql } from '../../../src/platform/postgres';
import { testDatabase } from '../../support/database';

const CLIENT = '0190b000-0000-7000-8000-00000000000a';

let sql: Sql;
let url: string;
beforeEach(async () => {
  ({ sql, url } = await testDatabase());
  await seedDemoCatalog(sql);
});

async function run(lines: Parameters<typeof importCatalog>[1], dryRun = false) {
  const refused: RefusedLine[] = [];
  const progress: ImportCounts[] = [];
  const counts = await importCatalog(sql, lines, {
    dryRun,
    onRefused: (line) => refused.push(line),
    onProgress: (counts) => progress.push(counts),
  });
  return { counts, refused, progress };
}

const sizeOption = (...sizes: string[]) => [
  {
    id: 'size',
    name: 'Size',
    attributesMapping: [{ partModelId: 'blank-t-shirt', attributeIds: ['apparel_size'] }],
    values: sizes.map((size, at) => ({
      value: size.toUpperCase(),
      attributeValues: [{ partModelId: 'blank-t-shirt', attributes: { apparel_size: size } }],
      isDefault: at === 0,
    })),
  },
];
const quoted = (value: unknown) => `"${JSON.stringify(value).replaceAll('"', '""')}"`;

const FILE = [
  { kind: 'attribute', id: 'foil', description: 'Foil' },
  {
    kind: 'attribute_value',
    attributeId: 'foil',
    id: 'gold',
    properties: { hex: '#d4af37' },
    isDefault: true,
  },
  { kind: 'attribute_value', attributeId: 'foil', id: 'silver' },
  {
    kind: 'product_model',
    id: 'foil-card',
    name: 'Foil card',
    categoryId: 'cards',
    productUidTemplate: 'foil_card_{foil}',
    state: 'active',
    production: {
      printAreas: [{ fileType: 'default', size: { widthMm: 148, heightMm: 105 }, needs: { bleedMm: 2 } }],
      priceList: { EUR: [{ from: 1, unitMinor: 300 }] },
    },
  },
  {
    kind: 'customer_product',
    reference: 'wedding',
    name: 'Wedding card',
    productModelId: 'foil-card',
    variantOptions: [
      {
        id: 'foil',
        name: 'Foil',
        attributesMapping: [{ partModelId: 'foil-card', attributeIds: ['foil'] }],
        values: [
          {
            value: 'Silver',
            attributeValues: [{ partModelId: 'foil-card', attributes: { foil: 'silver' } }],
          },
        ],
      },
    ],
  },
];

test('products imported from JSON, with attributes and product models, can be ordered', async () => {
  const { counts, refused } = await run(jsonLines([JSON.stringify(FILE)]));
  expect(refused).toEqual([]);
  expect(counts).toEqual({ lines: 5, created: 5, updated: 0, unchanged: 0, refused: 0 });
  const [resolution] = await resolveProducts(sql, { clientId: CLIENT }, [
    { productName: 'Wedding card', productVariant: { Foil: 'Silver' } },
  ]);
  expect(resolution).toMatchObject({
    ok: true,
    product: { productUid: 'foil_card_silver', printAreas: [{ needs: { bleedMm: 2 } }] },
  });
});

test('a repeated import changes nothing, and a changed line replaces what differs', async () => {
  await run(jsonLines([JSON.stringify(FILE)]));
  const [before] = await sql`SELECT version FROM catalog_version`;
  expect((await run(jsonLines([JSON.stringify(FILE)]))).counts).toMatchObject({
    unchanged: 5,
    created: 0,
    updated: 0,
  });
  expect((await sql`SELECT version FROM catalog_version`)[0]).toEqual(before);
  const changed = FILE.map((line) => ({ ...line, ...('name' in line ? { name: `New ${line.name}` } : {}) }));
  expect((await run(jsonLines([JSON.stringify(changed)]))).counts).toMatchObject({
    unchanged: 3,
    updated: 2,
  });
  const list = await listCustomerProducts(sql, { role: 'operator' }, { search: 'Wedding', offset: 0, limit: 10 });
  expect(list.products.map(({ name }) => name)).toEqual(['New Wedding card']);
});

test('an import of customer products from CSV reports every refused line', async () => {
  const { counts, refused } = await run(
    csvLines([
      'reference,name,customerIds,productModelId,variantOptions\r\n',
      `tee-1,Tour tee,${CLIENT};other,t-shirt,${quoted(sizeOption('s', 'm'))}\r\n`,
      `tee-2,Plain tee,,t-shirt,\r\n`,
      `tee-3,,*,t-shirt,\r\n`,
      `tee-4,Hat,*,hat,\r\n`,
      `tee-5,Odd tee,*,t-shirt,${quoted(sizeOption('giant'))}\r\n`,
      `tee-1,Twin,*,t-shirt,\r\n`,
      `tee-6,Torn,*,t-shirt,"[{"\r\n`,
      `tee-7,Wide,*,t-shirt,,,\r\n`,
    ]),
  );
  expect(counts).toEqual({ lines: 8, created: 2, updated: 0, unchanged: 0, refused: 6 });
  const faults = Object.fromEntries(refused.map(({ line, faults }) => [line, faults[0]!]));
  expect(faults[4]).toMatchObject({ reference: 'name' });
  expect(faults[5]).toMatchObject({ reference: 'productModelId', message: expect.stringContaining('hat') });
  expect(faults[6]).toMatchObject({
    reference: 'variantOptions[0].values[0].attributeValues[0].attributes.apparel_size',
  });
  expect(faults[7]).toMatchObject({ message: expect.stringContaining('line 2') });
  expect(faults[8]).toMatchObject({ message: expect.stringContaining('variantOptions') });
  expect(faults[9]).toMatchObject({ message: expect.stringContaining('7 cells') });
  const order = { productName: 'Tour tee', productVariant: {} };
  expect((await resolveProducts(sql, { clientId: CLIENT }, [order]))[0]!.ok).toBe(true);
});

test('a dry run reports the same counts and changes nothing', async () => {
  const lines = () => jsonLines([JSON.stringify([...FILE, { name: 'no reference' }])]);
  const dry = await run(lines(), true);
  expect(dry.counts).toEqual({ lines: 6, created: 5, updated: 0, unchanged: 0, refused: 1 });
  expect((await sql`SELECT 1 FROM attributes WHERE id = 'foil'`).length).toBe(0);
  expect((await listCustomerProducts(sql, { role: 'operator' }, { offset: 0, limit: 1 })).total).toBe(2);
  expect((await run(lines())).counts).toEqual(dry.counts);
});

test('a dry run of thousands of lines does not block the creation of customer products', async () => {
  // More connections than slots of totals, so that some use the same slot as the dry run.
  const others = connectPostgres(url, { max: 16, applicationName: 'test-others' });
  const create = (name: string) =>
    inTransaction(others, (tx) =>
      createCustomerProduct(
        tx,
        { role: 'operator' },
        { name, customerIds: ['*'], productModelId: 't-shirt', variantOptions: [] },
        10_000,
      ),
    );
  // The creations are set up here, because code that the dry run calls may use no second connection.
  const reached = Promise.withResolvers<void>();
  const created = reached.promise.then(() => Promise.all(Array.from({ length: 16 }, (_, n) => create(`Live ${n}`))));
  async function* lines() {
    for (let at = 0; at < 2_100; at += 1) {
      if (at === 2_050) {
        reached.resolve();
        await created;
      }
      const fields = { reference: `tried-${at}`, name: `Tried ${at}`, productModelId: 't-shirt' };
      yield { line: at + 1, fields };
    }
  }
  const { counts } = await run(lines(), true);
  await others.end();
  expect(counts).toMatchObject({ created: 2_100, refused: 0 });
  const found = async (search: string) =>
    (await listCustomerProducts(sql, { role: 'operator' }, { search, offset: 0, limit: 20 })).total;
  expect([await found('Live'), await found('Tried')]).toEqual([16, 0]);
});

test('an import applies the rules of product models', async () => {
  const line = (over: object) => ({
    kind: 'product_model',
    id: 'm',
    name: 'M',
    categoryId: 'c',
    productUidTemplate: 'm_{paper_format}',
    ...over,
  });
  const { refused, counts } = await run(
    jsonLines([
      JSON.stringify([
        line({ productUidTemplate: '{paper_format}' }),
        line({ id: 'm2', productUidTemplate: 'm2_{nothing}' }),
        line({
          id: 'm3',
          productUidTemplate: 'flat_product_pf_{paper_format}_pt_{paper_type}_cl_{color_type}_{orientation}',
        }),
        line({ id: 'poster', productUidTemplate: 'other_{paper_format}' }),
        line({ id: 'm4', productUidTemplate: 'm4_{paper_format}' }),
        { kind: 'attribute_value', attributeId: 'nothing', id: 'x' },
        { kind: 'hologram' },
        { kind: 'attribute', id: 'nul', description: 'a\u0000b' },
      ]),
    ]),
  );
  expect(counts).toMatchObject({ created: 1, refused: 7 });
  expect(refused.map(({ faults }) => faults[0]!.reference)).toEqual(
    expect.arrayContaining(['productUidTemplate', 'attributeId', 'kind', '']),
  );
});

test('thousands of lines are imported in batches, with progress', async () => {
  async function* products() {
    for (let at = 0; at < 2_500; at += 1) {
      yield {
        line: at + 1,
        fields: {
          reference: `bulk-${at}`,
          name: `Bulk tee ${at}`,
          productModelId: 't-shirt',
          customerIds: ['*'],
        },
      };
    }
  }
  const first = await run(products());
  expect(first.progress.map(({ created }) => created)).toEqual([1_000, 2_000, 2_500, 2_500]);
  expect((await run(products())).counts).toMatchObject({ created: 0, unchanged: 2_500 });
  const list = await listCustomerProducts(sql, { role: 'client', id: CLIENT }, { offset: 0, limit: 250 });
  expect(list).toMatchObject({ total: 2_502, totalIsEstimate: false });
});
