import { postToPartner } from '../../partners/calls';
import { partnerByAccount } from '../../partners/store';
import type { SafeClient } from '../../platform/http/safe-client';
import { sha256 } from '../../platform/ids';
import type { Sql } from '../../platform/postgres';

/** A partner's word on a cancellation; `pending`: it cannot be asked, and answers by postback or not at all. */
export type CancellationAnswer =
  | { readonly outcome: 'confirmed' | 'refused' | 'pending'; readonly message: string }
  | { readonly outcome: 'retry'; readonly message: string; readonly retryAfterMs: number | null };

/**
 * Asks a partner to cancel print jobs. One that never took the print order (404, 410) has nothing to cancel;
 * any other refusal means that it goes on making them.
 */
export async function cancelAtPartner(
  deps: { readonly sql: Sql; readonly client: SafeClient },
  request: { readonly printOrderId: string; readonly jobIds: readonly string[]; readonly reason: string },
): Promise<CancellationAnswer> {
  const { printOrderId, jobIds, reason } = request;
  const [row] = await deps.sql<{ partnerId: string; version: string; body: string | null }[]>`
    SELECT partner_id, version, body FROM print_orders WHERE id = ${printOrderId}`;
  if (row === undefined) throw new Error(`print order ${printOrderId} does not exist`);
  if (row.body === null) return { outcome: 'confirmed', message: 'the print order was never sent' };
  const partner = await partnerByAccount(deps.sql, row.partnerId);
  if (partner?.orderCancelUrl == null) {
    return { outcome: 'pending', message: 'the partner takes no cancellations by request' };
  }
  const answer = await postToPartner(deps.client, {
    url: partner.orderCancelUrl,
    messageId: `msg_cancel_${sha256(`${printOrderId}:${jobIds.join()}`).toString('base64url').slice(0, 24)}`,
    body: JSON.stringify({
      version: row.version,
      orderId: printOrderId,
      canceledPrintJobIdList: jobIds,
      reason,
    }),
    signingSecrets: partner.signingSecrets,
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
