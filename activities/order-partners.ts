import { cancelAtPartner } from '../src/orders/production/cancel-requests';
import { type DeliveryDeps, deliverPrintOrder } from '../src/orders/production/delivery';
import { deliverOrderUpdate, type OrderUpdate, repeatOrderUpdate } from '../src/orders/production/order-updates';
import type { PartnerResponse } from '../src/partners/calls';
import type { Logger } from '../src/platform/logging/logging';
import { logOf, type RunIds } from './order-ids';
import { type OrRefusal, refused, transient } from './refusals';

type Retry = Extract<PartnerResponse, { outcome: 'retry' }>;

interface Undelivered {
  readonly outcome: 'refused' | 'unbuildable';
  readonly message: string;
}

/** A delivery that failed for good. The details tell the order run that no partner has refused it. */
const undelivered = ({ outcome, message }: Undelivered) =>
  refused(outcome === 'refused' ? { message } : { message, details: { outcome } });

const unreachable = ({ message, retryAfterMs }: Retry) => transient(message, 'PartnerUnreachable', retryAfterMs);

/** Logs a response, as an error when no message could be made. @param what the message of the log line */
function logResponse(log: Logger, fields: object, response: { readonly outcome: string }, what: string): void {
  const { outcome } = response;
  if ('error' in response) log.error({ ...fields, outcome, err: response.error }, what);
  else log.info({ ...fields, outcome }, what);
}

/** Activities of the order workflow that send messages to partners. Each can be retried any number of times. */
export function createOrderPartnerActivities(deps: DeliveryDeps & { readonly log: Logger }) {
  /** Logs a partner's response and returns it. @throws ApplicationFailure `PartnerUnreachable` for a transient failure */
  function logged<Response extends { readonly outcome: string }>(
    call: RunIds & { readonly printOrderId: string } & Partial<OrderUpdate>,
    response: Response | Retry,
    what: string,
  ): Exclude<Response, Retry> {
    const { printOrderId, shippingRevision, wanted } = call;
    logResponse(logOf(deps, call), { printOrderId, shippingRevision, wanted }, response, what);
    if (response.outcome === 'retry') throw unreachable(response as Retry);
    return response as Exclude<Response, Retry>;
  }

  return {
    /**
     * Delivers a print order to its partner. A repeated delivery is followed by the latest order update.
     * @returns the partner's refusal
     */
    async deliverPrintOrder(call: RunIds & { readonly printOrderId: string }): Promise<OrRefusal<void>> {
      const { printOrderId } = call;
      const response = logged(call, await deliverPrintOrder(deps, printOrderId), 'print order delivery');
      if (response.outcome !== 'accepted') return undelivered(response);
      if (response.repeatsUpdate == null) return;
      // One attempt: the partner has accepted this update before.
      const { repeatsUpdate: revision } = response;
      const { outcome } = await repeatOrderUpdate(deps, { printOrderId, revision });
      logOf(deps, call).info({ printOrderId, revision, outcome }, 'order update repeated');
    },

    /** Delivers an order update after a change. @returns the outcome, or the partner's refusal */
    async deliverOrderUpdate(
      call: RunIds & OrderUpdate,
    ): Promise<
      OrRefusal<
        { readonly outcome: 'accepted' | 'not_needed' } | { readonly outcome: 'no_address'; readonly message: string }
      >
    > {
      const response = logged(call, await deliverOrderUpdate(deps, call), 'order update delivery');
      if (response.outcome === 'refused' || response.outcome === 'unbuildable') return undelivered(response);
      return response.outcome === 'accepted' ? { outcome: 'accepted' } : response;
    },

    cancelAtPartner: async (call: RunIds & Parameters<typeof cancelAtPartner>[1]) =>
      logged(call, await cancelAtPartner(deps, call), 'cancellation requested from partner'),
  };
}
