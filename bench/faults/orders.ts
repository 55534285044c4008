import type { SeededRandom } from '../support/seeded-random';

/** A partner's behaviour for an order, and the expected end of the order. */
export interface Scripted {
  readonly behaviour: string;
  readonly weight: number;
  readonly end: OrderEnd;
}

/**
 * `shipped`: shipped with the partner's own carrier. `repaired`: the partner abandoned the order, and an operator rerouted
 * its items or cancelled those that no other partner can produce. `any`: every item has left or is cancelled, or the order
 * has an attention reason.
 */
export type OrderEnd = 'delivered' | 'shipped' | 'repaired' | 'any';

/** What partners and clients do, with the weight of each. */
export interface OrderMix {
  readonly behaviours: readonly Scripted[];
  readonly followUps: readonly { readonly followUp: FollowUp; readonly weight: number }[];
  /** Hosts of posters: a faulty file of the sandbox, or null for a good host. */
  readonly posterHosts: readonly { readonly file: string | null; readonly weight: number }[];
  /** Percentage of orders that a carrier gateway ships in twelve packages. */
  readonly twelvePackages: number;
}

/** The method of the carrier gateway. Its parcels are tracked by polling, so their orders end as shipped. */
const GATEWAY_METHOD = 'easypost_usps_groundadvantage';
const PACKAGES = 12;

/** Orders of a fault run: partners misbehave, and some clients cancel or change their order. */
const FAULTY: OrderMix = {
  behaviours: [
    { behaviour: 'well-behaved', weight: 40, end: 'delivered' },
    { behaviour: 'slow', weight: 4, end: 'delivered' },
    { behaviour: 'fails-first', weight: 4, end: 'delivered' },
    { behaviour: 'busy', weight: 4, end: 'delivered' },
    { behaviour: 'dead-after-accept', weight: 6, end: 'delivered' },
    { behaviour: 'silent-after-accept', weight: 4, end: 'delivered' },
    { behaviour: 'waits-for-reminder', weight: 4, end: 'delivered' },
    { behaviour: 'duplicate-postbacks', weight: 6, end: 'delivered' },
    { behaviour: 'reversed-postbacks', weight: 4, end: 'delivered' },
    { behaviour: 'late-postbacks', weight: 4, end: 'delivered' },
    { behaviour: 'per-item-postbacks', weight: 4, end: 'delivered' },
    { behaviour: 'dispatches-often', weight: 6, end: 'delivered' },
    { behaviour: 'error-then-recovers', weight: 3, end: 'delivered' },
    { behaviour: 'ships-without-dispatch', weight: 3, end: 'shipped' },
    // Beyond the reminders: no delivery ever gets a response.
    { behaviour: 'silent-after-accept=99', weight: 2, end: 'delivered' },
    { behaviour: 'unresponsive', weight: 2, end: 'repaired' },
    { behaviour: 'parcel-odd-words', weight: 2, end: 'delivered' },
    ...[1, 2, 3, 4, 5].map((words) => ({ behaviour: `odd-words=${words}`, weight: 1, end: 'delivered' }) as const),
    { behaviour: 'odd-refusal=1', weight: 1, end: 'repaired' },
    { behaviour: 'odd-refusal=3', weight: 1, end: 'repaired' },
    { behaviour: 'no-postbacks', weight: 2, end: 'repaired' },
    { behaviour: 'refuses', weight: 2, end: 'repaired' },
    { behaviour: 'cancels-order', weight: 2, end: 'repaired' },
    { behaviour: 'error-only', weight: 1, end: 'repaired' },
  ],
  followUps: [
    { followUp: 'nothing', weight: 90 },
    { followUp: 'cancel', weight: 4 },
    { followUp: 'change-address', weight: 6 },
  ],
  posterHosts: [
    { file: null, weight: 85 },
    { file: 'silent.pdf', weight: 8 },
    { file: 'drips.pdf', weight: 7 },
  ],
  twelvePackages: 5,
};

/** Orders in CSV files: what a file cannot say is left out. A changed address comes as a later revision. */
export const OF_CHANNEL: OrderMix = {
  ...FAULTY,
  followUps: [
    { followUp: 'nothing', weight: 70 },
    { followUp: 'change-address', weight: 30 },
  ],
  twelvePackages: 0,
};

/** Orders of the random partner. The partners of the sandbox only take them. */
export const RANDOM: OrderMix = {
  behaviours: [{ behaviour: 'no-postbacks', weight: 1, end: 'any' }],
  followUps: [{ followUp: 'nothing', weight: 1 }],
  posterHosts: [{ file: null, weight: 1 }],
  twelvePackages: 0,
};

interface Product {
  readonly productUid: string;
  readonly file: { readonly type: string; readonly name: string };
}

const POSTER: Product = {
  productUid: 'flat_product_pf_a3_pt_200-gsm-uncoated_cl_4-0_ver',
  file: { type: 'front', name: 'poster-a3.pdf' },
};
const MUG: Product = {
  productUid: 'mug_product_msz_11-oz_mcl_white',
  file: { type: 'default', name: 'mug-wrap.png' },
};
/** The partner in Ohio has blank shirts in stock. */
const TEE: Product = {
  productUid: 'apparel_product_gca_t-shirt_gsi_m_gco_navy_gpr_4-0',
  file: { type: 'front', name: 't-shirt-front.png' },
};
/** The partner in Berlin has frames in stock. */
const FRAMED: Product = {
  productUid: 'framed_poster_product_mf_300x400-mm_fr_wood-oak_pt_200-gsm-uncoated_ver',
  file: { type: 'default', name: 'frame-poster-30x40.jpg' },
};

/** An order contains each product at most once, so that a line of a print order identifies its item. */
const BASKETS: readonly { readonly weight: number; readonly products: readonly Product[] }[] = [
  { weight: 5, products: [POSTER] },
  { weight: 2, products: [MUG, POSTER] },
  { weight: 3, products: [TEE] },
  { weight: 3, products: [FRAMED] },
  { weight: 2, products: [TEE, FRAMED] },
];

const itemReference = (productUid: string) => productUid.slice(0, 20);

/** Instructions that put each of twelve posters into a package of its own. */
const SINGLE_POSTERS = Array.from({ length: PACKAGES }, () => ({
  packageItems: [{ orderItemReferenceId: itemReference(POSTER.productUid), quantity: 1 }],
}));

/** Delivery addresses, each with the partner that is selected when both can produce an item. */
const PLACES = [
  {
    country: 'DE',
    partner: 'prints-berlin',
    addressLine1: 'Teststrasse 12',
    city: 'Berlin',
    postCode: '10119',
    phone: '+49 30 901820',
  },
  {
    country: 'US',
    state: 'OH',
    partner: 'prints-ohio',
    addressLine1: '12 Test Street',
    city: 'Dayton',
    postCode: '45402',
    phone: '+1 937 555 0123',
  },
] as const;

/** What a client does after the submission. */
export type FollowUp = 'nothing' | 'cancel' | 'change-address';

/** An order as a client plans it. */
export interface PlannedOrder {
  readonly reference: string;
  readonly behaviour: string;
  readonly end: OrderEnd;
  readonly followUp: FollowUp;
  /** Milliseconds from the first order to this one. */
  readonly atMs: number;
  /** Milliseconds from the acceptance to the follow-up. */
  readonly followUpAfterMs: number;
  /** True when retries have an Idempotency-Key. Otherwise the order sets `preventDuplicate`. */
  readonly keyed: boolean;
  readonly body: object;
}

/**
 * Returns orders spread over a period. The seed determines all of them.
 * @param prefix of their references
 */
export function planOrders(
  count: number,
  withinMs: number,
  sandboxUrl: string,
  random: SeededRandom,
  { behaviours, followUps, posterHosts, twelvePackages }: OrderMix = FAULTY,
  prefix = 'fault',
): PlannedOrder[] {
  return Array.from({ length: count }, (_, index) => {
    const scripted = random.weighted(behaviours);
    const { behaviour } = scripted;
    // A repair may choose another method.
    const hasTwelvePackages = random.below(100) < twelvePackages && scripted.end === 'delivered';
    const end = hasTwelvePackages ? 'shipped' : scripted.end;
    const { products } = hasTwelvePackages ? { products: [POSTER] } : random.weighted(BASKETS);
    const { followUp } = random.weighted(followUps);
    const keyed = random.below(4) > 0;
    const reference = `${prefix}-${index + 1}`;
    const { file: faulty } = random.weighted(posterHosts);
    const place = hasTwelvePackages ? PLACES[1] : random.pick(PLACES);
    return {
      reference,
      behaviour,
      end,
      followUp,
      atMs: (index / count) * withinMs,
      followUpAfterMs: random.between(1_000, 8_000),
      keyed,
      body: {
        orderReferenceId: reference,
        currency: 'EUR',
        ...(keyed ? {} : { preventDuplicate: true }),
        ...(hasTwelvePackages ? { shipmentMethodUid: GATEWAY_METHOD, packagingInstructions: SINGLE_POSTERS } : {}),
        retailCurrency: 'EUR',
        retailShippingPriceInclVat: 4.9,
        shippingAddress: addressOf(reference, scripted, place),
        items: products.map(({ productUid, file }) => ({
          itemReferenceId: itemReference(productUid),
          productUid,
          quantity: hasTwelvePackages ? PACKAGES : 1 + random.below(2),
          retailPriceInclVat: 19.9,
          files: [
            {
              type: file.type,
              url:
                faulty !== null && file === POSTER.file
                  ? `${sandboxUrl}/faulty-files/${faulty}?failures=1&as=${file.name}&key=${reference}`
                  : `${sandboxUrl}/files/${file.name}`,
            },
          ],
        })),
      },
    };
  });
}

/**
 * Returns the delivery address. Its last name is the order's reference, so that the partner's records contain it. Its
 * second line selects the partner's behaviour. A behaviour that needs an operator applies to one partner only.
 */
function addressOf(
  reference: string,
  { behaviour, end }: Pick<Scripted, 'behaviour' | 'end'>,
  { partner, ...place }: (typeof PLACES)[number],
) {
  const partnerPrefix = end === 'repaired' ? `${partner}/` : '';
  return {
    ...place,
    firstName: 'Grace',
    lastName: reference,
    ...(behaviour === 'well-behaved' ? {} : { addressLine2: `sandbox:${partnerPrefix}${behaviour}` }),
    email: 'grace@example.com',
  };
}

/** Returns the changed address: the house next door. */
export function changedAddress(body: object): object {
  const { shippingAddress } = body as { shippingAddress: { addressLine1: string } };
  return { ...shippingAddress, addressLine1: shippingAddress.addressLine1.replace('12', '14') };
}
