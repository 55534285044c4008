import { setTimeout as sleep } from 'node:timers/promises';
import type { ProductKind } from '../../catalog/domain/product';
import { checkOutboundUrl } from '../../platform/http/address-check';
import type { SafeClient } from '../../platform/http/safe-client';
import { newSigningSecret } from '../../platform/http/webhook-signature';
import { submitUrlFor } from '../domain/delivery-target';
import type { Subscription } from '../partner-schemas';
import {
  createLabelReview,
  type ExpectedShipment,
  hasEnded,
  type LabelReview,
  type PostbackInbox,
  reviewPostbacks,
} from './postback-review';
import type { ConformanceReport, Finding, ScenarioReport } from './report';
import { createSampleIds, type SamplePrintOrder, samplePrintOrder } from './sample-print-orders';
import { type CheckContext, cleanUp, SCENARIOS } from './scenarios';
import { CHECK_LIMITS, type CheckLimits, createSend, type Send } from './sender';

/** The addresses and the version of a partner's subscription. */
export interface CheckedPartner extends Omit<Subscription, 'documentTypes'> {
  readonly kinds: readonly ProductKind[];
  /** Signing secrets of the subscription. Empty: messages are signed with a secret that the partner does not know. */
  readonly secrets: readonly string[];
}

export interface CheckOptions {
  readonly client: SafeClient;
  /** Whether plain http and private networks are allowed. */
  readonly allowPrivate: boolean;
  /** Base URL of the print files, without a trailing slash. */
  readonly filesUrl: string;
  readonly limits?: CheckLimits;
  /** Milliseconds after which no further scenario begins. Default: no limit. */
  readonly playMs?: number;
  /** Waits for postbacks. Default: postbacks are not looked at. */
  readonly postbacks?: { readonly inbox: PostbackInbox; readonly waitMs: number };
  readonly signal?: AbortSignal;
}

/** The check cannot run: an address is not allowed, or nothing listens there. */
export class CheckImpossible extends Error {
  override readonly name = 'CheckImpossible';
}

const POLL_MS = 50;

/**
 * Sends the messages that a print partner gets and reports every rule that its responses break (docs/partners.md).
 * @throws CheckImpossible when an address is invalid or nothing responds at the submit address
 */
export async function checkPartner(partner: CheckedPartner, options: CheckOptions): Promise<ConformanceReport> {
  const { limits = CHECK_LIMITS, client, signal } = options;
  const { orderSubmitUrl, apparelOrderSubmitUrl, orderCancelUrl, orderUpdateUrl, inventoryUrl } = partner;
  for (const url of [orderSubmitUrl, apparelOrderSubmitUrl, orderCancelUrl, orderUpdateUrl, inventoryUrl]) {
    const fault = url === null ? undefined : checkOutboundUrl(url, options.allowPrivate);
    if (fault) throw new CheckImpossible(`${url}: ${fault.message}`);
  }
  const startedAt = new Date();
  const secrets = partner.secrets.length > 0 ? partner.secrets : [newSigningSecret()];
  const send = createSend(client, secrets, limits, signal);
  await assertListens(partner.orderSubmitUrl, send);
  const state = createState(partner, options, send, startedAt);
  const scenarios: ScenarioReport[] = [];
  const deadline = startedAt.getTime() + (options.playMs ?? Number.POSITIVE_INFINITY);
  for (const { name, skipped, play } of SCENARIOS) {
    const reason = Date.now() > deadline ? OUT_OF_TIME : skipped?.(state.context);
    if (reason !== undefined) scenarios.push({ name, result: 'skipped', reason, findings: [] });
    else {
      await play(state.context);
      scenarios.push(reportOf(name, state.takeFindings()));
    }
  }
  const { postbacks } = options;
  const watched = postbacks === undefined ? [] : state.shipments;
  for (const printOrder of state.acceptedOrders)
    if (Date.now() < deadline && !watched.some((shipment) => shipment.printOrder === printOrder))
      await cleanUp(state.context, printOrder);
  if (postbacks === undefined)
    scenarios.push({ name: POSTBACKS, result: 'skipped', reason: 'not asked to wait for them', findings: [] });
  else {
    // Of the first print order that was sent once.
    const once = watched.find(({ deliveries }) => deliveries === 'once');
    const label = once && createLabelReview(state.context, postbacks.inbox, once.printOrder, limits.shipSoonMs);
    scenarios.push(reportOf(POSTBACKS, await watchPostbacks(postbacks, watched, label, limits.settleMs, signal)));
  }
  return {
    passed: scenarios.every(({ result, reason }) => result !== 'failed' && reason !== OUT_OF_TIME),
    startedAt,
    finishedAt: new Date(),
    messages: state.sent(),
    scenarios,
  };
}

const POSTBACKS = 'Postbacks';
const OUT_OF_TIME = 'out of time';

const reportOf = (name: string, findings: Finding[]): ScenarioReport => ({
  name,
  result: findings.length === 0 ? 'passed' : 'failed',
  reason: null,
  findings,
});

/** Sends a message that is no print order, to tell an address without a server from a partner with faults. */
async function assertListens(url: string, send: Send): Promise<void> {
  const response = await send({ url, body: {}, signing: 'unsigned' });
  if (response.ok || response.kind === 'redirect' || response.kind === 'timeout') return;
  throw new CheckImpossible(`${url}: ${response.message}`);
}

function createState(partner: CheckedPartner, options: CheckOptions, send: Send, startedAt: Date) {
  let findings: Finding[] = [];
  let messages = 0;
  const acceptedOrders: SamplePrintOrder[] = [];
  const shipments: ExpectedShipment[] = [];
  const canceledOrders = new Set<SamplePrintOrder>();
  const { filesUrl } = options;
  const sample = { nextId: createSampleIds(startedAt), version: partner.printOrderVersion, filesUrl };
  const context: CheckContext = {
    send(message) {
      messages += 1;
      return send(message);
    },
    slowMs: (options.limits ?? CHECK_LIMITS).slowMs,
    kinds: partner.kinds,
    knowsSecret: partner.secrets.length > 0,
    submitUrl: (kind) => submitUrlFor(kind, partner)!,
    cancelUrl: partner.orderCancelUrl,
    updateUrl: partner.orderUpdateUrl,
    inventoryUrl: partner.inventoryUrl,
    newPrintOrder: (variant) => samplePrintOrder(variant, sample),
    accepted: (printOrder) => acceptedOrders.push(printOrder),
    expectShipment: (printOrder, deliveries) => shipments.push({ printOrder, deliveries }),
    canceled: (printOrder) => canceledOrders.add(printOrder),
    find: (fault, message) => findings.push({ fault, message }),
  };
  return {
    context,
    shipments,
    /** Accepted print orders that no scenario has canceled. */
    get acceptedOrders() {
      return acceptedOrders.filter((printOrder) => !canceledOrders.has(printOrder));
    },
    sent: () => messages,
    takeFindings(): Finding[] {
      const taken = findings;
      findings = [];
      return taken;
    },
  };
}

/** Waits until every print order has ended, at most the given time, and reviews its postbacks. */
async function watchPostbacks(
  { inbox, waitMs }: NonNullable<CheckOptions['postbacks']>,
  shipments: readonly ExpectedShipment[],
  label: LabelReview | undefined,
  settleMs: number,
  signal: AbortSignal | undefined,
): Promise<Finding[]> {
  const deadline = Date.now() + waitMs;
  while (Date.now() < deadline && !shipments.every((shipment) => hasEnded(inbox.arrived(), shipment))) {
    await label?.advance();
    await sleep(POLL_MS, undefined, { signal });
  }
  // A print order that is made twice is reported again.
  await sleep(Math.max(0, Math.min(settleMs, deadline - Date.now())), undefined, { signal });
  const arrived = inbox.arrived();
  return [
    ...arrived
      .filter(({ problems }) => problems.length > 0)
      .map(({ orderId, status, problems }): Finding => {
        return { fault: 'postback-invalid', message: `${status} of print order ${orderId}: ${problems.join('; ')}` };
      }),
    ...shipments.flatMap((shipment) => reviewPostbacks(arrived, shipment)),
    ...(label?.findings() ?? []),
  ];
}
