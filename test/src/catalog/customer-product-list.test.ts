import fc from 'fast-check';
import { seedDemoCatalog } from '../../../sandbox/demo/catalog';
import { COUNTED_MATCHES, listCustomerProducts } from '../../../src/catalog/customer-product-list';
import { createCustomerProduct, updateCustomerProduct } from '../../../src/catalog/customer-products';
import { connectPostgres, inTransaction, type Sql } from '../../../src/platform/postgres';
import { testDatabase } from '../../support/database';

const CLIENT = { role: 'client', id: '0190b000-0000-7000-8000-00000000000a' } as const;
const OPERATOR = { role: 'operator' } as const;
const MANY = COUNTED_MATCHES + 500;

let sql: Sql;
beforeAll(async () => {
  const database = await testDatabase();
  ({ sql } = database);
  await seedDemoCatalog(sql);
  await sql`
    INSERT INTO customer_products (id, name, customer_ids, product_model_id, variant_options)
    SELECT gen_random_uuid(), 'Bulk ' || CASE WHEN n % 500 = 0 THEN 'rare ' ELSE 'usual ' END || n,
           ARRAY[CASE WHEN n % 3 = 0 THEN ${CLIENT.id} ELSE '*' END], 'mug', '[]'
    FROM generate_series(1, ${MANY}::int) AS n`;
  await database.owner`ANALYZE`;
});

/** Lists customer products from the first one on, unless the query says otherwise. */
const listed = (viewer: typeof CLIENT | typeof OPERATOR, query: Partial<Parameters<typeof listCustomerProducts>[2]>) =>
  listCustomerProducts(sql, viewer, { offset: 0, limit: 250, ...query });

test('a search with few matches has an exact total', async () => {
  const { total, totalIsEstimate, products } = await listed(CLIENT, { search: 'BULK RARE' });
  expect({ total, totalIsEstimate }).toEqual({ total: 3, totalIsEstimate: false });
  expect(products.length).toBe(3);
});

test('a search with many matches has an estimated total, which the response marks as an estimate', async () => {
  const { total, totalIsEstimate } = await listed(CLIENT, { search: 'bulk', limit: 10 });
  expect(totalIsEstimate).toBe(true);
  expect(total).toBeGreaterThan(COUNTED_MATCHES);
  expect(Math.abs(total - MANY)).toBeLessThan(MANY * 0.5);
});

test.each([
  ['in the statistics of the planner', 'bulk', true],
  ['inserted after the last ANALYZE', 'later', false],
])('paging through a search up to its total returns every match: %s', async (_, search, analysed) => {
  if (!analysed) {
    await sql`
      INSERT INTO customer_products (id, name, customer_ids, product_model_id, variant_options)
      SELECT gen_random_uuid(), 'Later ' || n, ARRAY['*'], 'poster', '[]' FROM generate_series(1, ${MANY}::int) AS n`;
  }
  const ids = new Set<string>();
  let last: { total: number; totalIsEstimate: boolean };
  let offset = 0;
  do {
    const { products, ...totals } = await listed(CLIENT, { search, offset });
    for (const { id } of products) ids.add(id);
    last = totals;
    offset += 250;
  } while (offset < last.total);
  expect(ids.size).toBe(MANY);
  expect(last).toEqual({ total: MANY, totalIsEstimate: false });
  const behind = await listed(CLIENT, { search, offset: MANY + 250 });
  expect(behind.products).toEqual([]);
  expect(behind.total).toBeLessThanOrEqual(MANY + 250);
  if (!analysed) await sql`DELETE FROM customer_products WHERE name LIKE 'Later%'`;
});

test('totals without a search are exact for any size', async () => {
  const { total, totalIsEstimate } = await listed(CLIENT, { productModelIds: ['mug'], limit: 10 });
  expect({ total, totalIsEstimate }).toEqual({ total: MANY, totalIsEstimate: false });
});

test('pages over several ranges contain every product once, in order', async () => {
  const ids: string[] = [];
  for (let offset = 0; ; offset += 250) {
    const { products } = await listed(CLIENT, { offset });
    ids.push(...products.map(({ id }) => id));
    if (products.length < 250) break;
  }
  expect(ids).toEqual([...new Set(ids)].sort().reverse());
  expect(ids.length).toBe(MANY + 2);
});

test.each([
  ['one customer', ['*'], MANY - Math.floor(MANY / 3) + 2],
  ['several customers', ['*', CLIENT.id], MANY + 2],
])('paging through a filter by %s up to its total returns every match once', async (_, customerIds, total) => {
  for (const viewer of [CLIENT, OPERATOR]) {
    const ids: string[] = [];
    let last: { total: number; totalIsEstimate: boolean };
    do {
      const { products, ...totals } = await listed(viewer, { customerIds, offset: ids.length });
      ids.push(...products.map(({ id }) => id));
      last = totals;
    } while (ids.length < last.total);
    expect(ids).toEqual([...new Set(ids)].sort().reverse());
    expect(ids).toHaveLength(total);
    expect(last).toEqual({ total, totalIsEstimate: false });
  }
});

test('totals stay correct when products are deleted or change customers', async () => {
  await sql`DELETE FROM customer_products WHERE name LIKE 'Bulk rare%'`;
  await sql`UPDATE customer_products SET customer_ids = ARRAY['other'] WHERE name LIKE 'Bulk usual 1%'`;
  const [counted] = await sql<{ all: number; seen: number }[]>`
    SELECT count(*)::int AS all,
           count(*) FILTER (WHERE customer_ids && ARRAY['*', ${CLIENT.id}])::int AS seen FROM customer_products`;
  expect((await listed(OPERATOR, { limit: 1 })).total).toBe(counted!.all);
  expect((await listed(CLIENT, { limit: 1 })).total).toBe(counted!.seen);
});

describe('the search index', () => {
  const letters = fc.constantFrom(...'aAbBéÉßẞİıΣσ例漢 \'"\\%_&|!:*()-1');
  const texts = fc.string({ unit: letters, minLength: 1, maxLength: 40 });

  test('finds a name by each of its parts, case-insensitive, and by nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { minLength: 3, maxLength: 3 }), async (names) => {
        const wrong = await sql`
          WITH names AS (SELECT name FROM unnest(${names}::text[]) AS name),
          parts AS (
            SELECT DISTINCT part FROM names, generate_series(1, length(name)) AS first, generate_series(1, 14) AS size,
              LATERAL (SELECT CASE WHEN size % 2 = 0 THEN upper(substr(name, first, size)) ELSE substr(name, first, size) END)
                AS cut (part)
          )
          SELECT name, part FROM names, parts
          WHERE searchable(name) @@ search_for(part) IS DISTINCT FROM position(lower(part) IN lower(name)) > 0`;
        // For more than eight characters the index returns candidates, which the condition on the name then checks.
        expect(wrong.filter(({ part }) => part.length <= 8)).toEqual([]);
        expect(wrong.filter(({ name, part }) => name.includes(part))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test.each([
    ["O'Neil", 1],
    ['100% \\o/ (new)', 1],
    ["'", 1],
    ['zebra crossing at noo', 1],
    ['zebra noon', 0],
  ])('finds %j', async (search, total) => {
    await sql`DELETE FROM customer_products WHERE reference LIKE 'odd-%'`;
    for (const [at, name] of ["Mug of O'Neil", 'Tee 100% \\o/ (new)', 'Zebra crossing at noon'].entries()) {
      await sql`
          INSERT INTO customer_products (id, name, customer_ids, product_model_id, variant_options, reference)
          VALUES (gen_random_uuid(), ${name}, ARRAY['*'], 'mug', '[]', ${`odd-${at}`})`;
    }
    for (const viewer of [CLIENT, OPERATOR]) expect(await listed(viewer, { search })).toMatchObject({ total });
  });
});

test('concurrent changes of customers all succeed, and totals stay correct', async () => {
  const { sql, url } = await testDatabase();
  await seedDemoCatalog(sql);
  // More connections than slots of totals.
  const many = connectPostgres(url, { max: 24, applicationName: 'test-many' });
  const customers = [['*'], ['x'], ['y', 'z'], ['z']];
  const fields = { productModelId: 't-shirt', variantOptions: [] };
  const products = await Promise.all(
    Array.from({ length: 24 }, (_, n) =>
      inTransaction(many, (tx) =>
        createCustomerProduct(
          tx,
          OPERATOR,
          { ...fields, name: `Changing ${n}`, customerIds: customers[n % 4]! },
          10_000,
        ),
      ),
    ),
  );
  try {
    await Promise.all(
      products.map(async ({ id }, n) => {
        for (let turn = 1; turn <= 40; turn += 1) {
          const customerIds = customers[(n + turn * (n % 2 === 0 ? 1 : 3)) % 4]!;
          await inTransaction(many, (tx) => updateCustomerProduct(tx, OPERATOR, id, { customerIds }));
        }
      }),
    );
  } finally {
    await many.end();
  }
  for (const viewer of ['*', 'x', 'y', 'z']) {
    const page = { customerIds: [viewer], offset: 0, limit: 250 };
    const { total, products } = await listCustomerProducts(sql, OPERATOR, page);
    expect(total).toBe(products.length);
  }
});
