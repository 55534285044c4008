import type { ResolvedProduct } from '../catalog/domain/product';
import { Refusal } from '../platform/errors';
import { uuidv7 } from '../platform/ids';
import type { WorkflowStart } from '../platform/outbox/temporal-delivery';
import { inTransaction, json, type Queryable, type Sql } from '../platform/postgres';
import { ORDER_WORKFLOW, type OrderRunInput, orderWorkflowId } from './domain/run-messages';
import type { SubmitOrder } from './schemas';

/** What every run starts with besides its order. */
export interface RunSettings {
  readonly receivedDeadlineMs: number;
  readonly fileRetryWindowMs: number;
}

export interface Submission {
  readonly clientId: string;
  readonly clientName: string;
  readonly requestId: string;
  readonly order: SubmitOrder;
  /** One for each item, in the items' order. */
  readonly products: readonly ResolvedProduct[];
}

export interface SubmittedOrder {
  readonly id: string;
  readonly orderReferenceId: string;
  readonly createdAt: string;
}

/**
 * Takes an order in: its rows and, unless it is a draft, the outbox row that starts its run, in one transaction.
 * The caller wakes the outbox afterwards.
 * @param complete stores the answer for the request's Idempotency-Key in the same transaction; null without a key
 * @throws Refusal `DUPLICATE_ORDER_REFERENCE` with `preventDuplicate` and a reference that is used already
 */
export async function submitOrder(
  sql: Sql,
  submission: Submission,
  settings: RunSettings,
  complete: ((tx: Queryable, answer: SubmittedOrder) => Promise<void>) | null,
): Promise<SubmittedOrder> {
  // One statement is one transaction: the common case needs no BEGIN and no COMMIT of its own.
  if (complete === null && !submission.order.preventDuplicate)
    return await insertOrder(sql, submission, settings);
  return await inTransaction(sql, async (tx) => {
    if (submission.order.preventDuplicate) await refuseDuplicate(tx, submission);
    const submitted = await insertOrder(tx, submission, settings);
    await complete?.(tx, submitted);
    return submitted;
  });
}

/** Equal references wait for each other here until the first has committed. */
async function refuseDuplicate(tx: Queryable, { clientId, order }: Submission): Promise<void> {
  await tx`SELECT pg_advisory_xact_lock(hashtextextended(${`${clientId}:${order.orderReferenceId}`}, 0))`;
  const [existing] = await tx`
    SELECT 1 FROM orders WHERE client_id = ${clientId} AND order_reference_id = ${order.orderReferenceId} LIMIT 1`;
  if (existing !== undefined) throw new Refusal('DUPLICATE_ORDER_REFERENCE');
}

async function insertOrder(
  sql: Queryable,
  { clientId, clientName, requestId, order, products }: Submission,
  settings: RunSettings,
): Promise<SubmittedOrder> {
  const id = uuidv7();
  const isDraft = order.orderType === 'draft';
  const start = isDraft ? null : runStart({ id, clientId, clientName, requestId, order }, settings);
  const [row] = await sql<{ createdAt: Date }[]>`
    WITH new_order AS (
      INSERT INTO orders (id, client_id, order_reference_id, customer_reference_id, order_type, fulfillment_status,
        financial_status, currency, retail_currency, retail_shipping_price, shipment_method_uid, shipping_address,
        packaging_instructions, metadata, request_id, ordered_at)
      VALUES (${id}, ${clientId}, ${order.orderReferenceId}, ${order.customerReferenceId ?? null}, ${order.orderType},
        ${isDraft ? 'draft' : 'created'}, ${isDraft ? 'draft' : 'pending'}, ${order.currency},
        ${order.retailCurrency ?? null}, ${order.retailShippingPriceInclVat ?? null}, ${order.shipmentMethodUid ?? null},
        ${json(sql, { id: uuidv7(), ...order.shippingAddress })}, ${json(sql, order.packagingInstructions ?? [])},
        ${json(sql, order.metadata ?? [])}, ${requestId}, ${isDraft ? null : sql`now()`})
      RETURNING id, created_at
    ), new_items AS (
      INSERT INTO order_items (order_id, position, item_reference_id, product_uid, product_name, product_variant,
        quantity, retail_price, custom_trim, metadata, fulfillment_status, product)
      SELECT ${id}, i.* FROM jsonb_to_recordset(${json(sql, itemRows(order, products))}) AS i (
        position int, item_reference_id text, product_uid text, product_name text, product_variant jsonb,
        quantity int, retail_price numeric, custom_trim jsonb, metadata jsonb, fulfillment_status text, product jsonb)
      RETURNING id, position, quantity
    ), new_files AS (
      INSERT INTO order_files (id, order_item_id, position, type, url, metadata)
      SELECT f.id, new_items.id, f.position, f.type, f.url, f.metadata
      FROM jsonb_to_recordset(${json(sql, fileRows(order))}) AS f (
        id uuid, item int, position int, type text, url text, metadata jsonb)
      JOIN new_items ON new_items.position = f.item
    ), new_slips AS (
      INSERT INTO packing_slips (id, order_id, package_index, url)
      SELECT s.id, ${id}, s.package_index, s.url
      FROM jsonb_to_recordset(${json(sql, slipRows(order))}) AS s (id uuid, package_index int, url text)
    ), start AS (
      INSERT INTO outbox (kind, target, payload)
      SELECT 'start_workflow', ${orderWorkflowId(id)},
        jsonb_set(${json(sql, start ?? {})}, '{args,0,items}',
          (SELECT jsonb_agg(jsonb_build_object('id', id::text, 'quantity', quantity) ORDER BY position) FROM new_items))
      WHERE ${start !== null}
    )
    SELECT created_at FROM new_order`;
  return { id, orderReferenceId: order.orderReferenceId, createdAt: row!.createdAt.toISOString() };
}

interface RunSubject {
  readonly id: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly requestId: string;
  readonly order: Pick<SubmitOrder, 'orderReferenceId'> & {
    readonly shippingAddress: Pick<SubmitOrder['shippingAddress'], 'country'>;
    readonly items: readonly unknown[];
  };
}

/** The message that starts an order's run; its items are filled in by the statement that knows their ids. */
function runStart(subject: RunSubject, settings: RunSettings): WorkflowStart {
  const { id, clientId, clientName, requestId, order } = subject;
  const { country } = order.shippingAddress;
  const count = order.items.length;
  return {
    workflowType: ORDER_WORKFLOW,
    args: [
      {
        orderId: id,
        clientId,
        orderReferenceId: order.orderReferenceId,
        country,
        requestId,
        items: [],
        ...settings,
      },
    ],
    memo: { orderReferenceId: order.orderReferenceId, client: clientName, requestId },
    // Shown in the UI's list; a summary may have 200 bytes.
    summary: `${order.orderReferenceId.slice(0, 80)}: ${count} ${count === 1 ? 'item' : 'items'} to ${country}`,
  };
}

export function itemRows(
  order: Pick<SubmitOrder, 'items'> & { orderType?: string | undefined },
  products: readonly ResolvedProduct[],
) {
  return order.items.map((item, position) => ({
    position,
    item_reference_id: item.itemReferenceId,
    product_uid: item.productUid ?? null,
    product_name: item.productName ?? null,
    product_variant: item.productVariant ?? null,
    quantity: item.quantity,
    retail_price: item.retailPriceInclVat ?? null,
    custom_trim: item.customTrim ?? null,
    metadata: item.metadata ?? [],
    fulfillment_status: order.orderType === 'draft' ? 'draft' : 'created',
    product: products[position],
  }));
}

export function fileRows(order: Pick<SubmitOrder, 'items'>) {
  return order.items.flatMap((item, position) =>
    item.files.map((file, index) => ({
      id: uuidv7(),
      item: position,
      position: index,
      type: file.type,
      url: file.url,
      metadata: file.metadata ?? [],
    })),
  );
}

export function slipRows(order: Pick<SubmitOrder, 'packagingInstructions'>) {
  return (order.packagingInstructions ?? []).flatMap(({ packingSlip }, index) =>
    packingSlip === undefined ? [] : [{ id: uuidv7(), package_index: index, url: packingSlip.fileUrl }],
  );
}

/**
 * Starts the run of an order whose rows are in place: a draft's, or one that was lost.
 * @param carried the state in which a run goes on that began before
 */
export async function startRun(
  tx: Queryable,
  subject: Omit<RunSubject, 'order'> & { readonly order: Omit<RunSubject['order'], 'items'> },
  items: readonly { readonly id: string; readonly quantity: number }[],
  settings: RunSettings,
  carried: OrderRunInput['carried'] | null = null,
): Promise<WorkflowStart> {
  const start = runStart({ ...subject, order: { ...subject.order, items } }, settings);
  const [input] = start.args;
  const message = {
    ...start,
    args: [{ ...(input as object), items, ...(carried === null ? {} : { carried }) }],
  };
  await tx`
    INSERT INTO outbox (kind, target, payload)
    VALUES ('start_workflow', ${orderWorkflowId(subject.id)}, ${json(tx, message)})`;
  return message;
}
