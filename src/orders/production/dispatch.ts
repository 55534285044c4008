import { z } from 'zod';
import type { ClientSettings } from '../../accounts/clients';
import { splitInto } from '../../consignments/domain/package-parts';
import { type Partner, partnerAsJson, partnerOf } from '../../partners/partner-rows';
import { type AddressedPrintOrder, isPrintOrderId, jobOfItem } from '../../partners/print-orders';
import { text } from '../../platform/domain/fields';
import { SIZES } from '../../platform/domain/sizes';
import { Refusal } from '../../platform/errors';
import type { LinkSigner } from '../../platform/objects/signed-links';
import type { Queryable, Sql } from '../../platform/postgres';
import { voidShipment } from '../../shipping/label-voids';
import { type BoughtLabels, type BuyShipment, buyLabels, type PurchaseDeps } from '../../shipping/purchase';
import { countPackages } from '../../shipping/shipment-transit';
import { dispatchResponse, type NamedPackage, type StoredShipment, shipmentAsJson } from '../../shipping/shipments';
import { hasShipped, type ItemStatus } from '../domain/lifecycle/statuses';
import { type PackedPackage, type Packing, withReferencesOf } from '../domain/packing';
import {
  consignmentOf,
  freeReference,
  listsPackages,
  packForPartner,
  partsOf,
  returnAddressOf,
} from '../planning/consignments';
import { currentDispatchKey, dispatchKey } from '../planning/print-order-rows';
import { runOrderWith } from '../planning/run-order';
import {
  customerInvoice,
  locksShippingPrice,
  replacedItems,
  withPapers,
  withShippingInvoiced,
} from './customer-invoice';
import { decimalId } from './postbacks';

export const dispatchRequestSchema = z
  .object({
    orderId: text(64),
    orderItemIds: z
      .array(decimalId)
      .min(1)
      .max(SIZES.dispatchItems.most)
      .nullish()
      .describe(
        'Items of the print order. Only the documents of their parcels are returned. A parcel that also holds other ' +
          'items is split. Default: all.',
      ),
    replaceLabels: z
      .array(text(64))
      .max(SIZES.replacedLabels.most)
      .nullish()
      .describe('Tracking codes of damaged or lost labels. Each gets void, and its package gets a new label, once.'),
  })
  .meta({ id: 'DispatchRequest' });

/** Parcels up to which a dispatch request waits for its documents. */
export const MOST_AWAITED_PARCELS = 50;

export interface DispatchOrder {
  readonly orderId: string;
  readonly printOrderId: string;
  readonly revision: number;
  /** The units in the parcels. */
  readonly jobs: readonly { readonly itemId: string; readonly quantity: number }[];
  /** References of the items that leave first, in parcels without others. Absent: all. */
  readonly first?: readonly string[];
}

interface DispatchRow {
  readonly partner: Record<string, unknown>;
  readonly shipmentMethodUid: string;
  readonly packing: Packing;
  readonly clientSettings: ClientSettings;
  /** Units that are neither cancelled nor rerouted, including those that have left. */
  readonly liveJobs: DispatchOrder['jobs'] | null;
  readonly packingSlips: readonly { readonly packageIndex: number; readonly objectKey: string }[] | null;
  readonly replaced: readonly string[] | null;
}

/** The units were cancelled between the request and the purchase. */
const NOTHING_LEFT = { code: 'NOTHING_TO_SHIP', message: 'All units of the print order were cancelled.' } as const;

/**
 * Buys the labels of a print order and creates the documents of each package: label, the papers for the customer, and a
 * customs form where one is needed. A shipping revision has one shipment, however often the call is repeated.
 * @throws CarrierUnavailable when the carrier does not respond; a repeated call continues
 */
export async function dispatchPrintOrder(
  deps: PurchaseDeps,
  { orderId, printOrderId, revision, jobs, first }: DispatchOrder,
  cancelled?: AbortSignal,
): Promise<BoughtLabels> {
  const { sql } = deps;
  const found = await runOrderWith<DispatchRow | null>(
    sql,
    sql`${orderId}`,
    sql`(SELECT jsonb_build_object('partner', ${partnerAsJson(sql, sql`p.partner_id`)}, 'shipmentMethodUid', s.shipment_method_uid,
        'packing', s.packing,
        'clientSettings', a.settings, 'replaced', ${replacedItems(sql)},
        'liveJobs', (SELECT jsonb_agg(jsonb_build_object('itemId', j.order_item_id::text, 'quantity', j.quantity) ORDER BY j.id)
          FROM print_jobs j WHERE j.print_order_id = p.id AND j.status NOT IN ('cancelled', 'superseded')),
        'packingSlips', (SELECT jsonb_agg(jsonb_build_object('packageIndex', l.package_index, 'objectKey', l.object_key))
          FROM packing_slips l WHERE l.order_id = p.order_id AND l.object_key IS NOT NULL))
      FROM print_orders p JOIN planned_shipments s ON s.print_order_id = p.id
      WHERE p.id = ${printOrderId} AND p.order_id = o.id)`,
  );
  if (found?.related == null) throw new Error(`order ${orderId} has no print order ${printOrderId}`);
  const { order, related: row } = found;
  const partner = partnerOf(row.partner);
  const returnAddress = returnAddressOf(row.clientSettings, order.clientName);
  const whole = packForPartner(order, partner, row.liveJobs ?? jobs, row.packing);
  const named = new Set(first ?? order.items.map(({ itemReferenceId }) => itemReferenceId));
  const packed: PackedPackage[] = [];
  for (const pack of withReferencesOf(packForPartner(order, partner, jobs, row.packing), whole)) {
    const parts = partsOf(order, partner, pack, { named, reference: freeReference([...whole, ...packed, pack]) });
    packed.push(...(parts === null ? [pack] : splitInto(pack, parts)));
  }
  const slipped = withPackingSlips(row.packingSlips ?? [], packed, listsPackages(order, whole));
  const packages = withPapers(order, slipped, row.replaced);
  const idempotencyKey = dispatchKey(orderId, printOrderId, revision);
  if (packages.length === 0) return await withoutUnits(deps, idempotencyKey, cancelled);
  const sender = { partner, clientSettings: row.clientSettings };
  const purchase = {
    consignment: {
      ...consignmentOf(order, partner, packages, order.clientName),
      returnAddress: returnAddress ?? undefined,
    },
    methodUid: row.shipmentMethodUid,
    idempotencyKey,
    owner: { kind: 'print_order', orderId, printOrderId },
    packagesIn: async (tx, some) =>
      (await locksShippingPrice(tx, orderId)) ? withShippingInvoiced(some, named) : some,
    invoiceOf: (pack, paper) => customerInvoice(order, sender, pack, paper),
  } satisfies BuyShipment;
  const bought = await buyLabels(deps, purchase, cancelled);
  // A shared parcel was split.
  if (bought.ok && packages.length > whole.length) await countPackages(sql, [bought.shipmentId]);
  return bought;
}

/**
 * Ends a dispatch without units. An earlier attempt may have bought labels before its process ended: the run voids those that are
 * recorded, and the others are voided here.
 */
async function withoutUnits(
  deps: PurchaseDeps,
  idempotencyKey: string,
  cancelled: AbortSignal | undefined,
): Promise<BoughtLabels> {
  const [bought] = await deps.sql<{ id: string }[]>`
    SELECT id FROM shipments WHERE idempotency_key = ${idempotencyKey} AND status = 'bought'`;
  if (bought !== undefined) return { ok: true, shipmentId: bought.id };
  await voidShipment(deps, { idempotencyKey }, cancelled);
  return { ok: false, refusal: NOTHING_LEFT };
}

/**
 * Adds the client's packing slip of each instruction to the first package of that instruction. Every other package that the
 * print order lists has a packing list.
 * @param areListed true when the print order lists its packages
 */
function withPackingSlips(
  slips: NonNullable<DispatchRow['packingSlips']>,
  packages: readonly PackedPackage[],
  areListed: boolean,
): readonly PackedPackage[] {
  const waiting = new Map(slips.map(({ packageIndex, objectKey }) => [packageIndex, objectKey]));
  return packages.map((pack) => {
    if (pack.instructionIndex === null) return areListed ? { ...pack, packingList: true } : pack;
    const packingSlip = waiting.get(pack.instructionIndex);
    waiting.delete(pack.instructionIndex);
    return packingSlip === undefined ? { ...pack, packingList: true } : { ...pack, packingSlip };
  });
}

export interface DispatchedPrintOrder extends Pick<AddressedPrintOrder, 'id' | 'orderId' | 'status'> {
  readonly documentTypes: Partner['documentTypes'];
  /** Number of its planned packages. */
  readonly packageCount: number;
  readonly jobs: readonly (AddressedPrintOrder['jobs'][number] & {
    readonly itemReferenceId: string;
    readonly status: ItemStatus;
    readonly isLive: boolean;
  })[];
  /**
   * The shipment that was bought for the order's current address and method, or null. A repeated dispatch
   * returns it without the order workflow, which may have completed.
   */
  readonly shipment: StoredShipment | null;
  /** True when the contents of the shipment have changed since its documents were made. */
  readonly isOutdated: boolean;
  /** The labels of the print order that must not be used, of this shipment and earlier ones. */
  readonly voidLabels: readonly NamedPackage[] | null;
}

/** Returns a partner's print order with its current shipment, or null when there is none or it belongs to another partner. */
export async function dispatchedPrintOrder(
  sql: Queryable,
  partnerId: string,
  printOrderId: string,
): Promise<DispatchedPrintOrder | null> {
  if (!isPrintOrderId(printOrderId)) return null;
  const [printOrder] = await sql<DispatchedPrintOrder[]>`
    SELECT p.id, p.order_id, p.status, pa.document_types,
      (SELECT l.package_count FROM planned_shipments l WHERE l.print_order_id = p.id) AS package_count,
      (SELECT jsonb_agg(jsonb_build_object('id', j.id::text, 'partIds', j.part_ids::text[],
          'itemReferenceId', i.item_reference_id, 'status', j.status, 'isLive', j.status NOT IN ('cancelled', 'superseded')) ORDER BY j.id)
        FROM print_jobs j JOIN order_items i ON i.id = j.order_item_id WHERE j.print_order_id = p.id) AS jobs,
      CASE WHEN p.status <> 'cancelled' AND s.id IS NOT NULL THEN ${shipmentAsJson(sql)} END AS shipment,
      coalesce(s.documents_outdated, false) AND EXISTS (
        SELECT FROM shipment_documents d WHERE d.shipment_id = s.id AND d.deleted_at IS NULL) AS is_outdated,
      (SELECT jsonb_agg(jsonb_build_object('packageReferenceId', k.package_reference_id, 'trackingCode', k.tracking_number)
          ORDER BY h.bought_at, k.position)
        FROM shipments h JOIN shipment_packages k ON k.shipment_id = h.id
        WHERE h.print_order_id = p.id AND (h.status = 'voided' OR k.left_out_at IS NOT NULL)) AS void_labels
    FROM print_orders p JOIN partners pa ON pa.account_id = p.partner_id JOIN orders o ON o.id = p.order_id
    LEFT JOIN shipments s ON s.status = 'bought' AND s.idempotency_key = ${currentDispatchKey(sql, sql`p.id`)}
    WHERE p.id = ${printOrderId} AND p.partner_id = ${partnerId}`;
  return printOrder ?? null;
}

/**
 * Returns the references of the items that a request for some of a print order names.
 * @throws Refusal `VALIDATION_ERROR` for an item that the print order does not have, `CONFLICT` for a cancelled one
 */
export function itemsNamed(printOrder: DispatchedPrintOrder, orderItemIds: readonly string[]): ReadonlySet<string> {
  const named = orderItemIds.map((orderItemId, index) => {
    const jobId = jobOfItem(printOrder, orderItemId);
    const job = printOrder.jobs.find(({ id }) => id === jobId);
    if (job === undefined) {
      const message = `The print order has no item ${orderItemId}.`;
      const errors = [{ code: 'VALIDATION_ERROR', message, reference: `orderItemIds[${index}]` } as const];
      throw new Refusal('VALIDATION_ERROR', { errors });
    }
    if (!job.isLive) throw new Refusal('CONFLICT', { message: `Item ${orderItemId} is cancelled.` });
    return job.itemReferenceId;
  });
  return new Set(named);
}

/**
 * Returns the packages whose labels a request names as damaged. Labels that are void already are left out: an earlier
 * request has replaced them.
 * @param trackingCodes of the damaged labels
 * @throws Refusal `VALIDATION_ERROR` for a code that no label of the print order has, `CONFLICT` for the label of a parcel that
 *   the partner has reported as shipped: the label is on it
 */
export function packagesToRelabel(
  { packages }: StoredShipment,
  { voidLabels, jobs }: Pick<DispatchedPrintOrder, 'voidLabels' | 'jobs'>,
  trackingCodes: readonly string[],
): { readonly position: number; readonly trackingCode: string }[] {
  return [...new Set(trackingCodes)].flatMap((trackingCode) => {
    const position = packages.findIndex((pack) => pack.trackingNumber === trackingCode && !pack.isVoid);
    if (position !== -1) {
      const contents = packages[position]!.items.map(({ itemReferenceId }) => itemReferenceId);
      if (jobs.some((job) => contents.includes(job.itemReferenceId) && hasShipped(job.status)))
        throw new Refusal('CONFLICT', { message: `Label ${trackingCode} is not replaced: its parcel has shipped.` });
      return [{ position, trackingCode }];
    }
    if (voidLabels?.some((label) => label.trackingCode === trackingCode)) return [];
    const message = `The print order has no label ${trackingCode}.`;
    const reference = `replaceLabels[${trackingCodes.indexOf(trackingCode)}]`;
    throw new Refusal('VALIDATION_ERROR', { errors: [{ code: 'VALIDATION_ERROR', message, reference }] });
  });
}

/** Returns the units of items in a package that neither are cancelled nor have another print order. */
const liveItems = ({ items }: StoredShipment['packages'][number], jobs: DispatchedPrintOrder['jobs']) =>
  items.filter(({ itemReferenceId }) => jobs.some((job) => job.isLive && job.itemReferenceId === itemReferenceId));

/**
 * Returns the packages that hold both items that a request names and others, each with the parts into which it is split.
 * @throws Refusal `CONFLICT` for a parcel that the partner has reported as shipped
 */
export async function packagesToSplit(
  sql: Sql,
  { orderId, shipment, jobs }: DispatchedPrintOrder & { readonly shipment: StoredShipment },
  named: ReadonlySet<string>,
) {
  const isShared = (pack: StoredShipment['packages'][number]) => {
    const live = liveItems(pack, jobs);
    const count = live.filter(({ itemReferenceId }) => named.has(itemReferenceId)).length;
    return !pack.isVoid && count > 0 && count < live.length;
  };
  const shared = shipment.packages.filter(isShared);
  if (shared.length === 0) return [];
  const found = await runOrderWith<Record<string, unknown>>(
    sql,
    sql`${orderId}`,
    sql`(SELECT ${partnerAsJson(sql, sql`p.partner_id`)} FROM print_orders p JOIN shipments s ON s.print_order_id = p.id
      WHERE s.id = ${shipment.shipmentId})`,
  );
  const { order, related } = found!;
  let last = shipment.packages;
  return shared.map((pack) => {
    const live = liveItems(pack, jobs);
    if (jobs.some((job) => hasShipped(job.status) && live.some((item) => item.itemReferenceId === job.itemReferenceId)))
      throw new Refusal('CONFLICT', { message: `Package ${pack.packageReferenceId} has shipped with other items.` });
    const reference = freeReference(last);
    last = [...last, { ...pack, packageReferenceId: reference }];
    const parts = partsOf(order, partnerOf(related), { ...pack, items: live }, { named, reference })!;
    return { position: shipment.packages.indexOf(pack), trackingCode: pack.trackingNumber, parts };
  });
}

/**
 * Returns the response to a dispatch request.
 * @param named references of the items whose parcels are requested. They share no parcel with others. Null: all parcels
 */
export function dispatchedDocuments(
  links: LinkSigner,
  { shipment, documentTypes = null, voidLabels, jobs }: DispatchedPrintOrder & { readonly shipment: StoredShipment },
  named: ReadonlySet<string> | null,
) {
  const isWanted = (pack: StoredShipment['packages'][number]) =>
    named === null || liveItems(pack, jobs).some(({ itemReferenceId }) => named.has(itemReferenceId));
  return dispatchResponse(links, shipment, { documentTypes, voidLabels: voidLabels ?? [], isWanted });
}
