import type { Operations } from '../../client/operations';
import type { SeededRandom } from '../support/seeded-random';
import {
  CURRENCIES,
  type Currency,
  crossesBorder,
  GOODS,
  type Good,
  ORIGINS,
  PLACES,
  type Place,
  VAT_NUMBERS,
} from './goods';

export type OrderBody = NonNullable<Operations['submitOrder']['input']['body']>;

export interface GeneratedItem {
  readonly reference: string;
  readonly good: Good;
  readonly quantity: number;
  /** Total of the line, in minor units of the order's currency. */
  readonly retailMinor: number | null;
}

/** Who an order is for. */
export interface Recipient {
  readonly place: Place;
  /** The VAT number of a business. Null: a private recipient, or a business without a number. */
  readonly vatNumber: string | null;
  readonly isBusiness: boolean;
}

export interface GeneratedOrder {
  /** Counts from 1. A number and a seed give the same order. */
  readonly number: number;
  readonly currency: Currency;
  readonly recipient: Recipient;
  readonly items: readonly GeneratedItem[];
  readonly method: string | undefined;
  /** Units that share a package, by reference. */
  readonly instructions: readonly Readonly<Record<string, number>>[];
  readonly retailShippingMinor: number | null;
  /** Number of second steps. */
  readonly steps: number;
}

/** Returns where an order goes, at random. */
export function randomRecipient({ below, pick }: SeededRandom): Recipient {
  const place = pick(PLACES);
  const isBusiness = below(5) === 0;
  const vatNumber = isBusiness && below(3) > 0 ? (VAT_NUMBERS[place.country] ?? null) : null;
  return { place, isBusiness, vatNumber };
}

const METHODS = [
  { method: undefined, weight: 7 },
  { method: 'express', weight: 2 },
  { method: 'corvid_post', weight: 1 },
] as const;

/** Returns the order of a number. Orders that cross a border from every partner have retail prices. */
export function generatedOrder(random: SeededRandom, number: number): GeneratedOrder {
  const { below, pick, weighted } = random;
  const recipient = randomRecipient(random);
  const currency = pick(CURRENCIES);
  const goods = Array.from({ length: 1 + below(4) }, () => pick(GOODS));
  const needsPrices = Object.values(ORIGINS).every((origin) => crossesBorder(origin, recipient.place));
  const hasPrices = needsPrices || below(3) > 0;
  const items = goods.map((good, index): GeneratedItem => {
    const quantity = below(6) === 0 ? 8 + below(20) : 1 + below(4);
    const retailMinor = hasPrices ? quantity * (300 + below(4_000)) + below(7) : null;
    return { reference: `i${index + 1}`, good, quantity, retailMinor };
  });
  const instructions =
    items.length > 1 && below(6) === 0
      ? [Object.fromEntries(items.slice(0, 2).map(({ reference, quantity }) => [reference, 1 + below(quantity)]))]
      : [];
  return {
    number,
    currency,
    recipient,
    items,
    method: weighted(METHODS.map(({ weight, ...rest }) => ({ weight, ...rest }))).method,
    instructions,
    retailShippingMinor: hasPrices ? 300 + below(900) : null,
    steps: below(5),
  };
}

/** Returns an amount as requests have it. */
export const major = (minor: number, currency: Currency): number => (currency === 'JPY' ? minor : minor / 100);

/** Returns an amount of a response in minor units. */
export const minorOf = (amount: number, currency: Currency): number =>
  Math.round(currency === 'JPY' ? amount : amount * 100);

export function addressOf(
  { place, isBusiness, vatNumber }: Recipient,
  line = 'Main Street 1',
): OrderBody['shippingAddress'] {
  const { country, city, postCode, state, phone } = place;
  return {
    firstName: 'Ada',
    lastName: 'Lovelace',
    ...(isBusiness ? { companyName: 'Lovelace Ltd', isBusiness: true } : {}),
    ...(vatNumber === null ? {} : { federalTaxId: vatNumber }),
    addressLine1: line,
    city,
    postCode,
    country,
    ...(state === undefined ? {} : { state }),
    email: 'ada@example.com',
    phone,
  };
}

/** Returns the body of a generated order. @param fileUrl returns the URL of a print file of a good */
export function bodyOf(order: GeneratedOrder, prefix: string, fileUrl: (good: Good) => string): OrderBody {
  const { currency, items, instructions, method, retailShippingMinor } = order;
  return {
    orderReferenceId: `${prefix}-${order.number}`,
    currency,
    shippingAddress: addressOf(order.recipient),
    ...(method === undefined ? {} : { shipmentMethodUid: method }),
    ...(retailShippingMinor === null
      ? {}
      : { retailCurrency: currency, retailShippingPriceInclVat: major(retailShippingMinor, currency) }),
    ...(instructions.length === 0
      ? {}
      : {
          packagingInstructions: instructions.map((units) => ({
            packageItems: Object.entries(units).map(([orderItemReferenceId, quantity]) => ({
              orderItemReferenceId,
              quantity,
            })),
          })),
        }),
    items: items.map(({ reference, good, quantity, retailMinor }) => ({
      itemReferenceId: reference,
      productUid: good.uid,
      quantity,
      ...(retailMinor === null ? {} : { retailPriceInclVat: major(retailMinor, currency) }),
      files: good.files.map((type) => ({ type, url: fileUrl(good) })),
    })),
  };
}
