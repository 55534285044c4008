import type { PartnerCapabilities } from '../../../src/partners/domain/capabilities';
import type { CandidatePartner, PassageOf, RoutingRequest } from '../../../src/partners/domain/routing-decision';
import type { Subscription } from '../../../src/partners/partner-schemas';
import { REFERENCE_RATES } from '../../../src/platform/domain/exchange-rates';
import { isCrossBorder } from '../../../src/platform/domain/territories';
import { addDays } from '../../../src/platform/domain/working-days';
import { poster } from './products';

/** Builders of partners and routing requests for tests. */

/** A Wednesday morning. */
const AT = new Date('2026-11-25T09:00:00Z');

/** Capabilities of a partner that makes every test product. */
export function capabilities(over: Partial<PartnerCapabilities> = {}): PartnerCapabilities {
  return {
    productKinds: ['print', 'apparel', 'mounted'],
    models: Object.fromEntries(
      [
        'flat_product',
        'photobook_hard_cover_product',
        'mug_product',
        'frame_product',
        'apparel_product',
        'fulfillment_service_product',
      ].map((uid) => [uid, { unitPriceMinor: 500, leadDays: 1 }]),
    ),
    countriesServed: ['*'],
    calendar: {
      timeZone: 'UTC',
      workingDays: [1, 2, 3, 4, 5],
      cutOff: '14:00',
      holidays: { country: 'DE' },
      closedDates: [],
    },
    capacityPerDay: 1_000,
    ...over,
  };
}

/** A partner that routing can choose. */
export function partner(uid: string, over: Partial<CandidatePartner> = {}): CandidatePartner {
  return {
    partnerId: `id-${uid}`,
    uid,
    country: 'DE',
    currency: 'EUR',
    enabled: true,
    subscribed: true,
    capabilities: capabilities(),
    stock: {},
    openUnits: 0,
    ...over,
  };
}

/** Passages of one parcel each: 4.00 in a country, 9.00 within a customs territory, 15.00 across a border. */
export const passagesTo =
  (destinationCountry: string, partners: readonly CandidatePartner[]): PassageOf =>
  ({ partnerUid, dispatchDate }) => {
    const { country } = partners.find(({ uid }) => uid === partnerUid)!;
    const crossesBorder = isCrossBorder({ country }, { country: destinationCountry });
    const isDomestic = country === destinationCountry;
    return {
      parcels: 1,
      postage: isDomestic ? 400 : crossesBorder ? 1_500 : 900,
      deliveryDate: addDays(dispatchDate, isDomestic ? 2 : crossesBorder ? 8 : 4),
      crossesBorder,
      refusal: null,
    };
  };

export const WEIGHTS = { day: 80, parcel: 200, border: 500 };

/** A routing request for one poster to Germany, without partners. */
export function routingRequest(over: Partial<RoutingRequest>): RoutingRequest {
  const { destinationCountry = 'DE', partners = [] } = over;
  return {
    items: [{ itemId: '1', product: poster, quantity: 1 }],
    destinationCountry,
    partners,
    weights: WEIGHTS,
    passageOf: passagesTo(destinationCountry, partners),
    at: AT,
    rates: REFERENCE_RATES,
    ...over,
  };
}

/** A subscription with a submit address only. */
export function subscription(over: Partial<Subscription> = {}): Subscription {
  return {
    orderSubmitUrl: 'https://partner.example/orders',
    apparelOrderSubmitUrl: null,
    orderCancelUrl: null,
    orderUpdateUrl: null,
    inventoryUrl: null,
    printOrderVersion: null,
    ...over,
  };
}
