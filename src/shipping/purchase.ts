import type { CarrierAdapter, CarrierPurchase, CarrierRefusal } from '../carriers/carrier';
import type { Carriers } from '../carriers/carriers';
import type { Consignment } from '../consignments/domain/consignment';
import { nextCheckHours, VOIDED_CHECK_HOURS } from '../consignments/domain/tracking-status';
import type { CustomerInvoice } from '../documents/customer-invoice';
import { randomToken, uuidv7 } from '../platform/ids';
import type { ObjectStore } from '../platform/objects/object-store';
import { inTransaction, json, type Sql, type Transaction } from '../platform/postgres';
import { DEFAULT_LABEL, type LabelOptions, type MadeDocument, makeDocuments } from './document-set';
import { packingSlips } from './packing-slips';
import { readShipment, type ShipmentOwner, type StoredShipment } from './shipments';

export interface PurchaseDeps {
  readonly sql: Sql;
  readonly objects: ObjectStore;
  readonly carriers: Carriers;
}

export interface BuyShipment {
  readonly consignment: Consignment;
  readonly methodUid: string;
  /** The same key gives the same shipment, whenever and however often it is asked for. */
  readonly idempotencyKey: string;
  readonly owner: ShipmentOwner;
  readonly label?: LabelOptions;
  /** The customer's invoice, where one is to travel with the goods. */
  readonly invoice?: CustomerInvoice;
}

export type BoughtShipment =
  | { readonly ok: true; readonly shipment: StoredShipment }
  | { readonly ok: false; readonly refusal: CarrierRefusal };

interface Intent {
  id: string;
  status: 'buying' | 'bought' | 'refused' | 'voided';
  attempt: number;
  consignment: Consignment;
  methodUid: string;
  startedAt: Date;
}

/** Packages bought at the same time: gateways answer in about a second each. */
const AT_ONCE = 5;

const VOIDED: CarrierRefusal = { code: 'SHIPMENT_VOIDED', message: 'This shipment was taken back.' };

/** Key under which the carrier knows the purchase of one package. */
const packageKey = (intent: Pick<Intent, 'id' | 'attempt'>, index: number) =>
  `${intent.id}:${intent.attempt}:${index}`;

/**
 * Buys the labels of all packages of a consignment, or none, and stores the documents.
 * Each step can be repeated: the intent is one row a key, the carrier is asked under keys made from it, objects lie
 * under names made from it, and the last transaction makes it true. A crash at any point and the same call again
 * give the same tracking numbers and one label a package. A refused purchase may be tried again with the same key.
 * @throws CarrierUnavailable when the carrier does not answer; the same call later goes on
 */
export async function buyShipment(deps: PurchaseDeps, input: BuyShipment): Promise<BoughtShipment> {
  const adapter = deps.carriers.forMethod(input.methodUid);
  if (adapter === undefined) {
    return {
      ok: false,
      refusal: { code: 'METHOD_NOT_AVAILABLE', message: `No carrier has a method ${input.methodUid}.` },
    };
  }
  const intent = await recordIntent(deps.sql, input);
  if (intent.status === 'bought') return { ok: true, shipment: (await readShipment(deps.sql, intent.id))! };
  if (intent.status === 'voided') return { ok: false, refusal: VOIDED };

  const label = input.label ?? DEFAULT_LABEL;
  const bought = await buyPackages(adapter, intent, label);
  if (!Array.isArray(bought)) {
    await takeBack(adapter, intent);
    await deps.sql`
      UPDATE shipments SET status = 'refused', refusal = ${json(deps.sql, bought)}
      WHERE id = ${intent.id} AND status = 'buying' AND attempt = ${intent.attempt}`;
    return { ok: false, refusal: bought };
  }
  const date = intent.startedAt.toISOString().slice(0, 10);
  const documents = await makeDocuments(intent.consignment, bought, {
    label,
    date,
    invoice: input.invoice,
  });
  const slips = await packingSlips(deps.objects, intent.consignment);
  const stored = await storeDocuments(deps.objects, intent, [...documents, ...slips]);
  const status = await inTransaction(deps.sql, (tx) => complete(tx, intent, bought, stored));
  if (status !== 'bought') {
    // No row names these objects, so that nothing else would ever delete them.
    await Promise.all(stored.map(({ objectKey }) => deps.objects.delete(objectKey)));
    await takeBack(adapter, intent);
    return { ok: false, refusal: VOIDED };
  }
  return { ok: true, shipment: (await readShipment(deps.sql, intent.id))! };
}

async function recordIntent(
  sql: Sql,
  { consignment, methodUid, idempotencyKey, owner }: BuyShipment,
): Promise<Intent> {
  const print = owner.kind === 'print_order' ? owner : null;
  const [row] = await sql<Intent[]>`
    INSERT INTO shipments AS s (id, idempotency_key, order_id, print_order_id, shipping_order_id, consignment, method_uid)
    VALUES (${uuidv7()}, ${idempotencyKey}, ${print?.orderId ?? null}, ${print?.printOrderId ?? null},
      ${owner.kind === 'shipping_order' ? owner.shippingOrderId : null}, ${json(sql, consignment)}, ${methodUid})
    ON CONFLICT (idempotency_key) DO UPDATE SET
      status = CASE s.status WHEN 'refused' THEN 'buying' ELSE s.status END,
      attempt = s.attempt + (s.status = 'refused')::int,
      consignment = CASE s.status WHEN 'refused' THEN excluded.consignment ELSE s.consignment END,
      method_uid = CASE s.status WHEN 'refused' THEN excluded.method_uid ELSE s.method_uid END,
      started_at = CASE s.status WHEN 'refused' THEN now() ELSE s.started_at END
    RETURNING id, status, attempt, consignment, method_uid, started_at`;
  return row!;
}

/** The purchases of all packages in order, or the first refusal. */
async function buyPackages(
  adapter: CarrierAdapter,
  intent: Intent,
  label: LabelOptions,
): Promise<CarrierPurchase[] | CarrierRefusal> {
  const purchases: CarrierPurchase[] = [];
  for (let from = 0; from < intent.consignment.packages.length; from += AT_ONCE) {
    const batch = intent.consignment.packages.slice(from, from + AT_ONCE);
    const outcomes = await Promise.allSettled(
      batch.map((_, offset) =>
        adapter.buy({
          consignment: intent.consignment,
          packageIndex: from + offset,
          methodUid: intent.methodUid,
          idempotencyKey: packageKey(intent, from + offset),
          labelFormat: label.format,
        }),
      ),
    );
    const refused = outcomes.find((outcome) => outcome.status === 'fulfilled' && !outcome.value.ok);
    if (refused?.status === 'fulfilled' && !refused.value.ok) return refused.value.refusal;
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') throw outcome.reason;
      if (outcome.value.ok) purchases.push(outcome.value.purchase);
    }
  }
  return purchases;
}

/** Voids every purchase of an attempt. @throws CarrierUnavailable; the reason of a carrier that will not void */
async function takeBack(
  adapter: CarrierAdapter,
  intent: Pick<Intent, 'id' | 'attempt' | 'methodUid' | 'consignment'>,
): Promise<string | null> {
  let reason: string | null = null;
  for (const [index] of intent.consignment.packages.entries()) {
    const outcome = await adapter.void({
      idempotencyKey: packageKey(intent, index),
      methodUid: intent.methodUid,
    });
    if (!outcome.ok) reason ??= outcome.reason;
  }
  return reason;
}

interface PlacedDocument extends Omit<MadeDocument, 'body'> {
  readonly objectKey: string;
  readonly sizeBytes: number;
}

async function storeDocuments(
  objects: ObjectStore,
  intent: Intent,
  documents: readonly MadeDocument[],
): Promise<PlacedDocument[]> {
  return await Promise.all(
    documents.map(async ({ body, ...document }) => {
      const place = document.packagePosition === null ? 'all' : String(document.packagePosition + 1);
      const name = `${document.documentType}-${place}.${document.format}`;
      const objectKey = `shipments/${intent.id}/${intent.attempt}/${name}`;
      const { size } = await objects.put(objectKey, body, { contentType: document.contentType });
      return { ...document, objectKey, sizeBytes: size };
    }),
  );
}

/** The transaction that makes a purchase true; a shipment that was voided meanwhile stays voided. */
async function complete(
  tx: Transaction,
  intent: Intent,
  purchases: readonly CarrierPurchase[],
  documents: readonly PlacedDocument[],
): Promise<Intent['status']> {
  const [current] = await tx<Pick<Intent, 'status' | 'attempt'>[]>`
    SELECT status, attempt FROM shipments WHERE id = ${intent.id} FOR UPDATE`;
  if (current!.status !== 'buying' || current!.attempt !== intent.attempt) return current!.status;
  const [first] = purchases;
  const packages = purchases.map(({ trackingNumber, trackingUrl, cost }, position) => ({
    shipment_id: intent.id,
    position,
    package_reference_id: intent.consignment.packages[position]!.packageReferenceId,
    tracking_number: trackingNumber,
    tracking_url: trackingUrl,
    cost_minor: cost.minor,
    currency: cost.currency,
    weight_grams: intent.consignment.packages[position]!.grossWeightGrams,
  }));
  await tx`INSERT INTO shipment_packages SELECT * FROM jsonb_populate_recordset(NULL::shipment_packages, ${json(tx, packages)})`;
  const rows = documents.map((document) => ({
    id: uuidv7(),
    shipment_id: intent.id,
    package_position: document.packagePosition,
    type: document.type,
    document_type: document.documentType,
    content_type: document.contentType,
    format: document.format,
    object_key: document.objectKey,
    file_name: document.fileName,
    size_bytes: document.sizeBytes,
  }));
  await tx`
    INSERT INTO shipment_documents (id, shipment_id, package_position, type, document_type, content_type, format, object_key, file_name, size_bytes)
    SELECT id, shipment_id, package_position, type, document_type, content_type, format, object_key, file_name, size_bytes
    FROM jsonb_populate_recordset(NULL::shipment_documents, ${json(tx, rows)})`;
  const trackings = purchases.map(({ trackingNumber, carrierUid, tracking }) => ({
    tracking_number: trackingNumber,
    short_uid: randomToken(9),
    shipment_id: intent.id,
    carrier_uid: carrierUid,
    hours: tracking === 'polled' ? nextCheckHours('registered', 0) : null,
    signed_by: first!.carrierName,
  }));
  await tx`
    WITH new AS (
      SELECT * FROM jsonb_to_recordset(${json(tx, trackings)})
        AS t (tracking_number text, short_uid text, shipment_id uuid, carrier_uid text, hours int, signed_by text)
    ), tracking AS (
      INSERT INTO trackings (tracking_number, short_uid, shipment_id, carrier_uid, next_check_at)
      SELECT tracking_number, short_uid, shipment_id, carrier_uid, now() + make_interval(hours => hours) FROM new
      RETURNING tracking_number
    )
    INSERT INTO tracking_checkpoints (tracking_number, event_key, status_uid, message, signed_by, occurred_at)
    SELECT tracking_number, 'registered', 'registered', 'Shipment data received', signed_by, now()
    FROM new JOIN tracking USING (tracking_number)`;
  await tx`
    UPDATE shipments SET status = 'bought', bought_at = now(), carrier_uid = ${first!.carrierUid},
      carrier_name = ${first!.carrierName}, method_name = ${first!.methodName}, refusal = NULL
    WHERE id = ${intent.id}`;
  return 'bought';
}

export type VoidedShipment = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/**
 * Takes a shipment's labels back, also of a purchase that was begun and never finished. Done twice is done once;
 * afterwards its key can buy nothing. A shipment that was never begun needs nothing.
 * @param by the shipment's id, or the idempotency key it was begun under
 * @throws CarrierUnavailable when the carrier does not answer; the same call later goes on
 */
export async function voidShipment(
  { sql, carriers }: Pick<PurchaseDeps, 'sql' | 'carriers'>,
  by: { readonly shipmentId: string } | { readonly idempotencyKey: string },
): Promise<VoidedShipment> {
  const which = 'shipmentId' in by ? sql`id = ${by.shipmentId}` : sql`idempotency_key = ${by.idempotencyKey}`;
  const [shipment] = await sql<Intent[]>`
    SELECT id, status, attempt, consignment, method_uid, started_at FROM shipments WHERE ${which}`;
  if (shipment === undefined || shipment.status === 'voided') return { ok: true };
  const adapter = carriers.forMethod(shipment.methodUid);
  if (adapter === undefined) return { ok: false, reason: `No carrier has a method ${shipment.methodUid}.` };
  const reason = await takeBack(adapter, shipment);
  if (reason !== null) return { ok: false, reason };
  await inTransaction(sql, async (tx) => {
    await tx`UPDATE shipments SET status = 'voided', voided_at = now() WHERE id = ${shipment.id} AND status <> 'voided'`;
    // A partner may have used the label all the same; who ordered labels alone has never seen these.
    await tx`
      UPDATE trackings t SET next_check_at = CASE WHEN s.print_order_id IS NULL THEN NULL
        ELSE t.next_check_at + make_interval(hours => ${VOIDED_CHECK_HOURS}) END
      FROM shipments s WHERE s.id = t.shipment_id AND s.id = ${shipment.id}`;
  });
  return { ok: true };
}
