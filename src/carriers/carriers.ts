import type { Consignment, MethodChoice, MethodQuote } from '../consignments/domain/consignment';
import { byPrice, chooseMethod } from '../consignments/domain/method-choice';
import { ATTEMPT_OUTCOMES, type AttemptOutcome } from '../platform/metrics/metric-table';
import type { Metrics } from '../platform/metrics/metrics';
import type { Sql } from '../platform/postgres';
import { createBuiltInCarrier } from './built-in';
import { type CarrierAdapter, CarrierUnavailable } from './carrier';
import { RATE_CARDS } from './domain/rate-cards';

/** All carriers that sell labels. */
export interface Carriers {
  readonly adapters: readonly CarrierAdapter[];
  /**
   * Returns the quotes of all adapters, cheapest first. All adapters are queried in parallel. One that does not respond within
   * five seconds is left out.
   * @param choice the method that the caller will choose. Default: the cheapest
   * @throws CarrierUnavailable when an adapter does not respond and the quotes of the others do not have the choice
   */
  quote(consignment: Consignment, choice?: MethodChoice | null): Promise<MethodQuote[]>;
  byUid(uid: string): CarrierAdapter | undefined;
  forMethod(methodUid: string): CarrierAdapter | undefined;
}

/** Returns the built-in carriers and the given gateways. @param publicUrl base URL of the tracking pages */
export function createCarriers(sql: Sql, publicUrl: string, gateways: readonly CarrierAdapter[] = []): Carriers {
  return carriersOf([...RATE_CARDS.map((card) => createBuiltInCarrier(sql, card, publicUrl)), ...gateways]);
}

/** Activities that plan orders have 30 s, and the clients whose changes they plan wait 25 s. */
const QUOTE_LIMIT_MS = 5_000;

/** Returns the quotes of an adapter. @throws CarrierUnavailable also after the timeout */
async function quotesOf(adapter: CarrierAdapter, consignment: Consignment): Promise<readonly MethodQuote[]> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    const error = new CarrierUnavailable(adapter.uid, `${adapter.uid} returned no quotes in time`);
    timer = setTimeout(() => reject(error), QUOTE_LIMIT_MS);
  });
  try {
    return await Promise.race([adapter.quote(consignment), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

export function carriersOf(adapters: readonly CarrierAdapter[]): Carriers {
  return {
    adapters,
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
    quote: (consignment) => measured(() => adapter.quote(consignment), accepted),
    buy: (request) =>
      measured(
        () => adapter.buy(request),
        byOk,
        (outcome) => metrics.count('pressline_labels_total', { carrier, outcome }),
      ),
    ...(adapter.labelOf === undefined ? {} : { labelOf: adapter.labelOf.bind(adapter) }),
    void: (purchase) => measured(() => adapter.void(purchase), byOk),
    trackingLimits: adapter.trackingLimits,
    track: (trackingNumbers) =>
      measured(
        () => adapter.track(trackingNumbers),
        accepted,
        (outcome) => metrics.count('pressline_tracking_checks_total', { carrier, outcome }),
      ),
  };
}
