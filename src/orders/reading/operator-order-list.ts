import { fromMinor } from '../../platform/domain/money';
import { isoMicroseconds, type SearchPage, type SearchPosition } from '../../platform/list-position';
import { type Fragment, inTransaction, type Queryable, type Sql } from '../../platform/postgres';
import type { AttentionReason } from '../domain/lifecycle/attention-reasons';
import type { OperatorOrderSummary } from './operator-order-schemas';
import { type ArchivedSummary, type FoundOrders, withArchived } from './order-list';
import { findOrders, matchesFilters, type OrderSearch, ordersOfParcels } from './order-search';

/** Orders that one search text finds at most. Ids and tracking numbers find one; a reference or an address can have many. */
const FOUND_BY_TEXT = 1_000;

/** Characters of a reference or a name, and digits of an id, that a search by its beginning has at least. */
const SHORTEST_START = 3;
const SHORTEST_ID_START = 6;
/** Sorts after every character. */
const LAST_CHARACTER = '\u{10FFFF}';

/** Returns the first and the last UUID that begin with some hex digits. Null for another text. */
function idsFrom(text: string): readonly [first: string, last: string] | null {
  const digits = text.replaceAll('-', '').toLowerCase();
  if (digits.length < SHORTEST_ID_START || !/^[0-9a-f]{1,32}$/.test(digits)) return null;
  return [digits.padEnd(32, '0'), digits.padEnd(32, 'f')];
}

/**
 * Returns the ids of orders by the id, or its beginning, of an order, or that of its workflow; by the id of a print order or
 * print job, the number of a receipt, a tracking number, or the recipient's e-mail address; by the beginning of a reference or
 * of the recipient's name, in any case. Finds archived orders by id, reference, tracking number and e-mail address.
 */
export async function ordersNamed(sql: Sql, searched: string): Promise<string[]> {
  const text = searched.replace(/^order-(?=[0-9a-f]{8})/i, '');
  const compact = text.replace(/\s+/g, '');
  const id = idsFrom(compact);
  const start = searched.toLowerCase();
  const words = start.split(/[\s,]+/).filter(Boolean);
  // Names are stored by the last one. People write either one first.
  const names = [...new Set([words.join(' '), [...words.slice(1), words[0]].join(' ')])];
  const startsWith = (expression: Fragment, beginning: string) =>
    beginning.length < SHORTEST_START
      ? []
      : [
          sql`(SELECT id FROM orders WHERE ${expression} ~>=~ ${beginning} AND ${expression} ~<~ ${beginning + LAST_CHARACTER} LIMIT ${FOUND_BY_TEXT})`,
        ];
  const name = sql`lower((shipping_address ->> 'lastName') || ' ' || (shipping_address ->> 'firstName'))`;
  const numbers = [...new Set([text, compact, compact.toUpperCase()])];
  const number = /^\d{1,18}$/.test(compact) ? compact : null;
  // Only what the text can name. Postgres would plan the statement anew for each call, which took longer than the look-ups.
  const found: Fragment[] = [
    ...(id === null
      ? []
      : [sql`orders`, sql`archived_orders`].map(
          (table) =>
            sql`(SELECT id FROM ${table} WHERE id BETWEEN ${id[0]}::uuid AND ${id[1]}::uuid LIMIT ${FOUND_BY_TEXT})`,
        )),
    sql`(SELECT id FROM orders WHERE order_reference_id = ${searched} LIMIT ${FOUND_BY_TEXT})`,
    sql`(SELECT id FROM archived_orders WHERE order_reference_id = ${searched} LIMIT ${FOUND_BY_TEXT})`,
    ...startsWith(sql`lower(order_reference_id)`, start),
    ...names.flatMap((beginning) => startsWith(name, beginning)),
    ...(text.includes('@')
      ? [
          sql`(SELECT id FROM orders WHERE lower(shipping_address ->> 'email') = lower(${text}) LIMIT ${FOUND_BY_TEXT})`,
          sql`(SELECT id FROM archived_orders WHERE emails @> ARRAY[lower(${text})] LIMIT ${FOUND_BY_TEXT})`,
        ]
      : []),
    ...(number === null
      ? []
      : [
          sql`SELECT order_id FROM receipts WHERE number = ${number}::bigint`,
          sql`SELECT order_id FROM print_orders WHERE id = ${number}::bigint`,
          sql`SELECT p.order_id FROM print_jobs j JOIN print_orders p ON p.id = j.print_order_id WHERE j.id = ${number}::bigint`,
        ]),
    // Carriers print spaces in their numbers. A partner's own number can have some.
    sql`(${ordersOfParcels(sql, numbers)} LIMIT ${FOUND_BY_TEXT})`,
    sql`(SELECT order_id FROM archived_parcels WHERE tracking_number = ANY(${numbers}) LIMIT ${FOUND_BY_TEXT})`,
  ];
  const all = found.reduce((list, query) => sql`${list} UNION ALL ${query}`);
  return await inTransaction(sql, async (tx) => {
    // Planning takes longer than the look-ups. The next statement reports a failure of this one.
    tx`SET LOCAL plan_cache_mode = force_generic_plan`.execute().catch(() => undefined);
    const rows = await tx<{ id: string }[]>`SELECT DISTINCT id FROM (${all}) AS named (id) WHERE id IS NOT NULL`;
    return rows.map(({ id }) => id);
  });
}

/**
 * Returns one page of the orders that match, newest first. Reads a bounded number of rows.
 * @returns `comparedTo`: set when the search ended before the page was full
 */
export async function operatorOrders(
  sql: Queryable,
  search: OrderSearch,
  page: SearchPage,
): Promise<FoundOrders<OperatorOrderSummary>> {
  const { found, comparedTo } = await findOrders(sql, { clientId: null }, search, page);
  const orders = await ordersOf(sql, found, isoMicroseconds(sql, sql`o.created_at`), sql`o.created_at DESC, o.id DESC`);
  return await withArchived(sql, search.clientIds ?? null, search, page, { orders, comparedTo }, archivedSummary);
}

function archivedSummary(archived: ArchivedSummary): OperatorOrderSummary {
  const { channel: _1, financialStatus: _2, refusalReasonCode: _3, itemCount: _4, orderedAt: _5, ...order } = archived;
  const { totalInclVat: total, currency, ...head } = order;
  const amount = total === null ? null : { totalInclVat: fromMinor(Number(total), currency), currency };
  return {
    ...head,
    ...{ amount, recipient: '', archived: true },
    ...{ attention: [], attentionSince: null, refusal: null, reprintOf: null, methodUids: [], partners: [] },
  };
}

/** Orders needing attention that one sorted list compares. More than these are a fault of the whole system, not of orders. */
const SORTED_ORDERS = 50_000;

export type AttentionSort = 'age' | 'reason';

/** The position of an order in a list sorted by `reason`, then by the time since which it has it, then by id. */
export interface AttentionPosition extends SearchPosition {
  /** Empty for a list sorted by age alone. */
  readonly reason: string;
}

/**
 * Returns one page of the orders that need attention, the oldest reason first or sorted by reason. Reads the index of the
 * orders that need attention, which are few.
 * @param reasons only orders that have one of these, and only these count; empty for any reason
 */
export async function ordersByAttention(
  sql: Queryable,
  search: Omit<OrderSearch, 'attention'>,
  sort: AttentionSort,
  reasons: readonly AttentionReason[],
  page: { readonly limit: number; readonly after: AttentionPosition | null },
): Promise<(OperatorOrderSummary & { readonly reason: string })[]> {
  const { after } = page;
  const [row] = await sql<{ found: { id: string; reason: string; since: string }[] | null }[]>`
    SELECT jsonb_agg(jsonb_build_object('id', id, 'reason', reason, 'since', ${isoMicroseconds(sql, sql`since`)})) AS found FROM (
      SELECT o.id, a.reason, a.since
      FROM (
        SELECT o.id, o.attention, o.attention_since, o.updated_at FROM orders o
        WHERE ${matchesFilters(sql, { ...search, attention: reasons })}
        LIMIT ${SORTED_ORDERS}) AS o, LATERAL (
        SELECT ${sort === 'reason' ? sql`r.reason` : sql`''::text`} AS reason,
          coalesce((o.attention_since ->> r.reason)::timestamptz, o.updated_at) AS since
        FROM unnest(o.attention) AS r (reason)
        ${reasons.length === 0 ? sql`` : sql`WHERE r.reason = ANY(${[...reasons]}::text[])`}
        ORDER BY 1, 2 LIMIT 1) AS a
      ${
        after === null
          ? sql``
          : sql`WHERE (a.reason, a.since, o.id) > (${after.reason}, ${after.time}::text::timestamptz, ${after.id}::uuid)`
      }
      ORDER BY a.reason, a.since, o.id LIMIT ${page.limit}) AS sorted`;
  const found = row!.found ?? [];
  const foundIds = found.map(({ id }) => id);
  const orders = await ordersOf(sql, sql`SELECT unnest(${foundIds}::uuid[]) AS id`, sql`''`, sql`o.id`);
  const byId = new Map(orders.map((order) => [order.id, order]));
  return found.flatMap(({ id, reason, since }) => {
    const order = byId.get(id);
    return order === undefined ? [] : [{ ...order, reason, position: since }];
  });
}

/** Returns the orders whose ids a query returns. @param position of an order `o` in the list */
async function ordersOf(
  sql: Queryable,
  found: Fragment,
  position: Fragment,
  order: Fragment,
): Promise<OperatorOrderSummary[]> {
  const rows = await sql<
    (Omit<OperatorOrderSummary, 'amount'> & { amount: { minor: number; currency: string } | null })[]
  >`
      WITH page AS (${found})
      SELECT o.id, o.order_reference_id, o.client_id, a.name AS client_name, o.fulfillment_status,
        false AS archived, o.shipping_address ->> 'country' AS country, coalesce(o.attention, '{}') AS attention, o.created_at, o.updated_at,
        ${position} AS position,
        o.refusal_reason AS refusal, o.reprint_of,
        concat_ws(' ', o.shipping_address ->> 'firstName', o.shipping_address ->> 'lastName') AS recipient,
        (SELECT jsonb_build_object('minor', sum((r.body #>> '{totals,totalInclVat}')::bigint), 'currency', min(r.currency))
          FROM receipts r WHERE r.order_id = o.id HAVING count(*) > 0) AS amount,
        CASE WHEN o.attention IS NOT NULL THEN coalesce(
          (SELECT min(s.value::timestamptz) FROM jsonb_each_text(o.attention_since) s), o.updated_at) END AS attention_since,
        ARRAY(SELECT DISTINCT l.shipment_method_uid FROM planned_shipments l WHERE l.order_id = o.id) AS method_uids,
        to_jsonb(ARRAY(
          SELECT DISTINCT jsonb_build_object('id', p.partner_id, 'uid', pa.uid)
          FROM print_orders p JOIN partners pa ON pa.account_id = p.partner_id
          WHERE p.order_id = o.id AND p.status <> 'cancelled')) AS partners
      FROM page JOIN orders o USING (id) JOIN accounts a ON a.id = o.client_id
      ORDER BY ${order}`;
  return rows.map(({ amount, ...row }) => ({
    ...row,
    amount:
      amount === null ? null : { totalInclVat: fromMinor(amount.minor, amount.currency), currency: amount.currency },
  }));
}
