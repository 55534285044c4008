import type { Consignment, MethodQuote } from '../consignments/domain/consignment';
import { byPrice } from '../consignments/domain/method-choice';
import type { Sql } from '../platform/postgres';
import { createBuiltInCarrier } from './built-in';
import { type CarrierAdapter, CarrierUnavailable } from './carrier';
import { RATE_CARDS } from './domain/rate-cards';

/** Every carrier that labels can be bought from. */
export interface Carriers {
  readonly adapters: readonly CarrierAdapter[];
  /** Quotes of all adapters, cheapest first; an adapter that does not answer adds none, unless none answers. */
  quote(consignment: Consignment): Promise<MethodQuote[]>;
  /** The adapter of a method uid; undefined when no carrier has it. */
  forMethod(methodUid: string): CarrierAdapter | undefined;
}

/** The built-in carriers, and the gateways given. */
export function createCarriers(sql: Sql, gateways: readonly CarrierAdapter[] = []): Carriers {
  return carriersOf([...RATE_CARDS.map((card) => createBuiltInCarrier(sql, card)), ...gateways]);
}

/** @throws CarrierUnavailable from `quote` when no adapter answers at all */
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
