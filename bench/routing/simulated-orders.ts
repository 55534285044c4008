import type { CarrierAdapter } from '../../src/carriers/carrier';
import { type Carriers, carriersOf } from '../../src/carriers/carriers';
import { quoteRateCard } from '../../src/carriers/domain/rate-card';
import { RATE_CARDS } from '../../src/carriers/domain/rate-cards';
import type { ProductKind, ResolvedProduct } from '../../src/catalog/domain/product';
import { quotedOrder } from '../../src/orders/intake/quote';
import type { RunOrder } from '../../src/orders/planning/run-order';
import type { RoutingWeights } from '../../src/partners/domain/routing-decision';
import type { Candidate } from '../../src/partners/routing-rows';
import { REFERENCE_RATES } from '../../src/platform/domain/exchange-rates';
import type { SeededRandom } from '../support/seeded-random';

/** A Wednesday morning. */
export const AT = new Date('2026-11-25T09:00:00Z');
export const WEIGHTS: RoutingWeights = { day: 80, parcel: 200, border: 500 };

/** Carriers that know only rate cards, so that nothing waits. */
export const CARRIERS: Carriers = carriersOf(
  RATE_CARDS.map((card) => {
    const estimate: CarrierAdapter['estimate'] = (consignment, rates) => quoteRateCard(card, consignment, rates);
    const quote: CarrierAdapter['quote'] = async (consignment) => quoteRateCard(card, consignment, REFERENCE_RATES);
    return { uid: card.carrierUid, estimate, quote } as CarrierAdapter;
  }),
);

interface Goods {
  readonly kind: ProductKind;
  readonly grams: number;
  readonly sides: readonly [number, number, number];
  readonly perPackage: number;
  /** Usual price of a unit at a partner, in euro cents. */
  readonly cents: number;
}

const GOODS: Readonly<Record<string, Goods>> = {
  poster: { kind: 'print', grams: 60, sides: [450, 80, 80], perPackage: 10, cents: 320 },
  mug: { kind: 'print', grams: 380, sides: [120, 110, 100], perPackage: 6, cents: 340 },
  book: { kind: 'print', grams: 900, sides: [310, 220, 20], perPackage: 4, cents: 1_100 },
  tee: { kind: 'apparel', grams: 190, sides: [300, 250, 25], perPackage: 6, cents: 780 },
  hoodie: { kind: 'apparel', grams: 620, sides: [350, 300, 80], perPackage: 2, cents: 1_900 },
  frame: { kind: 'mounted', grams: 1_600, sides: [460, 350, 50], perPackage: 1, cents: 1_800 },
};

const productOf = (name: string): ResolvedProduct => {
  const { kind, grams, sides, perPackage } = GOODS[name]!;
  const [lengthMm, widthMm, heightMm] = sides;
  return {
    productUid: name,
    productModelId: name,
    modelUid: name,
    kind,
    name,
    description: '',
    categoryId: name,
    productTypeUid: name,
    productNameUid: name,
    workflowEnabled: false,
    attributes: [],
    parts: [],
    printAreas: [],
    pageRule: null,
    unitWeightGrams: grams,
    packed: { lengthMm, widthMm, heightMm },
    unitsPerPackage: perPackage,
    packagingWeightGrams: 60,
    hsCode: '491199',
    priceList: { EUR: [{ from: 1, unitMinor: 2_000 }] },
    fileTypes: [],
  };
};
const PRODUCTS = Object.keys(GOODS).map(productOf);

/** What partners make, and their prices in percent of the usual ones. */
const PARTNERS = [
  { uid: 'berlin', country: 'DE', postcode: '10969', kinds: ['print', 'mounted'], percent: 100, leadDays: 1 },
  { uid: 'lyon', country: 'FR', postcode: '69002', kinds: ['print', 'apparel'], percent: 104, leadDays: 1 },
  {
    uid: 'leeds',
    country: 'GB',
    postcode: 'LS27EQ',
    kinds: ['print', 'apparel', 'mounted'],
    percent: 108,
    leadDays: 2,
  },
  { uid: 'lodz', country: 'PL', postcode: '90001', kinds: ['print', 'apparel', 'mounted'], percent: 82, leadDays: 3 },
  { uid: 'ohio', country: 'US', postcode: '43215', kinds: ['print', 'apparel'], percent: 99, leadDays: 1 },
  { uid: 'texas', country: 'US', postcode: '75201', kinds: ['apparel', 'mounted'], percent: 92, leadDays: 2 },
  {
    uid: 'tokyo',
    country: 'JP',
    postcode: '1000001',
    kinds: ['print', 'apparel', 'mounted'],
    percent: 60,
    leadDays: 2,
  },
  { uid: 'basel', country: 'CH', postcode: '4051', kinds: ['print'], percent: 135, leadDays: 1 },
] as const;

/** Returns partners like the eight, with a random price each beyond them. */
export function simulatedPartners(count: number, { between }: Pick<SeededRandom, 'between'>): Candidate[] {
  return Array.from({ length: count }, (_, index): Candidate => {
    const like = PARTNERS[index % PARTNERS.length]!;
    const uid = index < PARTNERS.length ? like.uid : `${like.uid}-${index}`;
    const percent = index < PARTNERS.length ? like.percent : like.percent * between(0.8, 1.2);
    const { country, postcode, leadDays } = like;
    const sender = {
      firstName: 'D',
      lastName: 'D',
      company: uid,
      addressLine1: '1',
      city: uid,
      email: 'd@example.com',
    };
    const models = Object.entries(GOODS).map(
      ([name, { cents }]) => [name, { unitPriceMinor: Math.round((cents * percent) / 100), leadDays }] as const,
    );
    return {
      partnerId: uid,
      uid,
      name: uid,
      country,
      stateProvince: null,
      currency: 'EUR',
      enabled: true,
      subscribed: true,
      openUnits: 0,
      stock: {},
      printHouseUid: null,
      senderAddress: { ...sender, postcode, country },
      capabilities: {
        productKinds: [...like.kinds],
        models: Object.fromEntries(models),
        countriesServed: ['*'],
        calendar: {
          timeZone: 'UTC',
          workingDays: [1, 2, 3, 4, 5],
          cutOff: '14:00',
          holidays: { country },
          closedDates: [],
        },
        capacityPerDay: 5_000,
      },
      orderSubmitUrl: '',
      apparelOrderSubmitUrl: null,
      orderCancelUrl: null,
      orderUpdateUrl: null,
      inventoryUrl: null,
      printOrderVersion: null,
      sealedSecrets: [],
      subscribedAt: AT,
      createdAt: AT,
    };
  });
}

const ADDRESSES = [
  { country: 'DE', city: 'Hamburg', postCode: '20095' },
  { country: 'FR', city: 'Paris', postCode: '75002' },
  { country: 'GB', city: 'Leeds', postCode: 'LS1 4AP' },
  { country: 'CH', city: 'Bern', postCode: '3011' },
  { country: 'US', city: 'Chicago', postCode: '60601', state: 'IL' },
  { country: 'JP', city: 'Osaka', postCode: '5300001' },
] as const;
const METHODS = [
  { method: undefined, weight: 7 },
  { method: 'express', weight: 2 },
  { method: 'corvid_post', weight: 1 },
] as const;

/** Returns an order to one of six countries. Half of the orders have retail prices. @param most items at most */
export function simulatedOrder({ below, pick, weighted }: SeededRandom, most = 4, least = 1): RunOrder {
  const hasPrices = below(2) === 1;
  const products = Array.from({ length: least + below(most - least + 1) }, () => pick(PRODUCTS));
  const items = products.map((product, index) => ({
    itemReferenceId: `item-${index}`,
    productUid: product.productUid,
    quantity: below(10) === 0 ? 10 + below(100) : 1 + below(3),
    ...(hasPrices ? { retailPriceInclVat: 20 } : {}),
  }));
  return quotedOrder(
    {
      currency: 'EUR',
      shippingAddress: pick(ADDRESSES),
      items,
      shipmentMethodUid: weighted(METHODS).method,
      ...(hasPrices ? { retailCurrency: 'EUR', retailShippingPriceInclVat: 5 } : {}),
    } as Parameters<typeof quotedOrder>[0],
    { id: 'client', name: 'Shop', settings: {} },
    products,
    { rates: REFERENCE_RATES, taxRates: {} as RunOrder['taxRates'] },
  );
}
