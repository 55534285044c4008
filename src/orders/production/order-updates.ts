import type { PartnerResponse } from '../../partners/calls';
import type { PrintOrderBody } from '../../partners/message-schemas';
import { randomToken, sha256 } from '../../platform/ids';
import { type DeliveryDeps, messageOf, type PrintOrderRow, printOrderRow, send, type Unbuildable } from './delivery';
import { isUnderIoss, type UpdatedMessage, wantedJobs } from './print-order-message';

/**
 * Result of an order update. `revision`: that of the message.
 * `not_needed`: the first message has or will have the current data, or a newer change has its own update.
 */
export type OrderUpdateResponse =
  | { readonly outcome: 'not_needed' }
  | { readonly outcome: 'no_address'; readonly message: string }
  | { readonly outcome: 'accepted'; readonly revision: number }
  | Exclude<PartnerResponse, { readonly outcome: 'accepted' }>
  | Unbuildable;

export interface OrderUpdate extends Pick<UpdatedMessage, 'wanted'> {
  readonly printOrderId: string;
  /** The order's shipping revision that the partner should get. */
  readonly shippingRevision: number;
  /** True when the partner must be told about units or files, also when it has the address, the method and the tax. */
  readonly units?: boolean;
}

/** Returns true for a message with VAT on the import. */
const isTaxed = (body: string): boolean => (JSON.parse(body) as PrintOrderBody).shipping.customs.tax > 0;

type Deps = Omit<DeliveryDeps, 'objects'>;

/**
 * Sends a partner the whole print order again, with the same `id` and a `revision` that counts from 2: after a change of address
 * or method, with fewer units, or with a replaced file. The message is stored before it is sent. Every delivery repeats it byte for byte under one
 * `webhook-id`.
 */
export async function deliverOrderUpdate(deps: Deps, update: OrderUpdate): Promise<OrderUpdateResponse> {
  const row = await printOrderRow(deps.sql, update.printOrderId);
  const message = (await storedUpdate(deps, row, update)) ?? (await storeUpdate(deps, row, update));
  if (message === null) return { outcome: 'not_needed' };
  return 'outcome' in message ? message : await sendUpdate(deps, row, message);
}

export async function repeatOrderUpdate(
  deps: Deps,
  { printOrderId, revision }: { readonly printOrderId: string; readonly revision: number },
): Promise<OrderUpdateResponse> {
  const [stored] = await deps.sql<StoredUpdate[]>`
    SELECT revision, message_id, body FROM print_order_updates
    WHERE print_order_id = ${printOrderId} AND revision = ${revision}`;
  if (stored === undefined) return { outcome: 'not_needed' };
  return await sendUpdate(deps, await printOrderRow(deps.sql, printOrderId), stored);
}

interface StoredUpdate {
  readonly revision: number;
  readonly messageId: string;
  readonly body: string;
}

async function sendUpdate(
  deps: Deps,
  { id: printOrderId, partner }: PrintOrderRow,
  { revision, ...message }: StoredUpdate,
): Promise<OrderUpdateResponse> {
  const { sql } = deps;
  if (partner.orderUpdateUrl === null) {
    return { outcome: 'no_address', message: `${partner.uid} has no orderUpdateUrl` };
  }
  const request = { kind: 'order_update', printOrderId, revision } as const;
  const { response, logged } = await send(deps, { partner, url: partner.orderUpdateUrl, ...message }, request);
  if (response.outcome !== 'accepted') await logged;
  else {
    await sql`
      WITH logged AS (${logged})
      UPDATE print_order_updates SET accepted_at = coalesce(accepted_at, now())
      WHERE print_order_id = ${printOrderId} AND revision = ${revision}`;
  }
  return response.outcome === 'accepted' ? { outcome: 'accepted', revision } : response;
}

/**
 * Returns the key of an update. It names what the partner gets, not the step of the order run: a run that was reset finds the
 * message that it has sent last.
 */
function keyOf(row: PrintOrderRow, { shippingRevision, wanted }: OrderUpdate): string {
  const { jobs, partner } = row;
  const units = Object.entries(wanted).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const replaced = jobs.flatMap(({ files }) => (files ?? []).filter((file) => file.isReplacement).map(({ id }) => id));
  const ioss = isUnderIoss(row, partner, wantedJobs(row, wanted));
  return sha256(JSON.stringify([shippingRevision, ioss, units, ...replaced])).toString('base64url');
}

/** Returns the latest message, when it is that of the update. A partner ignores one that is older than another. */
async function storedUpdate({ sql }: Deps, row: PrintOrderRow, update: OrderUpdate): Promise<StoredUpdate | undefined> {
  const [latest] = await sql<(StoredUpdate & { contentKey: string })[]>`
    SELECT revision, content_key, message_id, body FROM print_order_updates
    WHERE print_order_id = ${update.printOrderId} ORDER BY revision DESC LIMIT 1`;
  if (latest?.contentKey !== keyOf(row, update)) return undefined;
  const { contentKey: _, ...stored } = latest;
  return stored;
}

/** Makes and stores the message. When two attempts run at the same time, both use the one that was stored first. */
async function storeUpdate(
  deps: Deps,
  row: PrintOrderRow,
  update: OrderUpdate,
): Promise<StoredUpdate | OrderUpdateResponse | null> {
  const { sql } = deps;
  const { printOrderId, shippingRevision, wanted, units = false } = update;
  if (row.body === null || Object.keys(wanted).length === 0) return null;
  if (row.shippingRevision !== shippingRevision) {
    // The order run gets the newer change in a moment, and replaces the update.
    return units ? { outcome: 'retry', message: 'the address or method has changed', retryAfterMs: 1_000 } : null;
  }
  const [before] = await sql<{ isNeeded: boolean; revision: number; latest: string }[]>`
    SELECT coalesce(body_shipping_revision < ${shippingRevision}, true) OR ${units} AS is_needed,
      coalesce(u.revision, 1) + 1 AS revision, coalesce(u.body, p.body) AS latest
    FROM print_orders p LEFT JOIN LATERAL (
      SELECT revision, body FROM print_order_updates WHERE print_order_id = p.id ORDER BY revision DESC LIMIT 1) u ON true
    WHERE p.id = ${printOrderId}`;
  if (before === undefined) return null;
  const { revision } = before;
  const body = messageOf(deps, row, row.partner, { revision, wanted });
  if (typeof body !== 'string') return body;
  if (!before.isNeeded && isTaxed(body) === isTaxed(before.latest)) return null;
  await sql`
    INSERT INTO print_order_updates (print_order_id, revision, content_key, message_id, body)
    VALUES (${printOrderId}, ${revision}, ${keyOf(row, update)}, ${`msg_${randomToken(18)}`}, ${body})
    ON CONFLICT (print_order_id, revision) DO NOTHING`;
  return (await storedUpdate(deps, row, update)) ?? (await storeUpdate(deps, row, update));
}
