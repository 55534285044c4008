import { LRUCache } from 'lru-cache';
import type { Consignment, MethodChoice, MethodQuote, PostalAddress } from '../consignments/domain/consignment';
import { byPrice, chooseMethod } from '../consignments/domain/method-choice';
import type { RateTable } from '../platform/domain/money';
import { ATTEMPT_OUTCOMES, type AttemptOutcome } from '../platform/metrics/metric-table';
import type { Metrics } from '../platform/metrics/metrics';
import type { Sql } from '../platform/postgres';
import { createBuiltInCarrier } from './built-in';
import { type CarrierAdapter, type CarrierDoubt, CarrierUnavailable } from './carrier';
import { billableGrams } from './domain/rate-card';
import { RATE_CARDS } from './domain/rate-cards';

/** All carriers that sell labels. */
export interface Carriers {
  readonly adapters: readonly CarrierAdapter[];
  /**
   * Returns the quotes of all adapters, cheapest first. All adapters are queried in parallel. For one that does not respond within
   * five seconds, its rates of the last hour for the same lane and weights count; without them it is left out.
   * @param choice the method that the caller will choose. Default: the cheapest
   * @throws CarrierUnavailable when an adapter does not respond and the quotes of the others do not have the choice
   */
  quote(consignment: Consignment, choice?: MethodChoice | null): Promise<MethodQuote[]>;
  /** Returns the quotes that are known without a request: rate cards, and gateways' rates as above. */
  estimate(consignment: Consignment, rates: RateTable): MethodQuote[];
  /** True when `estimate` knows all quotes: there is no gateway. */
  readonly isEstimateComplete: boolean;
  /** Returns what carriers doubt in an address. Null when none of them checks addresses. @throws CarrierUnavailable */
  checkAddress(address: PostalAddress): Promise<readonly CarrierDoubt[] | null>;
  byUid(uid: string): CarrierAdapter | undefined;
  forMethod(methodUid: string): CarrierAdapter | undefined;
}

/** Returns the built-in carriers and the given gateways. @param publicUrl base URL of the tracking pages */
export function createCarriers(sql: Sql, publicUrl: string, gateways: readonly CarrierAdapter[] = []): Carriers {
  return carriersOf([...RATE_CARDS.map((card) => createBuiltInCarrier(sql, card, publicUrl)), ...gateways]);
}

/** Activities that plan orders have 30 s, and the clients whose changes they plan wait 25 s. */
const QUOTE_LIMIT_MS = 5_000;

/** Returns the response of an adapter when it arrives. @throws CarrierUnavailable also after the timeout */
async function inTime<Answer>(adapter: CarrierAdapter, answer: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    const error = new CarrierUnavailable(adapter.uid, `${adapter.uid} did not respond in time`);
    timer = setTimeout(() => reject(error), QUOTE_LIMIT_MS);
  });
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** Time for which a gateway's rates of a lane count when it does not respond, and when partners are compared. */
const RATES_KEPT_MS = 3_600_000;
const LANES_KEPT = 1_000;
const WEIGHT_CLASS_GRAMS = 250;
/** Characters of a post code that name a region. */
const REGION_DIGITS = 3;

/** Returns a text that is equal for consignments on one lane with packages of the same weight classes. */
function laneOf(uid: string, { sender, receiver, packages, currency }: Consignment): string {
  const classes = packages.map(
    (pack) => `${Math.ceil(billableGrams(pack, 5_000) / WEIGHT_CLASS_GRAMS)}x${pack.count ?? 1}`,
  );
  const [from, to] = [sender, receiver].map(({ country, postcode }) => `${country}${postcode.slice(0, REGION_DIGITS)}`);
  return `${uid} ${from} ${to} ${currency} ${classes.join()}`;
}

export function carriersOf(adapters: readonly CarrierAdapter[]): Carriers {
  const lanes = new LRUCache<string, readonly MethodQuote[]>({ max: LANES_KEPT, ttl: RATES_KEPT_MS });

  async function quotesOf(adapter: CarrierAdapter, consignment: Consignment): Promise<readonly MethodQuote[]> {
    if (adapter.estimate !== undefined) return await inTime(adapter, adapter.quote(consignment));
    const lane = laneOf(adapter.uid, consignment);
    const answer = adapter.quote(consignment).then((quotes) => {
      // Also what arrives late.
      lanes.set(lane, quotes);
      return quotes;
    });
    try {
      return await inTime(adapter, answer);
    } catch (error) {
      const last = error instanceof CarrierUnavailable ? lanes.get(lane) : undefined;
      if (last === undefined) throw error;
      return last;
    }
  }

  return {
    adapters,
    estimate: (consignment, rates) =>
      adapters
        .flatMap(
          (adapter) => adapter.estimate?.(consignment, rates) ?? lanes.get(laneOf(adapter.uid, consignment)) ?? [],
        )
        .sort(byPrice),
    isEstimateComplete: adapters.every(({ estimate }) => estimate !== undefined),
    async quote(consignment, choice) {
      const outcomes = await Promise.allSettled(adapters.map((adapter) => quotesOf(adapter, consignment)));
      const quotes: MethodQuote[] = [];
      const failures: CarrierUnavailable[] = [];
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') quotes.push(...outcome.value);
        else if (outcome.reason instanceof CarrierUnavailable) failures.push(outcome.reason);
        else throw outcome.reason;
      }
      // The adapter that is unavailable may have the method that is missing.
      if (failures.length > 0 && !chooseMethod(quotes, choice).ok) throw failures[0];
      return quotes.sort(byPrice);
    },
    async checkAddress(address) {
      const checks = adapters.flatMap((each) => {
        const check = each.checkAddress?.(address);
        return check === undefined ? [] : [inTime(each, check)];
      });
      return checks.length === 0 ? null : (await Promise.all(checks)).flat();
    },
    byUid: (uid) => adapters.find((adapter) => adapter.uid === uid),
    forMethod: (methodUid) => adapters.find(({ uid }) => methodUid.startsWith(`${uid}_`)),
  };
}

/** Counts purchases and tracking checks of an adapter. @param isRemote times its calls as outgoing requests */
export function measuredCarrier(adapter: CarrierAdapter, metrics: Metrics, isRemote: boolean): CarrierAdapter {
  const carrier = adapter.uid;
  for (const outcome of ATTEMPT_OUTCOMES) {
    metrics.count('pressline_labels_total', { carrier, outcome }, 0);
    metrics.count('pressline_tracking_checks_total', { carrier, outcome }, 0);
    if (isRemote)
      metrics.expectObservations('http_client_request_duration_seconds', {
        kind: 'carrier',
        target: carrier,
        outcome,
      });
  }
  async function measured<T>(
    call: () => Promise<T>,
    outcomeOf: (result: T) => AttemptOutcome,
    count?: (outcome: AttemptOutcome) => void,
  ): Promise<T> {
    const startedAt = performance.now();
    let outcome: AttemptOutcome = 'failed';
    try {
      const result = await call();
      outcome = outcomeOf(result);
      return result;
    } finally {
      const seconds = (performance.now() - startedAt) / 1_000;
      if (isRemote)
        metrics.observe('http_client_request_duration_seconds', { kind: 'carrier', target: carrier, outcome }, seconds);
      count?.(outcome);
    }
  }
  const accepted = () => 'accepted' as const;
  const byOk = ({ ok }: { readonly ok: boolean }) => (ok ? 'accepted' : 'refused');
  return {
    uid: carrier,
    ...(adapter.estimate === undefined ? {} : { estimate: adapter.estimate.bind(adapter) }),
    quote: (consignment) => measured(() => adapter.quote(consignment), accepted),
    buy: (request) =>
      measured(
        () => adapter.buy(request),
        byOk,
        (outcome) => metrics.count('pressline_labels_total', { carrier, outcome }),
      ),
    ...(adapter.labelOf === undefined ? {} : { labelOf: adapter.labelOf.bind(adapter) }),
    void: (purchase) => measured(() => adapter.void(purchase), byOk),
    ...(adapter.checkAddress === undefined
      ? {}
      : { checkAddress: (address: PostalAddress) => measured(() => adapter.checkAddress!(address), accepted) }),
    trackingLimits: adapter.trackingLimits,
    track: (trackingNumbers) =>
      measured(
        () => adapter.track(trackingNumbers),
        accepted,
        (outcome) => metrics.count('pressline_tracking_checks_total', { carrier, outcome }),
      ),
  };
}
