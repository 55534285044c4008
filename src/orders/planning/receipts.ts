import { fromMinor } from '../../platform/domain/money';
import { uuidv7 } from '../../platform/ids';
import { type Fragment, json, type Queryable, type Statement } from '../../platform/postgres';
import type { FinancialStatus } from '../domain/lifecycle/statuses';
import { priceLine } from '../domain/pricing';
import { buildReceipt, type Receipt, type ReceiptLine, type ReceiptTax, refundReceipt } from '../domain/receipt';
import type { RecordKey } from '../domain/run/run-record';
import { shippingRate, vatOf } from '../domain/vat';
import {
  type Charges,
  chargesOf,
  type PlannedPrice,
  type ReceiptChange,
  refundUnits,
  type StoredReceipt,
  shippingCharge,
  shippingDifference,
  shippingSurplus,
} from './charges';
import type { RunOrder } from './run-order';
import type { ShipmentPlan } from './shipment-plan';

/** Returns the invoice for the units that one partner makes and ships. VAT depends on the partner's country. */
export function invoiceOf(
  order: RunOrder,
  jobs: readonly { readonly itemId: string; readonly quantity: number }[],
  plan: ShipmentPlan,
): Receipt {
  const vat = vatOf(order, plan.origin);
  const products = jobs.flatMap(({ itemId, quantity }) => {
    const item = order.items.find((candidate) => candidate.id === itemId);
    const price = item && priceLine({ product: item.product, quantity }, order.currency, order.rates);
    if (!item || !price) return [];
    const { itemReferenceId: referenceId, product } = item;
    return [{ referenceId, title: product.name, vatRate: vat.rateOf(product.taxCategory), price }];
  });
  const { methodUid: referenceId, methodName: title, price } = plan.method;
  const vatRate = shippingRate(products.map((product) => product.vatRate));
  const shipments = [{ referenceId, title, vatRate, priceMinor: price.minor }];
  return buildReceipt({ currency: order.currency, tax: taxOf(vat), products, shipments });
}

export const taxOf = ({ treatment, destination: country }: ReturnType<typeof vatOf>): ReceiptTax => ({
  treatment,
  country,
});

/**
 * Returns the statement that stores receipts. A step stores its receipt once, however often it is repeated.
 * @param record of the run that refunds: `takeBackRefunds` finds its receipts
 */
export function storeReceipts(
  tx: Queryable,
  orderId: string,
  receipts: readonly (ReceiptChange & { readonly step: string })[],
  record?: RecordKey,
): Statement {
  const rows = receipts.map(({ step, type, printOrderId, receipt }) => ({
    id: uuidv7(),
    step,
    type,
    print_order_id: printOrderId,
    currency: receipt.currency,
    body: receipt,
  }));
  return tx`
    INSERT INTO receipts (id, order_id, print_order_id, step, type, currency, body, run_position, run_version)
    SELECT r.id, ${orderId}, r.print_order_id, r.step, r.type, r.currency, r.body,
      ${record?.position ?? null}, ${record?.version ?? null}
    FROM jsonb_to_recordset(${json(tx, rows)}) AS r (
      id uuid, print_order_id bigint, step text, type text, currency text, body jsonb)
    ON CONFLICT (order_id, step) DO NOTHING`;
}

/** The charges of an order, and which of them a print order belongs to. */
export interface OrderCharges {
  /** In the order in which the print orders were first invoiced. */
  readonly all: readonly Charges[];
  /** Returns the latest charges of a print order, or of the print order that it replaces. */
  of(printOrderId: string): Charges | undefined;
}

export interface ChargesJson {
  readonly receipts: readonly (Omit<StoredReceipt, 'createdAt'> & { readonly createdAt: string })[] | null;
  /** The print order that each print order replaces, by id. */
  readonly origins: Readonly<Record<string, string | null>> | null;
}

/** Begins the step of a receipt that takes a refund back. */
const TAKEN_BACK = 'taken-back:';

/** Returns the jsonb expression of the receipts of an order. `orderCharges` reads it. */
export const chargesAsJson = (sql: Queryable, orderId: Fragment): Fragment => sql`
  jsonb_build_object(
    'receipts', (SELECT jsonb_agg(jsonb_build_object('number', r.number::text, 'type', r.type, 'body', r.body,
        'createdAt', r.created_at, 'printOrderId', coalesce(r.print_order_id, p.id)::text, 'takesBack', starts_with(r.step, ${TAKEN_BACK})) ORDER BY r.number)
      FROM receipts r LEFT JOIN print_orders p ON p.order_id = r.order_id AND p.step = r.step AND r.type = 'invoice'
      WHERE r.order_id = ${orderId}),
    'origins', (SELECT jsonb_object_agg(id, reproduces_id::text) FROM print_orders WHERE order_id = ${orderId}))`;

export function orderCharges({ receipts, origins }: ChargesJson): OrderCharges {
  const all = chargesOf(
    (receipts ?? []).map(({ createdAt, ...receipt }) => ({ ...receipt, createdAt: new Date(createdAt) })),
  );
  return {
    all,
    of(printOrderId) {
      for (let id: string | null = printOrderId; id !== null; id = origins?.[id] ?? null) {
        const charges = all.findLast((candidate) => candidate.printOrderId === id);
        if (charges !== undefined) return charges;
      }
      return undefined;
    },
  };
}

export async function readCharges(sql: Queryable, orderId: string): Promise<OrderCharges> {
  const [row] = await sql<{ charges: ChargesJson }[]>`SELECT ${chargesAsJson(sql, sql`${orderId}`)} AS charges`;
  return orderCharges(row!.charges);
}

/**
 * Refunds units of items, with the shipping price of invoices that have no units left. Units that several print orders make are
 * refunded from the charges of the named print order first.
 */
export async function refundItems(
  tx: Queryable,
  refund: {
    readonly orderId: string;
    readonly step: string;
    /** Null: the order as a whole. */
    readonly printOrderId: string | null;
    readonly items: readonly { readonly itemId: string; readonly quantity: number }[];
    /** The record of the run that refunds. Absent for an order without a run. */
    readonly record?: RecordKey;
  },
): Promise<void> {
  const { orderId, step, record } = refund;
  const references = await tx<{ id: string; itemReferenceId: string }[]>`
    SELECT id, item_reference_id FROM order_items WHERE order_id = ${orderId}`;
  const wanted = new Map<string, number>();
  for (const { itemId, quantity } of refund.items) {
    const reference = references.find((row) => row.id === itemId)?.itemReferenceId;
    if (reference !== undefined) wanted.set(reference, (wanted.get(reference) ?? 0) + quantity);
  }
  const charges = await readCharges(tx, orderId);
  const own = refund.printOrderId === null ? undefined : charges.of(refund.printOrderId);
  const others = charges.all.filter((each) => each !== own);
  const changes = refundUnits(own === undefined ? others : [...others, own], wanted);
  await storeReceipts(
    tx,
    orderId,
    changes.map((change, index) => ({ ...change, step: `${step}:${index}` })),
    record,
  );
  // The plan of the print order ends with its last unit. While it has units, they are planned again first.
  if (refund.printOrderId !== null) await refundShipping(tx, orderId, refund.printOrderId, `${step}:shipping`, record);
}

/** Returns what a refund of units gives back, in the currency's main unit. */
export function refundAmounts(
  currency: string,
  { all }: OrderCharges,
  units: readonly { readonly itemReferenceId: string; readonly quantity: number }[],
) {
  const wanted = new Map<string, number>();
  for (const { itemReferenceId, quantity } of units)
    wanted.set(itemReferenceId, (wanted.get(itemReferenceId) ?? 0) + quantity);
  const lines = refundUnits(all, wanted).flatMap(({ receipt }) => receipt.lines);
  const sum = (of: (line: ReceiptLine) => number) =>
    fromMinor(0 - lines.reduce((minor, line) => minor + of(line), 0), currency);
  return {
    currency,
    products: sum(({ type, price }) => (type === 'product' ? price : 0)),
    shipping: sum(({ type, price }) => (type === 'shipment' ? price : 0)),
    vat: sum(({ vat }) => vat),
    total: sum(({ priceInclVat }) => priceInclVat),
  };
}

/** Refunds what is charged for shipping beyond the plans of the units that are left, after units of a print order were cancelled. */
export async function refundShipping(
  tx: Queryable,
  orderId: string,
  printOrderId: string,
  step: string,
  record?: RecordKey,
): Promise<void> {
  const charges = await readCharges(tx, orderId);
  const charge = charges.of(printOrderId);
  if (charge === undefined) return;
  const plans = await tx<PlannedPrice[]>`
    SELECT p.id::text AS print_order_id, s.price_minor::float8, jsonb_object_agg(i.item_reference_id, j.quantity) AS units
    FROM print_orders p JOIN planned_shipments s ON s.print_order_id = p.id JOIN print_jobs j ON j.print_order_id = p.id
      JOIN order_items i ON i.id = j.order_item_id
    WHERE p.order_id = ${orderId} AND j.status NOT IN ('cancelled', 'superseded')
    GROUP BY p.id, s.id ORDER BY p.id`;
  const isOfCharge = (each: Charges | undefined) => each?.printOrderId === charge.printOrderId;
  const surplus = shippingSurplus(
    charges.all.filter(isOfCharge),
    plans.filter((plan) => isOfCharge(charges.of(plan.printOrderId))),
  );
  const { price, referenceId, title } = shippingCharge(charge);
  const change = shippingDifference(charge, { referenceId, title }, -Math.min(Math.max(surplus, 0), price));
  if (change !== null) await storeReceipts(tx, orderId, [{ ...change, step }], record);
}

/**
 * Charges again what later records than `follows` refunded: their workflow task was lost, or the run was reset, and what they
 * ended goes on. Their receipts stay, and each gets an invoice over the same amounts.
 * @param kept steps that refund again
 */
export async function takeBackRefunds(
  tx: Queryable,
  orderId: string,
  follows: RecordKey,
  kept: readonly string[],
): Promise<void> {
  const lost = await tx<{ number: string; printOrderId: string; body: Receipt }[]>`
    UPDATE receipts SET step = concat('lost:', number, ':', step), run_position = NULL, run_version = NULL
    WHERE order_id = ${orderId} AND (run_position, run_version) > (${follows.position}::bigint, ${follows.version}::bigint)
      AND NOT EXISTS (SELECT FROM unnest(${[...kept]}::text[]) kept WHERE starts_with(step, kept || ':'))
    RETURNING number, print_order_id, body`;
  const invoices = lost.map(({ number, printOrderId, body }) => ({
    type: 'invoice' as const,
    printOrderId,
    receipt: refundReceipt(body),
    step: `${TAKEN_BACK}${number}`,
  }));
  if (invoices.length > 0) await storeReceipts(tx, orderId, invoices);
}

/** Financial statuses in which a payment can be recorded: there is an invoice, and not everything is refunded. */
const PAYABLE: readonly FinancialStatus[] = ['invoiced', 'paid', 'refused', 'partially_refunded'];

export interface Payment {
  readonly status: Extract<FinancialStatus, 'paid' | 'refused'>;
  readonly reference: string | null;
  readonly by: string;
  /** Id of the API's request, as the audit log has it. */
  readonly requestId: string;
}

/**
 * Sets the financial status of an order to the result of its payment, and records it in the event log.
 * @returns the financial status before; undefined when the order is not invoiced or is completely refunded
 */
export async function recordPayment(
  sql: Queryable,
  orderId: string,
  { status, reference, by, requestId }: Payment,
): Promise<FinancialStatus | undefined> {
  const data = { status, by, requestId, ...(reference === null ? {} : { reference }) };
  const [row] = await sql<{ before: FinancialStatus }[]>`
    WITH payable AS (
      SELECT id, financial_status AS before FROM orders
      WHERE id = ${orderId} AND financial_status = ANY(${[...PAYABLE]}) FOR UPDATE
    ), paid AS (
      UPDATE orders SET run_financial_status = coalesce(run_financial_status, financial_status),
        financial_status = ${status}, updated_at = now()
      FROM payable WHERE orders.id = payable.id
      RETURNING orders.id, payable.before
    ), logged AS (
      INSERT INTO order_events (order_id, type, data) SELECT id, 'payment', ${json(sql, data)} FROM paid
    )
    SELECT before FROM paid`;
  return row?.before;
}
