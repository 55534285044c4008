import type { CheckRule } from '../../accounts/clients';
import type { RateTable } from '../../platform/domain/money';
import type { Place } from '../../platform/domain/territories';
import { ratesAt } from '../../platform/exchange-rates';
import type { Fragment, Sql } from '../../platform/postgres';
import type { StoredFindings } from '../domain/address-findings';
import { type ItemFields, itemMembers } from '../domain/item-fields';
import { type TaxTable, VAT_CHECKED, type VatCheck } from '../domain/vat';
import { STORED_COLUMNS, type StoredFields } from './order-fields';
import { taxTableAt } from './tax-rates';

/** An order as the activities of its workflow read it. */
export interface RunOrder extends StoredFields {
  readonly id: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly iossNumber: string | null;
  readonly shippingRevision: number;
  readonly acceptedAddressId: string | null;
  readonly addressFindings: StoredFindings | null;
  /** What the client's setting does with findings of the address. Null: the default. */
  readonly addressChecks: CheckRule | null;
  readonly filesRevision: number;
  readonly createdAt: Date;
  /** Exchange rates of the day of submission. Every amount of the order is converted by them. */
  readonly rates: RateTable;
  readonly taxRates: TaxTable;
  readonly vatCheck: VatCheck | null;
  readonly items: readonly RunItem[];
  /** False for a reprint that costs its client nothing: its products and its shipping have the price 0. */
  readonly charged: boolean;
  readonly isPlanned: boolean;
  /** The units of its print orders that have not ended, with the address that each leaves from. Null before the plan, as are their ids. */
  readonly made:
    | readonly {
        readonly printOrderId: string | null;
        readonly jobId: string | null;
        readonly itemId: string;
        readonly quantity: number;
        readonly from: Place;
      }[]
    | null;
}

const RUN_ITEM = ['id', 'itemReferenceId', 'quantity', 'retailPrice', 'product'] as const;
export type RunItem = Pick<ItemFields, (typeof RUN_ITEM)[number]> & {
  /** Index among all items of the order, cancelled ones included. */
  readonly position: number;
};

/**
 * Returns an order with its items. Cancelled items are left out.
 * @throws Error when the order does not exist
 */
export async function runOrder(sql: Sql, orderId: string): Promise<RunOrder> {
  const found = await runOrderWith(sql, sql`${orderId}`, sql`NULL`);
  if (found === undefined) throw new Error(`order ${orderId} does not exist`);
  return found.order;
}

/**
 * Returns an order with related data that the same statement reads. Undefined when the order does not exist.
 * @param orderId expression of the order's id
 * @param related jsonb expression of the data. It reads the order as `o` and its client as `a`
 */
export async function runOrderWith<Related>(
  sql: Sql,
  orderId: Fragment,
  related: Fragment,
): Promise<{ readonly order: RunOrder; readonly related: Related } | undefined> {
  const [row] = await sql<(Omit<RunOrder, 'rates' | 'taxRates'> & { related: Related })[]>`
    SELECT ${sql.unsafe(STORED_COLUMNS)}, o.id, o.client_id, a.name AS client_name, a.settings ->> 'iossNumber' AS ioss_number,
      o.shipping_revision, o.accepted_address_id, o.address_findings, a.settings -> 'addressChecks' AS address_checks, o.files_revision, o.created_at, o.charged, EXISTS (SELECT FROM print_orders p WHERE p.order_id = o.id) AS is_planned,
      (SELECT jsonb_agg(jsonb_build_object(${itemMembers(sql, RUN_ITEM)}, 'position', i.position) ORDER BY i.position)
        FROM order_items i WHERE i.order_id = o.id AND i.fulfillment_status <> 'cancelled') AS items,
      (SELECT jsonb_agg(jsonb_build_object('printOrderId', p.id::text, 'jobId', j.id::text, 'itemId', j.order_item_id::text,
          'quantity', j.quantity, 'from', m.sender_address))
        FROM print_orders p JOIN print_jobs j ON j.print_order_id = p.id JOIN partners m ON m.account_id = p.partner_id
        WHERE p.order_id = o.id AND p.status <> 'waiting' AND j.status NOT IN ('cancelled', 'superseded')) AS made,
      (SELECT data FROM order_events WHERE order_id = o.id AND type = ${VAT_CHECKED} ORDER BY id DESC LIMIT 1) AS vat_check,
      ${related} AS related
    FROM orders o JOIN accounts a ON a.id = o.client_id
    WHERE o.id = ${orderId}`;
  if (row === undefined) return undefined;
  const { related: read, ...order } = row;
  const [rates, taxRates] = await Promise.all([ratesAt(sql, order.createdAt), taxTableAt(sql, order.createdAt)]);
  const items = (order.items ?? []).map((item) => (order.charged ? item : withoutPrice(item, order.currency)));
  return { order: { ...order, items, rates, taxRates }, related: read };
}

const withoutPrice = (item: RunItem, currency: string): RunItem => ({
  ...item,
  product: { ...item.product, surcharges: [], priceList: { [currency]: [{ from: 1, unitMinor: 0 }] } },
});
