import { missingRetailPrices } from '../../consignments/domain/customs';
import { enqueueOrderNotifications } from '../../notifications/enqueue';
import { inTransaction, json, type Sql, type Transaction } from '../../platform/postgres';
import { hasShipped, type ItemStatus, type OrderStatus } from '../domain/lifecycle/statuses';
import { initialSnapshot, type RunSnapshot } from '../domain/run/run-record';
import type { PatchOrder } from '../planning/order-schemas';
import type { RunSettings } from '../run/settings';
import { keepSnapshot } from '../run/snapshots';
import { startRun } from './start-run';
import { lockReference } from './submit';

/** The fields of a patch that an order accepts. */
export type GivenPrices = Pick<PatchOrder, 'retailCurrency' | 'retailShippingPriceInclVat'> & {
  readonly items: readonly { readonly itemReferenceId: string; readonly retailPriceInclVat: number | undefined }[];
};
const NO_PRICES: GivenPrices = { items: [] };

/**
 * What became of given prices. `stored`: the order has them. `restarted`: it was refused without them, and starts again;
 * the caller wakes the outbox. `missing`: the fields without which the refused order would be refused again. Otherwise why the
 * order takes no prices: it has ended or shipped, has all prices and a plan, or another order replaces it.
 */
export type PricesOutcome =
  | { readonly outcome: 'stored' | 'restarted' | 'priced' | 'replaced' }
  | { readonly outcome: 'ended'; readonly status: OrderStatus }
  | { readonly outcome: 'missing'; readonly fields: readonly string[] };

interface OrderRow {
  readonly clientId: string;
  readonly clientName: string;
  readonly requestId: string | null;
  readonly orderReferenceId: string;
  readonly country: string;
  readonly status: OrderStatus;
  readonly refusalReasonCode: string | null;
  readonly erased: boolean;
  readonly retailCurrency: string | null;
  readonly retailShippingPrice: string | null;
  readonly isPlanned: boolean;
  readonly isReplaced: boolean;
  readonly runId: string | null;
  readonly position: string;
  readonly version: string;
  readonly items: readonly {
    readonly id: string;
    readonly itemReferenceId: string;
    readonly quantity: number;
    readonly status: ItemStatus;
    readonly retailPrice: number | null;
  }[];
}

/**
 * Gives an order its retail prices: one that is not planned yet, one that has none, or one that was refused without them. A refused
 * order starts again from the beginning. Its cancelled items stay cancelled.
 */
export async function giveRetailPrices(
  sql: Sql,
  {
    orderId,
    by,
    requestId,
    prices,
  }: {
    readonly orderId: string;
    readonly by: string;
    /** Id of the API's request, as the audit log has it. */
    readonly requestId: string;
    readonly prices: GivenPrices;
  },
  settings: RunSettings,
): Promise<PricesOutcome> {
  return await inTransaction(sql, async (tx): Promise<PricesOutcome> => {
    const row = await lockedOrder(tx, orderId);
    const isRefused = row.status === 'failed' && row.refusalReasonCode === 'missing_retail_prices' && !row.erased;
    const isOver = row.status === 'failed' || row.status === 'canceled' || hasShipped(row.status as ItemStatus);
    if (isOver && !isRefused) return { outcome: 'ended', status: row.status };
    if (row.isReplaced) return { outcome: 'replaced' };
    if (row.isPlanned && missingPrices(row, NO_PRICES).length === 0) return { outcome: 'priced' };
    const missing = missingPrices(row, prices);
    if (isRefused && missing.length > 0) return { outcome: 'missing', fields: missing };
    await tx`
      UPDATE orders SET retail_currency = coalesce(${prices.retailCurrency ?? null}, retail_currency),
        retail_shipping_price = coalesce(${prices.retailShippingPriceInclVat ?? null}, retail_shipping_price),
        updated_at = now()
      WHERE id = ${orderId}`;
    const rows = prices.items.map(({ itemReferenceId, retailPriceInclVat = null }) => ({
      reference: itemReferenceId,
      price: retailPriceInclVat,
    }));
    await tx`
      UPDATE order_items SET retail_price = p.price
      FROM jsonb_to_recordset(${json(tx, rows)}) AS p (reference text, price numeric)
      WHERE order_items.order_id = ${orderId} AND item_reference_id = p.reference AND p.price IS NOT NULL`;
    await tx`
      INSERT INTO order_events (order_id, type, data) VALUES (${orderId}, 'retail_prices_given', ${json(tx, { by, requestId })})`;
    if (!isRefused) return { outcome: 'stored' };
    await restart(tx, orderId, row, settings);
    return { outcome: 'restarted' };
  });
}

async function lockedOrder(tx: Transaction, orderId: string): Promise<OrderRow> {
  const [key] = await tx<{ clientId: string; reference: string }[]>`
    SELECT client_id, order_reference_id AS reference FROM orders WHERE id = ${orderId}`;
  await lockReference(tx, key!.clientId, key!.reference);
  const [row] = await tx<OrderRow[]>`
    SELECT o.client_id, a.name AS client_name, o.request_id, o.order_reference_id,
      o.shipping_address ->> 'country' AS country, o.fulfillment_status AS status, o.refusal_reason_code,
      o.erased_at IS NOT NULL AS erased, o.retail_currency, o.retail_shipping_price, o.run_id,
      o.run_position AS position, o.run_version AS version,
      EXISTS (SELECT FROM print_orders p WHERE p.order_id = o.id) AS is_planned,
      EXISTS (SELECT FROM orders n WHERE n.replaces_id = o.id) AS is_replaced,
      (SELECT jsonb_agg(jsonb_build_object('id', i.id::text, 'itemReferenceId', i.item_reference_id,
          'quantity', i.quantity, 'status', i.fulfillment_status, 'retailPrice', i.retail_price) ORDER BY i.position)
        FROM order_items i WHERE i.order_id = o.id) AS items
    FROM orders o JOIN accounts a ON a.id = o.client_id
    WHERE o.id = ${orderId} FOR UPDATE OF o`;
  return row!;
}

function missingPrices(row: OrderRow, prices: GivenPrices): readonly string[] {
  const given = new Map(prices.items.map((item) => [item.itemReferenceId, item.retailPriceInclVat]));
  const missing = missingRetailPrices({
    retailCurrency: prices.retailCurrency ?? row.retailCurrency,
    retailShippingPriceInclVat: prices.retailShippingPriceInclVat ?? row.retailShippingPrice,
    items: row.items.flatMap(({ itemReferenceId, status, retailPrice }, position) =>
      status === 'cancelled' ? [] : { position, retailPriceInclVat: given.get(itemReferenceId) ?? retailPrice },
    ),
  });
  return missing?.refusalReasonDetails.missing ?? [];
}

/** Opens a refused order and starts its workflow again, after the one that refused it. */
async function restart(tx: Transaction, id: string, row: OrderRow, settings: RunSettings): Promise<void> {
  const { clientId, clientName, orderReferenceId, country } = row;
  const version = Number(row.version);
  const { state, ...rest } = initialSnapshot(row.items);
  const items = state.items.map((item, index) =>
    row.items[index]!.status === 'cancelled' ? { ...item, status: 'cancelled' as const } : item,
  );
  const snapshot: RunSnapshot = { ...rest, state: { ...state, items, version } };
  await tx`
    UPDATE orders SET fulfillment_status = 'created', financial_status = 'pending', run_financial_status = NULL,
      refusal_reason = NULL, refusal_reason_code = NULL, refusal_reason_details = NULL
    WHERE id = ${id}`;
  await tx`
    WITH opened AS (
      UPDATE order_items SET fulfillment_status = 'created' WHERE order_id = ${id} AND fulfillment_status = 'failed'
      RETURNING id
    )
    INSERT INTO order_events (order_id, order_item_id, type, data)
    SELECT ${id}, id, 'status', ${json(tx, { status: 'created' })} FROM opened`;
  await keepSnapshot(tx, id, snapshot);
  await startRun(
    tx,
    {
      id,
      clientId,
      clientName,
      requestId: row.requestId ?? 'retail prices',
      order: { orderReferenceId, shippingAddress: { country } },
    },
    row.items.map(({ id: itemId, quantity }) => ({ id: itemId, quantity })),
    settings,
    { ...snapshot, last: { position: Number(row.position), version }, financialStatus: null },
    { replacesRun: row.runId! },
  );
  await enqueueOrderNotifications(tx, { orderId: id });
}
