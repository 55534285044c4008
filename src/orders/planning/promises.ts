import { daysBetween, dispatchDate, workCalendar } from '../../partners/domain/calendar';
import type { PartnerCalendar } from '../../partners/domain/capabilities';
import { addDays, isWorkingDay, type WorkCalendar } from '../../platform/domain/working-days';
import { json, type Queryable } from '../../platform/postgres';
import type { MovedPromise } from '../domain/lifecycle/requests';
import { promiseDates } from '../domain/promise';
import { dispatchDueAt } from './print-order-rows';

/** The promises of print orders, as days off that partners add after the plan leave them. */

/** Open print orders of one partner that were promised for one day, and the day on which they can be dispatched. */
export interface BrokenPromise {
  readonly partnerId: string;
  readonly partnerUid: string;
  /** YYYY-MM-DD. */
  readonly dispatchDate: string;
  readonly newDispatchDate: string;
  readonly orders: number;
}

interface PromisedProduction {
  readonly partnerId: string;
  readonly partnerUid: string;
  readonly calendar: PartnerCalendar;
  readonly dispatchDate: string;
  readonly from: string;
  readonly leadDays: number;
}

const newDateOf = ({ calendar, from, leadDays }: Pick<PromisedProduction, 'calendar' | 'from' | 'leadDays'>): string =>
  dispatchDate(calendar, { from, leadDays });

/** Returns the condition of a print order `p` of which units have not left their partner. */
const isOpen = (sql: Queryable) => sql`EXISTS (
  SELECT FROM print_jobs j WHERE j.print_order_id = p.id AND j.status IN ('planned', 'passed', 'in_production', 'printed', 'manual_handling'))`;

/** Days on which partners have promised print orders. Days that have passed are those of `not_dispatched`. */
const isAhead = (sql: Queryable) =>
  sql`p.dispatch_date >= (now() AT TIME ZONE coalesce(a.capabilities #>> '{calendar,timeZone}', 'UTC'))::date`;

/**
 * Returns which promises partners cannot keep by their calendars, and the days that the plan would give now. Only partners with
 * further days off can have some. Print orders with equal promises are compared once.
 */
async function unkept(sql: Queryable, partnerIds: readonly string[] | null) {
  const promised = await sql<PromisedProduction[]>`
    SELECT DISTINCT p.partner_id, a.uid AS partner_uid, a.capabilities -> 'calendar' AS calendar, p.dispatch_date::text,
      p.production_from::text AS "from", p.lead_days
    FROM partners a JOIN print_orders p ON p.partner_id = a.account_id AND ${isAhead(sql)}
    WHERE jsonb_array_length(a.capabilities #> '{calendar,closedDates}') > 0
      AND (${partnerIds === null} OR a.account_id = ANY(${[...(partnerIds ?? [])]}::uuid[]))`;
  return promised
    .map((each) => ({ ...each, newDispatchDate: newDateOf(each) }))
    .filter((each) => each.newDispatchDate > each.dispatchDate);
}

/** Joins print orders `p` with unkept promises `u`. */
const ofUnkept = (sql: Queryable, rows: Awaited<ReturnType<typeof unkept>>) => sql`
  jsonb_to_recordset(${json(
    sql,
    rows.map(({ partnerId, dispatchDate: promised, from, leadDays }, index) => ({
      index,
      partnerId,
      promised,
      from,
      leadDays,
    })),
  )}) AS u (index int, "partnerId" uuid, promised date, "from" date, "leadDays" int)
  JOIN print_orders p ON p.partner_id = u."partnerId" AND p.dispatch_date = u.promised AND p.production_from = u."from"
    AND p.lead_days = u."leadDays" AND ${isOpen(sql)}`;

/** Returns the promises that days off break, the earliest day first, with the number of their orders. */
export async function brokenPromises(sql: Queryable): Promise<BrokenPromise[]> {
  const rows = await unkept(sql, null);
  if (rows.length === 0) return [];
  const counts = await sql<{ index: number; orders: number }[]>`
    SELECT u.index, count(DISTINCT p.order_id)::int AS orders FROM ${ofUnkept(sql, rows)} GROUP BY 1`;
  return counts
    .map(({ index, orders }) => {
      const { partnerId, partnerUid, dispatchDate: promised, newDispatchDate } = rows[index]!;
      return { partnerId, partnerUid, dispatchDate: promised, newDispatchDate, orders };
    })
    .sort((a, b) => a.dispatchDate.localeCompare(b.dispatchDate) || a.partnerUid.localeCompare(b.partnerUid));
}

/** Returns up to `limit` orders whose promises days off break, the earliest day first. @param partnerIds null: of all partners */
export async function ordersWithBrokenPromises(
  sql: Queryable,
  partnerIds: readonly string[] | null,
  limit: number,
): Promise<string[]> {
  const rows = await unkept(sql, partnerIds);
  if (rows.length === 0) return [];
  const orders = await sql<{ orderId: string }[]>`
    SELECT p.order_id FROM ${ofUnkept(sql, rows)} GROUP BY 1 ORDER BY min(p.dispatch_date), 1 LIMIT ${limit}`;
  return orders.map(({ orderId }) => orderId);
}

interface OpenPromise extends Omit<PromisedProduction, 'partnerId' | 'partnerUid'> {
  readonly id: string;
  readonly minDeliveryDate: string;
  readonly maxDeliveryDate: string;
}

/**
 * Returns the dates that the open print orders of an order would be planned with now, of those that a day off makes late. The
 * transit keeps its working days.
 */
export async function movedPromises(sql: Queryable, orderId: string): Promise<MovedPromise[]> {
  const open = await sql<OpenPromise[]>`
    SELECT p.id::text, a.capabilities -> 'calendar' AS calendar, p.dispatch_date::text, p.production_from::text AS "from",
      p.lead_days, s.min_delivery_date::text, s.max_delivery_date::text
    FROM print_orders p JOIN partners a ON a.account_id = p.partner_id JOIN planned_shipments s ON s.print_order_id = p.id
    WHERE p.order_id = ${orderId} AND ${isAhead(sql)} AND ${isOpen(sql)} ORDER BY p.id`;
  const moved = open.flatMap((printOrder) => {
    const date = newDateOf(printOrder);
    if (date <= printOrder.dispatchDate) return [];
    const calendar = workCalendar(printOrder.calendar);
    const transit = (to: string) => workingDaysUntil(printOrder.dispatchDate, to, calendar);
    const { minDeliveryDate, maxDeliveryDate } = promiseDates({
      from: date,
      calendar,
      productionDays: { min: 0, max: 0 },
      transitDays: { min: transit(printOrder.minDeliveryDate), max: transit(printOrder.maxDeliveryDate) },
    });
    return [{ printOrderId: printOrder.id, dispatchDate: date, minDeliveryDate, maxDeliveryDate }];
  });
  const due = await sql<{ printOrderId: string; dispatchDueAt: string }[]>`
    SELECT p.id::text AS print_order_id, ${dispatchDueAt(sql)} AS dispatch_due_at
    FROM jsonb_to_recordset(${json(sql, moved)}) AS m ("printOrderId" bigint, "dispatchDate" date)
    JOIN LATERAL (SELECT id, partner_id, m."dispatchDate" AS dispatch_date FROM print_orders WHERE id = m."printOrderId") p ON true
    JOIN partners pa ON pa.account_id = p.partner_id`;
  const dueOf = new Map(due.map(({ printOrderId, dispatchDueAt: at }) => [printOrderId, at]));
  return moved.map((each) => ({ ...each, dispatchDueAt: dueOf.get(each.printOrderId)! }));
}

/** Returns the working days after a date until another one. */
function workingDaysUntil(from: string, to: string, calendar: WorkCalendar): number {
  let days = 0;
  for (let day = 1; day <= daysBetween(from, to); day += 1) if (isWorkingDay(addDays(from, day), calendar)) days += 1;
  return days;
}

/** Stores new dates of print orders, in the transaction that records their step. The days promised at first are kept. */
export async function movePromises(tx: Queryable, promises: readonly MovedPromise[]): Promise<void> {
  const moved = tx`jsonb_to_recordset(${json(tx, promises)}) AS m (
    "printOrderId" bigint, "dispatchDate" date, "minDeliveryDate" date, "maxDeliveryDate" date)`;
  await tx`UPDATE print_orders p SET dispatch_date = m."dispatchDate" FROM ${moved} WHERE p.id = m."printOrderId"`;
  await tx`
    UPDATE planned_shipments s SET min_delivery_date = m."minDeliveryDate", max_delivery_date = m."maxDeliveryDate",
      min_delivery_days = greatest(0, s.min_delivery_days + (m."minDeliveryDate" - s.min_delivery_date)),
      max_delivery_days = greatest(0, s.max_delivery_days + (m."maxDeliveryDate" - s.max_delivery_date))
    FROM ${moved} WHERE s.print_order_id = m."printOrderId"`;
}
