import type { z } from 'zod';
import { isUuid } from '../platform/ids';
import { inTransaction, type Sql, type Statement } from '../platform/postgres';
import {
  ALL_CUSTOMERS,
  type CustomerProduct,
  type CustomerProductState,
  type customerProductQuery,
} from './customer-product-schemas';
import { customerProductsByIds, listsOf, type Viewer } from './customer-products';

/** `*` in `customerIds` finds the products for all customers. Default of `states`: published products. */
export type CustomerProductFilter = Omit<z.output<typeof customerProductQuery>, 'state'> & {
  readonly states?: readonly CustomerProductState[] | undefined;
};

interface CustomerProductPage {
  readonly products: readonly CustomerProduct[];
  readonly total: number;
  /** True when more than COUNTED_MATCHES products match a filter: the total is the planner's estimate. */
  readonly totalIsEstimate: boolean;
}

/** Up to this number of matches, a search reads and counts all of them. Beyond it, it reads a page and estimates the total. */
export const COUNTED_MATCHES = 1_000;
/** Up to this number of product models, each is read as a separate index range in the order of the list. */
const MAX_RANGES = 20;

function joined(sql: Sql, parts: readonly Statement[], separator: Statement): Statement {
  return parts.reduce((all, part) => sql`${all} ${separator} ${part}`);
}

/**
 * Returns the customer products that a viewer can see, newest first (operation `listCustomerProducts`).
 * Without further filters, reads index ranges of visible_customer_products (operators: customer_products), one for each
 * viewer, state and product model, merged in the order of the list; totals come from customer_product_totals. A filter by
 * customers alone reads ranges of customer_product_customers. Other filters are read by their matches.
 */
export async function listCustomerProducts(
  sql: Sql,
  viewer: Viewer,
  filter: CustomerProductFilter,
): Promise<CustomerProductPage> {
  const { search, offset, limit, customerIds } = filter;
  const ids = filter.customerProductIds?.filter(isUuid);
  const models = filter.productModelIds === undefined ? undefined : [...new Set(filter.productModelIds)];
  const states = [...new Set(filter.states ?? (['published'] as const))];
  if (models?.length === 0 || states.length === 0) return { products: [], total: 0, totalIsEstimate: false };
  const conditions = [
    customerIds === undefined ? [] : [sql`AND ${namesOneOf(sql, viewer, customerIds)}`],
    search === undefined ? [] : [sql`AND name ILIKE ${`%${search.replace(/[\\%_]/g, '\\$&')}%`}`],
    ids === undefined ? [] : [sql`AND id = ANY(${ids})`],
  ].flat();
  const byCustomer = customerIds !== undefined && conditions.length === 1 && models === undefined;
  const viewers = viewer.role === 'client' ? listsOf(viewer.id) : undefined;
  const source: Source = byCustomer
    ? { ...customersOf(sql, viewer, customerIds), states, models, narrowing: sql`` }
    : {
        // customer_ids are in customer_products only.
        ...productsOf(sql, customerIds === undefined ? viewers : undefined),
        states,
        models,
        narrowing: conditions.length === 0 ? sql`` : joined(sql, conditions, sql``),
      };
  const narrowed = conditions.length > 0;
  const selection: Selection = {
    // Where the total is not stored, one row more than the page tells whether another page follows.
    page: pageOf(sql, source, { offset, limit: narrowed ? limit + 1 : limit }),
    matches: matchesOf(sql, source),
    found: search === undefined ? sql`` : sql`AND searchable(name) @@ search_for(${search})`,
  };
  const { pageIds, ...totals } = byCustomer
    ? await readCountedRanges(sql, selection, filter)
    : narrowed
      ? await readMatches(sql, selection, filter)
      : await readRanges(sql, selection, viewers ?? [''], source);
  return { products: await customerProductsByIds(sql, viewer, pageIds), ...totals };
}

/**
 * Returns the condition on customer_products that the viewer can see a product and that it names one of the customers.
 * An operator's product shows a client only `*` and its own id, so other customers find none of these products.
 */
function namesOneOf(sql: Sql, viewer: Viewer, customerIds: readonly string[]): Statement {
  if (viewer.role === 'operator') return sql`customer_ids && ${customerIds as string[]}`;
  const shown = customerIds.filter((id) => id === ALL_CUSTOMERS || id === viewer.id);
  return sql`(
    (owner_id = ${viewer.id} AND customer_ids && ${customerIds as string[]})
    OR (owner_id IS NULL AND customer_ids && ${shown}))`;
}

interface Tables {
  /** Tables to read as ordered ranges. They have no rows in common unless `overlap` is true. */
  readonly tables: readonly Statement[];
  /** The rows of all tables. */
  readonly whole: Statement;
  readonly overlap: boolean;
}

/** The rows to list, filtered by state, product model and condition. */
interface Source extends Tables {
  readonly states: readonly CustomerProductState[];
  readonly models: readonly string[] | undefined;
  readonly narrowing: Statement;
}

/** One selection of customer products as alternative statements, each cheap for one purpose. */
interface Selection {
  /** Ids of the page, read from ordered ranges. Where the total is not stored, includes one id after the page. */
  readonly page: Statement;
  /** All ids, unordered. */
  readonly matches: Statement;
  /** A condition to append to `matches` so that the search index finds them. */
  readonly found: Statement;
}

interface Ids {
  readonly pageIds: readonly string[];
  readonly total: number;
  readonly totalIsEstimate: boolean;
}

/** Returns the products that the viewers can see, or (undefined) all customer products. */
function productsOf(sql: Sql, viewers: readonly string[] | undefined): Tables {
  if (viewers === undefined) {
    return { tables: [sql`customer_products`], whole: sql`customer_products`, overlap: false };
  }
  // The columns have the names of customer_products, so that one condition fits both tables.
  const visibleTo = (viewer: Statement) =>
    sql`(SELECT customer_product_id AS id, state, product_model_id, name FROM visible_customer_products
         WHERE viewer ${viewer})`;
  const whole = visibleTo(sql`= ANY(${viewers as string[]})`);
  return { tables: viewers.map((id) => visibleTo(sql`= ${id}`)), whole, overlap: false };
}

/** Returns the products that name one of the customers, among those that the viewer can see (see namesOneOf). */
function customersOf(sql: Sql, viewer: Viewer, customerIds: readonly string[]): Tables {
  const customers = [...new Set(customerIds)];
  const conditions = customers.flatMap((customer) => {
    if (viewer.role === 'operator') return [sql`customer = ${customer}`];
    const own = sql`customer = ${customer} AND owner = ${viewer.id}`;
    const shown = customer === ALL_CUSTOMERS || customer === viewer.id;
    return shown ? [own, sql`customer = ${customer} AND owner = ''`] : [own];
  });
  const table = (condition: Statement) =>
    sql`(SELECT customer_product_id AS id, state FROM customer_product_customers WHERE ${condition})`;
  return {
    tables: conditions.map(table),
    whole: table(joined(sql, conditions, sql`OR`)),
    overlap: customers.length > 1,
  };
}

function pageOf(
  sql: Sql,
  { tables, overlap, states, models, narrowing }: Source,
  { offset, limit }: Pick<CustomerProductFilter, 'offset' | 'limit'>,
): Statement {
  const modelRanges: Statement[] =
    models === undefined
      ? [sql``]
      : models.length <= MAX_RANGES
        ? models.map((model) => sql`AND product_model_id = ${model}`)
        : [sql`AND product_model_id = ANY(${models as string[]})`];
  const ranges = tables.flatMap((table) =>
    states.flatMap((state) =>
      modelRanges.map(
        (model) => sql`
          (SELECT id FROM ${table} AS products WHERE state = ${state} ${model} ${narrowing}
           ORDER BY id DESC LIMIT ${offset + limit})`,
      ),
    ),
  );
  return sql`
    SELECT id FROM (${joined(sql, ranges, overlap ? sql`UNION` : sql`UNION ALL`)}) AS page
    ORDER BY id DESC OFFSET ${offset} LIMIT ${limit}`;
}

function matchesOf(sql: Sql, { whole, overlap, states, models, narrowing }: Source): Statement {
  return sql`
    SELECT ${overlap ? sql`DISTINCT` : sql``} id FROM ${whole} AS products
    WHERE state = ANY(${states as string[]})
      ${models === undefined ? sql`` : sql`AND product_model_id = ANY(${models as string[]})`} ${narrowing}`;
}

/** Reads a page of ranges and counts up to COUNTED_MATCHES rows, which are in the index alone. */
async function readCountedRanges(sql: Sql, selection: Selection, filter: CustomerProductFilter): Promise<Ids> {
  const [rows, [count]] = await Promise.all([
    sql<{ id: string }[]>`${selection.page}`,
    sql<{ total: number }[]>`
      SELECT count(*)::int AS total FROM (${selection.matches} LIMIT ${COUNTED_MATCHES + 1}) AS counted`,
  ]);
  if (count!.total > COUNTED_MATCHES) return await readMatches(sql, selection, filter);
  const pageIds = rows.slice(0, filter.limit).map(({ id }) => id);
  return { pageIds, total: count!.total, totalIsEstimate: false };
}

/** Reads a page of ranges and its stored total. */
async function readRanges(
  sql: Sql,
  { page }: Selection,
  viewers: readonly string[],
  { states, models = [''] }: Source,
): Promise<Ids> {
  const [rows, [row]] = await Promise.all([
    sql<{ id: string }[]>`${page}`,
    sql<{ total: number }[]>`
      SELECT coalesce(sum(total), 0)::float8 AS total FROM customer_product_totals
      WHERE viewer = ANY(${viewers as string[]}) AND state = ANY(${states as string[]})
        AND product_model_id = ANY(${models as string[]})`,
  ]);
  return { pageIds: rows.map(({ id }) => id), total: row!.total, totalIsEstimate: false };
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
    const [[plan]] = await Promise.all([tx<{ 'QUERY PLAN': Plan[] }[]>`EXPLAIN (FORMAT JSON) ${matches}`, planned]);
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
