import type { PartnerCallDeps } from '../../partners/calls';
import type { PrintOrderVersion } from '../../partners/domain/partner-protocol';
import type { CancelRequestBody } from '../../partners/message-schemas';
import { partnerByAccount } from '../../partners/partner-rows';
import { sha256 } from '../../platform/ids';
import type { Sql } from '../../platform/postgres';
import { send } from './delivery';

/** A partner's response to a cancellation. `pending`: the partner has no cancel URL and may respond by postback. */
export type CancellationResponse =
  | { readonly outcome: 'confirmed' | 'refused' | 'pending'; readonly message: string }
  | { readonly outcome: 'retry'; readonly message: string; readonly retryAfterMs: number | null };

/**
 * Withdraws print jobs that were never sent: no later delivery of the print order has them.
 * @returns false when the print order was sent, so that its partner has to be asked
 */
export async function withdrawPrintJobs(
  { sql }: { readonly sql: Sql },
  { printOrderId, jobIds }: { readonly printOrderId: string; readonly jobIds: readonly string[] },
): Promise<boolean> {
  // A delivery stores its message in the same row before it sends it: one of the two statements comes first.
  const withdrawn = await sql`
    UPDATE print_orders SET withdrawn_jobs = withdrawn_jobs || ${[...jobIds]}::bigint[]
    WHERE id = ${printOrderId} AND body IS NULL`;
  return withdrawn.count > 0;
}

/**
 * Sends a partner the request to cancel print jobs. 404 and 410 mean that the partner does not have the print order, which confirms
 * the cancellation. Any other refusal means that the partner continues to make the jobs.
 */
export async function cancelAtPartner(
  deps: PartnerCallDeps & { readonly sql: Sql },
  request: { readonly printOrderId: string; readonly jobIds: readonly string[]; readonly reason: string },
): Promise<CancellationResponse> {
  const { printOrderId, jobIds, reason } = request;
  const [row] = await deps.sql<
    { partnerId: string; version: PrintOrderVersion; body: string | null; itemIds: string[] }[]
  >`
    SELECT partner_id, version, body,
      -- In messages to partners, the parts of a mounted product have their own ids.
      ARRAY(SELECT unnest(CASE part_ids WHEN '{}' THEN ARRAY[id] ELSE part_ids END)::text FROM print_jobs
            WHERE print_order_id = ${printOrderId} AND id = ANY(${[...jobIds]}::bigint[]) ORDER BY 1) AS item_ids
    FROM print_orders WHERE id = ${printOrderId}`;
  if (row === undefined) throw new Error(`print order ${printOrderId} does not exist`);
  if (row.body === null) return { outcome: 'confirmed', message: 'the print order was never sent' };
  const partner = await partnerByAccount(deps.sql, row.partnerId);
  if (partner?.orderCancelUrl == null) {
    return { outcome: 'pending', message: 'the partner has no cancel URL' };
  }
  const body: CancelRequestBody = {
    version: row.version,
    orderId: printOrderId,
    canceledPrintJobIdList: row.itemIds,
    reason,
  };
  const messageId = `msg_cancel_${sha256(`${printOrderId}:${jobIds.join()}`).toString('base64url').slice(0, 24)}`;
  const call = { partner, url: partner.orderCancelUrl, messageId, body: JSON.stringify(body) };
  const { response, logged } = await send(deps, call, { kind: 'cancellation', printOrderId });
  await logged;
  switch (response.outcome) {
    case 'accepted':
      return { outcome: 'confirmed', message: reason };
    case 'retry':
      return response;
    case 'refused': {
      const isUnknown = response.status === 404 || response.status === 410;
      return { outcome: isUnknown ? 'confirmed' : 'refused', message: response.message };
    }
  }
}
