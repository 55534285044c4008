import type { ClientSettings } from '../../accounts/client-settings';
import { partnerByAccount } from '../../partners/store';
import { orderWorkflowId } from '../../platform/domain/workflows';
import type { Queryable } from '../../platform/postgres';
import { type BoughtShipment, buyShipment, type PurchaseDeps } from '../../shipping/purchase';
import type { PackedPackage } from '../domain/packing';
import { consignmentOf, packForPartner, returnAddressOf } from '../preparation/consignments';
import { runOrder } from '../run/run-order';
import { customerInvoice } from './customer-invoice';

export interface DispatchOrder {
  readonly orderId: string;
  readonly printOrderId: string;
  readonly revision: number;
  /** The units in the parcels. */
  readonly jobs: readonly { readonly itemId: string; readonly quantity: number }[];
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
  const [row] = await sql<{ partnerId: string; shipmentMethodUid: string; clientSettings: ClientSettings }[]>`
    SELECT p.partner_id, s.shipment_method_uid, a.settings AS client_settings
    FROM print_orders p
    JOIN planned_shipments s ON s.print_order_id = p.id
    JOIN orders o ON o.id = p.order_id
    JOIN accounts a ON a.id = o.client_id
    WHERE p.id = ${printOrderId}`;
  if (row === undefined) throw new Error(`print order ${printOrderId} does not exist`);
  const partner = (await partnerByAccount(sql, row.partnerId))!;
  const packages = await withPackingSlips(sql, orderId, packForPartner(order, partner, jobs));
  const invoice = await customerInvoice(sql, order, partner, printOrderId, jobs);
  return await buyShipment(deps, {
    consignment: {
      ...consignmentOf(order, partner, packages, order.clientName),
      returnAddress: returnAddressOf(row.clientSettings, order.clientName) ?? undefined,
    },
    methodUid: row.shipmentMethodUid,
    idempotencyKey: dispatchKey(orderId, printOrderId, revision),
    owner: { kind: 'print_order', orderId, printOrderId },
    ...(invoice === undefined ? {} : { invoice }),
  });
}

/**
 * Adds the client's packing slip of each instruction to the first package of that instruction. Every other package of an
 * instruction has a packing list.
 */
async function withPackingSlips(
  sql: Queryable,
  orderId: string,
  packages: readonly PackedPackage[],
): Promise<readonly PackedPackage[]> {
  const slips = await sql<{ packageIndex: number; objectKey: string }[]>`
    SELECT package_index, object_key FROM packing_slips WHERE order_id = ${orderId} AND object_key IS NOT NULL`;
  const waiting = new Map(slips.map(({ packageIndex, objectKey }) => [packageIndex, objectKey]));
  return packages.map((pack) => {
    if (pack.instructionIndex === null) return pack;
    const packingSlip = waiting.get(pack.instructionIndex);
    waiting.delete(pack.instructionIndex);
    return packingSlip === undefined ? { ...pack, packingList: true } : { ...pack, packingSlip };
  });
}

/** Returns the idempotency key of a purchase. A print order has one shipment for each shipping revision. */
export function dispatchKey(orderId: string, printOrderId: string, revision: number): string {
  return `${orderWorkflowId(orderId)}:dispatch:${printOrderId}:${revision}`;
}

/**
 * Returns the id of the bought shipment for the order's current address and method, or null. It answers a repeated
 * dispatch without the order workflow, which may have completed.
 */
export async function currentShipmentId(
  sql: Queryable,
  { orderId, printOrderId }: { readonly orderId: string; readonly printOrderId: string },
): Promise<string | null> {
  const [row] = await sql<{ revision: number }[]>`
    SELECT o.shipping_revision AS revision FROM orders o JOIN print_orders p ON p.order_id = o.id
    WHERE p.id = ${printOrderId} AND o.id = ${orderId} AND p.status <> 'cancelled'`;
  if (row === undefined) return null;
  const [shipment] = await sql<{ id: string }[]>`
    SELECT id FROM shipments
    WHERE idempotency_key = ${dispatchKey(orderId, printOrderId, row.revision)} AND status = 'bought'`;
  return shipment?.id ?? null;
}
