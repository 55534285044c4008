import { ORDER_SIGNALS, orderWorkflowId } from '../../platform/domain/workflows';
import { uuidv7 } from '../../platform/ids';
import { enqueue } from '../../platform/outbox/outbox';
import { json, type Transaction } from '../../platform/postgres';
import type { CheckedProduct, FileOfProduct } from '../domain/file-needs';
import type { RunEffect } from '../domain/lifecycle/run-events';
import { insertPreflight } from './preflights';

/**
 * Print files that replace others when a partner has the order. Such a file has a row beside that of the file it replaces. A
 * preflight fetches, checks and stores it. Then the order run sends its partner an order update with it. The file takes the
 * place of the other one when the partner accepts the update.
 */

const UNPRINTED = ['planned', 'passed', 'in_production', 'manual_handling'];
/** Statuses of print jobs that end without a printed unit. */
const ENDED = ['cancelled', 'superseded'];

export interface RequestedReplacement {
  readonly orderId: string;
  readonly itemId: string;
  readonly fileId: string;
  readonly type: string;
  readonly url: string;
  /** The account that requests it. The check is a preflight of it. */
  readonly accountId: string;
  /** Who requests it, for the order's log. */
  readonly by: string;
  /** Why an operator does. Null for a client. */
  readonly reason: string | null;
  /** Id of the API's request, as the audit log has it. */
  readonly requestId: string;
}

export type RequestOutcome =
  | { readonly outcome: 'requested' | 'unchanged' | 'busy' }
  | { readonly outcome: 'refused'; readonly message: string };

/** Requests the check of a file that is to replace one of an item that a partner makes. The caller has locked the order. */
export async function requestReplacement(tx: Transaction, request: RequestedReplacement): Promise<RequestOutcome> {
  const { orderId, itemId, fileId, type, url, accountId, by, reason, requestId } = request;
  const message = await whyNotReplace(tx, itemId);
  if (message !== null) return { outcome: 'refused', message };
  const [earlier] = await tx<{ id: string; url: string; replacement: string }[]>`
    SELECT id, url, replacement FROM order_files
    WHERE order_item_id = ${itemId} AND type = ${type} AND replacement IN ('checking', 'sending')`;
  if (earlier?.url === url) return { outcome: 'unchanged' };
  if (earlier?.replacement === 'sending') {
    return { outcome: 'refused', message: 'The print partner has not responded to the replacement before this one.' };
  }
  const [file] = await tx<{ product: CheckedProduct; customTrim: FileOfProduct['customTrim']; otherTypes: string[] }[]>`
    SELECT i.product, i.custom_trim, ARRAY(
      SELECT o.type FROM order_files o WHERE o.order_item_id = i.id AND o.id <> ${fileId} AND o.replacement IS NULL) AS other_types
    FROM order_items i WHERE i.id = ${itemId}`;
  const id = uuidv7();
  await tx`
    INSERT INTO order_files (id, order_item_id, position, type, url, metadata, replacement)
    SELECT ${id}, order_item_id, position, type, ${url}, metadata, 'checking' FROM order_files WHERE id = ${fileId}`;
  const begun = await insertPreflight(tx, {
    id: uuidv7(),
    accountId,
    url,
    subject: { type, ...file! },
    orderFileId: id,
  });
  if (!begun) {
    await tx`DELETE FROM order_files WHERE id = ${id}`;
    return { outcome: 'busy' };
  }
  if (earlier !== undefined) await refuseReplacements(tx, [earlier.id], 'Another file was sent in its place.');
  const data = json(tx, { by, type, requestId, ...(reason === null ? {} : { reason }) });
  await tx`
    INSERT INTO order_events (order_id, order_item_id, type, data)
    VALUES (${orderId}, ${itemId}, 'file_replacement_requested', ${data})`;
  return { outcome: 'requested' };
}

async function whyNotReplace(tx: Transaction, itemId: string): Promise<string | null> {
  const jobs = await tx<{ printOrderId: string; status: string; isAccepted: boolean; takesUpdates: boolean }[]>`
    SELECT j.print_order_id::text, j.status, p.accepted_at IS NOT NULL AS is_accepted,
      a.order_update_url IS NOT NULL AS takes_updates
    FROM print_jobs j JOIN print_orders p ON p.id = j.print_order_id JOIN partners a ON a.account_id = p.partner_id
    WHERE j.order_item_id = ${itemId} AND j.status <> ALL(${ENDED})`;
  if (jobs.length === 0 || !jobs.every(({ status }) => UNPRINTED.includes(status))) {
    return 'A print partner has printed the item. Its files can no longer be replaced.';
  }
  if (new Set(jobs.map(({ printOrderId }) => printOrderId)).size > 1) {
    return 'Several print partners make units of the item. Its files can no longer be replaced.';
  }
  if (!jobs.every(({ takesUpdates }) => takesUpdates)) {
    return 'The print partner that has the item takes no changed files. Its files can no longer be replaced.';
  }
  return jobs.every(({ isAccepted }) => isAccepted)
    ? null
    : 'The item is being sent to its print partner. Repeat the request later.';
}

/**
 * A replacement was checked and stored: the order run sends it to the partner. It is refused when nobody will print the item any
 * more. The caller wakes no outbox.
 */
export async function sendReplacement(tx: Transaction, fileId: string): Promise<void> {
  const [file] = await tx<{ orderId: string; itemId: string }[]>`
    UPDATE order_files f SET replacement = 'sending' FROM order_items i
    WHERE f.id = ${fileId} AND f.replacement = 'checking' AND i.id = f.order_item_id
    RETURNING i.order_id, i.id::text AS item_id`;
  if (file === undefined) return;
  const message = await whyNotReplace(tx, file.itemId);
  if (message !== null) return await refuseReplacements(tx, [fileId], message);
  const payload = { signal: ORDER_SIGNALS.filesReplaced, args: [{ itemId: file.itemId }] };
  await enqueue(tx, { kind: 'signal_workflow', target: orderWorkflowId(file.orderId), payload });
}

/** Refuses replacements. The former files are printed. */
export async function refuseReplacements(tx: Transaction, fileIds: readonly string[], message: string): Promise<void> {
  await tx`
    WITH refused AS (
      UPDATE order_files SET replacement = 'refused', replacement_message = ${message}
      WHERE id = ANY(${[...fileIds]}::uuid[]) AND replacement IN ('checking', 'sending') RETURNING order_item_id, type)
    INSERT INTO order_events (order_id, order_item_id, type, data)
    SELECT i.order_id, i.id, 'file_replacement_refused', jsonb_build_object('type', r.type, 'message', ${message}::text)
    FROM refused r JOIN order_items i ON i.id = r.order_item_id`;
}

/** Lets the files that a partner has accepted take the place of the former ones, or refuses them. */
export async function endReplacements(
  tx: Transaction,
  { of, refusal }: Extract<RunEffect, { type: 'end_replacements' }>,
): Promise<void> {
  const items =
    'itemId' in of
      ? tx`SELECT ${of.itemId}::bigint`
      : tx`SELECT order_item_id FROM print_jobs WHERE print_order_id = ${of.printOrderId}`;
  const files = await tx<{ id: string; itemId: string }[]>`
    SELECT id, order_item_id::text AS item_id FROM order_files
    WHERE replacement = 'sending' AND order_item_id IN (${items})`;
  if (files.length === 0) return;
  const ids = files.map(({ id }) => id);
  if (refusal !== null) return await refuseReplacements(tx, ids, refusal);
  await tx`
    UPDATE order_files f SET replacement = 'former' FROM order_files n
    WHERE n.id = ANY(${ids}::uuid[]) AND f.order_item_id = n.order_item_id AND f.type = n.type AND f.replacement IS NULL`;
  await tx`
    WITH taken AS (UPDATE order_files SET replacement = NULL WHERE id = ANY(${ids}::uuid[]) RETURNING order_item_id, type)
    INSERT INTO order_events (order_id, order_item_id, type, data)
    SELECT i.order_id, i.id, 'file_replaced', jsonb_build_object('type', t.type)
    FROM taken t JOIN order_items i ON i.id = t.order_item_id`;
  for (const itemId of new Set(files.map((file) => file.itemId))) await measureItem(tx, itemId);
}

/** Sets resolution and page count of an item: those of its coarsest and of its longest file. */
export async function measureItem(tx: Transaction, itemId: string): Promise<void> {
  await tx`
    UPDATE order_items SET (page_count, dpi) = (
      SELECT max(f.page_count), min(f.dpi) FROM order_files f
      WHERE f.order_item_id = order_items.id AND f.fetched_at IS NOT NULL AND f.replacement IS NULL)
    WHERE id = ${itemId}`;
}
