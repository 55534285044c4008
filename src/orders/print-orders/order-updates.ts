import type { PartnerResponse } from '../../partners/calls';
import type { Partner } from '../../partners/partner-rows';
import { randomToken } from '../../platform/ids';
import { type DeliveryDeps, messageOf, type PrintOrderRow, printOrderRow, send, type Unbuildable } from './delivery';

/**
 * Result of an order update.
 * `not_needed`: the first delivery has the current address and method, or a newer change has its own update.
 */
export type OrderUpdateResponse =
  | { readonly outcome: 'not_needed' }
  | { readonly outcome: 'no_address'; readonly message: string }
  | PartnerResponse
  | Unbuildable;

/** @param shippingRevision the order's shipping revision that the partner should get */
export interface OrderUpdate {
  readonly printOrderId: string;
  readonly shippingRevision: number;
}

type Deps = Omit<DeliveryDeps, 'objects'>;

/**
 * Sends a partner the whole print order again after a change of address or method: the same `id`, and a `revision` that
 * counts from 2. The message is stored before it is sent. Every delivery repeats it byte for byte under one `webhook-id`.
 */
export async function deliverOrderUpdate(deps: Deps, update: OrderUpdate): Promise<OrderUpdateResponse> {
  const { sql } = deps;
  const { printOrderId, shippingRevision } = update;
  const row = await printOrderRow(sql, printOrderId);
  const { partner } = row;
  const message = (await storedUpdate(deps, update)) ?? (await storeUpdate(deps, row, partner, update));
  if (message === null) return { outcome: 'not_needed' };
  if ('outcome' in message) return message;
  if (partner.orderUpdateUrl === null) {
    return { outcome: 'no_address', message: `${partner.uid} has no orderUpdateUrl` };
  }
  const request = { kind: 'order_update', printOrderId, revision: shippingRevision } as const;
  const { response, logged } = await send(deps, { partner, url: partner.orderUpdateUrl, ...message }, request);
  if (response.outcome !== 'accepted') await logged;
  else {
    await sql`
      WITH logged AS (${logged})
      UPDATE print_order_updates SET accepted_at = coalesce(accepted_at, now())
      WHERE print_order_id = ${printOrderId} AND shipping_revision = ${shippingRevision}`;
  }
  return response;
}

interface StoredUpdate {
  readonly messageId: string;
  readonly body: string;
}

async function storedUpdate(
  { sql }: Deps,
  { printOrderId, shippingRevision }: OrderUpdate,
): Promise<StoredUpdate | undefined> {
  const [stored] = await sql<StoredUpdate[]>`
    SELECT message_id, body FROM print_order_updates
    WHERE print_order_id = ${printOrderId} AND shipping_revision = ${shippingRevision}`;
  return stored;
}

/** Makes and stores the message. When two attempts run at the same time, both use the one that was stored first. */
async function storeUpdate(
  deps: Deps,
  row: PrintOrderRow,
  partner: Partner,
  update: OrderUpdate,
): Promise<StoredUpdate | Unbuildable | null> {
  const { sql } = deps;
  const { printOrderId, shippingRevision } = update;
  if (row.body === null || row.shippingRevision !== shippingRevision) return null;
  const [before] = await sql<{ isNeeded: boolean; revision: number }[]>`
    SELECT coalesce(body_shipping_revision < ${shippingRevision}, true) AND EXISTS (
        SELECT FROM print_jobs j WHERE j.print_order_id = p.id AND j.status NOT IN ('cancelled', 'superseded')
          AND j.quantity > j.cancelled_quantity) AS is_needed,
      (SELECT coalesce(max(revision), 1) + 1 FROM print_order_updates WHERE print_order_id = p.id) AS revision
    FROM print_orders p WHERE id = ${printOrderId}`;
  if (before === undefined || !before.isNeeded) return null;
  const body = messageOf(deps, row, partner, before.revision);
  if (typeof body !== 'string') return body;
  await sql`
    INSERT INTO print_order_updates (print_order_id, revision, shipping_revision, message_id, body)
    VALUES (${printOrderId}, ${before.revision}, ${shippingRevision}, ${`msg_${randomToken(18)}`}, ${body})
    ON CONFLICT (print_order_id, shipping_revision) DO NOTHING`;
  return (await storedUpdate(deps, update))!;
}
