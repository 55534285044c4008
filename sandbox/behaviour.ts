/** The parts of a print partner's behaviour. behaviours.ts has the table of all behaviours. */

export type PostbackStatus = 'received' | 'error' | 'printed' | 'shipped' | 'cancelled';

export type JourneyName = 'delivered' | 'returned' | 'troubled' | 'disordered' | 'odd-words';

/** One step of a partner's work on a print order. */
export type ScriptedStep =
  | {
      readonly do: 'postback';
      readonly status: PostbackStatus;
      readonly message?: string;
      /** Sends one postback for each item instead of one for all. */
      readonly perItem?: boolean;
      /**
       * Adds the partner's own tracking code and link, for partners that do not request dispatch. `followed`: the number of
       * a carrier that Pressline knows.
       */
      readonly ownTracking?: 'unknown' | 'followed';
      /** Cancels the first item only: all of it, or this many units. */
      readonly firstItem?: 'whole' | number;
    }
  | { readonly do: 'fetch-assets' }
  | {
      readonly do: 'dispatch';
      /** Number of equal requests sent at the same time. */
      readonly atOnce?: number;
      /** Names the label of the first parcel as damaged. */
      readonly replacesLabel?: true;
    }
  | { readonly do: 'hand-over' }
  /** Buys a label with a shipping order of the partner's own, and cancels it. */
  | { readonly do: 'canceled-shipping-order' }
  | { readonly do: 'faulty-postbacks' }
  | { readonly do: 'pause'; readonly ms: number };

/** How the partner responds to the first deliveries of a print order. It responds to later ones with 200. */
export interface FirstResponses {
  /** Number of deliveries that get this response. */
  readonly times: number;
  /** True when the partner accepts the order despite the response. */
  readonly takes: boolean;
  readonly how:
    | {
        readonly status: number;
        readonly error: string;
        readonly headers?: Readonly<Record<string, string>>;
      }
    /** Closes the connection. */
    | 'hang-up'
    /** Keeps the connection open and sends nothing. */
    | 'silence'
    | { readonly lateMs: number };
}

export interface Behaviour {
  readonly summary: string;
  /** Meaning and default of `=n` after the name. */
  readonly amount?: { readonly meaning: string; readonly default: number };
  readonly firstResponses?: (amount: number) => FirstResponses;
  readonly plan: (amount: number) => readonly ScriptedStep[];
  /** Number of the delivery that starts the work. 2 waits for the redelivery. */
  readonly beginsAtDelivery?: number;
  /** Factor for every pause. */
  readonly slowness?: number;
  /** Number of copies of every postback sent at the same time. One more follows after the next step. */
  readonly copies?: number;
  /** Reason with which the partner refuses a cancel request. It continues its work. */
  readonly refusesCancel?: (amount: number) => string;
  /** Response to order updates. Default: 200. */
  readonly updateResponse?: (amount: number) => FirstResponses['how'];
  /** Invalid signatures that the partner accepts. `old`: valid, but for a time more than five minutes off. */
  readonly acceptsSignatures?: readonly ('forged' | 'unsigned' | 'old')[];
  /** Looks at the first of several signatures only. */
  readonly readsFirstSignatureOnly?: boolean;
  /** Accepts other content under a known id. */
  readonly acceptsChangedContent?: boolean;
  /** What the partner does with a print order that arrives again. Default: it responds with 200 and makes it once. */
  readonly duplicates?: 'made-again' | 'refused';
  /** Closes the connection when the body takes longer than this to arrive, in milliseconds. */
  readonly patienceMs?: (amount: number) => number;
  /** Journey of the parcel. Default: `delivered`. */
  readonly journey?: JourneyName;
}
