import { type DispatchOrder, dispatchPrintOrder } from '../src/orders/dispatch/dispatch';
import { RUN_REFUSALS } from '../src/orders/domain/run/run-messages';
import type { Logger } from '../src/platform/logging';
import { type PurchaseDeps, voidShipment } from '../src/shipping/purchase';
import { logOf, type RunIds } from './order-ids';
import { type OrRefusal, type RefusableCall, refused } from './refusals';

/** Activities of the order workflow that buy and void labels. Each can be retried any number of times. */
export function createOrderLabelActivities(deps: PurchaseDeps & { readonly log: Logger }) {
  return {
    /** Buys the labels of a print order and makes its documents. @returns the carrier's refusal */
    async dispatchPrintOrder(
      call: RunIds & RefusableCall & DispatchOrder,
    ): Promise<OrRefusal<{ readonly shipmentId: string }>> {
      const bought = await dispatchPrintOrder(deps, call);
      if (!bought.ok) {
        const { code, message, detail } = bought.refusal;
        return refused(call, RUN_REFUSALS.carrier, {
          message,
          details: { code, message: detail ?? message },
        });
      }
      const { shipmentId } = bought.shipment;
      logOf(deps, call).info({ printOrderId: call.printOrderId, shipmentId }, 'labels bought');
      return { shipmentId };
    },

    /** Voids the labels of a shipment. @returns the carrier's refusal */
    async voidOrderShipment(
      call: RunIds & RefusableCall & { readonly printOrderId: string; readonly shipmentId: string },
    ): Promise<OrRefusal<void>> {
      const { printOrderId, shipmentId } = call;
      const voided = await voidShipment(deps, { shipmentId });
      if (!voided.ok) return refused(call, 'VoidRefused', { message: voided.reason });
      logOf(deps, call).info({ printOrderId, shipmentId }, 'labels voided');
    },
  };
}
