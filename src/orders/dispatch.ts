import { partnerByAccount } from '../partners/store';
import type { Queryable } from '../platform/postgres';
import { type BoughtShipment, buyShipment, type PurchaseDeps } from '../shipping/purchase';
import { consignmentOf, packForPartner } from './consignments';
import { orderWorkflowId } from './domain/run-messages';
import { runOrder } from './run-order';

/**
 * Buys the labels of a print order and makes its documents: label per package, invoice, customs form where one is
 * needed, packing slips. One shipment for each shipping revision, however often it is tried.
 * @throws CarrierUnavailable when the carrier does not answer; the same call later goes on
 */
export async function dispatchPrintOrder(
  deps: PurchaseDeps,
  {
    orderId,
    printOrderId,
    revision,
  }: { readonly orderId: string; readonly printOrderId: string; readonly revision: number },
): Promise<BoughtShipment> {
  const { sql } = deps;
  const order = await runOrder(sql, orderId);
  const [row] = await sql<{ partnerId: string; shipmentMethodUid: string }[]>`
    SELECT p.partner_id, s.shipment_method_uid
    FROM print_orders p JOIN planned_shipments s ON s.print_order_id = p.id WHERE p.id = ${printOrderId}`;
  if (row === undefined) throw new Error(`print order ${printOrderId} does not exist`);
  const partner = (await partnerByAccount(sql, row.partnerId))!;
  const jobs = await jobsToShip(sql, printOrderId);
  const packages = packForPartner(order, partner, jobs);
  return await buyShipment(deps, {
    consignment: consignmentOf(order, partner, packages, order.clientName),
    methodUid: row.shipmentMethodUid,
    idempotencyKey: `${orderWorkflowId(orderId)}:dispatch:${printOrderId}:${revision}`,
    owner: { kind: 'print_order', orderId, printOrderId },
  });
}

async function jobsToShip(sql: Queryable, printOrderId: string) {
  return await sql<{ itemId: string; quantity: number }[]>`
    SELECT order_item_id::text AS item_id, quantity FROM print_jobs
    WHERE print_order_id = ${printOrderId} AND status NOT IN ('cancelled', 'superseded') ORDER BY id`;
}
