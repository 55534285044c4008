import type postgres from 'postgres';
import { isUuid } from '../platform/ids';
import { inTransaction, type Sql } from '../platform/postgres';
import { clientListings, customerProductsByIds, type Viewer } from './customer-products';
import type { CustomerProduct } from './domain/customer-product';

export interface CustomerProductFilter {
  readonly customerProductIds?: readonly string[] | undefined;
  /** Products that list one of these customers (`*`: those for all). */
  readonly customerIds?: readonly string[] | undefined;
  readonly productModelIds?: readonly string[] | undefined;
  /** Part of the name, in any case. */
  readonly search?: string | undefined;
  readonly offset: number;
  readonly limit: number;
}

export interface CustomerProductPage {
  readonly products: readonly CustomerProduct[];
  readonly total: number;
  /** A search with more matches than are counted: the total is the planner's estimate. */
  readonly totalIsEstimate: boolean;
}

/** So many matches of a search are read whole, and counted; of more, one page is read and the total estimated. */
export const COUNTED_MATCHES = 1_000;
/** So many models are read as index ranges of their own, each in the list's order. */
const MAX_RANGES = 20;

type Fragment = postgres.PendingQuery<postgres.Row[]>;

/** The text as a pattern that matches it anywhere, its own `%`, `_` and `\` being plain characters. */
function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

function joined(sql: Sql, parts: readonly Fragment[], separator: Fragment): Fragment {
  return parts.reduce((all, part) => sql`${all} ${separator} ${part}`);
}

/**
 * Lists the customer products that a viewer can see, newest first (interface "GET /product/v1/customer-products").
 * Reads index ranges of customer_product_listings, one for each viewer and product model, merged in the list's order;
 * totals come from kept counts. A search (or a filter that the ranges cannot answer) is read by its matches.
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
  // A client asks for products of other customers: only those are shown that it can see too.
  const foreign = own !== undefined && viewers!.some((id) => !own.includes(id));
  // A product that lists two of the customers asked for stands in two ranges.
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
    // Where the total is not kept, one more than the page shows whether another page follows.
    page: pageOf(sql, source, { offset, limit: narrowed ? limit + 1 : limit }),
    matches: matchesOf(sql, source),
    found: search === undefined ? sql`` : sql`AND searchable(name) @@ search_for(${search})`,
  };
  const { pageIds, ...totals } = narrowed
    ? await readMatches(sql, selection, filter)
    : await readRanges(sql, selection, keptTotal(sql, source, filter.customerIds !== undefined));
  return { products: await customerProductsByIds(sql, viewer, pageIds), ...totals };
}

/** What is listed: listings of viewers, or (undefined) all customer products; of some product models; narrowed down. */
interface Source {
  readonly viewers: readonly string[] | undefined;
  readonly models: readonly string[] | undefined;
  readonly narrowing: Fragment;
  readonly overlap: boolean;
}

/** The same selection of customer products, as statements that are cheap for different things. */
interface Selection {
  /** Ids of the page (and, where the total is not kept, the one after), read from ordered ranges. */
  readonly page: Fragment;
  /** Ids of all, in no order. */
  readonly matches: Fragment;
  /** What to add to `matches` so that the index finds them by the text. */
  readonly found: Fragment;
}

interface Ids {
  readonly pageIds: readonly string[];
  readonly total: number;
  readonly totalIsEstimate: boolean;
}

/** Listings with the columns of customer_products, so that conditions fit both. */
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

async function keptTotal(sql: Sql, { viewers, models }: Source, listedOnly: boolean): Promise<number> {
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
 * Few matches (by the planner's estimate) are found by the index and read whole, which gives page and total at
 * once; many are met soon when walking the list in its order, and their total is the estimate. Planned by value, since
 * a prepared statement's general plan walks the list for a rare text too: 32 ms with only 100,000 products.
 */
async function readMatches(
  sql: Sql,
  { page, matches, found }: Selection,
  { offset, limit }: CustomerProductFilter,
): Promise<Ids> {
  return await inTransaction(sql, async (tx) => {
    // Sent at once, and so before what follows.
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
    // The last page shows how many there are.
    if (rows.length <= limit && (rows.length > 0 || offset === 0)) {
      return { pageIds, total: offset + rows.length, totalIsEstimate: false };
    }
    // Whoever reads page by page up to the total must neither stop before the end nor go on behind it.
    const total = rows.length === 0 ? Math.min(estimate, offset) : Math.max(estimate, offset + rows.length);
    return { pageIds, total, totalIsEstimate: true };
  });
}
