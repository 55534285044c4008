/**
 * How a print partner may behave, as data: what it answers to a print order, and what it does then.
 * A behaviour is chosen by a rule of the control API or by a marker in the receiver's second address line
 * (`sandbox:dead-after-accept`, `sandbox:fails-first=2`, `sandbox:prints-ohio/refuses`).
 */

export type PostbackStatus = 'received' | 'error' | 'printed' | 'shipped' | 'cancelled';

export type JourneyName = 'delivered' | 'returned' | 'troubled' | 'disordered';

/** One thing that a partner does with a print order. */
export type ScriptedStep =
  | {
      readonly do: 'postback';
      readonly status: PostbackStatus;
      readonly message?: string;
      /** One postback for each item in place of one for all. */
      readonly perItem?: boolean;
      /** The partner's own tracking code and link, for partners that do not ask for dispatch. */
      readonly ownTracking?: boolean;
      /** Cancels the first item only: whole, or this many pieces of it. */
      readonly firstItem?: 'whole' | number;
    }
  | { readonly do: 'fetch-assets' }
  | { readonly do: 'dispatch' /** Equal requests sent at the same moment. */; readonly atOnce?: number }
  | { readonly do: 'hand-over' }
  | { readonly do: 'faulty-postbacks' }
  | { readonly do: 'pause'; readonly ms: number };

/** How the first deliveries of a print order are answered; later ones are answered 200. */
export interface FirstAnswers {
  /** Deliveries that get this answer. */
  readonly times: number;
  /** Whether the partner took the order nevertheless. */
  readonly takes: boolean;
  readonly how:
    | {
        readonly status: number;
        readonly error: string;
        readonly headers?: Readonly<Record<string, string>>;
      }
    /** Closes the connection. */
    | 'hang-up'
    /** Keeps the connection open and says nothing. */
    | 'silence'
    | { readonly lateMs: number };
}

export interface Behaviour {
  readonly summary: string;
  /** What `=n` behind the name means, and its default. */
  readonly amount?: { readonly meaning: string; readonly default: number };
  readonly firstAnswers?: (amount: number) => FirstAnswers;
  readonly plan: (amount: number) => readonly ScriptedStep[];
  /** Delivery of the print order at which work begins: 2 waits to be reminded. */
  readonly beginsAtDelivery?: number;
  /** Pauses are this many times as long. */
  readonly slowness?: number;
  /** Every postback is sent this many times at once, and once more after the next step. */
  readonly copies?: number;
  /** What a cancel order is answered with; the partner goes on. */
  readonly refusesCancel?: string;
  /** How the parcel fares with the carrier; `delivered` without. */
  readonly journey?: JourneyName;
}

const received: ScriptedStep = { do: 'postback', status: 'received' };
const printed: ScriptedStep = { do: 'postback', status: 'printed' };
const shipped: ScriptedStep = { do: 'postback', status: 'shipped' };
const fetchAssets: ScriptedStep = { do: 'fetch-assets' };
const dispatch: ScriptedStep = { do: 'dispatch' };
const handOver: ScriptedStep = { do: 'hand-over' };

const made: readonly ScriptedStep[] = [received, fetchAssets, printed];
const sent: readonly ScriptedStep[] = [dispatch, shipped, handOver];
const usual = () => [...made, ...sent];

const behaviours = {
  'well-behaved': { summary: 'Takes the order, prints, asks for dispatch, ships.', plan: usual },
  slow: {
    summary: 'Answers late and takes ten times as long over every step.',
    amount: { meaning: 'milliseconds before the answer', default: 2_000 },
    firstAnswers: (ms) => ({ times: 1, takes: true, how: { lateMs: ms } }),
    slowness: 10,
    plan: usual,
  },
  'fails-first': {
    summary: 'Answers 500 to the first deliveries and then takes the order.',
    amount: { meaning: 'deliveries that fail', default: 2 },
    firstAnswers: (times) => ({ times, takes: false, how: { status: 500, error: 'Internal error' } }),
    plan: usual,
  },
  busy: {
    summary: 'Answers 429 with Retry-After: 1 to the first deliveries and then takes the order.',
    amount: { meaning: 'deliveries put off', default: 1 },
    firstAnswers: (times) => ({
      times,
      takes: false,
      how: { status: 429, error: 'Too many orders just now', headers: { 'Retry-After': '1' } },
    }),
    plan: usual,
  },
  refuses: {
    summary: 'Answers 422 with its reason: the order is not taken.',
    firstAnswers: () => ({
      times: Number.POSITIVE_INFINITY,
      takes: false,
      how: { status: 422, error: 'We cannot print on this paper until our press is repaired' },
    }),
    plan: () => [],
  },
  'dead-after-accept': {
    summary: 'Takes the order and closes the connection before it answers.',
    amount: { meaning: 'deliveries that end so', default: 1 },
    firstAnswers: (times) => ({ times, takes: true, how: 'hang-up' }),
    plan: usual,
  },
  'silent-after-accept': {
    summary: 'Takes the order and leaves the request without any answer.',
    amount: { meaning: 'deliveries that end so', default: 1 },
    firstAnswers: (times) => ({ times, takes: true, how: 'silence' }),
    plan: usual,
  },
  'never-answers': { summary: 'Takes the order; no postback ever comes.', plan: () => [] },
  'waits-for-reminder': {
    summary: 'Takes the order and begins only when it is delivered a second time.',
    beginsAtDelivery: 2,
    plan: usual,
  },
  'stops-after-received': {
    summary: 'Sends received and nothing after it.',
    plan: () => [received, fetchAssets],
  },
  'stops-after-printed': { summary: 'Prints, and never asks for dispatch.', plan: () => made },
  'duplicate-postbacks': {
    summary: 'Sends every postback three times at once, and once more after the next step.',
    copies: 3,
    plan: usual,
  },
  'reversed-postbacks': {
    summary: 'Sends shipped before printed before received.',
    plan: () => [fetchAssets, dispatch, shipped, printed, received, handOver],
  },
  'late-postbacks': {
    summary: 'After shipped repeats received, printed and shipped.',
    plan: () => [...usual(), received, printed, shipped],
  },
  'faulty-postbacks': {
    summary: 'After received sends postbacks that break the rules, and then goes on as usual.',
    plan: () => [received, { do: 'faulty-postbacks' }, fetchAssets, printed, ...sent],
  },
  'per-item-postbacks': {
    summary: 'Sends each status once for every item.',
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
    summary: 'Takes the order and cancels all of it.',
    plan: () => [received, { do: 'postback', status: 'cancelled', message: 'Our press is down' }],
  },
  'cancels-item': {
    summary: 'Cancels the first item, makes and ships the others.',
    plan: () => [
      received,
      { do: 'postback', status: 'cancelled', message: 'Out of this paper', firstItem: 'whole' },
      fetchAssets,
      printed,
      ...sent,
    ],
  },
  'cancels-quantity': {
    summary: 'Cancels some pieces of the first item and holds that item; makes and ships the others.',
    amount: { meaning: 'pieces', default: 1 },
    plan: (pieces) => [
      received,
      { do: 'postback', status: 'cancelled', message: 'Spoiled in cutting', firstItem: pieces },
      fetchAssets,
      printed,
      ...sent,
    ],
  },
  'error-then-recovers': {
    summary: 'Reports an error after received, and then makes the order all the same.',
    plan: () => [
      received,
      { do: 'postback', status: 'error', message: 'Colour profile missing, asking prepress' },
      fetchAssets,
      printed,
      ...sent,
    ],
  },
  'error-only': {
    summary: 'Reports an error in place of received, and does nothing more.',
    plan: () => [{ do: 'postback', status: 'error', message: 'The artwork cannot be opened in prepress' }],
  },
  'ships-without-dispatch': {
    summary: 'Ships by its own carrier, with tracking code and link in the shipped postback.',
    plan: () => [...made, { ...shipped, ownTracking: true }],
  },
  'dispatches-often': {
    summary: 'Sends equal dispatch requests at once, and asks again before and after shipped.',
    amount: { meaning: 'requests at once', default: 5 },
    plan: (atOnce) => [...made, { do: 'dispatch', atOnce }, dispatch, shipped, handOver, dispatch],
  },
  'refuses-cancel': {
    summary: 'Answers 409 to a cancel order and goes on; slow enough to be cancelled in time.',
    amount: { meaning: 'milliseconds of printing', default: 500 },
    refusesCancel: 'The job is on the press already',
    plan: (ms) => [received, fetchAssets, { do: 'pause', ms }, printed, ...sent],
  },
  'prints-slowly': {
    summary: 'Stays long in printing, so that there is time to cancel or change the order.',
    amount: { meaning: 'milliseconds of printing', default: 5_000 },
    plan: (ms) => [received, fetchAssets, { do: 'pause', ms }, printed, ...sent],
  },
  'waits-after-dispatch': {
    summary: 'Has its documents and waits for the carrier: time for a change of address.',
    amount: { meaning: 'milliseconds between dispatch and shipped', default: 5_000 },
    plan: (ms) => [...made, dispatch, { do: 'pause', ms }, dispatch, shipped, handOver],
  },
  'ships-old-label': {
    summary: 'As before, but ships under the first label, whatever has changed since.',
    amount: { meaning: 'milliseconds between dispatch and shipped', default: 5_000 },
    plan: (ms) => [...made, dispatch, { do: 'pause', ms }, shipped, handOver],
  },
  'parcel-returned': { summary: 'The parcel comes back.', journey: 'returned', plan: usual },
  'parcel-troubled': {
    summary: 'The parcel meets every trouble and is delivered in the end.',
    journey: 'troubled',
    plan: usual,
  },
  'parcel-events-disordered': {
    summary: 'The carrier’s events come reversed, and twice.',
    journey: 'disordered',
    plan: usual,
  },
} as const satisfies Record<string, Behaviour>;

export type BehaviourName = keyof typeof behaviours;

/** Every behaviour by its name. */
export const BEHAVIOURS: Readonly<Record<BehaviourName, Behaviour>> = behaviours;

export function isBehaviourName(name: string): name is BehaviourName {
  return Object.hasOwn(BEHAVIOURS, name);
}

/** A behaviour with its amount filled in. */
export interface ChosenBehaviour {
  readonly name: BehaviourName;
  readonly amount: number;
}

export function choose(name: BehaviourName, amount?: number): ChosenBehaviour {
  return { name, amount: amount ?? BEHAVIOURS[name].amount?.default ?? 0 };
}

const MARKER = /(?:^|\s)sandbox:(?:([a-z0-9-]+)\/)?([a-z-]+)(?:=(\d{1,9}))?(?=\s|$)/g;

/**
 * The behaviour that a marker in an address line asks of a partner.
 * A marker with a partner's name is for that partner only. Unknown names are passed over.
 */
export function behaviourInAddress(line: string, partner: string): ChosenBehaviour | undefined {
  for (const [, forPartner, name, amount] of line.matchAll(MARKER)) {
    if (forPartner !== undefined && forPartner !== partner) continue;
    if (isBehaviourName(name!)) return choose(name, amount === undefined ? undefined : Number(amount));
  }
  return undefined;
}
