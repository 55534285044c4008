import { seedDemoCatalog } from '../../sandbox/demo/catalog';
import { type CustomerProductFilter, listCustomerProducts } from '../../src/catalog/customer-product-list';
import { customerProductsByIds } from '../../src/catalog/customer-products';
import { resolveProducts } from '../../src/catalog/resolve-products';
import { connectPostgres } from '../../src/platform/postgres';
import type { Filled, Reading } from '../support/compare-sizes';

/** Number of client accounts. Each may order the products for everybody and one in a thousand of the others. */
const CLIENTS = 1_000;

const clientId = (n: number) => `0190c000-0000-7000-8000-${String(n).padStart(12, '0')}`;

/** Returns the id of the nth product: a version 7 UUID of the nth millisecond. */
function productId(n: number): string {
  const time = (1_700_000_000_000 + n).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8${n
    .toString(16)
    .padStart(15, '0')
    .replace(/^(...)/, '$1-')}`;
}

/**
 * Fills a migrated database with customer products. A third is for everybody, two thirds are for one client each. Names
 * are three words out of 20 x 20 x 10 and a number.
 */
export async function fillCatalog(url: string, rows: number): Promise<Filled> {
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
  return { url, sql, rows };
}

const client = (turn: number) => ({ role: 'client' as const, id: clientId((turn * 7) % CLIENTS) });
const operator = { role: 'operator' as const };
const list =
  (filter: (catalog: Filled, turn: number) => Partial<CustomerProductFilter>, asOperator = false): Reading =>
  (catalog, turn) =>
    listCustomerProducts(catalog.sql, asOperator ? operator : client(turn), {
      offset: 0,
      limit: 50,
      ...filter(catalog, turn),
    });

/** The measured reads: pages of 50 rows, each with its total. */
export const CATALOG_READINGS: Readonly<Record<string, Reading>> = {
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
  'read by id': ({ sql, rows }, turn) =>
    customerProductsByIds(sql, client(turn), [productId(1 + ((turn * 7_919) % rows))]),
  'named in an order': ({ sql }, turn) =>
    resolveProducts(sql, { clientId: client(turn).id }, [{ productName: `Fern Otter tee ${turn}` }]),
};
