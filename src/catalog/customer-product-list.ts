import type postgres from 'postgres';
import { isUuid } from '../platform/ids';
import { inTransaction, type Queryable, type Sql, type Transaction } from '../platform/postgres';
import { customerProductsByIds, type Viewer, viewersOf } from './customer-products';
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

/** Matches of a search that are counted one by one; counting on would cost more than the page itself. */
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
 * totals come from kept counts, or are counted where a search or ids narrow the list down.
 */
export async function listCustomerProducts(
  sql: Sql,
  viewer: Viewer,
  filter: CustomerProductFilter,
): Promise<CustomerProductPage> {
  const own = viewersOf(viewer);
  const viewers = filter.customerIds === undefined ? own : [...new Set(filter.customerIds)];
  const models = filter.productModelIds === undefined ? undefined : [...new Set(filter.productModelIds)];
  // A client asks for products of other customers: only those are shown that it can see too.
  const foreign = viewer.role === 'client' && viewers.some((id) => !own.includes(id));
  const ids = filter.customerProductIds?.filter(isUuid);

  const conditions = [
    filter.customerIds === undefined ? [] : [sql`AND listed`],
    filter.search === undefined ? [] : [sql`AND name ILIKE ${containing(filter.search)}`],
    ids === undefined ? [] : [sql`AND customer_product_id = ANY(${ids})`],
    foreign
      ? [
          sql`AND EXISTS (
            SELECT 1 FROM customer_product_listings AS visible
            WHERE visible.customer_product_id = listing.customer_product_id AND visible.viewer = ANY(${own}))`,
        ]
      : [],
  ].flat();
  const narrowing = conditions.length === 0 ? sql`` : joined(sql, conditions, sql``);
  const modelRanges: Fragment[] =
    models === undefined
      ? [sql``]
      : models.length <= MAX_RANGES
        ? models.map((model) => sql`AND product_model_id = ${model}`)
        : [sql`AND product_model_id = ANY(${models})`];
  const ranges = viewers
    .flatMap((id) => modelRanges.map((model) => ({ id, model })))
    .map(
      ({ id, model }) => sql`
        SELECT customer_product_id AS id FROM customer_product_listings AS listing
        WHERE ${id === '' ? sql`viewer = ''` : sql`viewer = ${id} AND viewer <> ''`} ${model} ${narrowing}`,
    );
  if (ranges.length === 0) return { products: [], total: 0, totalIsEstimate: false };

  // A product that lists two of the customers asked for stands in two ranges.
  const overlap = filter.customerIds !== undefined && viewers.length > 1;
  const union = overlap ? sql`UNION` : sql`UNION ALL`;
  const page = joined(
    sql,
    ranges.map(
      (range) => sql`(${range} ORDER BY customer_product_id DESC LIMIT ${filter.offset + filter.limit})`,
    ),
    union,
  );
  const pageIds = (on: Queryable) => on<{ id: string }[]>`
    SELECT id FROM (${page}) AS page ORDER BY id DESC OFFSET ${filter.offset} LIMIT ${filter.limit}`;

  const narrowed = ids !== undefined || filter.search !== undefined || foreign || overlap;
  const [rows, totals] = narrowed
    ? await plannedByValue(sql, (tx) =>
        Promise.all([pageIds(tx), countedTotal(tx, joined(sql, ranges, union))] as const),
      )
    : await Promise.all([pageIds(sql), keptTotal(sql, viewers, filter.customerIds !== undefined, models)]);
  const products = await customerProductsByIds(
    sql,
    viewer,
    rows.map(({ id }) => id),
  );
  return { products, ...totals };
}

/**
 * Runs statements planned for their very values. A search for a rare text is best answered from the trigrams, one for
 * a common text by walking the list; a prepared statement's general plan does one for both, 100 times slower.
 */
async function plannedByValue<T>(sql: Sql, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return await inTransaction(sql, async (tx) => {
    // Sent at once, and so before the statements of the work.
    const planned = tx`SET LOCAL plan_cache_mode = force_custom_plan`.execute();
    const [result] = await Promise.all([work(tx), planned]);
    return result;
  });
}

async function keptTotal(
  sql: Sql,
  viewers: readonly string[],
  listedOnly: boolean,
  models: readonly string[] | undefined,
) {
  const [row] = await sql<{ total: string }[]>`
    SELECT coalesce(sum(total), 0) AS total FROM customer_product_totals
    WHERE viewer = ANY(${viewers as string[]}) AND product_model_id = ANY(${(models ?? ['']) as string[]})
      ${listedOnly ? sql`AND listed` : sql``}`;
  return { total: Number(row!.total), totalIsEstimate: false };
}

interface Plan {
  readonly Plan: { readonly 'Plan Rows': number };
}

async function countedTotal(sql: Queryable, matches: Fragment) {
  const [row] = await sql<{ total: string }[]>`
    SELECT count(*) AS total FROM (SELECT 1 FROM (${matches}) AS matches LIMIT ${COUNTED_MATCHES + 1}) AS counted`;
  const total = Number(row!.total);
  if (total <= COUNTED_MATCHES) return { total, totalIsEstimate: false };
  const [plan] = await sql<{ 'QUERY PLAN': Plan[] }[]>`EXPLAIN (FORMAT JSON) ${matches}`;
  return { total: Math.max(total, plan!['QUERY PLAN'][0]!.Plan['Plan Rows']), totalIsEstimate: true };
}
