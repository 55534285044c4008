import { type DispatchOrder, dispatchPrintOrder } from '../src/orders/dispatch/dispatch';
import type { RecordKey, ReservedStep } from '../src/orders/domain/run/run-record';
import { inOrderTrace } from '../src/orders/run/order-trace';
import type { RecordWriter } from '../src/orders/run/record-writer';
import type { Logger } from '../src/platform/logging/logging';
import type { Sql } from '../src/platform/postgres';
import { type PurchaseDeps, voidShipment } from '../src/shipping/purchase';
import { callingCarrier } from './carrier-calls';
import { logOf, type RunIds } from './order-ids';
import { type OrRefusal, refused } from './refusals';

/** The partner waits for its labels, so that a carrier which does not respond is called again for two minutes only. */
const DISPATCH_RETRIES_MS = 2 * 60_000;

/** Activities of the order workflow that buy and void labels. Each can be retried any number of times. */
export function createOrderLabelActivities(
  deps: PurchaseDeps & { readonly localSql: Sql; readonly log: Logger },
  records: RecordWriter,
) {
  return {
    /**
     * Buys the labels of a print order and makes its documents.
     * @param call.reserved the step whose record the activity writes. Absent: the order run records the result
     * @returns the shipment with its record, or the carrier's refusal
     */
    async dispatchPrintOrder(
      call: RunIds & DispatchOrder & { readonly reserved?: ReservedStep },
    ): Promise<OrRefusal<{ readonly shipmentId: string; readonly recorded?: RecordKey }>> {
      const bought = await callingCarrier(
        (cancelled) => dispatchPrintOrder(deps, call, cancelled),
        DISPATCH_RETRIES_MS,
      );
      if (!bought.ok) {
        const { code, message, detail } = bought.refusal;
        return refused({ message, details: { code, message: detail ?? message } });
      }
      const { shipmentId } = bought;
      const { printOrderId, revision, reserved } = call;
      logOf(deps, call).info({ printOrderId, shipmentId }, 'labels bought');
      if (reserved === undefined) return { shipmentId };
      const event = { type: 'dispatched', printOrderId, shipmentId, revision } as const;
      // The labels are bought. A record that fails is left to the order run.
      const recorded = await inOrderTrace(deps.sql, call.orderId, 'record dispatch', () =>
        records.writeResult(deps.localSql, reserved, event),
      ).catch((err: unknown) => {
        logOf(deps, call).warn({ err, printOrderId }, 'dispatch not recorded with its labels');
        return undefined;
      });
      return recorded === undefined ? { shipmentId } : { shipmentId, recorded };
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
