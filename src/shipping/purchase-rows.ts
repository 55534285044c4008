import type { CarrierPurchase, CarrierRefusal } from '../carriers/carrier';
import type { Consignment } from '../consignments/domain/consignment';
import { successorsOf } from '../consignments/domain/package-parts';
import { FOLLOWED_DAYS, nextCheckHours } from '../consignments/domain/tracking-status';
import { randomToken, uuidv7 } from '../platform/ids';
import {
  columnsOf,
  type Fragment,
  inTransaction,
  json,
  type Queryable,
  type Sql,
  type Transaction,
} from '../platform/postgres';
import type { UnstoredDocument } from './document-set';
import type { LabelToReplace } from './domain/shipping-runs';
import { leaseColumns, leaseEnd } from './purchase-lease';
import type { DocumentType, ShipmentOwner } from './shipments';

export const SHIPMENT_STATUSES = ['buying', 'bought', 'refused', 'voided'] as const;
export type ShipmentStatus = (typeof SHIPMENT_STATUSES)[number];

/** A row of `shipments`: the intent to buy labels, and what became of it. */
export interface PurchaseIntent {
  id: string;
  status: ShipmentStatus;
  /** Counts purchases under one key: a refused one may be repeated. */
  attempt: number;
  consignment: Consignment;
  methodUid: string;
  startedAt: Date;
  /** Replacements of labels that may have been bought and are not recorded. */
  replacing: readonly Replacing[];
}

/** A label that is being replaced. */
export type Replacing = Pick<LabelToReplace, 'position' | 'parts'>;

/** An intent, whether the caller, the holder, has the lease on it, and whether an earlier call has begun the purchase. */
export interface LeasedIntent extends PurchaseIntent {
  holder: string;
  isHeld: boolean;
  isResumed: boolean;
}

const leasedIntent = (sql: Queryable, holder: string): Fragment => sql`
  id, status, attempt, consignment, method_uid, started_at, replacing, ${holder}::text AS holder, lease_holder = ${holder}::uuid AS is_held,
  started_at < now() AS is_resumed`;

export interface StoredDocument extends Omit<UnstoredDocument, 'make' | 'storedAs'> {
  readonly objectKey: string;
  readonly sizeBytes: number;
}

/** Returns the idempotency key of the purchase of one package at the carrier. */
export function packageKey(
  { id, attempt, consignment }: Pick<PurchaseIntent, 'id' | 'attempt' | 'consignment'>,
  index: number,
) {
  const { replaces, part } = consignment.packages[index]!;
  if (replaces === undefined) return `${id}:${attempt}:${index}`;
  const { refusals = 0 } = consignment.packages[replaces]!;
  const change = part === undefined ? 'replaced' : `part-${part}${refusals === 0 ? '' : `-${refusals}`}`;
  return `${id}:${attempt}:${replaces}-${change}`;
}

/**
 * Inserts the intent of a purchase, or returns the one under the same key. Takes its lease if it is free and there is
 * something to buy. A refused intent starts another attempt.
 */
export async function recordIntent(
  sql: Queryable,
  intent: Pick<PurchaseIntent, 'consignment' | 'methodUid'> & {
    readonly idempotencyKey: string;
    readonly owner: ShipmentOwner;
  },
): Promise<LeasedIntent> {
  const { consignment, methodUid, idempotencyKey, owner } = intent;
  const holder = uuidv7();
  const print = owner.kind === 'print_order' ? owner : null;
  const [row] = await sql<LeasedIntent[]>`
    INSERT INTO shipments AS s (id, idempotency_key, order_id, print_order_id, shipping_order_id, consignment, method_uid,
      lease_holder, lease_until)
    VALUES (${uuidv7()}, ${idempotencyKey}, ${print?.orderId ?? null}, ${print?.printOrderId ?? null},
      ${owner.kind === 'shipping_order' ? owner.shippingOrderId : null}, ${json(sql, consignment)}, ${methodUid},
      ${holder}, ${leaseEnd(sql)})
    ON CONFLICT (idempotency_key) DO UPDATE SET
      status = CASE s.status WHEN 'refused' THEN 'buying' ELSE s.status END,
      attempt = s.attempt + (s.status = 'refused')::int,
      consignment = CASE s.status WHEN 'refused' THEN excluded.consignment ELSE s.consignment END,
      method_uid = CASE s.status WHEN 'refused' THEN excluded.method_uid ELSE s.method_uid END,
      started_at = CASE s.status WHEN 'refused' THEN now() ELSE s.started_at END,
      ${leaseColumns(sql, holder, sql`s.status IN ('buying', 'refused')`)}
    RETURNING ${leasedIntent(sql, holder)}`;
  return row!;
}

/** Takes the lease of the shipment that meets a condition, if it is free. Returns the shipment, or undefined without one. */
export async function leaseShipment(sql: Sql, which: Fragment): Promise<LeasedIntent | undefined> {
  const holder = uuidv7();
  const [row] = await sql<LeasedIntent[]>`
    UPDATE shipments s SET ${leaseColumns(sql, holder)} WHERE ${which}
    RETURNING ${leasedIntent(sql, holder)}`;
  return row;
}

export async function recordRefusal(sql: Sql, intent: PurchaseIntent, refusal: CarrierRefusal): Promise<void> {
  await sql`
    UPDATE shipments SET status = 'refused', refusal = ${json(sql, refusal)}
    WHERE id = ${intent.id} AND status = 'buying' AND attempt = ${intent.attempt}`;
}

/**
 * Records a purchase with its packages, documents and trackings in one statement.
 * @returns `recorded`, or the status that another request has given the shipment meanwhile
 */
export async function recordPurchase(
  sql: Sql,
  intent: PurchaseIntent,
  purchases: readonly CarrierPurchase[],
  documents: readonly StoredDocument[],
  adapterUid: string,
): Promise<'recorded' | PurchaseIntent['status']> {
  const [first] = purchases;
  const update = sql`
    UPDATE shipments SET status = 'bought', bought_at = now(), carrier_uid = ${first!.carrierUid},
      carrier_name = ${first!.carrierName}, method_name = ${first!.methodName}, refusal = NULL
    WHERE id = ${intent.id} AND status = 'buying' AND attempt = ${intent.attempt}
    RETURNING id`;
  if (await insertPackages(sql, update, { intent, from: 0, purchases, documents, adapterUid })) return 'recorded';
  const [current] = await sql<Pick<PurchaseIntent, 'status'>[]>`
    SELECT status FROM shipments WHERE id = ${intent.id}`;
  return current!.status;
}

interface BoughtPackages {
  readonly intent: Pick<PurchaseIntent, 'id' | 'consignment'>;
  readonly from: number;
  readonly purchases: readonly CarrierPurchase[];
  readonly documents: readonly StoredDocument[];
  readonly adapterUid: string;
}

/**
 * Inserts packages with documents and trackings, with a statement that updates the shipment.
 *
 * Each tracking number gets a tracking with a `registered` checkpoint. A carrier can give a number again, to another parcel or
 * to several packages of one shipment: a purchase never fails because of its number.
 * @param update returns the id of the shipment, or no row when nothing is to be inserted
 * @returns true when they were inserted
 */
async function insertPackages(sql: Queryable, update: Fragment, bought: BoughtPackages): Promise<boolean> {
  const { intent, from, purchases, documents, adapterUid } = bought;
  const packages = packageRows(intent, from, purchases);
  const numbers = purchases.map(({ trackingNumber }) => trackingNumber);
  const recorded = await sql`
    WITH bought AS (
      ${update}
    ), packages AS (
      INSERT INTO shipment_packages
      SELECT k.* FROM bought, jsonb_populate_recordset(NULL::shipment_packages, ${json(sql, packages)}) AS k
    ), documents AS (
      INSERT INTO shipment_documents (id, shipment_id, package_position, document_type, content_type, format, object_key, file_name, size_bytes)
      SELECT d.id, shipment_id, package_position, document_type, content_type, format, object_key, file_name, size_bytes
      FROM bought, jsonb_populate_recordset(NULL::shipment_documents, ${json(sql, documentRows(intent, documents))}) AS d
    ), new AS (
      SELECT t.* FROM bought, jsonb_to_recordset(${json(sql, trackingRows(intent, purchases))})
        AS t (tracking_number text, short_uid text, shipment_id uuid, carrier_uid text, hours int, signed_by text)
    ), taken_over AS (
      -- A partner may have named the number before it was issued. The shipment takes it over.
      UPDATE trackings t SET short_uid = new.short_uid, shipment_id = new.shipment_id, print_order_id = NULL, carrier_uid = new.carrier_uid,
        carrier_name = NULL, adapter_uid = ${adapterUid}, tracking_url = NULL, next_check_at = now() + make_interval(hours => new.hours)
      FROM new
      WHERE t.tracking_number = new.tracking_number AND t.tracking_number = ANY(${numbers}) AND t.print_order_id IS NOT NULL
        AND t.created_at >= now() - make_interval(days => ${FOLLOWED_DAYS})
      RETURNING t.tracking_number, t.generation, t.created_at
    ), ended AS (
      -- From now on, events of the carrier with the number are about the new parcel.
      UPDATE trackings t SET next_check_at = NULL FROM new
      WHERE t.tracking_number = new.tracking_number AND t.tracking_number = ANY(${numbers}) AND t.carrier_uid = new.carrier_uid AND t.shipment_id IS NOT NULL
    ), added AS (
      INSERT INTO trackings (tracking_number, generation, short_uid, shipment_id, carrier_uid, adapter_uid, next_check_at)
      SELECT tracking_number, (SELECT coalesce(max(t.generation) + 1, 0) FROM trackings t WHERE t.tracking_number = new.tracking_number),
        short_uid, shipment_id, carrier_uid, ${adapterUid}, now() + make_interval(hours => hours)
      FROM new WHERE tracking_number NOT IN (SELECT tracking_number FROM taken_over)
      RETURNING tracking_number, generation, created_at
    ), registered AS (
      INSERT INTO tracking_checkpoints (tracking_number, generation, tracked_since, event_key, status_uid, message, signed_by, occurred_at)
      SELECT tracking_number, generation, created_at, 'registered', 'registered', 'Shipment data received', signed_by, now()
      FROM new JOIN (SELECT * FROM taken_over UNION ALL SELECT * FROM added) tracking USING (tracking_number)
      ON CONFLICT (tracking_number, generation, event_key, tracked_since) DO NOTHING
    )
    SELECT id FROM bought`;
  return recorded.length > 0;
}

/** Stores that a label is about to be replaced. Requires the lease. */
export async function beginReplacement(sql: Sql, { id }: Pick<PurchaseIntent, 'id'>, label: Replacing): Promise<void> {
  await sql`
    UPDATE shipments SET replacing = replacing || ${json(sql, [label])}
    WHERE id = ${id} AND ${json(sql, label)}::jsonb NOT IN (SELECT jsonb_array_elements(replacing))`;
}

/** Forgets replacements whose purchases are void, or were refused. Requires the lease. */
export async function endReplacements(
  sql: Sql,
  { id }: Pick<PurchaseIntent, 'id'>,
  ended: readonly Replacing[],
): Promise<void> {
  await sql`
    UPDATE shipments SET replacing = (
      SELECT coalesce(jsonb_agg(r), '[]') FROM jsonb_array_elements(replacing) r
      WHERE (r ->> 'position')::int <> ALL(${ended.map(({ position }) => position)}::int[]))
    WHERE id = ${id}`;
}

/**
 * Appends packages with new labels to a shipment, with the current contents of the package that they replace. The client's
 * packing slip of that package goes to the first of them; the other documents are made again at the next dispatch request.
 * @param replacement.from index of the first new package
 * @returns the id of the order. Undefined: the shipment is voided, or its packages are not those of the purchase any more
 */
export async function recordReplacement(
  tx: Transaction,
  id: string,
  replacement: Omit<BoughtPackages, 'intent'> & Replacing,
): Promise<string | undefined> {
  const { position, parts, from } = replacement;
  await tx`SELECT FROM orders WHERE id = (SELECT order_id FROM shipments WHERE id = ${id}) FOR NO KEY UPDATE`;
  const [current] = await tx<{ orderId: string; consignment: Consignment }[]>`
    SELECT order_id, consignment FROM shipments WHERE id = ${id} AND status = 'bought' FOR UPDATE`;
  if (current?.consignment.packages.length !== from) return undefined;
  const successors = successorsOf(current.consignment.packages, position, parts);
  if (successors.some(({ items }) => items.length === 0)) return undefined;
  const packages = [...current.consignment.packages, ...successors];
  const update = tx`
    UPDATE shipments SET documents_outdated = true, consignment = jsonb_set(consignment, '{packages}', ${json(tx, packages)}),
      replacing = jsonb_path_query_array(replacing, '$[*] ? (@.position != $position)', jsonb_build_object('position', ${position}::int))
    WHERE id = ${id} RETURNING id`;
  const intent = { id, consignment: { ...current.consignment, packages } };
  await insertPackages(tx, update, { ...replacement, intent });
  await tx`
    UPDATE shipment_documents SET package_position = ${from}
    WHERE shipment_id = ${id} AND package_position = ${position} AND document_type = 'packing_slip'`;
  return current.orderId;
}

/** Types of documents that do not depend on the contents of packages. */
const LASTING_DOCUMENTS: readonly DocumentType[] = ['label', 'packing_slip'];

/**
 * Replaces the documents about the contents of a shipment, unless the contents have changed meanwhile, or the documents are not
 * outdated any more.
 * @param purchase.consignment the contents of the documents
 * @param sent positions of the packages whose documents stay
 * @returns the objects of former documents that no document has any more
 */
export async function replaceDocuments(
  sql: Sql,
  purchase: Pick<PurchaseIntent, 'id' | 'consignment'>,
  documents: readonly StoredDocument[],
  sent: readonly number[],
): Promise<string[]> {
  const { id, consignment } = purchase;
  return await inTransaction(sql, async (tx) => {
    const updated = await tx`
      UPDATE shipments SET documents_outdated = false
      WHERE id = ${id} AND documents_outdated AND consignment = ${json(tx, consignment)}`;
    if (updated.count === 0) return [];
    const former = await tx<{ objectKey: string }[]>`
      DELETE FROM shipment_documents WHERE shipment_id = ${id} AND document_type <> ALL(${[...LASTING_DOCUMENTS]})
        AND package_position <> ALL(${[...sent]}::int[])
      RETURNING object_key`;
    await tx`
      INSERT INTO shipment_documents (id, shipment_id, package_position, document_type, content_type, format, object_key, file_name, size_bytes)
      SELECT id, shipment_id, package_position, document_type, content_type, format, object_key, file_name, size_bytes
      FROM jsonb_populate_recordset(NULL::shipment_documents, ${json(tx, documentRows(purchase, documents))})`;
    const used = new Set(documents.map(({ objectKey }) => objectKey));
    return former.flatMap(({ objectKey }) => (used.has(objectKey) ? [] : [objectKey]));
  });
}

function packageRows(
  { id, consignment }: BoughtPackages['intent'],
  from: number,
  purchases: readonly CarrierPurchase[],
) {
  return purchases.map(({ trackingNumber, trackingUrl, cost }, index) => {
    const { packageReferenceId, grossWeightGrams, items } = consignment.packages[from + index]!;
    return {
      shipment_id: id,
      position: from + index,
      package_reference_id: packageReferenceId,
      tracking_number: trackingNumber,
      tracking_url: trackingUrl,
      cost_minor: cost.minor,
      currency: cost.currency,
      weight_grams: grossWeightGrams,
      items: items.map(({ itemReferenceId, quantity }) => ({ itemReferenceId, quantity })),
    };
  });
}

function documentRows({ id }: Pick<PurchaseIntent, 'id'>, documents: readonly StoredDocument[]) {
  return documents.map((document) => columnsOf({ ...document, id: uuidv7(), shipmentId: id }));
}

function trackingRows({ id }: Pick<PurchaseIntent, 'id'>, purchases: readonly CarrierPurchase[]) {
  const byNumber = new Map(purchases.map((purchase) => [purchase.trackingNumber, purchase]));
  return [...byNumber.values()].map(({ trackingNumber, pageToken, carrierUid, tracking }) => ({
    tracking_number: trackingNumber,
    short_uid: pageToken ?? randomToken(9),
    shipment_id: id,
    carrier_uid: carrierUid,
    hours: tracking === 'polled' ? nextCheckHours('registered', 0) : null,
    signed_by: purchases[0]!.carrierName,
  }));
}
