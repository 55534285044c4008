import { type CustomerProductFilter, listCustomerProducts } from '../src/catalog/customer-product-list';
import { customerProductsByIds } from '../src/catalog/customer-products';
import { resolveProducts } from '../src/catalog/resolve-products';
import { seedDemoCatalog } from '../src/catalog/seed-demo-catalog';
import { connectPostgres, type Sql } from '../src/platform/postgres';

/** Client accounts in the data; each may order one in a thousand of the products, besides those for everybody. */
const CLIENTS = 1_000;
/** A database whose catalog has the same rows as the large one's, as far as it goes. */
export interface FilledCatalog {
  readonly sql: Sql;
  readonly rows: number;
}

const clientId = (n: number) => `0190c000-0000-7000-8000-${String(n).padStart(12, '0')}`;

/**
 * Fills a migrated database with customer products: a third for everybody, two thirds for one client each; names of
 * three words out of 20 x 20 x 10 and a number.
 */
export async function fillCatalog(url: string, rows: number): Promise<FilledCatalog> {
  const sql = connectPostgres(url, { max: 4, applicationName: 'bench-catalog' });
  await sql`SELECT set_config('statement_timeout', '0', false)`;
  await seedDemoCatalog(sql);
  const step = 50_000;
  for (let from = 1; from <= rows; from += step) {
    await sql`
      INSERT INTO customer_products (id, name, customer_ids, product_model_id, variant_options)
      SELECT (lpad(to_hex(1700000000000 + n), 12, '0') || '7000' || '8' || lpad(to_hex(n), 15, '0'))::uuid,
             (ARRAY['Amber','Azure','Coral','Crimson','Ebony','Fern','Golden','Indigo','Ivory','Jade',
                    'Lilac','Maroon','Mint','Ochre','Olive','Pearl','Ruby','Scarlet','Silver','Teal'])[1 + abs(hashint4(n)) % 20]
             || ' ' ||
             (ARRAY['Badger','Bison','Crane','Dolphin','Eagle','Falcon','Gecko','Heron','Ibis','Jaguar',
                    'Koala','Lynx','Marten','Newt','Otter','Puffin','Raven','Seal','Tern','Wolf'])[1 + abs(hashint4(n + 1)) % 20]
             || ' ' ||
             (ARRAY['tee','poster','mug','card','print','book','frame','sticker','hoodie','tote'])[1 + abs(hashint4(n + 2)) % 10]
             || ' ' || n,
             ARRAY[CASE WHEN n % 3 = 0 THEN '*'
                   ELSE '0190c000-0000-7000-8000-' || lpad((n % ${CLIENTS})::text, 12, '0') END],
             (ARRAY['t-shirt','poster','mug','flat-card','photo-book','framed-poster','sticker'])[1 + n % 7],
             '[{"id": "size", "name": "Size", "attributesMapping": [], "state": "published",
                "values": [{"value": "S", "attributeValues": [], "isDefault": true}]}]'
      FROM generate_series(${from}::int, ${Math.min(rows, from + step - 1)}::int) AS n`;
  }
  await sql`VACUUM ANALYZE`;
  return { sql, rows };
}

type Reading = (catalog: FilledCatalog, turn: number) => Promise<unknown>;

const client = (turn: number) => ({ role: 'client' as const, id: clientId((turn * 7) % CLIENTS) });
const operator = { role: 'operator' as const };
const list =
  (
    filter: (catalog: FilledCatalog, turn: number) => Partial<CustomerProductFilter>,
    asOperator = false,
  ): Reading =>
  ({ sql, rows }, turn) =>
    listCustomerProducts(sql, asOperator ? operator : client(turn), {
      offset: 0,
      limit: 50,
      ...filter({ sql, rows }, turn),
    });

/** What is measured: pages of 50 rows, each with its total. */
export const READINGS: Readonly<Record<string, Reading>> = {
  'first page': list(() => ({})),
  'second page': list(() => ({ offset: 50 })),
  'one product model': list(() => ({ productModelIds: ['mug'] })),
  'two product models': list(() => ({ productModelIds: ['mug', 'poster'] })),
  'own products': list((_, turn) => ({ customerIds: [client(turn).id] })),
  'search, few matches': list(({ rows }, turn) => ({ search: `tee ${(turn * 7919) % rows}` })),
  'search, no match': list((_, turn) => ({ search: `unicorn ${turn}` })),
  'search, one word': list((_, turn) => ({ search: ['badger', 'Otter', 'WOLF'][turn % 3]! })),
  'search, half of all': list(() => ({ search: 'a' })),
  'operator, first page': list(() => ({}), true),
  'operator, search': list(({ rows }, turn) => ({ search: `mug ${(turn * 7919) % rows}` }), true),
  'by id': ({ sql }, turn) =>
    customerProductsByIds(sql, client(turn), [
      `018bcfe5-6801-7000-8000-${turn.toString(16).padStart(12, '0')}`,
    ]),
  'order by name': ({ sql }, turn) =>
    resolveProducts(sql, client(turn).id, [{ productName: `Fern Otter tee ${turn}` }]),
};

export interface ListReport {
  readonly reading: string;
  /** Milliseconds. */
  readonly small: { readonly p50: number; readonly p99: number };
  readonly large: { readonly p50: number; readonly p99: number };
  /** p99 of the large catalog over that of the small one. */
  readonly ratio: number;
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

/** Reads both catalogs by turns, so that what else the machine does falls on both. */
export async function compareLists(
  small: FilledCatalog,
  large: FilledCatalog,
  turns: number,
): Promise<ListReport[]> {
  const reports: ListReport[] = [];
  for (const [reading, read] of Object.entries(READINGS)) {
    const times = { small: [] as number[], large: [] as number[] };
    for (let turn = 0; turn < turns + 20; turn += 1) {
      for (const [size, catalog] of [
        ['small', small],
        ['large', large],
      ] as const) {
        const started = performance.now();
        await read(catalog, turn);
        // The first readings fill caches and prepare statements.
        if (turn >= 20) times[size].push(performance.now() - started);
      }
    }
    const figures = (of: number[]) => {
      const sorted = of.sort((a, b) => a - b);
      return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) };
    };
    const [smallFigures, largeFigures] = [figures(times.small), figures(times.large)];
    reports.push({
      reading,
      small: smallFigures,
      large: largeFigures,
      ratio: largeFigures.p99 / smallFigures.p99,
    });
  }
  return reports;
}
