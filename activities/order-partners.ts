import { cancelAtPartner } from '../src/orders/print-orders/cancellation';
import { type DeliveryDeps, deliverPrintOrder } from '../src/orders/print-orders/delivery';
import { deliverOrderUpdate, type OrderUpdate } from '../src/orders/print-orders/order-updates';
import type { Logger } from '../src/platform/logging';
import { logOf, type RunIds } from './order-ids';
import { type OrRefusal, refused, transient } from './refusals';

/** Activities of the order workflow that send messages to partners. Each can be retried any number of times. */
export function createOrderPartnerActivities(deps: DeliveryDeps & { readonly log: Logger }) {
  return {
    /**
     * Delivers a print order to its partner. A repeated delivery is followed by the latest order update.
     * @returns the partner's refusal
     * @throws ApplicationFailure `PartnerUnreachable` for a transient failure
     */
    async deliverPrintOrder(call: RunIds & { readonly printOrderId: string }): Promise<OrRefusal<void>> {
      const { printOrderId } = call;
      const result = await deliverPrintOrder(deps, printOrderId);
      logOf(deps, call).info({ printOrderId, outcome: result.outcome }, 'print order delivery');
      switch (result.outcome) {
        case 'accepted': {
          if (result.repeatsUpdate == null) return;
          // One attempt: the partner has accepted this update before.
          const update = { printOrderId, shippingRevision: result.repeatsUpdate };
          const { outcome } = await deliverOrderUpdate(deps, update);
          logOf(deps, call).info({ ...update, outcome }, 'order update repeated');
          return;
        }
        case 'refused':
          return refused({ message: result.message });
        case 'retry':
          throw transient(result.message, 'PartnerUnreachable', result.retryAfterMs);
      }
    },

    /**
     * Delivers an order update after a change of address or method.
     * @returns the outcome, or the partner's refusal
     * @throws ApplicationFailure `PartnerUnreachable` for a transient failure
     */
    async deliverOrderUpdate(
      call: RunIds & OrderUpdate,
    ): Promise<
      OrRefusal<
        { readonly outcome: 'accepted' | 'not_needed' } | { readonly outcome: 'no_address'; readonly message: string }
      >
    > {
      const { printOrderId, shippingRevision } = call;
      const result = await deliverOrderUpdate(deps, { printOrderId, shippingRevision });
      logOf(deps, call).info({ printOrderId, shippingRevision, outcome: result.outcome }, 'order update delivery');
      switch (result.outcome) {
        case 'accepted':
          return { outcome: 'accepted' };
        case 'refused':
          return refused({ message: result.message });
        case 'retry':
          throw transient(result.message, 'PartnerUnreachable', result.retryAfterMs);
        default:
          return result;
      }
    },

    /** Asks a partner to cancel print jobs. @throws ApplicationFailure `PartnerUnreachable` for a transient failure */
    async cancelAtPartner(
      request: RunIds & {
        readonly printOrderId: string;
        readonly jobIds: readonly string[];
        readonly reason: string;
      },
    ) {
      const result = await cancelAtPartner(deps, request);
      logOf(deps, request).info(
        { printOrderId: request.printOrderId, outcome: result.outcome },
        'cancellation requested from partner',
      );
      if (result.outcome === 'retry') throw transient(result.message, 'PartnerUnreachable', result.retryAfterMs);
      return result;
    },
  };
}
