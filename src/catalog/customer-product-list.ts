import type postgres from 'postgres';
import { isUuid } from '../platform/ids';
import { inTransaction, type Sql } from '../platform/postgres';
import { clientListings, customerProductsByIds, type Viewer } from './customer-products';
import type { CustomerProduct } from './domain/customer-product';

export interface CustomerProductFilter {
  readonly customerProductIds?: readonly string[] | undefined;
  /** Products that name one of these customers. `*` selects the products for all customers. */
  readonly customerIds?: readonly string[] | undefined;
  readonly productModelIds?: readonly string[] | undefined;
  /** Part of the name, case-insensitive. */
  readonly search?: string | undefined;
  readonly offset: number;
  readonly limit: number;
}

export interface CustomerProductPage {
  readonly products: readonly CustomerProduct[];
  readonly total: number;
  /** True for a search with more than COUNTED_MATCHES matches: the total is the planner's estimate. */
  readonly totalIsEstimate: boolean;
}

/** Up to this number of matches, a search reads and counts all of them. Beyond it, it reads a page and estimates the total. */
export const COUNTED_MATCHES = 1_000;
/** Up to this number of product models, each is read as a separate index range in the order of the list. */
const MAX_RANGES = 20;

type Fragment = postgres.PendingQuery<postgres.Row[]>;

/** Returns an ILIKE pattern that matches the text anywhere, with `%`, `_` and `\` escaped. */
function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

function joined(sql: Sql, parts: readonly Fragment[], separator: Fragment): Fragment {
  return parts.reduce((all, part) => sql`${all} ${separator} ${part}`);
}

/**
 * Returns the customer products that a viewer can see, newest first (interface "GET /product/v1/customer-products").
 * Reads index ranges of customer_product_listings, one for each viewer and product model, merged in the order of the
 * list. Totals come from customer_product_totals. A search, and a filter that the ranges cannot answer, reads its
 * matches instead.
 */
export async function listCustomerProducts(
  sql: Sql,
  viewer: Viewer,
  filter: CustomerProductFilter,
): Promise<CustomerProductPage> {
  const own = viewer.role === 'client' ? clientListings(viewer.id) : undefined;
  const viewers = filter.customerIds === undefined ? own : [...new Set(filter.customerIds)];
  const models = filter.productModelIds === undefined ? undefined : [...new Set(filter.productModelIds)];
  if (viewers?.length === 0 || models?.length === 0)
    return { products: [], total: 0, totalIsEstimate: false };
  // The client asks for other customers' products: return only those that it can see too.
  const foreign = own !== undefined && viewers!.some((id) => !own.includes(id));
  // A product that names two of the given customers is in two ranges.
  const overlap = filter.customerIds !== undefined && viewers!.length > 1;
  const ids = filter.customerProductIds?.filter(isUuid);

  const { search } = filter;
  const conditions = [
    filter.customerIds === undefined ? [] : [sql`AND listed`],
    search === undefined ? [] : [sql`AND name ILIKE ${containing(search)}`],
    ids === undefined ? [] : [sql`AND id = ANY(${ids})`],
    foreign
      ? [
          sql`AND EXISTS (
            SELECT 1 FROM customer_product_listings AS visible
            WHERE visible.customer_product_id = listing.id AND visible.viewer = ANY(${own}))`,
        ]
      : [],
  ].flat();
  const narrowing = conditions.length === 0 ? sql`` : joined(sql, conditions, sql``);
  const source: Source = { viewers, models, narrowing, overlap };
  const narrowed = ids !== undefined || search !== undefined || foreign || overlap;
  const { offset, limit } = filter;
  const selection: Selection = {
    // Where the total is not stored, one row more than the page tells whether another page follows.
    page: pageOf(sql, source, { offset, limit: narrowed ? limit + 1 : limit }),
    matches: matchesOf(sql, source),
    found: search === undefined ? sql`` : sql`AND searchable(name) @@ search_for(${search})`,
  };
  const { pageIds, ...totals } = narrowed
    ? await readMatches(sql, selection, filter)
    : await readRanges(sql, selection, storedTotal(sql, source, filter.customerIds !== undefined));
  return { products: await customerProductsByIds(sql, viewer, pageIds), ...totals };
}

/** The rows to list: the listings of viewers or (undefined) all customer products, filtered by product model and condition. */
interface Source {
  readonly viewers: readonly string[] | undefined;
  readonly models: readonly string[] | undefined;
  readonly narrowing: Fragment;
  readonly overlap: boolean;
}

/** One selection of customer products as alternative statements, each cheap for one purpose. */
interface Selection {
  /** Ids of the page, read from ordered ranges. Where the total is not stored, includes one id after the page. */
  readonly page: Fragment;
  /** All ids, unordered. */
  readonly matches: Fragment;
  /** A condition to append to `matches` so that the search index finds them. */
  readonly found: Fragment;
}

interface Ids {
  readonly pageIds: readonly string[];
  readonly total: number;
  readonly totalIsEstimate: boolean;
}

/** Returns listings with the column names of customer_products, so that one condition fits both. */
function listingsOf(sql: Sql, viewer: Fragment): Fragment {
  return sql`(SELECT customer_product_id AS id, product_model_id, name, listed FROM customer_product_listings
              WHERE viewer ${viewer})`;
}

function pageOf(
  sql: Sql,
  { viewers, models, narrowing, overlap }: Source,
  { offset, limit }: Pick<CustomerProductFilter, 'offset' | 'limit'>,
): Fragment {
  const tables = viewers?.map((id) => listingsOf(sql, sql`= ${id}`)) ?? [sql`customer_products`];
  const modelRanges: Fragment[] =
    models === undefined
      ? [sql``]
      : models.length <= MAX_RANGES
        ? models.map((model) => sql`AND product_model_id = ${model}`)
        : [sql`AND product_model_id = ANY(${models as string[]})`];
  const ranges = tables.flatMap((table) =>
    modelRanges.map(
      (model) => sql`
        (SELECT id FROM ${table} AS listing WHERE true ${model} ${narrowing}
         ORDER BY id DESC LIMIT ${offset + limit})`,
    ),
  );
  return sql`
    SELECT id FROM (${joined(sql, ranges, overlap ? sql`UNION` : sql`UNION ALL`)}) AS page
    ORDER BY id DESC OFFSET ${offset} LIMIT ${limit}`;
}

function matchesOf(sql: Sql, { viewers, models, narrowing, overlap }: Source): Fragment {
  const table =
    viewers === undefined ? sql`customer_products` : listingsOf(sql, sql`= ANY(${viewers as string[]})`);
  return sql`
    SELECT ${overlap ? sql`DISTINCT` : sql``} id FROM ${table} AS listing
    WHERE true ${models === undefined ? sql`` : sql`AND product_model_id = ANY(${models as string[]})`} ${narrowing}`;
}

async function readRanges(sql: Sql, { page }: Selection, total: Promise<number>): Promise<Ids> {
  const [rows, count] = await Promise.all([sql<{ id: string }[]>`${page}`, total]);
  return { pageIds: rows.map(({ id }) => id), total: count, totalIsEstimate: false };
}

async function storedTotal(sql: Sql, { viewers, models }: Source, listedOnly: boolean): Promise<number> {
  const [row] = await sql<{ total: string }[]>`
    SELECT coalesce(sum(total), 0) AS total FROM customer_product_totals
    WHERE viewer = ANY(${(viewers ?? ['']) as string[]}) AND product_model_id = ANY(${(models ?? ['']) as string[]})
      ${listedOnly ? sql`AND listed` : sql``}`;
  return Number(row!.total);
}

interface Plan {
  readonly Plan: { readonly 'Plan Rows': number };
}

/**
 * Reads a page of matches. When the planner estimates few matches, the search index finds all of them, which gives
 * both page and total. When it estimates many, a scan in the order of the list meets enough of them soon, and the
 * estimate is the total. The statement is planned for its values: the generic plan of a prepared statement scans the
 * list for a rare text too, which took 32 ms with only 100,000 products.
 */
async function readMatches(
  sql: Sql,
  { page, matches, found }: Selection,
  { offset, limit }: CustomerProductFilter,
): Promise<Ids> {
  return await inTransaction(sql, async (tx) => {
    // execute() sends the statement now, before the next one.
    const planned = tx`SET LOCAL plan_cache_mode = force_custom_plan`.execute();
    const [[plan]] = await Promise.all([
      tx<{ 'QUERY PLAN': Plan[] }[]>`EXPLAIN (FORMAT JSON) ${matches}`,
      planned,
    ]);
    let estimate = plan!['QUERY PLAN'][0]!.Plan['Plan Rows'];
    if (estimate <= COUNTED_MATCHES) {
      const all = await tx<
        { id: string }[]
      >`SELECT id FROM (${matches} ${found}) AS matches LIMIT ${COUNTED_MATCHES + 1}`;
      if (all.length <= COUNTED_MATCHES) {
        const newestFirst = all.map(({ id }) => id).sort((a, b) => (a < b ? 1 : -1));
        return {
          pageIds: newestFirst.slice(offset, offset + limit),
          total: all.length,
          totalIsEstimate: false,
        };
      }
      estimate = all.length;
    }
    const rows = await tx<{ id: string }[]>`${page}`;
    const pageIds = rows.slice(0, limit).map(({ id }) => id);
    // The last page gives the exact total.
    if (rows.length <= limit && (rows.length > 0 || offset === 0)) {
      return { pageIds, total: offset + rows.length, totalIsEstimate: false };
    }
    // A reader that pages up to the total must neither stop before the last match nor continue after it.
    const total = rows.length === 0 ? Math.min(estimate, offset) : Math.max(estimate, offset + rows.length);
    return { pageIds, total, totalIsEstimate: true };
  });
}
