import { isDeepStrictEqual } from 'node:util';
import type { ResolvedProduct } from '../../catalog/domain/product';
import { inTransaction, json, type Sql, type Transaction } from '../../platform/postgres';
import { type SubmittedOrder, submittedColumns, submittedFields } from '../planning/order-fields';
import type { PatchOrder, SubmitOrder } from '../planning/order-schemas';
import { type OrderRecord, readOrders } from '../reading/order-reader';
import type { RunSettings } from '../run/settings';
import { insertItems, insertPackingSlips, itemRows, type OrderedItems, submittedItem } from './item-rows';
import { startRun } from './start-run';

/** A draft in the form of a submitted order. */
export interface Draft {
  readonly id: string;
  /** Changes with every edit, so that a concurrent edit is detected. */
  readonly version: string;
  readonly addressId: string;
  readonly order: SubmittedOrder;
}

/** Why there is no draft: no such order, or an order that is not a draft. */
export type NoDraft = 'not-found' | 'not-draft';

export async function readDraft(sql: Sql, id: string): Promise<Draft | NoDraft> {
  // The version is read first: an edit between the two statements makes it too old, never too new.
  const [row] = await sql<{ version: string }[]>`SELECT updated_at::text AS version FROM orders WHERE id = ${id}`;
  const [record] = row === undefined ? [] : await readOrders(sql, [id]);
  if (row === undefined || record === undefined) return 'not-found';
  if (record.orderType !== 'draft') return 'not-draft';
  return { id, version: row.version, addressId: record.shippingAddress.id, order: asSubmitted(record) };
}

/** Returns a stored order in the form in which a draft of it would be submitted. */
export function asSubmitted(record: OrderRecord): Draft['order'] {
  return {
    ...submittedFields(record),
    items: record.items.map((item) => ({
      ...submittedItem(item),
      files: item.files.map(({ type, url, metadata }) => ({ type, url, metadata })),
    })),
  };
}

/** Returns true for a patch that submits a draft, when the order has what the patch asks for: the request was repeated. */
export function hasSubmitted(order: OrderRecord, patch: PatchOrder): boolean {
  const draft = { order: asSubmitted(order) };
  const isAbsent = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0);
  const given = (fields: object) =>
    JSON.parse(
      JSON.stringify({ ...fields, orderType: order.orderType }, (_name, value) =>
        isAbsent(value) ? undefined : value,
      ),
    );
  const isSubmission = patch.orderType === 'order' && order.orderType === 'order';
  return isSubmission && isDeepStrictEqual(given(patched(draft, patch)), given(draft.order));
}

/** Returns the draft with a patch applied. The caller validates it as a submitted order. */
export function patched(draft: Pick<Draft, 'order'>, patch: PatchOrder): object {
  const given = Object.entries(patch).filter(([, value]) => value !== undefined);
  return { ...draft.order, ...Object.fromEntries(given) };
}

export interface DraftEdit {
  readonly draft: Draft;
  readonly patch: PatchOrder;
  readonly order: SubmitOrder;
  /** One for each item; null when the items do not change and the draft stays a draft. */
  readonly products: readonly ResolvedProduct[] | null;
  readonly clientId: string;
  readonly clientName: string;
  readonly requestId: string;
}

/**
 * Writes an edited draft. A draft that becomes an order gets the outbox row that starts its workflow in the same
 * transaction; the caller wakes the outbox afterwards.
 * @returns `overtaken` when another request has edited the draft since it was read
 */
export async function saveDraft(
  sql: Sql,
  edit: DraftEdit,
  settings: RunSettings,
): Promise<'saved' | 'overtaken' | NoDraft> {
  const { draft, patch, order, products } = edit;
  return await inTransaction(sql, async (tx) => {
    const [now] = await tx<{ orderType: string; version: string }[]>`
      SELECT order_type, updated_at::text AS version FROM orders WHERE id = ${draft.id} FOR UPDATE`;
    if (now === undefined) return 'not-found';
    if (now.orderType !== 'draft') return 'not-draft';
    if (now.version !== draft.version) return 'overtaken';
    await writeOrder(tx, edit);
    if (patch.items !== undefined) await replaceItems(tx, { id: draft.id, order, products: products! });
    else if (products !== null) await refreshItems(tx, { id: draft.id, order, products });
    if (patch.packagingInstructions !== undefined) await replacePackingSlips(tx, draft.id, order);
    if (order.orderType === 'order') await start(tx, edit, settings);
    return 'saved';
  });
}

async function writeOrder(tx: Transaction, { draft, order, requestId }: DraftEdit): Promise<void> {
  const row = submittedColumns(order, draft.addressId, requestId);
  const columns = tx.unsafe(Object.keys(row).join(', '));
  await tx`
    UPDATE orders SET (${columns}) = (
        SELECT ${columns} FROM jsonb_populate_record(NULL::orders, ${json(tx, row)})),
      ordered_at = ${order.orderType === 'order' ? tx`now()` : null},
      -- Not now(): it is the start of the transaction, which two edits may share. Each edit needs its own version.
      updated_at = clock_timestamp()
    WHERE id = ${draft.id}`;
}

async function replaceItems(tx: Transaction, draft: OrderedItems): Promise<void> {
  await tx`DELETE FROM order_items WHERE order_id = ${draft.id}`;
  await tx`WITH ${insertItems(tx, [draft], tx`true`)} SELECT`;
}

/** Replaces the resolved products of the items, because the catalog may have changed since the draft was written. */
async function refreshItems(tx: Transaction, draft: OrderedItems): Promise<void> {
  await tx`
    UPDATE order_items SET product = i.product, fulfillment_status = i.fulfillment_status
    FROM jsonb_populate_recordset(NULL::order_items, ${json(tx, itemRows(draft))}) AS i
    WHERE order_items.order_id = i.order_id AND order_items.position = i.position`;
}

async function replacePackingSlips(tx: Transaction, orderId: string, order: SubmitOrder): Promise<void> {
  await tx`DELETE FROM packing_slips WHERE order_id = ${orderId}`;
  await insertPackingSlips(tx, [{ id: orderId, order }], tx`true`);
}

async function start(tx: Transaction, edit: DraftEdit, settings: RunSettings): Promise<void> {
  const { draft, order, clientId, clientName, requestId } = edit;
  const items = await tx<{ id: string; quantity: number }[]>`
    SELECT id, quantity FROM order_items WHERE order_id = ${draft.id} ORDER BY position`;
  await startRun(tx, { id: draft.id, clientId, clientName, requestId, order }, [...items], settings);
}

export async function deleteDraft(sql: Sql, id: string): Promise<'deleted' | NoDraft> {
  const deleted = await sql`DELETE FROM orders WHERE id = ${id} AND order_type = 'draft'`;
  if (deleted.count > 0) return 'deleted';
  const [left] = await sql`SELECT 1 FROM orders WHERE id = ${id}`;
  return left === undefined ? 'not-found' : 'not-draft';
}
