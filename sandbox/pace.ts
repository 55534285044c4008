/** How long the outside world takes, in milliseconds: the pause before each kind of step. */
export interface Pace {
  /** Before the `received` postback. */
  readonly received: number;
  /** Before the print files are fetched. */
  readonly assets: number;
  /** Printing. */
  readonly printed: number;
  /** Packing: before shipping documents are asked for. */
  readonly dispatch: number;
  /** Waiting for the carrier's pick-up. */
  readonly shipped: number;
  /** Before an `error` or a `cancelled` postback. */
  readonly trouble: number;
  /** Between two of the carrier's tracking events. */
  readonly checkpoint: number;
  /** First pause before a call is tried again; doubles up to `retryMost`. */
  readonly retry: number;
  readonly retryMost: number;
}

/** For tests: events come as fast as they can be told apart. */
export const FAST: Pace = {
  received: 0,
  assets: 0,
  printed: 20,
  dispatch: 10,
  shipped: 10,
  trouble: 10,
  checkpoint: 20,
  retry: 50,
  retryMost: 1_000,
};

/** For people who watch. */
export const WATCHABLE: Pace = {
  received: 200,
  assets: 200,
  printed: 700,
  dispatch: 400,
  shipped: 400,
  trouble: 400,
  checkpoint: 900,
  retry: 500,
  retryMost: 10_000,
};
