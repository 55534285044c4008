import type { Behaviour, ScriptedStep } from './behaviour';

/**
 * The behaviours of a print partner as data: how it responds to a print order, and what it does afterwards.
 * A rule of the control API selects a behaviour, or a marker in the second line of the delivery address
 * (`sandbox:dead-after-accept`, `sandbox:fails-first=2`, `sandbox:prints-ohio/refuses`).
 */

const received: ScriptedStep = { do: 'postback', status: 'received' };
const printed: ScriptedStep = { do: 'postback', status: 'printed' };
const shipped: ScriptedStep = { do: 'postback', status: 'shipped' };
const fetchAssets: ScriptedStep = { do: 'fetch-assets' };
const dispatch: ScriptedStep = { do: 'dispatch' };
const handOver: ScriptedStep = { do: 'hand-over' };

const produce: readonly ScriptedStep[] = [received, fetchAssets, printed];
const ship: readonly ScriptedStep[] = [dispatch, shipped, handOver];
const usual = () => [...produce, ...ship];
/** Takes a step after `received`, and then works as usual. */
const afterReceived = (step: ScriptedStep) => [received, step, fetchAssets, printed, ...ship];
const printSlowly = (ms: number) => [received, fetchAssets, pause(ms), printed, ...ship];
const pause = (ms: number): ScriptedStep => ({ do: 'pause', ms });
const error = (message: string): ScriptedStep => ({ do: 'postback', status: 'error', message });
const cancelled = (message: string, firstItem?: 'whole' | number): ScriptedStep => ({
  do: 'postback',
  status: 'cancelled',
  message,
  ...(firstItem === undefined ? {} : { firstItem }),
});
const printingTime = { meaning: 'milliseconds of printing', default: 5_000 };

/** Texts that are hard to keep: half of a surrogate pair, U+0000, an emoji across character 500, 1 MB, and control characters. */
const ODD_WORDS = [
  'Wartung \ud83d',
  'Wartung \0.',
  `Wartung ${'x'.repeat(491)}\u{1f600}y`,
  `Wartung ${'x'.repeat(1_000_000)}`,
  'Wartung \u0007\u001b[31m\u009b \u202e\ufeff\r\n',
] as const;
const oddWords = (number: number): string => ODD_WORDS[number - 1] ?? ODD_WORDS[0];
const oddAmount = {
  meaning:
    'the words: 1 half of a surrogate pair, 2 U+0000, 3 an emoji across character 500, 4 1 MB, 5 control characters',
  default: 1,
};

const behaviours = {
  'well-behaved': { summary: 'Accepts the order, prints it, requests dispatch and ships.', plan: usual },
  slow: {
    summary: 'Responds late and takes ten times as long for every step.',
    amount: { meaning: 'milliseconds before the response', default: 2_000 },
    firstResponses: (ms) => ({ times: 1, takes: true, how: { lateMs: ms } }),
    slowness: 10,
    plan: usual,
  },
  'fails-first': {
    summary: 'Responds to the first deliveries with 500, then accepts the order.',
    amount: { meaning: 'deliveries that fail', default: 2 },
    firstResponses: (times) => ({ times, takes: false, how: { status: 500, error: 'Internal error' } }),
    plan: usual,
  },
  busy: {
    summary: 'Responds to the first deliveries with 429 and Retry-After: 1, then accepts the order.',
    amount: { meaning: 'deliveries that get 429', default: 1 },
    firstResponses: (times) => ({
      times,
      takes: false,
      how: { status: 429, error: 'Too many orders just now', headers: { 'Retry-After': '1' } },
    }),
    plan: usual,
  },
  refuses: {
    summary: 'Refuses the order: responds with 422 and a reason.',
    firstResponses: () => ({
      times: Number.POSITIVE_INFINITY,
      takes: false,
      how: { status: 422, error: 'We cannot print on this paper until our press is repaired' },
    }),
    plan: () => [],
  },
  'dead-after-accept': {
    summary: 'Accepts the order and closes the connection before it responds.',
    amount: { meaning: 'deliveries that end this way', default: 1 },
    firstResponses: (times) => ({ times, takes: true, how: 'hang-up' }),
    plan: usual,
  },
  'silent-after-accept': {
    summary: 'Accepts the order and never responds.',
    amount: { meaning: 'deliveries that end this way', default: 1 },
    firstResponses: (times) => ({ times, takes: true, how: 'silence' }),
    plan: usual,
  },
  unresponsive: {
    summary: 'Keeps the connection of every delivery open, sends nothing, and does not accept the order.',
    firstResponses: () => ({ times: Number.POSITIVE_INFINITY, takes: false, how: 'silence' }),
    plan: () => [],
  },
  'no-postbacks': { summary: 'Accepts the order and never sends a postback.', plan: () => [] },
  'waits-for-reminder': {
    summary: 'Accepts the order and starts only after the second delivery.',
    beginsAtDelivery: 2,
    plan: usual,
  },
  'stops-after-received': {
    summary: 'Sends received and nothing afterwards.',
    plan: () => [received, fetchAssets],
  },
  'stops-after-printed': { summary: 'Prints and never requests dispatch.', plan: () => produce },
  'duplicate-postbacks': {
    summary: 'Sends three copies of every postback at once, and one more after the next step.',
    copies: 3,
    plan: usual,
  },
  'reversed-postbacks': {
    summary: 'Sends shipped, then printed, then received.',
    plan: () => [fetchAssets, dispatch, shipped, printed, received, handOver],
  },
  'late-postbacks': {
    summary: 'Repeats received, printed and shipped after shipped.',
    plan: () => [...usual(), received, printed, shipped],
  },
  'faulty-postbacks': {
    summary: 'Sends invalid postbacks after received, then continues as usual.',
    plan: () => afterReceived({ do: 'faulty-postbacks' }),
  },
  'per-item-postbacks': {
    summary: 'Sends each status separately for every item.',
    plan: () => [
      { ...received, perItem: true },
      fetchAssets,
      { ...printed, perItem: true },
      dispatch,
      { ...shipped, perItem: true },
      handOver,
    ],
  },
  'cancels-order': {
    summary: 'Accepts the order and cancels all of it.',
    plan: () => [received, cancelled('Our press is down')],
  },
  'cancels-item': {
    summary: 'Cancels the first item, produces and ships the others.',
    plan: () => afterReceived(cancelled('Out of this paper', 'whole')),
  },
  'cancels-quantity': {
    summary: 'Cancels some units of the first item and holds that item; produces and ships the others.',
    amount: { meaning: 'units', default: 1 },
    plan: (units) => afterReceived(cancelled('Spoiled in cutting', units)),
  },
  'error-then-recovers': {
    summary: 'Reports an error after received, then produces the order anyway.',
    plan: () => afterReceived(error('Colour profile missing, asking prepress')),
  },
  'error-only': {
    summary: 'Reports an error instead of received and stops.',
    plan: () => [error('The artwork cannot be opened in prepress')],
  },
  'ships-without-dispatch': {
    summary: 'Ships with its own carrier: the shipped postback has tracking code and link.',
    plan: () => [...produce, { ...shipped, ownTracking: 'unknown' }],
  },
  'ships-with-known-carrier': {
    summary:
      'Ships without dispatch. The shipped postback has a postal tracking number, and the carrier reports the parcel.',
    plan: () => [...produce, { ...shipped, ownTracking: 'followed' }, handOver],
  },
  'cancels-shipping-order': {
    summary: 'Buys a label with a shipping order of its own, cancels it, and then ships with dispatch.',
    plan: () => [...produce, { do: 'canceled-shipping-order' }, ...ship],
  },
  'replaces-label': {
    summary:
      'After dispatch, has the label of the first parcel replaced as if it were damaged, and ships with the new one.',
    plan: () => [...produce, dispatch, { do: 'dispatch', replacesLabel: true }, shipped, handOver],
  },
  'dispatches-often': {
    summary: 'Sends equal dispatch requests at once, and repeats the request before and after shipped.',
    amount: { meaning: 'requests at once', default: 5 },
    plan: (atOnce) => [...produce, { do: 'dispatch', atOnce }, dispatch, shipped, handOver, dispatch],
  },
  'refuses-cancel': {
    summary:
      'Responds to a cancel request with 409 and continues. Prints slowly enough that a cancel request is in time.',
    amount: { meaning: 'milliseconds of printing', default: 500 },
    refusesCancel: () => 'The job is on the press already',
    plan: printSlowly,
  },
  'prints-slowly': {
    summary: 'Prints slowly, which leaves time to cancel or change the order.',
    amount: printingTime,
    plan: printSlowly,
  },
  'waits-after-dispatch': {
    summary: 'Waits after dispatch, which leaves time to change the address, then requests dispatch again.',
    amount: { meaning: 'milliseconds between dispatch and shipped', default: 5_000 },
    plan: (ms) => [...produce, dispatch, pause(ms), dispatch, shipped, handOver],
  },
  'ships-old-label': {
    summary: 'Waits after dispatch and ships with the first label, even when the address has changed.',
    amount: { meaning: 'milliseconds between dispatch and shipped', default: 5_000 },
    plan: (ms) => [...produce, dispatch, pause(ms), shipped, handOver],
  },
  'refuses-updates': {
    summary: 'Refuses order updates with 422. Prints slowly, which leaves time to change the address.',
    amount: printingTime,
    updateResponse: () => ({ status: 422, error: 'We do not change the address of accepted orders' }),
    plan: printSlowly,
  },
  'misses-updates': {
    summary: 'Never responds to order updates. Prints slowly, which leaves time to change the address.',
    amount: printingTime,
    updateResponse: () => 'silence',
    plan: printSlowly,
  },
  'delays-updates': {
    summary: 'Responds to order updates late. Prints slowly, which leaves time to change the address.',
    amount: { meaning: 'milliseconds of printing, and before the response at most 12000', default: 3_000 },
    // Later, Pressline would have given up: that is `misses-updates`.
    updateResponse: (ms) => ({ lateMs: Math.min(ms, 12_000) }),
    plan: printSlowly,
  },
  'ships-to-old-address': {
    summary: 'Refuses order updates with 422, prints slowly and ships with its own carrier.',
    amount: printingTime,
    updateResponse: () => ({ status: 422, error: 'The label is printed already' }),
    plan: (ms) => [received, fetchAssets, pause(ms), printed, { ...shipped, ownTracking: 'unknown' }],
  },
  'odd-words': {
    summary:
      'Writes text that is hard to keep when it responds to the first delivery with 503, refuses order updates and cancel ' +
      'requests, and reports an error. Then it produces the order anyway.',
    amount: oddAmount,
    firstResponses: (number) => ({ times: 1, takes: false, how: { status: 503, error: oddWords(number) } }),
    updateResponse: (number) => ({ status: 422, error: oddWords(number) }),
    refusesCancel: oddWords,
    plan: (number) => afterReceived(error(oddWords(number))),
  },
  'odd-refusal': {
    summary: 'Refuses the order with 422 and text that is hard to keep.',
    amount: oddAmount,
    firstResponses: (number) => ({
      times: Number.POSITIVE_INFINITY,
      takes: false,
      how: { status: 422, error: oddWords(number) },
    }),
    plan: () => [],
  },
  redirects: {
    summary: 'Responds to every delivery with a redirect.',
    firstResponses: () => ({
      times: Number.POSITIVE_INFINITY,
      takes: false,
      how: { status: 307, error: 'Moved', headers: { Location: 'https://partner.example/orders' } },
    }),
    plan: () => [],
  },
  'accepts-forged-signatures': {
    summary: 'Accepts messages that are signed with another secret.',
    acceptsSignatures: ['forged'],
    plan: usual,
  },
  'accepts-unsigned': {
    summary: 'Accepts messages without a signature.',
    acceptsSignatures: ['unsigned'],
    plan: usual,
  },
  'accepts-old-signatures': {
    summary: 'Accepts messages that were signed for another time.',
    acceptsSignatures: ['old'],
    plan: usual,
  },
  'reads-first-signature': {
    summary: 'Looks at the first of several signatures only, and so refuses messages during a rotation.',
    readsFirstSignatureOnly: true,
    plan: usual,
  },
  'accepts-changed-content': {
    summary: 'Accepts a print order that arrives again with other content.',
    acceptsChangedContent: true,
    plan: usual,
  },
  'makes-duplicates': {
    summary: 'Makes a print order again for every delivery, each under a new job number.',
    duplicates: 'made-again',
    plan: usual,
  },
  'refuses-duplicates': {
    summary: 'Refuses a print order that arrives again with 409.',
    duplicates: 'refused',
    plan: usual,
  },
  impatient: {
    summary: 'Closes the connection when a print order arrives slowly.',
    amount: { meaning: 'milliseconds that the body may take', default: 500 },
    patienceMs: (ms) => ms,
    plan: usual,
  },
  'parcel-returned': { summary: 'The carrier returns the parcel.', journey: 'returned', plan: usual },
  'parcel-troubled': {
    summary: 'The parcel has every kind of exception and is delivered in the end.',
    journey: 'troubled',
    plan: usual,
  },
  'parcel-events-disordered': {
    summary: 'The carrier sends its events in reverse order, each twice.',
    journey: 'disordered',
    plan: usual,
  },
  'parcel-odd-words': {
    summary: 'The carrier writes control and right-to-left characters and the longest text into its events.',
    journey: 'odd-words',
    plan: usual,
  },
} as const satisfies Record<string, Behaviour>;

export type BehaviourName = keyof typeof behaviours;

/** All behaviours by name. */
export const BEHAVIOURS: Readonly<Record<BehaviourName, Behaviour>> = behaviours;

export function isBehaviourName(name: string): name is BehaviourName {
  return Object.hasOwn(BEHAVIOURS, name);
}

/** A behaviour with its amount. */
export interface ChosenBehaviour {
  readonly name: BehaviourName;
  readonly amount: number;
}

export function choose(name: BehaviourName, amount?: number): ChosenBehaviour {
  return { name, amount: amount ?? BEHAVIOURS[name].amount?.default ?? 0 };
}

const MARKER = /(?:^|\s)sandbox:(?:([a-z0-9-]+)\/)?([a-z-]+)(?:=(\d{1,9}))?(?=\s|$)/g;

/**
 * Returns the behaviour that a marker in an address line selects for a partner, or undefined without one.
 * A marker with a partner's name applies to that partner only. Unknown names are ignored.
 */
export function behaviourInAddress(line: string, partner: string): ChosenBehaviour | undefined {
  for (const [, forPartner, name, amount] of line.matchAll(MARKER)) {
    if (forPartner !== undefined && forPartner !== partner) continue;
    if (isBehaviourName(name!)) return choose(name, amount === undefined ? undefined : Number(amount));
  }
  return undefined;
}
