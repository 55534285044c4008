import type { z } from 'zod';
import { REFERENCE_RATES } from '../platform/domain/exchange-rates';
import { convertMinor, fromMinor, type RateTable } from '../platform/domain/money';
import { procurementWorkflowId } from '../platform/domain/workflows';
import { ratesOn } from '../platform/exchange-rates';
import type { Sql } from '../platform/postgres';
import { linesTotalMinor, type ProcurementStatus, unitCostIn } from './domain/procurement-order';
import type { procurementEventSchema, procurementOrderViewSchema } from './operator-schemas';
import type { PageRequest, Period } from './partner-schemas';

/** A procurement order with costs in the currency of its partner. */
type ProcurementOrder = z.output<typeof procurementOrderViewSchema>;

type OrderRow = Omit<
  ProcurementOrder,
  'orderId' | 'supplierCurrency' | 'shippingCost' | 'totalCost' | 'workflowId' | 'items' | 'createdAt' | 'updatedAt'
> & {
  readonly id: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly partnerCurrency: string;
  readonly shippingCostMinor: number | null;
  /** The unit cost is in minor units and may have a fraction. */
  readonly items: readonly (Omit<ProcurementOrder['items'][number], 'unitCost'> & {
    readonly unitCostMinor: number;
  })[];
};

/** A filter of procurement orders. An absent field does not filter, nor does an empty list of statuses. */
interface ProcurementOrderFilter extends Partial<Period> {
  readonly partnerId?: string | undefined;
  readonly orderId?: number;
  readonly status?: readonly ProcurementStatus[];
  readonly needsAttention?: boolean;
}

/**
 * Returns procurement orders, newest first. Costs are converted to the currency of the partner at the rates of the day on
 * which the order was raised. A total is the sum of the costs as shown, rounded to the smallest unit of the currency.
 */
export async function listProcurementOrders(
  sql: Sql,
  filter: ProcurementOrderFilter,
  page: PageRequest,
): Promise<{ orders: ProcurementOrder[]; total: number }> {
  const { partnerId, orderId, status = [], needsAttention, from = null, before = null } = filter;
  const matching = sql`
    true
    ${partnerId === undefined ? sql`` : sql`AND o.partner_id = ${partnerId}`}
    ${orderId === undefined ? sql`` : sql`AND o.id = ${orderId}`}
    ${status.length === 0 ? sql`` : sql`AND o.status = ANY(${[...status]})`}
    ${needsAttention ? sql`AND o.attention IS NOT NULL` : sql``}
    ${from === null ? sql`` : sql`AND o.created_at >= ${from}`}
    ${before === null ? sql`` : sql`AND o.created_at < ${before}`}`;
  const [rows, [count]] = await Promise.all([
    sql<OrderRow[]>`
      SELECT o.id::float8, p.uid AS partner_uid, p.name AS partner_name, p.currency AS partner_currency, o.partner_po_number,
             o.supplier_uid, o.status, o.currency, o.shipping_cost_minor::float8, o.attention, o.created_at, o.updated_at,
             (SELECT jsonb_agg(jsonb_build_object(
                       'productUid', s.product_uid, 'partnerSku', s.partner_sku, 'productName', s.product_name,
                       'quantity', l.quantity, 'unitCostMinor', l.unit_cost_minor, 'vatPercentage', l.vat_percentage,
                       'quantityReceived', l.quantity_received) ORDER BY l.position)
              FROM procurement_order_items l JOIN stock_items s ON s.id = l.stock_item_id
              WHERE l.procurement_order_id = o.id) AS items,
             (SELECT coalesce(jsonb_agg(jsonb_build_object(
                       'url', v.url, 'originalFilename', v.original_filename, 'referenceId', v.reference_id,
                       'dueDate', v.due_date) ORDER BY v.id), '[]')
              FROM procurement_order_invoices v WHERE v.procurement_order_id = o.id) AS invoices
      FROM procurement_orders o JOIN partners p ON p.account_id = o.partner_id
      WHERE ${matching} ORDER BY o.created_at DESC, o.id DESC
      LIMIT ${page.perPage} OFFSET ${(page.pageNumber - 1) * page.perPage}`,
    sql<{ total: number }[]>`SELECT count(*)::float8 AS total FROM procurement_orders o WHERE ${matching}`,
  ]);
  const foreign = rows.filter((row) => row.currency !== row.partnerCurrency);
  const rates = await ratesOn(
    sql,
    foreign.map(({ createdAt }) => day(createdAt)),
  );
  // An order in the currency of the partner needs no rates.
  const orders = rows.map((row) => view(row, rates.get(day(row.createdAt)) ?? REFERENCE_RATES));
  return { orders, total: count!.total };
}

/** Returns the currency of a partner's costs: EUR for an account that is not set up as a partner yet. */
export async function partnerCurrency(sql: Sql, partnerId: string): Promise<string> {
  const [partner] = await sql<{ currency: string }[]>`SELECT currency FROM partners WHERE account_id = ${partnerId}`;
  return partner?.currency ?? 'EUR';
}

/** Returns one procurement order as operators see it, or undefined. */
export async function readProcurementOrder(sql: Sql, orderId: number): Promise<ProcurementOrder | undefined> {
  const { orders } = await listProcurementOrders(sql, { orderId }, { pageNumber: 1, perPage: 1 });
  return orders[0];
}

type ProcurementEvent = Omit<z.output<typeof procurementEventSchema>, 'at'> & { readonly at: Date };

/** Returns the event log of a procurement order, oldest first. */
export async function procurementEvents(sql: Sql, orderId: number): Promise<ProcurementEvent[]> {
  return await sql<ProcurementEvent[]>`
    SELECT type, actor, data, at FROM procurement_order_events WHERE procurement_order_id = ${orderId} ORDER BY id`;
}

const day = (at: Date) => at.toISOString().slice(0, 10);

function view(
  { id, partnerCurrency: currency, currency: supplierCurrency, shippingCostMinor, ...row }: OrderRow,
  rates: RateTable,
): ProcurementOrder {
  const items = row.items.map(({ unitCostMinor, ...item }) => ({
    ...item,
    unitCost: unitCostIn(unitCostMinor, supplierCurrency, currency, rates),
  }));
  const shipping =
    shippingCostMinor === null ? null : convertMinor(shippingCostMinor, supplierCurrency, currency, rates);
  return {
    ...row,
    orderId: id,
    supplierCurrency,
    currency,
    shippingCost: shipping === null ? null : fromMinor(shipping, currency),
    totalCost: fromMinor(linesTotalMinor(items, currency) + (shipping ?? 0), currency),
    workflowId: procurementWorkflowId(id),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    items,
  };
}
