import { z } from 'zod';
import type { ProductKind } from '../../src/catalog/domain/product';
import { submitUrlFor } from '../../src/partners/domain/partner-protocol';
import { withRevision } from '../../src/partners/domain/print-order';
import {
  type CancelRequestBody,
  type PrintOrderBody,
  STOCK_POLL_VERSION,
  type StockPollBody,
} from '../../src/partners/message-schemas';
import type { Subscription } from '../../src/partners/partner-schemas';
import { stockReportSchema } from '../../src/partners/partner-schemas';
import { cutText } from '../../src/platform/domain/foreign-text';
import { isTransient } from '../../src/platform/http/responses';
import type { ExpectedShipment } from './postback-review';
import type { FaultName } from './report';
import { CHANGED_DELIVERY, SAMPLE_VARIANTS, type SamplePrintOrder, type SampleVariant } from './sample-print-orders';
import { SAMPLE_SKUS } from './sample-products';
import type { CheckedResponse, Send, Signing } from './sender';

/** The addresses and the version of a partner's subscription. */
export interface CheckedPartner extends Omit<Subscription, 'documentTypes'> {
  readonly kinds: readonly ProductKind[];
  /** Signing secrets of the subscription. Empty: messages are signed with a secret that the partner does not know. */
  readonly secrets: readonly string[];
}

/** What the scenarios of one check share. */
export interface CheckContext {
  readonly partner: CheckedPartner;
  readonly slowMs: number;
  readonly send: Send;
  newPrintOrder(variant: SampleVariant): SamplePrintOrder;
  /** Print orders that the partner accepted and was not asked to cancel: the check cancels them at its end. */
  readonly open: Set<SamplePrintOrder>;
  /** Print orders whose postbacks are awaited at the end of the check, when it waits for any. */
  readonly shipments: ExpectedShipment[];
  find(fault: FaultName, message: string): void;
}

/** A part of the check. */
export interface Scenario {
  readonly name: string;
  /** Returns why the scenario cannot be played, or undefined. */
  readonly skipped?: (partner: CheckedPartner) => string | undefined;
  readonly play: (context: CheckContext) => Promise<void>;
}

const isAccepted = (response: CheckedResponse) => response.ok && response.status < 300;

const describe = (response: CheckedResponse) =>
  response.ok ? `HTTP ${response.status} ${cutText(response.text, 200)}`.trim() : response.message;

/**
 * Reports the fault of a response that is no decision: no response, a redirect, or an error of the server.
 * @returns true when the response is a decision: 2xx, or 4xx except 408, 425 and 429
 */
function isDecided(context: CheckContext, what: string, response: CheckedResponse): boolean {
  const { find, slowMs } = context;
  if (response.durationMs > slowMs && response.ok)
    find('slow-response', `${what}: responded after ${response.durationMs} ms`);
  if (response.ok) {
    if (!isTransient(response)) return true;
    find('server-error', `${what}: ${describe(response)}`);
    return false;
  }
  const faults: Readonly<Record<string, FaultName>> = { timeout: 'no-response', redirect: 'redirect-response' };
  find(faults[response.kind] ?? 'connection-broken', `${what}: ${response.message}`);
  return false;
}

/** Reports `fault` unless a message was accepted. Returns true when it was. */
function mustAccept(context: CheckContext, what: string, response: CheckedResponse, fault: FaultName): boolean {
  if (!isDecided(context, what, response)) return false;
  if (isAccepted(response)) return true;
  context.find(fault, `${what}: ${describe(response)}`);
  return false;
}

/** Reports `fault` when a message was accepted. */
function mustRefuse(context: CheckContext, what: string, response: CheckedResponse, fault: FaultName): void {
  if (isDecided(context, what, response) && isAccepted(response)) context.find(fault, `${what}: ${describe(response)}`);
}

async function submit(
  context: CheckContext,
  { kind, body }: Pick<SamplePrintOrder, 'kind' | 'body'>,
  options: { messageId?: string; signing?: Signing; isSlow?: boolean } = {},
): Promise<CheckedResponse> {
  return await context.send({ url: submitUrlFor(kind, context.partner)!, body, ...options });
}

/** Submits a new print order that the partner must accept. @returns the print order, or undefined when it did not */
async function submitAccepted(
  context: CheckContext,
  variant: SampleVariant = PAPER,
  messageId?: string,
): Promise<{ printOrder: SamplePrintOrder; response: CheckedResponse } | undefined> {
  const variantOrder = context.newPrintOrder(variantFor(context, variant));
  const response = await submit(context, variantOrder, messageId === undefined ? {} : { messageId });
  const what = `print order ${variantOrder.id} (${variant.name})`;
  if (!mustAccept(context, what, response, 'print-order-refused')) return undefined;
  context.open.add(variantOrder);
  return { printOrder: variantOrder, response };
}

const PAPER = SAMPLE_VARIANTS[0]!;

/** Returns the variant, or another one that the partner makes. */
function variantFor({ partner: { kinds } }: CheckContext, variant: SampleVariant): SampleVariant {
  return kinds.includes(variant.kind) ? variant : SAMPLE_VARIANTS.find(({ kind }) => kinds.includes(kind))!;
}

/** Names of what a partner makes, without `_` and `-`: `id`, `jobId`, `print_order_id`. Ids of requests and traces are new each time. */
const PRODUCTION_ID = /^(partner|print|production|work|external)?(order|job|production|item)?(id|number)$/i;

/** Returns the ids of what the partner makes in a response, by their names, at most one level deep: `{"jobId": 7}`. */
function idsIn(response: CheckedResponse): Record<string, string> {
  if (!response.ok) return {};
  try {
    const body = z.record(z.string(), z.unknown()).parse(JSON.parse(response.text));
    return Object.fromEntries(
      Object.entries(body)
        .filter(([name, value]) => PRODUCTION_ID.test(name.replace(/[_-]/g, '')) && value !== null)
        .map(([name, value]) => [name, JSON.stringify(value)]),
    );
  } catch {
    return {};
  }
}

/**
 * Checks the response to a repeated print order. It shows a second production by 201 (created) twice, or by other ids than
 * those of the first response.
 */
function checkRepeated(context: CheckContext, what: string, first: CheckedResponse, again: CheckedResponse): void {
  if (!mustAccept(context, what, again, 'duplicate-refused') || !first.ok || !again.ok) return;
  const before = idsIn(first);
  const changed = Object.entries(idsIn(again)).filter(
    ([name, value]) => before[name] !== undefined && before[name] !== value,
  );
  if (changed.length > 0) {
    const ids = changed.map(([name, value]) => `${name} ${before[name]}, then ${value}`);
    context.find('duplicate-made-twice', `${what}: ${ids.join('; ')}`);
  } else if (first.status === 201 && again.status === 201)
    context.find('duplicate-made-twice', `${what}: responded with 201 both times`);
}

const variants: Scenario = {
  name: 'Print orders of each variant',
  async play(context) {
    for (const variant of SAMPLE_VARIANTS) {
      if (!context.partner.kinds.includes(variant.kind)) continue;
      const submitted = await submitAccepted(context, variant);
      if (submitted) context.shipments.push({ printOrder: submitted.printOrder, deliveries: 'once' });
    }
  },
};

const duplicates: Scenario = {
  name: 'Duplicates',
  async play(context) {
    const messageId = `msg_${context.newPrintOrder(PAPER).id}`;
    const submitted = await submitAccepted(context, PAPER, messageId);
    if (submitted) {
      const { printOrder, response } = submitted;
      context.shipments.push({ printOrder, deliveries: 'again' });
      const retried = await submit(context, printOrder, { messageId });
      checkRepeated(context, `print order ${printOrder.id}, again`, response, retried);
      const renewed = await submit(context, printOrder);
      checkRepeated(context, `print order ${printOrder.id}, under another webhook-id`, response, renewed);
    }
    const twin = context.newPrintOrder(variantFor(context, PAPER));
    const options = { messageId: `msg_${twin.id}` };
    const [one, other] = await Promise.all([submit(context, twin, options), submit(context, twin, options)]);
    const what = `print order ${twin.id}, twice at once`;
    if (isAccepted(one!) || isAccepted(other!)) context.open.add(twin);
    const fault = isAccepted(other!) ? 'duplicate-refused' : 'print-order-refused';
    if (mustAccept(context, what, one!, fault)) checkRepeated(context, what, one!, other!);
  },
};

const changedContent: Scenario = {
  name: 'Changed content under a known id',
  async play(context) {
    const submitted = await submitAccepted(context);
    if (!submitted) return;
    const { printOrder } = submitted;
    const changes: readonly [string, PrintOrderBody][] = [
      ['another quantity', printOrder.changed({ quantity: 3 })],
      ['another address', printOrder.changed({ delivery: CHANGED_DELIVERY })],
    ];
    for (const [change, body] of changes) {
      const response = await submit(context, { kind: printOrder.kind, body });
      const what = `print order ${printOrder.id} with ${change}`;
      mustRefuse(context, what, response, 'changed-content-accepted');
    }
  },
};

/** Signatures that must be refused, with the fault of a partner that accepts them. */
const BAD_SIGNATURES: readonly [Signing, FaultName, string][] = [
  ['forged', 'bad-signature-accepted', 'signed with another secret'],
  ['changed-body', 'bad-signature-accepted', 'with the signature of another body'],
  ['unsigned', 'unsigned-accepted', 'without a signature'],
  ['old', 'old-signature-accepted', 'signed ten minutes ago'],
  ['future', 'future-signature-accepted', 'signed for a time in ten minutes'],
];

const signatures: Scenario = {
  name: 'Signatures of print orders',
  skipped: ({ secrets }) => (secrets.length > 0 ? undefined : 'the secret of the partner is not given'),
  async play(context) {
    for (const [signing, fault, text] of BAD_SIGNATURES) {
      const printOrder = context.newPrintOrder(variantFor(context, PAPER));
      const response = await submit(context, printOrder, { signing });
      if (isAccepted(response)) context.open.add(printOrder);
      mustRefuse(context, `print order ${printOrder.id} ${text}`, response, fault);
    }
    // A partner that refuses every print order has another fault.
    if (!(await submitAccepted(context))) return;
    const printOrder = context.newPrintOrder(variantFor(context, PAPER));
    const response = await submit(context, printOrder, { signing: 'rotated' });
    const what = `print order ${printOrder.id} with two signatures`;
    if (mustAccept(context, what, response, 'rotated-signature-refused')) context.open.add(printOrder);
  },
};

const slowDelivery: Scenario = {
  name: 'Slow delivery',
  async play(context) {
    if (!(await submitAccepted(context))) return;
    const printOrder = context.newPrintOrder(variantFor(context, PAPER));
    const response = await submit(context, printOrder, { isSlow: true });
    const what = `print order ${printOrder.id}, slowly`;
    if (!response.ok && response.kind === 'connection')
      context.find('slow-delivery-refused', `${what}: ${response.message}`);
    else if (response.ok && response.status === 408)
      context.find('slow-delivery-refused', `${what}: ${describe(response)}`);
    else if (mustAccept(context, what, response, 'slow-delivery-refused')) context.open.add(printOrder);
  },
};

function cancelRequest(printOrder: SamplePrintOrder): CancelRequestBody {
  return {
    version: printOrder.body.version,
    orderId: printOrder.id,
    canceledPrintJobIdList: [...printOrder.itemIds],
    reason: 'Conformance check',
  };
}

/** Posts a forged message that must be refused. */
async function mustRefuseForged(context: CheckContext, url: string, what: string, body: unknown): Promise<void> {
  if (context.partner.secrets.length === 0) return;
  const response = await context.send({ url, body, signing: 'forged' });
  mustRefuse(context, `${what} signed with another secret`, response, 'bad-signature-accepted');
}

const cancels: Scenario = {
  name: 'Cancel requests',
  skipped: ({ orderCancelUrl }) => (orderCancelUrl === null ? 'no cancel URL' : undefined),
  async play(context) {
    const url = context.partner.orderCancelUrl!;
    const submitted = await submitAccepted(context);
    if (submitted) {
      const { printOrder } = submitted;
      const body = cancelRequest(printOrder);
      await mustRefuseForged(context, url, `cancel request of ${printOrder.id}`, body);
      context.open.delete(printOrder);
      const response = await context.send({ url, body });
      const what = `cancel request of ${printOrder.id}`;
      if (mustAccept(context, what, response, 'cancel-refused')) {
        const again = await context.send({ url, body });
        // 404 and 410 say that the partner does not have the print order, which confirms the cancellation too.
        const isGone = again.ok && (again.status === 404 || again.status === 410);
        if (!isGone) mustAccept(context, `${what}, again`, again, 'duplicate-cancel-refused');
      }
    }
    const unknown = context.newPrintOrder(variantFor(context, PAPER));
    const response = await context.send({ url, body: cancelRequest(unknown) });
    if (!response.ok || response.status >= 500)
      context.find('unknown-cancel-failed', `cancel request of ${unknown.id}: ${describe(response)}`);
  },
};

const updates: Scenario = {
  name: 'Order updates',
  skipped: ({ orderUpdateUrl }) => (orderUpdateUrl === null ? 'no update URL' : undefined),
  async play(context) {
    const url = context.partner.orderUpdateUrl!;
    const submitted = await submitAccepted(context);
    if (!submitted) return;
    const { printOrder } = submitted;
    const body = withRevision(printOrder.changed({ delivery: CHANGED_DELIVERY }), 2);
    const what = `update of ${printOrder.id}`;
    await mustRefuseForged(context, url, what, body);
    const messageId = `msg_update_${printOrder.id}`;
    const response = await context.send({ url, body, messageId });
    if (!mustAccept(context, what, response, 'update-refused')) return;
    const again = await context.send({ url, body, messageId });
    if (!mustAccept(context, `${what}, again`, again, 'duplicate-update-refused')) return;
    // After units are cancelled, an update states those that are still wanted.
    const fewer = withRevision(printOrder.changed({ delivery: CHANGED_DELIVERY, quantity: 1 }), 3);
    const cut = await context.send({ url, body: fewer });
    mustAccept(context, `update of ${printOrder.id} to fewer units`, cut, 'update-refused');
  },
};

const inventory: Scenario = {
  name: 'Stock poll',
  skipped: ({ inventoryUrl }) => (inventoryUrl === null ? 'no inventory URL' : undefined),
  async play(context) {
    const url = context.partner.inventoryUrl!;
    const body: StockPollBody = { version: STOCK_POLL_VERSION, SKU: [...SAMPLE_SKUS] };
    await mustRefuseForged(context, url, 'stock poll', body);
    const response = await context.send({ url, body });
    if (!mustAccept(context, 'stock poll', response, 'inventory-refused') || !response.ok) return;
    const problem = inventoryProblem(response.text);
    if (problem !== undefined) context.find('inventory-invalid', `stock poll: ${problem}`);
  },
};

const inventorySchema = z.object({ items: z.array(stockReportSchema) });

/** Returns what is wrong with the response to a stock poll. SKUs that the partner does not have may be missing. */
function inventoryProblem(text: string): string | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return 'the response is not JSON';
  }
  const parsed = inventorySchema.safeParse(body);
  if (!parsed.success)
    return parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  const other = parsed.data.items.find(({ SKU }) => !SAMPLE_SKUS.includes(SKU));
  return other && `the response has the SKU ${other.SKU}, which the poll does not name`;
}

/** The scenarios in the order in which they are played. */
export const SCENARIOS: readonly Scenario[] = [
  variants,
  duplicates,
  changedContent,
  signatures,
  slowDelivery,
  cancels,
  updates,
  inventory,
];

/** Requests the cancellation of a print order at the end of the check. Its response does not matter. */
export async function cleanUp(context: CheckContext, printOrder: SamplePrintOrder): Promise<void> {
  const { orderCancelUrl: url } = context.partner;
  if (url !== null) await context.send({ url, body: cancelRequest(printOrder) });
}
