import type { PartnerCapabilities } from '../../../src/partners/domain/capabilities';
import type { CandidatePartner, RoutingRequest } from '../../../src/partners/domain/routing-decision';
import type { Subscription } from '../../../src/partners/partner-schemas';
import { REFERENCE_RATES } from '../../../src/platform/domain/exchange-rates';
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

/** A routing request for one poster to Germany, without partners. */
export function routingRequest(over: Partial<RoutingRequest>): RoutingRequest {
  return {
    items: [{ itemId: '1', product: poster, quantity: 1 }],
    destinationCountry: 'DE',
    partners: [],
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
