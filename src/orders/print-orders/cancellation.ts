import { type PartnerCallDeps, postToPartner } from '../../partners/calls';
import type { PrintOrderVersion } from '../../partners/domain/delivery-target';
import type { CancelRequestBody } from '../../partners/message-schemas';
import { partnerByAccount } from '../../partners/partner-rows';
import { insertPartnerRequest } from '../../partners/requests';
import { sha256 } from '../../platform/ids';
import type { Sql } from '../../platform/postgres';

/** A partner's answer to a cancellation. `pending`: the partner has no cancel URL and may answer by postback. */
export type CancellationAnswer =
  | { readonly outcome: 'confirmed' | 'refused' | 'pending'; readonly message: string }
  | { readonly outcome: 'retry'; readonly message: string; readonly retryAfterMs: number | null };

/**
 * Asks a partner to cancel print jobs. 404 and 410 mean that the partner does not have the print order, which confirms
 * the cancellation. Any other refusal means that the partner continues to make the jobs.
 */
export async function cancelAtPartner(
  deps: PartnerCallDeps & { readonly sql: Sql },
  request: { readonly printOrderId: string; readonly jobIds: readonly string[]; readonly reason: string },
): Promise<CancellationAnswer> {
  const { printOrderId, jobIds, reason } = request;
  const [row] = await deps.sql<
    { partnerId: string; version: PrintOrderVersion; body: string | null; itemIds: string[] }[]
  >`
    SELECT partner_id, version, body,
      -- A partner knows the parts of a mounted product by ids of their own.
      ARRAY(SELECT unnest(CASE part_ids WHEN '{}' THEN ARRAY[id] ELSE part_ids END)::text FROM print_jobs
            WHERE print_order_id = ${printOrderId} AND id = ANY(${[...jobIds]}::bigint[]) ORDER BY 1) AS item_ids
    FROM print_orders WHERE id = ${printOrderId}`;
  if (row === undefined) throw new Error(`print order ${printOrderId} does not exist`);
  if (row.body === null) return { outcome: 'confirmed', message: 'the print order was never sent' };
  const partner = await partnerByAccount(deps.sql, row.partnerId);
  if (partner?.orderCancelUrl == null) {
    return { outcome: 'pending', message: 'the partner has no cancel URL' };
  }
  const { response: answer, attempt } = await postToPartner(deps, {
    partner,
    url: partner.orderCancelUrl,
    delivers: true,
    messageId: `msg_cancel_${sha256(`${printOrderId}:${jobIds.join()}`).toString('base64url').slice(0, 24)}`,
    body: JSON.stringify({
      version: row.version,
      orderId: printOrderId,
      canceledPrintJobIdList: row.itemIds,
      reason,
    } satisfies CancelRequestBody),
  });
  await insertPartnerRequest(deps.sql, {
    partnerId: partner.partnerId,
    kind: 'cancellation',
    printOrderId,
    attempt,
  });
  switch (answer.outcome) {
    case 'accepted':
      return { outcome: 'confirmed', message: reason };
    case 'retry':
      return answer;
    case 'refused': {
      const unknown = answer.status === 404 || answer.status === 410;
      return { outcome: unknown ? 'confirmed' : 'refused', message: answer.message };
    }
  }
}
