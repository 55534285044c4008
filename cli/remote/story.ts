import { z } from 'zod';
import { detailOf, sentenceOf, storyOf, type TimelineEntry } from '../../client/order-story';
import type { RunEvent } from '../../src/orders/domain/lifecycle/run-events';
import { facts, operation, order, orderIdOf } from './operation';

const HANDLERS = 'src/orders/domain/lifecycle/handlers';

/** The events of an order run by the file in `HANDLERS` with their rules. test/cli/story.test.ts compares them with the table of `reduce`. */
const EVENTS: Readonly<Record<string, readonly RunEvent['type'][]>> = {
  planning: ['fetching_files', 'refused', 'parked', 'prepared', 'delivery', 'move_promise'],
  postbacks: ['postback', 'mark_shipped'],
  parcels: [
    'dispatched',
    'dispatch_failed',
    'void_failed',
    'tracking',
    'tracking_checked',
    'shipping_changed',
    'lost_refunded',
  ],
  'order-updates': ['file_replaced', 'order_update'],
  cancels: ['cancel_requested', 'cancel_items', 'cancel_units', 'partner_cancel', 'refund_items'],
  reroutes: ['rerouted', 'reroute_forced', 'reroute_due'],
  holds: ['hold', 'release', 'accept_files', 'accept_address', 'retry', 'dismiss'],
  attention: ['deadline', 'reminded', 'flagged', 'flag_cleared', 'stall_ended', 'record_skipped', 'record_refused'],
};
export const HANDLER_FILES = new Map(
  Object.entries(EVENTS).flatMap(([file, types]) => types.map((type) => [type as string, file] as const)),
);

/**
 * What writes the entries of other types: an event of the order run, or a file. A type stands also for those that begin with it:
 * `print_order` for `print_order_refused`.
 */
export const WRITERS: Readonly<Record<string, RunEvent['type'] | `${string}.ts`>> = {
  status: 'src/orders/domain/lifecycle/facts/items.ts',
  units_cancelled: 'src/orders/domain/lifecycle/reduce.ts',
  order_refused: 'refused',
  handed_over: 'delivery',
  print_order_reminded: 'reminded',
  print_order: 'delivery',
  order_update: 'order_update',
  partner_not_updated: 'order_update',
  partner_cancel: 'partner_cancel',
  cancellation: 'partner_cancel',
  cancel_repeated: 'src/orders/production/postbacks.ts',
  cancel: 'cancel_requested',
  deadline_passed: 'deadline',
  label_not_voided: 'void_failed',
  tracking: 'tracking',
  voided_label_used: 'tracking',
  untracked_order_ended: 'tracking_checked',
  reroute: 'rerouted',
  reproduce: 'rerouted',
  change_shipping: 'shipping_changed',
  payment: 'src/orders/planning/receipts.ts',
  record_payment: 'src/orders/planning/receipts.ts',
  refund_units: 'src/orders/planning/ended-refunds.ts',
  files_delayed: 'src/orders/planning/file-delays.ts',
  file_requested: 'src/orders/production/replace-file.ts',
  request_file: 'src/orders/production/replace-file.ts',
  replace_file: 'src/orders/production/replace-file.ts',
  file_replacement: 'src/orders/production/file-replacements.ts',
  retail_prices_given: 'src/orders/intake/retail-prices.ts',
  give_retail_prices: 'src/orders/intake/retail-prices.ts',
  replace_label: 'src/orders/production/renewed-documents.ts',
  reprint: 'src/orders/intake/reprint.ts',
  ordered_again: 'src/orders/intake/submit-linked.ts',
  reconciled: 'src/orders/upkeep/compare.ts',
  step_lost: 'src/orders/run/lost-steps.ts',
  add_note: 'src/orders/reading/notes.ts',
  personal_data_erased: 'src/privacy/erase.ts',
};

const KINDS: Readonly<Partial<Record<TimelineEntry['kind'], RunEvent['type'] | `${string}.ts`>>> = {
  postback: 'postback',
  checkpoint: 'tracking',
  notification: 'src/notifications/enqueue.ts',
};

/** Returns the file with the rule that brought an entry, from the root of the repository. Null: no rule has entries of its type. */
export function ruleFileOf({ kind, type }: Pick<TimelineEntry, 'kind' | 'type'>): string | null {
  // The audit log names a change of an order `order.<name>`.
  const name = type.replace(/^order\./, '');
  const writer =
    KINDS[kind] ??
    (HANDLER_FILES.has(name)
      ? name
      : Object.entries(WRITERS).find(([begin]) => `${name}_`.startsWith(`${begin}_`))?.[1]);
  if (writer === undefined) return null;
  const file = HANDLER_FILES.get(writer);
  return file === undefined ? writer : `${HANDLERS}/${file}.ts`;
}

export const STORY = operation({
  command: 'story',
  description: 'tell what happened to an order in sentences, each with the file that has its rule',
  positional: ['order'],
  input: z.object({ order }),
  run: async ({ operator }, input) => {
    const orderId = await orderIdOf(operator, input.order);
    const { orderReferenceId, printOrders } = await operator.getOperatorOrder({ params: { orderId } });
    const partners = new Map(printOrders.map(({ id, partnerUid }) => [id, partnerUid]));
    const entries: TimelineEntry[] = [];
    for await (const entry of operator.each('getOrderTimeline', { params: { orderId }, query: { limit: 250 } }))
      entries.push(entry);
    const steps = storyOf([entries])
      .reverse()
      // A change and the statuses that it brings have one time.
      .sort((a, b) => a.at.localeCompare(b.at) || Number(a.type === 'status') - Number(b.type === 'status'))
      .map((entry) => ({
        at: entry.at,
        sentence: sentenceOf(entry, partners.get(entry.printOrderId ?? '') ?? null),
        detail: detailOf(entry),
        rule: ruleFileOf(entry),
      }));
    return { orderId, orderReferenceId, steps };
  },
  text: ({ orderId, orderReferenceId, steps }) =>
    facts([
      ['Order', `${orderReferenceId} (${orderId})`],
      ...steps.flatMap(({ at, sentence, detail, rule }) => [
        [at.slice(0, 19).replace('T', ' '), detail === '' ? sentence : `${sentence}. ${detail}`] as const,
        ...(rule === null ? [] : [['', rule] as const]),
      ]),
    ]),
});
