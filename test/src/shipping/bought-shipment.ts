import { type BuyShipment, buyLabels, type PurchaseDeps } from '../../../src/shipping/purchase';
import { readShipment } from '../../../src/shipping/shipments';

/** Buys the labels of a consignment and returns the shipment, or the carrier's refusal. */
export async function buyShipment(deps: PurchaseDeps, input: BuyShipment) {
  const bought = await buyLabels(deps, input);
  return bought.ok ? ({ ok: true, shipment: (await readShipment(deps.sql, bought.shipmentId))! } as const) : bought;
}
