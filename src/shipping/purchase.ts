import pLimit from 'p-limit';
import type { CarrierAdapter, CarrierPurchase, CarrierRefusal } from '../carriers/carrier';
import type { Carriers } from '../carriers/carriers';
import type { Consignment } from '../consignments/domain/consignment';
import { ratesAt } from '../platform/exchange-rates';
import type { ObjectStore } from '../platform/objects/object-store';
import { createPace } from '../platform/pace';
import { inTransaction, type Sql, type Transaction } from '../platform/postgres';
import { progressed } from '../platform/progress';
import {
  DEFAULT_LABEL,
  type InvoiceOf,
  type LabelOptions,
  shipmentDocuments,
  type UnstoredDocument,
} from './document-set';
import { voidPackages } from './label-voids';
import { underLease } from './purchase-lease';
import {
  type LeasedIntent,
  type PurchaseIntent,
  packageKey,
  recordIntent,
  recordPurchase,
  recordRefusal,
  type StoredDocument,
} from './purchase-rows';
import type { ShipmentOwner } from './shipments';

export interface PurchaseDeps {
  readonly sql: Sql;
  readonly objects: ObjectStore;
  readonly carriers: Carriers;
}

export interface BuyShipment {
  readonly consignment: Consignment;
  readonly methodUid: string;
  /** Repeated calls with the same key return the same shipment. */
  readonly idempotencyKey: string;
  readonly owner: ShipmentOwner;
  /** Returns the packages with what depends on the order's other shipments, in the transaction that stores them. */
  readonly packagesIn?: (tx: Transaction, packages: Consignment['packages']) => Promise<Consignment['packages']>;
  readonly label?: LabelOptions;
  /** Required for packages whose `paper` is an invoice. */
  readonly invoiceOf?: InvoiceOf;
}

/** Packages that are bought concurrently. A gateway takes about one second for each. */
const CONCURRENCY = 5;

export type BoughtLabels =
  | { readonly ok: true; readonly shipmentId: string }
  | { readonly ok: false; readonly refusal: CarrierRefusal };

const VOIDED: CarrierRefusal = { code: 'SHIPMENT_VOIDED', message: 'This shipment was voided.' };

/**
 * Buys the labels of all packages of a consignment, or of none, and stores the documents.
 *
 * Every step is idempotent. The intent is one row per key; the carrier's keys and the object names derive from that row;
 * one transaction then records the purchase. After a crash at any point, the same call returns the same tracking numbers
 * with one label per package. A refused purchase may be repeated with the same key. One call at a time has the lease on the
 * shipment and calls the carrier. Each call to the carrier has its own timeout, so that a purchase takes as long as its
 * packages need.
 * @param cancelled ends the purchase before its next call to the carrier
 * @throws CarrierUnavailable when the carrier does not respond, or another call has the lease; repeat the call to continue
 */
export async function buyLabels(
  deps: PurchaseDeps,
  input: BuyShipment,
  cancelled?: AbortSignal,
): Promise<BoughtLabels> {
  const { sql } = deps;
  const adapter = deps.carriers.forMethod(input.methodUid);
  if (adapter === undefined) {
    return {
      ok: false,
      refusal: { code: 'METHOD_NOT_AVAILABLE', message: `No carrier has a method ${input.methodUid}.` },
    };
  }
  const { packagesIn, consignment } = input;
  const intent =
    packagesIn === undefined
      ? await recordIntent(sql, input)
      : await inTransaction(sql, async (tx) => {
          const packages = await packagesIn(tx, consignment.packages);
          return await recordIntent(tx, { ...input, consignment: { ...consignment, packages } });
        });
  if (intent.status === 'bought') return { ok: true, shipmentId: intent.id };
  if (intent.status === 'voided') return { ok: false, refusal: VOIDED };
  return await underLease(sql, adapter, intent, cancelled, (signal) =>
    buyAndRecord(deps, adapter, intent, input, signal),
  );
}

async function buyAndRecord(
  { sql, objects }: PurchaseDeps,
  adapter: CarrierAdapter,
  intent: LeasedIntent,
  { label = DEFAULT_LABEL, invoiceOf }: BuyShipment,
  signal: AbortSignal,
): Promise<BoughtLabels> {
  const bought = await buyPackages(adapter, intent, label, signal);
  if (!Array.isArray(bought)) {
    await voidPackages(adapter, intent, signal);
    await recordRefusal(sql, intent, bought);
    return { ok: false, refusal: bought };
  }
  const date = intent.startedAt.toISOString().slice(0, 10);
  const rates = await ratesAt(sql, intent.startedAt);
  const documents = shipmentDocuments(objects, intent.consignment, bought, { label, date, rates, invoiceOf });
  const stored = await storeDocuments(objects, intent, documents, { kept: intent.isResumed, signal });
  const outcome = await recordPurchase(sql, intent, bought, stored, adapter.uid);
  if (outcome !== 'recorded' && outcome !== 'bought') {
    // No row names these objects, so nothing else would delete them.
    await objects.delete(stored.map(({ objectKey }) => objectKey));
    await voidPackages(adapter, intent, signal);
    return { ok: false, refusal: VOIDED };
  }
  return { ok: true, shipmentId: intent.id };
}

/**
 * Returns the purchases of packages in order, or the first refusal.
 * @param first index of the first package to buy
 * @throws CarrierUnavailable
 */
export async function buyPackages(
  adapter: CarrierAdapter,
  intent: PurchaseIntent,
  label: LabelOptions,
  signal: AbortSignal,
  first = 0,
): Promise<CarrierPurchase[] | CarrierRefusal> {
  const purchases: CarrierPurchase[] = [];
  const pace = createPace(intent.consignment.packages.length - first);
  for (let from = first; from < intent.consignment.packages.length; from += CONCURRENCY) {
    signal.throwIfAborted();
    const batch = intent.consignment.packages.slice(from, from + CONCURRENCY);
    const buy = (_: unknown, offset: number) =>
      adapter
        .buy({
          consignment: intent.consignment,
          packageIndex: from + offset,
          methodUid: intent.methodUid,
          idempotencyKey: packageKey(intent, from + offset),
          labelFormat: label.format,
          signal,
        })
        .finally(progressed);
    const outcomes = await pace(() => Promise.allSettled(batch.map(buy)));
    const refused = outcomes.find((outcome) => outcome.status === 'fulfilled' && !outcome.value.ok);
    if (refused?.status === 'fulfilled' && !refused.value.ok) return refused.value.refusal;
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') throw outcome.reason;
      if (outcome.value.ok) purchases.push(outcome.value.purchase);
    }
  }
  return purchases;
}

const STORED_AT_ONCE = 8;

/**
 * Makes documents one after the other, each with 6 (a label) to 12 ms of CPU, and stores them in the object store under names
 * that derive from the purchase and from their type.
 * @param options.kept documents that an earlier attempt has stored stay
 */
export async function storeDocuments(
  objects: ObjectStore,
  intent: Pick<PurchaseIntent, 'id' | 'attempt'>,
  documents: readonly UnstoredDocument[],
  { kept = false, signal }: { readonly kept?: boolean; readonly signal?: AbortSignal } = {},
): Promise<StoredDocument[]> {
  const [pace, limit] = [createPace(documents.length), pLimit(STORED_AT_ONCE)];
  const store = async ({ make, storedAs, ...document }: UnstoredDocument): Promise<StoredDocument[]> => {
    const place = document.packagePosition === null ? 'all' : String(document.packagePosition + 1);
    const name = `${document.documentType}-${place}.${document.format}`;
    const objectKey = `shipments/${intent.id}/${intent.attempt}/${name}`;
    const found = kept ? await objects.stat(objectKey) : null;
    if (found !== null) return [{ ...document, objectKey, sizeBytes: found.size }];
    const body = await pace(async () => {
      signal?.throwIfAborted();
      return await make();
    });
    if (body === null) return [];
    const { size } = await objects.put(objectKey, body, { contentType: storedAs ?? document.contentType });
    progressed();
    return [{ ...document, objectKey, sizeBytes: size }];
  };
  // After a failure, the documents that wait are not made.
  return (await limit.map(documents, store).finally(() => limit.clearQueue())).flat();
}
