import { withRevision } from '../../src/partners/domain/print-order';
import type { Finding } from './report';
import { CHANGED_DELIVERY, type SamplePrintOrder } from './sample-print-orders';
import type { Send } from './sender';

/** A postback as it arrived during a check. */
export interface SeenPostback {
  readonly orderId: string;
  readonly orderItemId: string | null;
  readonly status: string;
  /** As the partner sent it. */
  readonly timestamp: string;
  readonly message: string | null;
  readonly trackingCode: string | null;
  /** Epoch milliseconds. */
  readonly arrivedAt: number;
  /** What is wrong with it. Empty for a valid postback. */
  readonly problems: readonly string[];
}

/** A dispatch request as it arrived during a check. */
export interface SeenDispatch {
  readonly orderId: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The response was 202, without labels. */
  readonly isPending: boolean;
  /** Tracking codes of the labels that the response names as void. */
  readonly voidLabels: readonly string[];
  /** What is wrong with it. Empty for a valid request. */
  readonly problems: readonly string[];
}

/** Where the postbacks and the dispatch requests of a check arrive. */
export interface PostbackInbox {
  /** Returns every postback that has arrived so far. */
  arrived(): readonly SeenPostback[];
  /** Returns every dispatch request that has arrived so far. */
  dispatched(): readonly SeenDispatch[];
}

/** A print order whose postbacks are reviewed. */
export interface ExpectedShipment {
  readonly printOrder: SamplePrintOrder;
  readonly deliveries: 'once' | 'again';
}

const STEPS = ['received', 'printed', 'shipped'];

const of = (postbacks: readonly SeenPostback[], orderId: string) =>
  postbacks.filter((postback) => postback.orderId === orderId && postback.problems.length === 0);

/** Returns true when each item of the print order has the status, or the whole print order has. */
function covers(postbacks: readonly SeenPostback[], { itemIds }: SamplePrintOrder, status: string): boolean {
  const reported = postbacks.filter((postback) => postback.status === status);
  return (
    reported.some(({ orderItemId }) => orderItemId === null) ||
    itemIds.every((id) => reported.some(({ orderItemId }) => orderItemId === id))
  );
}

/** Returns true when nothing more is to be expected of a print order: it is shipped, stopped or cancelled. */
export function hasEnded(postbacks: readonly SeenPostback[], { printOrder }: ExpectedShipment): boolean {
  const own = of(postbacks, printOrder.id);
  return covers(own, printOrder, 'shipped') || covers(own, printOrder, 'cancelled');
}

/** Reviews the postbacks and dispatch requests of a print order that the check did not cancel. */
export function reviewPostbacks(inbox: PostbackInbox, { printOrder, deliveries }: ExpectedShipment): Finding[] {
  const dispatches = inbox.dispatched().filter(({ orderId }) => orderId === printOrder.id);
  const { id } = printOrder;
  const own = of(inbox.arrived(), id);
  const findings: Finding[] = [];
  const find = (fault: Finding['fault'], message: string) => findings.push({ fault, message });
  for (const { status, orderItemId } of own)
    if (orderItemId !== null && !printOrder.itemIds.includes(orderItemId))
      find('postback-invalid', `${status} of print order ${id}: there is no item ${orderItemId}`);
  for (const { message } of own.filter(({ status }) => status === 'error'))
    find('error-reported', `print order ${id}: ${message}`);
  const cancelled = own.filter(({ status }) => status === 'cancelled');
  if (cancelled.length > 0) find('cancelled-unasked', `print order ${id}: ${cancelled[0]!.message ?? ''}`);
  if (!covers(own, printOrder, 'received') && !own.some(({ status }) => status === 'error'))
    find('received-missing', `print order ${id}`);
  if (!covers(own, printOrder, 'shipped') && cancelled.length === 0) find('shipped-missing', `print order ${id}`);
  for (const problem of dispatches.flatMap(({ problems }) => problems))
    find('dispatch-invalid', `dispatch request of print order ${id}: ${problem}`);
  if (covers(own, printOrder, 'shipped') && dispatches.length > 0 && dispatches.every(({ isPending }) => isPending))
    find('dispatch-not-repeated', `print order ${id}`);
  const voidLabels = new Set(dispatches.flatMap((dispatch) => dispatch.voidLabels));
  for (const { status, trackingCode } of own)
    if (trackingCode !== null && voidLabels.has(trackingCode))
      find('void-label-used', `${status} of print order ${id} has the tracking code ${trackingCode}, which is void`);
  const repeated = repeatedStep(own);
  if (repeated !== undefined && deliveries === 'again')
    find('duplicate-made-twice', `print order ${id}: ${repeated} is reported at two times`);
  else {
    const late = stepBack(own);
    if (late !== undefined) find('postbacks-out-of-order', `print order ${id}: ${late}`);
  }
  return findings;
}

/** Returns the step that the partner reported at two times. A repetition of one postback has the same time. */
function repeatedStep(postbacks: readonly SeenPostback[]): string | undefined {
  return STEPS.find((step) => {
    const reports = postbacks.filter(({ status }) => status === step);
    return reports.some(({ orderItemId, timestamp }) =>
      reports.some((other) => other.orderItemId === orderItemId && other.timestamp !== timestamp),
    );
  });
}

/** Returns the first postback whose time is later than that of a later step of the same item. */
function stepBack(postbacks: readonly SeenPostback[]): string | undefined {
  const isSameItem = (one: SeenPostback, other: SeenPostback) =>
    one.orderItemId === null || other.orderItemId === null || one.orderItemId === other.orderItemId;
  for (const one of postbacks) {
    const later = postbacks.find(
      (other) =>
        STEPS.indexOf(one.status) >= 0 &&
        STEPS.indexOf(other.status) > STEPS.indexOf(one.status) &&
        isSameItem(one, other) &&
        Date.parse(other.timestamp) < Date.parse(one.timestamp),
    );
    if (later) return `${one.status} (${one.timestamp}) after ${later.status} (${later.timestamp})`;
  }
  return undefined;
}

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
  send: Send,
  updateUrl: string | null,
  inbox: PostbackInbox,
  printOrder: SamplePrintOrder,
  shipSoonMs: number,
): LabelReview {
  /** Epoch milliseconds: when the change was sent, and when the partner accepted it. */
  let sentAt: number | undefined;
  let acceptedAt: number | undefined;
  const dispatches = () =>
    inbox.dispatched().filter(({ orderId, isPending }) => orderId === printOrder.id && !isPending);
  const shipment = () =>
    inbox.arrived().find(({ orderId, status }) => orderId === printOrder.id && status === 'shipped');
  return {
    async advance() {
      if (updateUrl === null || sentAt !== undefined) return;
      if (dispatches().length === 0 || shipment() !== undefined) return;
      sentAt = Date.now();
      const body = withRevision(printOrder.changed({ delivery: CHANGED_DELIVERY }), 2);
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
