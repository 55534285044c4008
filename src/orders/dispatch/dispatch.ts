import type { ClientSettings } from '../../accounts/client-settings';
import { partnerByAccount } from '../../partners/store';
import { orderWorkflowId } from '../../platform/domain/workflows';
import type { Queryable } from '../../platform/postgres';
import { type BoughtShipment, buyShipment, type PurchaseDeps } from '../../shipping/purchase';
import { type PackedPackage, withReferencesOf } from '../domain/packing';
import { consignmentOf, listsPackages, packForPartner, returnAddressOf } from '../preparation/consignments';
import { runOrder } from '../run/run-order';
import { customerInvoice } from './customer-invoice';

export interface DispatchOrder {
  readonly orderId: string;
  readonly printOrderId: string;
  readonly revision: number;
  /** The units in the parcels. */
  readonly jobs: readonly { readonly itemId: string; readonly quantity: number }[];
}

interface DispatchRow {
  readonly partnerId: string;
  readonly shipmentMethodUid: string;
  readonly clientSettings: ClientSettings;
  /** Units that are neither cancelled nor replaced, including those that have left. */
  readonly liveJobs: DispatchOrder['jobs'] | null;
}

/**
 * Buys the labels of a print order and creates its documents: a label for each package, the invoice, a customs form
 * where one is needed, and packing slips. A shipping revision has one shipment, however often the call is repeated.
 * @throws CarrierUnavailable when the carrier does not answer; a repeated call continues
 */
export async function dispatchPrintOrder(
  deps: PurchaseDeps,
  { orderId, printOrderId, revision, jobs }: DispatchOrder,
): Promise<BoughtShipment> {
  const { sql } = deps;
  const order = await runOrder(sql, orderId);
  const [row] = await sql<DispatchRow[]>`
    SELECT p.partner_id, s.shipment_method_uid, a.settings AS client_settings,
      (SELECT jsonb_agg(jsonb_build_object('itemId', j.order_item_id::text, 'quantity', j.quantity) ORDER BY j.id)
       FROM print_jobs j WHERE j.print_order_id = p.id AND j.status NOT IN ('cancelled', 'superseded')) AS live_jobs
    FROM print_orders p
    JOIN planned_shipments s ON s.print_order_id = p.id
    JOIN orders o ON o.id = p.order_id
    JOIN accounts a ON a.id = o.client_id
    WHERE p.id = ${printOrderId}`;
  if (row === undefined) throw new Error(`print order ${printOrderId} does not exist`);
  const partner = (await partnerByAccount(sql, row.partnerId))!;
  const returnAddress = returnAddressOf(row.clientSettings, order.clientName);
  const whole = packForPartner(order, partner, row.liveJobs ?? jobs);
  const packed = withReferencesOf(packForPartner(order, partner, jobs), whole);
  const packages = await withPackingSlips(sql, orderId, packed, listsPackages(order, whole));
  const invoice = await customerInvoice(sql, order, { partner, returnAddress }, printOrderId, jobs);
  return await buyShipment(deps, {
    consignment: {
      ...consignmentOf(order, partner, packages, order.clientName),
      returnAddress: returnAddress ?? undefined,
    },
    methodUid: row.shipmentMethodUid,
    idempotencyKey: dispatchKey(orderId, printOrderId, revision),
    owner: { kind: 'print_order', orderId, printOrderId },
    ...(invoice === undefined ? {} : { invoice }),
  });
}

/**
 * Adds the client's packing slip of each instruction to the first package of that instruction. Every other package that the
 * print order lists has a packing list.
 * @param areListed true when the print order lists its packages
 */
async function withPackingSlips(
  sql: Queryable,
  orderId: string,
  packages: readonly PackedPackage[],
  areListed: boolean,
): Promise<readonly PackedPackage[]> {
  const slips = await sql<{ packageIndex: number; objectKey: string }[]>`
    SELECT package_index, object_key FROM packing_slips WHERE order_id = ${orderId} AND object_key IS NOT NULL`;
  const waiting = new Map(slips.map(({ packageIndex, objectKey }) => [packageIndex, objectKey]));
  return packages.map((pack) => {
    if (pack.instructionIndex === null) return areListed ? { ...pack, packingList: true } : pack;
    const packingSlip = waiting.get(pack.instructionIndex);
    waiting.delete(pack.instructionIndex);
    return packingSlip === undefined ? { ...pack, packingList: true } : { ...pack, packingSlip };
  });
}

const keyPrefix = (orderId: string, printOrderId: string) =>
  `${orderWorkflowId(orderId)}:dispatch:${printOrderId}:`;

/** Returns the idempotency key of a purchase. A print order has one shipment for each shipping revision. */
export function dispatchKey(orderId: string, printOrderId: string, revision: number): string {
  return `${keyPrefix(orderId, printOrderId)}${revision}`;
}

/**
 * Returns the id of the bought shipment for the order's current address and method, or null. It answers a repeated
 * dispatch without the order workflow, which may have completed.
 */
export async function currentShipmentId(
  sql: Queryable,
  { orderId, printOrderId }: { readonly orderId: string; readonly printOrderId: string },
): Promise<string | null> {
  const [shipment] = await sql<{ id: string }[]>`
    SELECT s.id FROM orders o JOIN print_orders p ON p.order_id = o.id
    JOIN shipments s ON s.idempotency_key = ${keyPrefix(orderId, printOrderId)}::text || o.shipping_revision AND s.status = 'bought'
    WHERE p.id = ${printOrderId} AND o.id = ${orderId} AND p.status <> 'cancelled'`;
  return shipment?.id ?? null;
}
