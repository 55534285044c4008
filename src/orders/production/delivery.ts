import {
  inPartnerSlot,
  type PartnerCall,
  type PartnerCallDeps,
  type PartnerResponse,
  postInSlot,
  postToPartner,
} from '../../partners/calls';
import { deliveryTargetOf, type Partner, partnerAsJson, partnerOf } from '../../partners/partner-rows';
import { insertPartnerRequest } from '../../partners/requests';
import type { Metrics } from '../../platform/metrics/metrics';
import type { ObjectStore } from '../../platform/objects/object-store';
import type { LinkSigner } from '../../platform/objects/signed-links';
import type { Sql } from '../../platform/postgres';
import { runOrderWith } from '../planning/run-order';
import { buildMessage, type MessageSource, messageJobs } from './print-order-message';

export interface DeliveryDeps extends PartnerCallDeps {
  readonly sql: Sql;
  readonly metrics: Metrics;
  readonly objects: ObjectStore;
  readonly links: LinkSigner;
}

export interface PrintOrderRow extends MessageSource {
  readonly partner: Partner;
  readonly messageId: string;
  readonly body: string | null;
  /** The order's shipping revision when the row was read. */
  readonly shippingRevision: number;
}

/**
 * Result of a delivery.
 * @property repeatsUpdate revision of the latest order update that the partner has accepted. It has to follow a repeated
 *   delivery: a partner that has lost its data would keep the first address
 */
export type PrintOrderDelivery = (PartnerResponse & { readonly repeatsUpdate?: number | null }) | Unbuildable;

/** No message can be made from the order. The same data would fail again. */
export interface Unbuildable {
  readonly outcome: 'unbuildable';
  readonly message: string;
  readonly error: unknown;
}

/**
 * Returns a print order with its order and jobs, all of one snapshot.
 * @throws Error when there is no planned print order of this id, which is a bug
 */
export async function printOrderRow(sql: Sql, printOrderId: string): Promise<PrintOrderRow> {
  type Row = Omit<PrintOrderRow, 'order' | 'partner' | 'createdAt' | 'shippingRevision'> & {
    partner: Record<string, unknown>;
    createdAt: string;
  };
  const found = await runOrderWith<Row | null>(
    sql,
    sql`(SELECT order_id FROM print_orders WHERE id = ${printOrderId})`,
    sql`(SELECT jsonb_build_object('id', p.id::text, 'partner', ${partnerAsJson(sql, sql`p.partner_id`)}, 'kind', p.kind,
        'version', p.version, 'messageId', p.message_id, 'body', p.body, 'dispatchDate', p.dispatch_date, 'createdAt', p.created_at,
        'shipmentMethodUid', s.shipment_method_uid, 'packing', s.packing, 'clientSettings', a.settings,
        'packingSlips', (SELECT jsonb_object_agg(l.package_index, l.object_key) FROM packing_slips l
          WHERE l.order_id = p.order_id AND l.object_key IS NOT NULL),
        'jobs', ${messageJobs(sql)})
      FROM print_orders p JOIN planned_shipments s ON s.print_order_id = p.id WHERE p.id = ${printOrderId})`,
  );
  if (found?.related == null) throw new Error(`print order ${printOrderId} does not exist`);
  const { order, related } = found;
  return {
    ...related,
    order,
    partner: partnerOf(related.partner),
    createdAt: new Date(related.createdAt),
    shippingRevision: order.shippingRevision,
  };
}

/** Posts a message about a print order. Returns the response, and the statement that logs the request. */
export async function send(
  deps: PartnerCallDeps & { readonly sql: Sql },
  call: Omit<PartnerCall, 'delivers'>,
  request: Omit<Parameters<typeof insertPartnerRequest>[1], 'partnerId' | 'attempt'>,
  post: typeof postToPartner = postToPartner,
) {
  const { response, attempt } = await post(deps, { ...call, delivers: true });
  const { partnerId } = call.partner;
  return { response, logged: insertPartnerRequest(deps.sql, { partnerId, attempt, ...request }) };
}

/**
 * Delivers a print order to its partner. The message is built and stored before the first delivery. Every delivery
 * sends the same bytes with the same `webhook-id`, so that a partner recognises a message that it has already accepted.
 * A stored message is sent at once: while there is none, the partner cannot have got the print order.
 */
export async function deliverPrintOrder(deps: DeliveryDeps, printOrderId: string): Promise<PrintOrderDelivery> {
  const { sql } = deps;
  const row = await printOrderRow(sql, printOrderId);
  const { partner } = row;
  const target = deliveryTargetOf(partner, row.kind);
  if (target === undefined)
    return { outcome: 'retry', message: `${partner.uid} has not subscribed`, retryAfterMs: null };
  const { url } = target;
  const request = { kind: 'print_order', printOrderId } as const;
  const sent = await inPartnerSlot(deps, partner.uid, async () => {
    const body = row.body ?? (await storedMessage(deps, row, partner));
    if (typeof body !== 'string') return body;
    return await send(deps, { partner, url, messageId: row.messageId, body }, request, postInSlot);
  });
  if ('outcome' in sent) return sent;
  const { response, logged } = sent;
  if (response.outcome !== 'accepted') {
    await logged;
    return response;
  }
  const [accepted] = await sql<{ repeatsUpdate: number | null; firstAfterSeconds: number | null }[]>`
    WITH logged AS (${logged})
    UPDATE print_orders p SET accepted_at = coalesce(p.accepted_at, now())
    FROM print_orders before JOIN orders o ON o.id = before.order_id
    WHERE p.id = ${printOrderId} AND before.id = p.id
    RETURNING (SELECT max(u.revision) FROM print_order_updates u
      WHERE u.print_order_id = p.id AND u.accepted_at IS NOT NULL) AS repeats_update,
      CASE WHEN before.accepted_at IS NULL THEN greatest(0, extract(epoch FROM now() - o.ordered_at))::float8 END
        AS first_after_seconds`;
  if (accepted?.firstAfterSeconds != null) {
    const { firstAfterSeconds } = accepted;
    deps.metrics.observe('pressline_order_stage_duration_seconds', { stage: 'handover' }, firstAfterSeconds);
  }
  return { ...response, repeatsUpdate: accepted?.repeatsUpdate ?? null };
}

const WITHDRAWN = {
  outcome: 'retry',
  message: 'print jobs were cancelled before it was sent',
  retryAfterMs: null,
} as const;

/**
 * Stores the message and returns it. When another attempt has stored one first, returns that one. Not when jobs in it were
 * withdrawn since the row was read.
 */
async function storedMessage(
  deps: DeliveryDeps,
  row: PrintOrderRow,
  partner: Partner,
): Promise<string | Unbuildable | typeof WITHDRAWN> {
  if (row.jobs.length === 0) return WITHDRAWN;
  const body = messageOf(deps, row, partner);
  if (typeof body !== 'string') return body;
  const jobIds = row.jobs.map(({ id }) => id);
  const [stored] = await deps.sql<{ body: string }[]>`
    UPDATE print_orders SET body = coalesce(body, ${body}),
      body_shipping_revision = CASE WHEN body IS NULL THEN ${row.shippingRevision} ELSE body_shipping_revision END
    WHERE id = ${row.id} AND NOT withdrawn_jobs && ${jobIds}::bigint[] RETURNING body`;
  return stored?.body ?? WITHDRAWN;
}

/** Builds a message. It depends on stored data only, so that an error is final. @param update absent for the first delivery */
export function messageOf(
  { links }: Pick<DeliveryDeps, 'links'>,
  row: PrintOrderRow,
  partner: Partner,
  update?: Parameters<typeof buildMessage>[3],
): string | Unbuildable {
  try {
    return buildMessage(links, row, partner, update);
  } catch (error) {
    const message = `The print order cannot be built: ${error instanceof Error ? error.message : String(error)}`;
    return { outcome: 'unbuildable', message, error };
  }
}
