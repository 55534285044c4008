import { LRUCache } from 'lru-cache';
import type { EventOf } from '../src/orders/domain/lifecycle/run-events';
import type { RecordKey } from '../src/orders/domain/run/run-record';
import type { StoredPlan } from '../src/orders/preparation/prepare-order';
import { type DeliveryDeps, deliverPrintOrder } from '../src/orders/print-orders/delivery';
import type { RecordWriter } from '../src/orders/run/record-writer';
import { PartnerBusy } from '../src/partners/calls';
import type { Logger } from '../src/platform/logging';
import { createSlotShares } from '../src/platform/temporal/slot-shares';
import type { PreparationSteps } from './order-files';
import { logOf, type RunIds } from './order-ids';

/** Longest time for the partner's response. The attempt holds a slot for print files, and updates of the order wait for it. */
const TIMEOUT_MS = 5_000;
/** A partner that needs longer gets no first deliveries for a while. */
const SLOW_MS = 2_000;
const SLOW_FOR_MS = 60_000;
/** First deliveries to a partner that a process has under way. */
const MOST_PER_PARTNER = 8;
/** Pause after a failed attempt without Retry-After: the first one of the retry policy of deliveries. */
const RETRY_MS = 5_000;

/**
 * What became of the first delivery of a print order.
 * @property delivery how it ended. Absent: the order run has to deliver the print order
 * @property retryInMs pause before the run delivers it
 * @property recorded key of the record of the accepted delivery
 */
export interface FirstDelivery {
  readonly delivery?: EventOf<'delivery'>;
  readonly retryInMs?: number;
  readonly recorded?: RecordKey;
}

export type DeliverFirst = (
  ids: RunIds,
  reserved: PreparationSteps,
  planned: StoredPlan,
  recorded: RecordKey,
) => Promise<FirstDelivery>;

/**
 * Returns the function that delivers the only print order of a plan which was just recorded, once. Whatever fails, the order run
 * delivers it in an activity of its own: the same bytes with the same id.
 */
export function createFirstDeliveries(
  deps: DeliveryDeps & { readonly log: Logger },
  records: RecordWriter,
): DeliverFirst {
  const slots = createSlotShares(Number.POSITIVE_INFINITY, { mostPerKey: MOST_PER_PARTNER });
  const slow = new LRUCache<string, true>({ max: 10_000, ttl: SLOW_FOR_MS });

  async function attempt(
    ids: RunIds,
    { delivery: step }: PreparationSteps,
    printOrderId: string,
    plan: RecordKey,
  ): Promise<FirstDelivery> {
    const response = await deliverPrintOrder(deps, printOrderId, { plan, timeoutMs: TIMEOUT_MS });
    if (response === undefined) return {};
    const { outcome } = response;
    logOf(deps, ids).info({ printOrderId, outcome }, 'first print order delivery');
    if (outcome === 'retry') return { retryInMs: response.retryAfterMs ?? RETRY_MS };
    const message = outcome === 'accepted' ? '' : response.message;
    const delivery = { type: 'delivery', printOrderId, outcome, message } as const;
    if (outcome !== 'accepted') return { delivery };
    const recorded = await records.writeResult(deps.sql, step, delivery);
    return { delivery, ...(recorded && { recorded }) };
  }

  return async (ids, reserved, { printOrders, shippingRevision }, recorded) => {
    const [printOrder, ...others] = printOrders;
    // The revision of an order whose plan was stored before: an earlier attempt may have delivered it.
    if (printOrder === undefined || others.length > 0 || shippingRevision !== undefined) return {};
    const { id, partnerUid } = printOrder;
    const slot = slow.has(partnerUid) ? undefined : slots.take(partnerUid);
    if (slot === undefined || 'retryInMs' in slot) return {};
    const began = Date.now();
    try {
      return await attempt(ids, reserved, id, recorded);
    } catch (err) {
      if (!(err instanceof PartnerBusy))
        logOf(deps, ids).warn({ err, printOrderId: id }, 'print order not delivered with its plan');
      return {};
    } finally {
      slot.release();
      if (Date.now() - began > SLOW_MS) slow.set(partnerUid, true);
    }
  };
}
