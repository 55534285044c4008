import { setTimeout as sleep } from 'node:timers/promises';
import { checkOutboundUrl } from '../../src/platform/http/outbound-addresses';
import type { SafeClient } from '../../src/platform/http/safe-client';
import { newSigningSecret } from '../../src/platform/http/webhook-signature';
import {
  createLabelReview,
  type ExpectedShipment,
  hasEnded,
  type LabelReview,
  type PostbackInbox,
  reviewPostbacks,
} from './postback-review';
import type { ConformanceReport, Finding, ScenarioReport } from './report';
import { createSampleIds, samplePrintOrder } from './sample-print-orders';
import { type CheckContext, type CheckedPartner, cleanUp, SCENARIOS } from './scenarios';
import { CHECK_LIMITS, type CheckLimits, createSend, type Send } from './sender';

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
  const { printOrderVersion: version } = partner;
  const sample = { nextId: createSampleIds(startedAt), version, filesUrl: options.filesUrl };
  let messages = 0;
  let findings: Finding[] = [];
  const context: CheckContext = {
    partner,
    slowMs: limits.slowMs,
    send(message) {
      messages += 1;
      return send(message);
    },
    newPrintOrder: (variant) => samplePrintOrder(variant, sample),
    open: new Set(),
    shipments: [],
    find: (fault, message) => findings.push({ fault, message }),
  };
  const scenarios: ScenarioReport[] = [];
  const deadline = startedAt.getTime() + (options.playMs ?? Number.POSITIVE_INFINITY);
  for (const { name, skipped, play } of SCENARIOS) {
    const reason = scenarios.length > 0 && Date.now() > deadline ? OUT_OF_TIME : skipped?.(partner);
    if (reason !== undefined) scenarios.push({ name, result: 'skipped', reason, findings: [] });
    else {
      findings = [];
      await play(context);
      scenarios.push(reportOf(name, findings));
    }
  }
  const { postbacks } = options;
  const watched = postbacks === undefined ? [] : context.shipments;
  for (const printOrder of [...context.open])
    if (Date.now() < deadline && !watched.some((shipment) => shipment.printOrder === printOrder))
      await cleanUp(context, printOrder);
  if (postbacks === undefined)
    scenarios.push({ name: POSTBACKS, result: 'skipped', reason: 'not asked to wait for them', findings: [] });
  else {
    // Of the first print order that was sent once.
    const once = watched.find(({ deliveries }) => deliveries === 'once');
    const label =
      once && createLabelReview(context.send, orderUpdateUrl, postbacks.inbox, once.printOrder, limits.shipSoonMs);
    scenarios.push(reportOf(POSTBACKS, await watchPostbacks(postbacks, watched, label, limits.settleMs, signal)));
  }
  return {
    passed: scenarios.every(({ result, reason }) => result !== 'failed' && reason !== OUT_OF_TIME),
    startedAt,
    finishedAt: new Date(),
    messages,
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
  // A server that crashes on the message listens too. The scenarios name the fault.
  if (response.ok || response.isBroken || response.kind === 'redirect' || response.kind === 'timeout') return;
  throw new CheckImpossible(`${url}: ${response.message}`);
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
    ...shipments.flatMap((shipment) => reviewPostbacks(inbox, shipment)),
    ...(label?.findings() ?? []),
  ];
}
