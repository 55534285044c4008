import type { Operations, Order } from '../../client/pressline-client';
import type { SeenPrintOrder } from '../../sandbox';
import { PROGRESS_RANK } from '../../src/orders/domain/lifecycle/statuses';
import { formatMinor } from '../../src/platform/domain/money';
import { orderWorkflowId } from '../../src/platform/domain/workflows';

type RoutingDecision = Operations['getOrderRouting']['answer']['decisions'][number];

/** All that can be seen of the demo's order at one moment. */
export interface Sighting {
  readonly seenAt: Date;
  readonly order: Order;
  readonly runStartedAt: Date | undefined;
  readonly routing: RoutingDecision | undefined;
  /** The order's print orders, as the sandbox's partners have them. */
  readonly atPartners: readonly SeenPrintOrder[];
}

export interface DemoStep {
  readonly title: string;
  /** When it happened and what there is to say of it; undefined while it has not happened. */
  look(sighting: Sighting): { readonly at: Date; readonly detail: string } | undefined;
}

type Look = DemoStep['look'];

/** An event of the order's log: `postback_received`, `dispatched`, ... */
const logged =
  (type: string, detail: (sighting: Sighting) => string): Look =>
  (sighting) => {
    const event = sighting.order.eventLog.findLast((entry) => entry.type === type);
    if (event === undefined) return undefined;
    return { at: new Date(event.createdAt), detail: detail(sighting) };
  };

/** The moment from which every item stood at a status or beyond it. */
const reached =
  (status: keyof typeof PROGRESS_RANK, detail: (sighting: Sighting) => string): Look =>
  (sighting) => {
    const moments = sighting.order.items.map(({ eventLog }) =>
      eventLog.find(({ data }) => rankOf(data.status) >= PROGRESS_RANK[status]),
    );
    if (moments.some((moment) => moment === undefined)) return undefined;
    const last = Math.max(...moments.map((moment) => Date.parse(moment!.createdAt)));
    return { at: new Date(last), detail: detail(sighting) };
  };

const rankOf = (status: unknown) => PROGRESS_RANK[status as keyof typeof PROGRESS_RANK] ?? -1;

const partnersOf = ({ order }: Sighting) =>
  [...new Set(order.items.flatMap(({ printJobs }) => printJobs.map(({ partner }) => partner)))].join(', ');
const packagesOf = ({ order }: Sighting) => order.shipment?.packages ?? [];

/** What the demo shows, in the order of its happening. */
export const DEMO_STEPS: readonly DemoStep[] = [
  {
    title: 'Run started',
    look: ({ order, runStartedAt }) =>
      runStartedAt && { at: runStartedAt, detail: `Temporal workflow ${orderWorkflowId(order.id)}` },
  },
  {
    title: 'Print files fetched and checked',
    look: ({ seenAt, order }) => {
      if (order.items.some(({ files }) => files.some(({ mimeType }) => mimeType === null))) return undefined;
      return { at: seenAt, detail: order.items.map(fileFacts).join('; ') };
    },
  },
  {
    title: 'Routed by price, time, postage',
    look: ({ routing }) =>
      routing?.decision.ok === true
        ? { at: new Date(routing.createdAt), detail: whyRouted(routing.decision) }
        : undefined,
  },
  {
    title: 'Print order accepted',
    look: ({ seenAt, order, atPartners }) => {
      const wanted = new Set(
        order.items.flatMap(({ printJobs }) => printJobs.map((job) => job.printOrderId)),
      );
      if (wanted.size === 0 || atPartners.length < wanted.size) return undefined;
      if (!atPartners.every(({ answers }) => answers.includes('200'))) return undefined;
      const ids = atPartners.map(({ printOrderId }) => printOrderId).join(', ');
      return { at: seenAt, detail: `print order ${ids}, signed and delivered` };
    },
  },
  { title: 'Received', look: logged('postback_received', (seen) => `${partnersOf(seen)} has begun`) },
  { title: 'Printed', look: logged('postback_printed', partnersOf) },
  {
    title: 'Dispatch: label made',
    look: logged('dispatched', (seen) =>
      packagesOf(seen)
        .map(({ shipmentMethodName, trackingCode }) => `${shipmentMethodName} ${trackingCode}`)
        .join(', '),
    ),
  },
  { title: 'Shipped', look: reached('shipped', partnersOf) },
  {
    title: 'In transit',
    look: reached('in_transit', (seen) => `${packagesOf(seen).length} parcels with the carrier`),
  },
  { title: 'Delivered', look: reached('delivered', ({ order }) => `to ${order.shippingAddress.city}`) },
];

function fileFacts(item: Order['items'][number]): string {
  const { pageCount } = item;
  const pages = pageCount === null ? '' : ` of ${pageCount} page${pageCount === 1 ? '' : 's'}`;
  return `${item.itemReferenceId} ${item.productFileMimeType}${pages}, ${kilobytes(item.filesSize)}`;
}

const kilobytes = (bytes: number) => `${Math.ceil(bytes / 1_000)} kB`;

/** Each chosen partner with what it was reckoned at, and what spoke against the others. */
function whyRouted(decision: Extract<RoutingDecision['decision'], { ok: true }>): string {
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
  const reckoned = (uid: string) => `${uid} (${formatMinor(totals.get(uid)?.cents ?? 0, 'EUR')})`;
  const others = [...new Set([...totals.keys(), ...rejected.keys()])].filter((uid) => !chosen.has(uid));
  const against = others.map((uid) => (rejected.has(uid) ? `${uid}: ${rejected.get(uid)}` : reckoned(uid)));
  const reason = against.length === 0 ? '' : `, rather than ${against.join(', ')}`;
  return `to ${[...chosen].map(reckoned).join(' and ')}${reason}`;
}
