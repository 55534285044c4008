/** The pauses of the sandbox in milliseconds, one for each kind of step. */
export interface Pace {
  /** Before the `received` postback. */
  readonly received: number;
  /** Before the print files are downloaded. */
  readonly assets: number;
  /** Before the `printed` postback. */
  readonly printed: number;
  /** Before the dispatch request. */
  readonly dispatch: number;
  /** Before the `shipped` postback. */
  readonly shipped: number;
  /** Before an `error` or a `cancelled` postback. */
  readonly trouble: number;
  /** Between two tracking events of a parcel. */
  readonly checkpoint: number;
  /** Before the first retry of a call. Doubles with every retry, up to `retryMost`. */
  readonly retry: number;
  readonly retryMost: number;
}

/** For tests: pauses are as short as they can be while events stay distinguishable. */
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

/** For people who watch an order: each step takes a fraction of a second. */
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
