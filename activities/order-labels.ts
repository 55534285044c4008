import { type DispatchOrder, dispatchPrintOrder } from '../src/orders/production/dispatch';
import type { Logger } from '../src/platform/logging/logging';
import { type PurchaseDeps, voidShipment } from '../src/shipping/purchase';
import { callingCarrier } from './carrier-calls';
import { logOf, type RunIds } from './order-ids';
import { type OrRefusal, refused } from './refusals';

/** The partner waits for its labels, so that a carrier which does not respond is called again for two minutes only. */
const DISPATCH_RETRIES_MS = 2 * 60_000;

/** Activities of the order workflow that buy and void labels. Each can be retried any number of times. */
export function createOrderLabelActivities(deps: PurchaseDeps & { readonly log: Logger }) {
  return {
    /** Buys the labels of a print order and makes its documents. @returns the shipment, or the carrier's refusal */
    async dispatchPrintOrder(call: RunIds & DispatchOrder): Promise<OrRefusal<{ readonly shipmentId: string }>> {
      const bought = await callingCarrier(
        (cancelled) => dispatchPrintOrder(deps, call, cancelled),
        DISPATCH_RETRIES_MS,
      );
      if (!bought.ok) {
        const { code, message, detail } = bought.refusal;
        return refused({ message, details: { code, message: detail ?? message } });
      }
      const { shipmentId } = bought;
      logOf(deps, call).info({ printOrderId: call.printOrderId, shipmentId }, 'labels bought');
      return { shipmentId };
    },

    /** Voids the labels of a shipment. @returns the carrier's refusal */
    async voidOrderShipment(
      call: RunIds & { readonly printOrderId: string; readonly shipmentId: string },
    ): Promise<OrRefusal<void>> {
      const { printOrderId, shipmentId } = call;
      const voided = await callingCarrier((cancelled) => voidShipment(deps, { shipmentId }, cancelled));
      if (!voided.ok) return refused({ message: voided.reason });
      logOf(deps, call).info({ printOrderId, shipmentId }, 'labels voided');
    },
  };
}
