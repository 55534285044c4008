import type { Consignment, MethodQuote } from '../consignments/domain/consignment';
import { byPrice } from '../consignments/domain/method-choice';
import type { Sql } from '../platform/postgres';
import { createBuiltInCarrier } from './built-in';
import { type CarrierAdapter, CarrierUnavailable } from './carrier';
import { RATE_CARDS } from './domain/rate-cards';

/** All carriers that sell labels. */
export interface Carriers {
  readonly adapters: readonly CarrierAdapter[];
  /**
   * Returns the quotes of all adapters, cheapest first. An adapter that does not answer is left out.
   * @throws CarrierUnavailable when no adapter answers
   */
  quote(consignment: Consignment): Promise<MethodQuote[]>;
  /** Returns the adapter of a method uid, or undefined when no carrier has the method. */
  forMethod(methodUid: string): CarrierAdapter | undefined;
}

/**
 * Returns the built-in carriers and the given gateways.
 * @param publicUrl base URL of the tracking pages, without a trailing slash
 */
export function createCarriers(
  sql: Sql,
  publicUrl: string,
  gateways: readonly CarrierAdapter[] = [],
): Carriers {
  return carriersOf([...RATE_CARDS.map((card) => createBuiltInCarrier(sql, card, publicUrl)), ...gateways]);
}

/** Returns the carriers of a list of adapters. */
export function carriersOf(adapters: readonly CarrierAdapter[]): Carriers {
  return {
    adapters,
    async quote(consignment) {
      const answers = await Promise.allSettled(adapters.map((adapter) => adapter.quote(consignment)));
      const quotes: MethodQuote[] = [];
      const failures: CarrierUnavailable[] = [];
      for (const answer of answers) {
        if (answer.status === 'fulfilled') quotes.push(...answer.value);
        else if (answer.reason instanceof CarrierUnavailable) failures.push(answer.reason);
        else throw answer.reason;
      }
      if (failures.length > 0 && failures.length === adapters.length) throw failures[0];
      return quotes.sort(byPrice);
    },
    forMethod(methodUid) {
      return adapters.find(({ uid }) => methodUid.startsWith(`${uid}_`));
    },
  };
}
