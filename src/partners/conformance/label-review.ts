import { withRevision } from '../domain/print-order';
import type { PostbackInbox } from './postback-review';
import type { Finding } from './report';
import { MOVED_DELIVERY, type SamplePrintOrder } from './sample-print-orders';
import type { CheckContext } from './scenarios';

/** A check that a partner does not ship with a label that a change of address has voided. */
export interface LabelReview {
  /** Changes the address once the partner has got its label. Call it repeatedly. */
  advance(): Promise<void>;
  findings(): Finding[];
}

/**
 * @param printOrder a print order that the partner has accepted and whose shipment is awaited
 * @param shipSoonMs a partner that ships sooner after the change is not judged: the parcel may have left
 */
export function createLabelReview(
  { send, updateUrl }: CheckContext,
  inbox: PostbackInbox,
  printOrder: SamplePrintOrder,
  shipSoonMs: number,
): LabelReview {
  /** Epoch milliseconds: when the change was sent, and when the partner accepted it. */
  let sentAt: number | undefined;
  let acceptedAt: number | undefined;
  const dispatches = () => inbox.dispatched().filter(({ orderId }) => orderId === printOrder.id);
  const shipment = () =>
    inbox.arrived().find(({ orderId, status }) => orderId === printOrder.id && status === 'shipped');
  return {
    async advance() {
      if (updateUrl === null || sentAt !== undefined) return;
      if (dispatches().length === 0 || shipment() !== undefined) return;
      sentAt = Date.now();
      const body = withRevision(printOrder.changed({ delivery: MOVED_DELIVERY }), 2);
      const response = await send({ url: updateUrl, body });
      if (response.ok && response.status < 300) acceptedAt = Date.now();
    },
    findings() {
      const shipped = shipment();
      if (sentAt === undefined || acceptedAt === undefined || shipped === undefined) return [];
      const since = sentAt;
      const hasNewLabel = dispatches().some(({ at }) => at >= since && at <= shipped.arrivedAt);
      if (hasNewLabel || shipped.arrivedAt <= acceptedAt + shipSoonMs) return [];
      const afterMs = shipped.arrivedAt - acceptedAt;
      return [
        {
          fault: 'old-label-shipped',
          message: `print order ${printOrder.id}: shipped ${afterMs} ms after it accepted a new address, without another dispatch request`,
        },
      ];
    },
  };
}
