import type { ProductKind, ResolvedProduct } from '../../catalog/domain/product';
import { isCrossBorder } from '../../consignments/domain/cross-border';
import { withExtension } from '../../files/domain/file-facts';
import type { StoredPreview } from '../../files/ingest-file';
import { type PartnerAnswer, postToPartner } from '../../partners/calls';
import { buildPrintOrder, type PrintFile } from '../../partners/domain/print-order';
import { handoffOf, type Partner, partnerByAccount } from '../../partners/store';
import { toMinor } from '../../platform/domain/money';
import type { SafeClient } from '../../platform/http/safe-client';
import type { ObjectStore } from '../../platform/objects/object-store';
import type { LinkSigner } from '../../platform/objects/signed-links';
import type { Sql } from '../../platform/postgres';
import { receiverOf } from '../preparation/consignments';
import { runOrder } from '../run/run-order';

/**
 * Thirty days. The message is built once, and a partner may print weeks later: when stock arrives, or when an operator
 * delivers it again.
 */
const ASSET_LINK_SECONDS = 30 * 24 * 60 * 60;

export interface DeliveryDeps {
  readonly sql: Sql;
  readonly client: SafeClient;
  readonly objects: ObjectStore;
  readonly links: LinkSigner;
}

interface PrintOrderRow {
  readonly id: string;
  readonly orderId: string;
  readonly partnerId: string;
  readonly kind: ProductKind;
  readonly version: '1.0' | '1.1';
  readonly messageId: string;
  readonly body: string | null;
  readonly dispatchDate: string;
  readonly createdAt: Date;
  readonly shipmentMethodUid: string;
}

/**
 * Delivers a print order to its partner. The message is built and stored before the first delivery. Every delivery
 * sends the same bytes with the same `webhook-id`, so that a partner recognises a message that it has already accepted.
 */
export async function deliverPrintOrder(deps: DeliveryDeps, printOrderId: string): Promise<PartnerAnswer> {
  const { sql } = deps;
  const [row] = await sql<PrintOrderRow[]>`
    SELECT p.id, p.order_id, p.partner_id, p.kind, p.version, p.message_id, p.body, p.dispatch_date::text, p.created_at,
      s.shipment_method_uid
    FROM print_orders p JOIN planned_shipments s ON s.print_order_id = p.id WHERE p.id = ${printOrderId}`;
  if (row === undefined) throw new Error(`print order ${printOrderId} does not exist`);
  const partner = (await partnerByAccount(sql, row.partnerId))!;
  const handoff = handoffOf(partner, row.kind);
  if (handoff === undefined)
    return { outcome: 'retry', message: `${partner.uid} has not subscribed`, retryAfterMs: null };
  const body = row.body ?? (await storedMessage(deps, row, partner));
  const answer = await postToPartner(deps.client, {
    url: handoff.url,
    messageId: row.messageId,
    body,
    signingSecrets: handoff.signingSecrets,
  });
  if (answer.outcome === 'accepted') {
    await sql`UPDATE print_orders SET accepted_at = coalesce(accepted_at, now()) WHERE id = ${printOrderId}`;
  }
  return answer;
}

/** Stores the message and returns it. When another attempt has stored one first, returns that one. */
async function storedMessage(deps: DeliveryDeps, row: PrintOrderRow, partner: Partner): Promise<string> {
  const body = await buildMessage(deps, row, partner);
  const [stored] = await deps.sql<{ body: string }[]>`
    UPDATE print_orders SET body = coalesce(body, ${body}) WHERE id = ${row.id} RETURNING body`;
  return stored!.body;
}

async function buildMessage(deps: DeliveryDeps, row: PrintOrderRow, partner: Partner): Promise<string> {
  const order = await runOrder(deps.sql, row.orderId);
  const jobs = await deps.sql<
    {
      id: string;
      quantity: number;
      product: ResolvedProduct;
      retailPrice: string | null;
      files: StoredFile[];
    }[]
  >`
    SELECT j.id, j.quantity, i.product, i.retail_price,
      (SELECT jsonb_agg(jsonb_build_object('type', f.type, 'objectKey', f.object_key, 'mimeType', f.mime_type,
        'previews', f.previews) ORDER BY f.position) FROM order_files f WHERE f.order_item_id = i.id) AS files
    FROM print_jobs j JOIN order_items i ON i.id = j.order_item_id
    WHERE j.print_order_id = ${row.id} ORDER BY j.id`;
  const crossBorder = isCrossBorder(partner.country, order.shippingAddress.country);
  const currency = order.retailCurrency ?? order.currency;
  const total = jobs.reduce(
    (sum, { retailPrice, quantity }) =>
      sum + (retailPrice === null ? 0 : toMinor(retailPrice, currency) * quantity),
    0,
  );
  const body = buildPrintOrder({
    id: row.id,
    kind: row.kind,
    version: row.version,
    orderDate: row.createdAt,
    dispatchDate: row.dispatchDate,
    brandedPackaging: null,
    partner,
    items: jobs.map(({ id, quantity, product, files }) => ({
      id,
      quantity,
      product,
      files: files.map((file) => printFile(deps.links, file)),
    })),
    shipmentMethodUid: row.shipmentMethodUid,
    sender: partner.senderAddress,
    delivery: receiverOf(order.shippingAddress),
    customs: { priceTotalMinor: crossBorder ? total : 0, taxMinor: 0, currency },
    rates: order.rates,
  });
  return JSON.stringify(body);
}

interface StoredFile {
  readonly type: string;
  readonly objectKey: string;
  readonly mimeType: string;
  readonly previews: readonly StoredPreview[];
}

function printFile(links: LinkSigner, file: StoredFile): PrintFile {
  const link = (objectKey: string, contentType: string, name: string) =>
    links.sign(
      { objectKey, contentType, fileName: withExtension(name, contentType) },
      { seconds: ASSET_LINK_SECONDS },
    );
  const preview = file.previews.find(({ type }) => type === 'preview_default');
  return {
    fileType: file.type,
    contentType: file.mimeType,
    url: link(file.objectKey, file.mimeType, file.type),
    preview:
      preview === undefined
        ? null
        : {
            contentType: preview.mimeType,
            url: link(preview.objectKey, preview.mimeType, `${file.type}-preview`),
          },
  };
}
