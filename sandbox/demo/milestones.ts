import type { Operations, Order } from '../../client/pressline-client';
import { PROGRESS_RANK } from '../../src/orders/domain/lifecycle/statuses';
import { formatMinor } from '../../src/platform/domain/money';
import { orderWorkflowId } from '../../src/platform/domain/workflows';
import type { SeenPrintOrder } from '..';

type RoutingDecision = Operations['getOrderRouting']['response']['decisions'][number];

/** The state of the demo's order at one moment. */
export interface Snapshot {
  readonly takenAt: Date;
  readonly order: Order;
  readonly workflowStartedAt: Date | undefined;
  readonly routing: RoutingDecision | undefined;
  /** The order's print orders as the sandbox partners received them. */
  readonly atPartners: readonly (SeenPrintOrder & { readonly partner: string })[];
}

export interface Milestone {
  readonly title: string;
  /** Returns when the order reached the milestone, with details, or undefined when it has not reached it yet. */
  reached(snapshot: Snapshot): { readonly at: Date; readonly detail: string } | undefined;
}

type Reached = Milestone['reached'];

const hasEvent =
  (type: string, detail: (snapshot: Snapshot) => string): Reached =>
  (snapshot) => {
    const event = snapshot.order.eventLog.findLast((entry) => entry.type === type);
    if (event === undefined) return undefined;
    return { at: new Date(event.createdAt), detail: detail(snapshot) };
  };

const hasStatus =
  (status: keyof typeof PROGRESS_RANK, detail: (snapshot: Snapshot) => string): Reached =>
  (snapshot) => {
    const moments = snapshot.order.items.map(({ eventLog }) =>
      eventLog.find(({ data }) => rankOf(data.status) >= PROGRESS_RANK[status]),
    );
    if (moments.some((moment) => moment === undefined)) return undefined;
    const last = Math.max(...moments.map((moment) => Date.parse(moment!.createdAt)));
    return { at: new Date(last), detail: detail(snapshot) };
  };

const rankOf = (status: unknown) => PROGRESS_RANK[status as keyof typeof PROGRESS_RANK] ?? -1;

const partnersOf = ({ atPartners }: Snapshot) => [...new Set(atPartners.map(({ partner }) => partner))].join(', ');
const packagesOf = ({ order }: Snapshot) => order.shipment?.packages ?? [];

export const MILESTONES: readonly Milestone[] = [
  {
    title: 'Workflow started',
    reached: ({ order, workflowStartedAt }) =>
      workflowStartedAt && {
        at: workflowStartedAt,
        detail: `Temporal workflow ${orderWorkflowId(order.id)}`,
      },
  },
  {
    title: 'Print files fetched and checked',
    reached: ({ order, routing }) => {
      // No event has the time of the check. An order is routed directly after it.
      if (routing === undefined) return undefined;
      if (order.items.some(({ files }) => files.some(({ mimeType }) => mimeType === null))) return undefined;
      return { at: new Date(routing.createdAt), detail: order.items.map(fileFacts).join('; ') };
    },
  },
  {
    title: 'Routed by price, time, postage',
    reached: ({ routing }) =>
      routing?.decision.ok === true
        ? { at: new Date(routing.createdAt), detail: routingDetail(routing.decision) }
        : undefined,
  },
  {
    title: 'Print order accepted',
    reached: ({ takenAt, order, atPartners }) => {
      const wanted = new Set(order.items.flatMap(({ printJobs }) => printJobs.map((job) => job.printOrderId)));
      if (wanted.size === 0 || atPartners.length < wanted.size) return undefined;
      if (!atPartners.every(({ responses }) => responses.includes('200'))) return undefined;
      const ids = atPartners.map(({ printOrderId }) => printOrderId).join(', ');
      return { at: takenAt, detail: `print order ${ids}, signed and delivered` };
    },
  },
  {
    title: 'Received',
    reached: hasEvent('postback_received', (snapshot) => `${partnersOf(snapshot)} has started production`),
  },
  { title: 'Printed', reached: hasEvent('postback_printed', partnersOf) },
  {
    title: 'Dispatch: label made',
    reached: hasEvent('dispatched', (snapshot) =>
      packagesOf(snapshot)
        .map(({ shipmentMethodName, trackingCode }) => `${shipmentMethodName} ${trackingCode}`)
        .join(', '),
    ),
  },
  { title: 'Shipped', reached: hasStatus('shipped', partnersOf) },
  {
    title: 'In transit',
    reached: hasStatus('in_transit', (snapshot) => `${packagesOf(snapshot).length} parcels with the carrier`),
  },
  { title: 'Delivered', reached: hasStatus('delivered', ({ order }) => `to ${order.shippingAddress.city}`) },
];

function fileFacts(item: Order['items'][number]): string {
  const { pageCount } = item;
  const pages = pageCount === null ? '' : ` of ${pageCount} page${pageCount === 1 ? '' : 's'}`;
  return `${item.itemReferenceId} ${item.productFileMimeType}${pages}, ${kilobytes(item.filesSize)}`;
}

const kilobytes = (bytes: number) => `${Math.ceil(bytes / 1_000)} kB`;

/** Returns the chosen partners with their costs, and why the other partners were not chosen. */
function routingDetail(decision: Extract<RoutingDecision['decision'], { ok: true }>): string {
  const totals = new Map<string, { cents: number; items: number }>();
  const rejected = new Map<string, string>();
  const chosen = new Set<string>();
  for (const { alternatives } of decision.explanation) {
    for (const alternative of alternatives) {
      const { partnerUid } = alternative;
      if (alternative.verdict === 'rejected') rejected.set(partnerUid, alternative.detail);
      else {
        const { cents, items } = totals.get(partnerUid) ?? { cents: 0, items: 0 };
        totals.set(partnerUid, { cents: cents + alternative.cost.total, items: items + 1 });
        if (alternative.verdict === 'chosen') chosen.add(partnerUid);
      }
    }
  }
  const withCost = (uid: string) => `${uid} (${formatMinor(totals.get(uid)?.cents ?? 0, 'EUR')})`;
  const others = [...new Set([...totals.keys(), ...rejected.keys()])].filter((uid) => !chosen.has(uid));
  const rejections = others.map((uid) => (rejected.has(uid) ? `${uid}: ${rejected.get(uid)}` : withCost(uid)));
  const reason = rejections.length === 0 ? '' : `, rather than ${rejections.join(', ')}`;
  return `to ${[...chosen].map(withCost).join(' and ')}${reason}`;
}
