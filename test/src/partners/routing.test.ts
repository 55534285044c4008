import { groupIntoPrintOrders, routeOrder } from '../../../src/partners/domain/routing';
import type {
  CandidatePartner,
  Passage,
  RoutingDecision,
  RoutingRequest,
} from '../../../src/partners/domain/routing-decision';
import { capabilities, partner, passagesTo, routingRequest } from './builders';
import { framedPoster, mug, poster, tShirt } from './products';

const chosen = (decision: RoutingDecision): Record<string, string> => {
  if (!decision.ok) throw new Error(JSON.stringify(decision.unroutable));
  return Object.fromEntries(decision.assignments.map(({ itemId, partnerUid }) => [itemId, partnerUid]));
};

const rejections = (decision: RoutingDecision): Record<string, string> =>
  Object.fromEntries(
    decision.explanation.flatMap(({ alternatives }) =>
      alternatives.flatMap((one) => (one.verdict === 'rejected' ? [[one.partnerUid, one.reason]] : [])),
    ),
  );

describe('chosen partner', () => {
  test('the partner in the country of delivery wins over a cheaper one across a customs border', () => {
    const partners = [
      partner('berlin'),
      partner('ohio', {
        country: 'US',
        capabilities: capabilities({ models: { flat_product: { unitPriceMinor: 300, leadDays: 1 } } }),
      }),
    ];
    expect(chosen(routeOrder(routingRequest({ partners, destinationCountry: 'DE' })))).toEqual({
      1: 'berlin',
    });
    expect(chosen(routeOrder(routingRequest({ partners, destinationCountry: 'US' })))).toEqual({ 1: 'ohio' });
  });

  test('the cheaper of two equal partners wins; prices are compared in one currency', () => {
    const models = (unitPriceMinor: number) =>
      capabilities({ models: { flat_product: { unitPriceMinor, leadDays: 1 } } });
    const partners = [
      partner('in-euros', { capabilities: models(1_000) }),
      // 10.50 USD are 8.97 EUR.
      partner('in-dollars', { currency: 'USD', capabilities: models(1_050) }),
    ];
    const decision = routeOrder(routingRequest({ partners }));
    expect(chosen(decision)).toEqual({ 1: 'in-dollars' });
    expect(decision.ok && decision.assignments[0]!.productionCost).toEqual({ minor: 1_050, currency: 'USD' });
  });

  test('the faster of two equal partners wins; a high load adds days', () => {
    const partners = [partner('busy', { openUnits: 2_500 }), partner('free')];
    const decision = routeOrder(routingRequest({ partners }));
    expect(chosen(decision)).toEqual({ 1: 'free' });
    const dates = Object.fromEntries(
      decision.explanation[0]!.alternatives.map((one) => [
        one.partnerUid,
        one.verdict === 'rejected' ? one.reason : one.dispatchDate,
      ]),
    );
    expect(dates).toEqual({ free: '2026-11-26', busy: '2026-11-30' });
  });

  test('one parcel wins over two when the saving is smaller than the cost of a parcel', () => {
    const only = (uid: string, price: number) => ({ [uid]: { unitPriceMinor: price, leadDays: 1 } });
    const items = [
      { itemId: '1', product: poster, quantity: 1 },
      { itemId: '2', product: mug, quantity: 1 },
    ];
    const partners = [
      partner('both', {
        capabilities: capabilities({ models: { ...only('flat_product', 500), ...only('mug_product', 500) } }),
      }),
      partner('cheap-mugs', { capabilities: capabilities({ models: only('mug_product', 50) }) }),
    ];
    const decision = routeOrder(routingRequest({ partners, items }));
    expect(chosen(decision)).toEqual({ 1: 'both', 2: 'both' });
    expect(decision.explanation[1]!.alternatives.map((one) => [one.partnerUid, one.verdict])).toEqual([
      ['both', 'chosen'],
      ['cheap-mugs', 'dearer_overall'],
    ]);
    const many = items.map((item) => ({ ...item, quantity: 10 }));
    expect(chosen(routeOrder(routingRequest({ partners, items: many })))).toEqual({
      1: 'both',
      2: 'cheap-mugs',
    });
  });

  test('an order of t-shirt, poster and framed poster is split when no partner makes all of it', () => {
    const items = [
      { itemId: '1', product: tShirt, quantity: 1 },
      { itemId: '2', product: poster, quantity: 1 },
      { itemId: '3', product: framedPoster, quantity: 1 },
    ];
    const partners = [
      partner('berlin', { capabilities: capabilities({ productKinds: ['print', 'mounted'] }) }),
      partner('ohio', { country: 'US', capabilities: capabilities({ productKinds: ['print', 'apparel'] }) }),
    ];
    const decision = routeOrder(routingRequest({ partners, items }));
    expect(chosen(decision)).toEqual({ 1: 'ohio', 2: 'berlin', 3: 'berlin' });
    if (!decision.ok) throw new Error('not routed');
    expect(groupIntoPrintOrders(decision.assignments)).toEqual([
      {
        partnerId: 'id-berlin',
        partnerUid: 'berlin',
        kind: 'mounted',
        items: [{ itemId: '3', quantity: 1 }],
        dispatchDate: '2026-11-26',
        production: { from: '2026-11-25', leadDays: 1 },
      },
      {
        partnerId: 'id-berlin',
        partnerUid: 'berlin',
        kind: 'print',
        items: [{ itemId: '2', quantity: 1 }],
        dispatchDate: '2026-11-26',
        production: { from: '2026-11-25', leadDays: 1 },
      },
      {
        partnerId: 'id-ohio',
        partnerUid: 'ohio',
        kind: 'apparel',
        items: [{ itemId: '1', quantity: 1 }],
        dispatchDate: '2026-11-26',
        production: { from: '2026-11-25', leadDays: 1 },
      },
    ]);
  });
});

describe('passages', () => {
  const partners = [partner('berlin'), partner('ohio', { country: 'US' })];
  /** Passages to Germany, as `change` changes those of a partner. */
  const route = (change: Partial<Passage>, by = 'berlin', over: Partial<RoutingRequest> = {}) => {
    const passageOf = passagesTo('DE', partners);
    return routeOrder(
      routingRequest({
        partners,
        passageOf: (printOrder) => ({ ...passageOf(printOrder), ...(printOrder.partnerUid === by ? change : {}) }),
        ...over,
      }),
    );
  };

  test.each([
    ['postage', { postage: 3_000 }],
    ['days until the delivery', { deliveryDate: '2027-01-10' }],
    ['parcels', { parcels: 20 }],
  ] as const)('%s of a partner decide', (_what, change) => {
    expect(chosen(route({}))).toEqual({ 1: 'berlin' });
    expect(chosen(route(change))).toEqual({ 1: 'ohio' });
    expect(chosen(route(change, 'berlin', { weights: { day: 0, parcel: 0, border: 100_000 } }))).toEqual({
      1: 'berlin',
    });
  });

  test('a partner with which the order is refused is chosen only when no other one is left', () => {
    expect(rejections(route({ postage: 0, refusal: 'no_shipment_method' }, 'ohio'))).toEqual({
      ohio: 'no_shipment_method',
    });
    const avoided = route({ refusal: 'no_retail_prices' });
    expect(chosen(avoided)).toEqual({ 1: 'ohio' });
    expect(avoided).toMatchObject({
      why: expect.stringMatching(/^ohio: .*; no other plan\. Cheaper, but the order would be refused: berlin ships/),
    });
    const left = route({ refusal: 'no_retail_prices' }, 'berlin', { partners: [partners[0]!] });
    expect(chosen(left)).toEqual({ 1: 'berlin' });
    expect(rejections(left)).toEqual({ berlin: 'no_retail_prices' });
    expect(left).toMatchObject({ why: expect.stringMatching(/^No partner is left .*: berlin ships across/) });
  });
});

describe('rejected partners', () => {
  test('every rejection has its reason', () => {
    const partners = [
      partner('a-good-one'),
      partner('excluded'),
      partner('paper-only', { capabilities: capabilities({ productKinds: ['print'] }) }),
      partner('no-service', {
        capabilities: capabilities({ models: { frame_product: { unitPriceMinor: 1, leadDays: 0 } } }),
      }),
      partner('europe', { capabilities: capabilities({ countriesServed: ['DE', 'FR'] }) }),
      partner('off', { enabled: false }),
      partner('silent', { subscribed: false }),
      partner('sold-out', {
        stock: { 'frame-wood-black-30x40': { available: 1, replenishmentDate: null, allowBackorder: false } },
      }),
    ];
    const decision = routeOrder(
      routingRequest({
        partners,
        items: [{ itemId: '1', product: framedPoster, quantity: 2 }],
        destinationCountry: 'JP',
        excludedPartnerIds: ['id-excluded'],
      }),
    );
    expect(chosen(decision)).toEqual({ 1: 'a-good-one' });
    expect(rejections(decision)).toEqual({
      excluded: 'excluded',
      'paper-only': 'kind_not_made',
      'no-service': 'model_not_made',
      europe: 'destination_not_served',
      off: 'disabled',
      silent: 'not_subscribed',
      'sold-out': 'out_of_stock',
    });
  });

  test('an item without a partner is unroutable for good or temporarily', () => {
    const failure = (partners: CandidatePartner[]) => {
      const decision = routeOrder(routingRequest({ partners }));
      return decision.ok ? decision : decision.unroutable;
    };
    expect(failure([])).toEqual([
      { itemId: '1', passing: false, code: 'not_produced', reason: 'there are no partners' },
    ]);
    expect(failure([partner('shirts', { capabilities: capabilities({ productKinds: ['apparel'] }) })])).toEqual([
      {
        itemId: '1',
        passing: false,
        code: 'not_produced',
        reason: 'shirts does not make products of this kind: print',
      },
    ]);
    expect(failure([partner('silent', { subscribed: false })])).toEqual([
      { itemId: '1', passing: true, code: 'unavailable', reason: 'silent has not subscribed yet' },
    ]);
  });
});

describe('stock', () => {
  const shirts = (available: number | null, replenishmentDate: string | null = null, allowBackorder = false) => ({
    'tee-white-m': { available, replenishmentDate, allowBackorder },
  });
  const items = [
    { itemId: '1', product: tShirt, quantity: 3 },
    { itemId: '2', product: tShirt, quantity: 3 },
  ];

  test('items of one order do not share units', () => {
    const partners = [partner('a', { stock: shirts(5) }), partner('b', { stock: shirts(3) })];
    expect(chosen(routeOrder(routingRequest({ items, partners })))).toEqual({ 1: 'a', 2: 'b' });
    const short = routeOrder(routingRequest({ items, partners: [partner('a', { stock: shirts(5) })] }));
    expect(short).toMatchObject({
      ok: false,
      unroutable: [
        { itemId: '1', passing: true },
        { itemId: '2', passing: true },
      ],
    });
  });

  test('in-stock without an amount covers all items; unknown stock ranks below known stock', () => {
    expect(chosen(routeOrder(routingRequest({ items, partners: [partner('a', { stock: shirts(null) })] })))).toEqual({
      1: 'a',
      2: 'a',
    });
    const partners = [partner('a-unknown'), partner('known', { stock: shirts(100) })];
    expect(chosen(routeOrder(routingRequest({ items, partners })))).toEqual({ 1: 'known', 2: 'known' });
  });

  test('a partner with a backorder ranks last and ships after the stock arrives', () => {
    const late = partner('late', { stock: shirts(0, '2026-12-07', true) });
    const alone = routeOrder(routingRequest({ items, partners: [late] }));
    expect(alone.ok && alone.assignments).toMatchObject([
      { partnerUid: 'late', backordered: true, dispatchDate: '2026-12-08' },
      { partnerUid: 'late', backordered: true, dispatchDate: '2026-12-08' },
    ]);
    const some = partner('some', { stock: shirts(4, null, true) });
    const shared = routeOrder(routingRequest({ items, partners: [some] }));
    expect(shared.ok && shared.assignments).toMatchObject([
      { itemId: '1', backordered: false, dispatchDate: '2026-11-26' },
      { itemId: '2', backordered: true, dispatchDate: '2026-12-10' },
    ]);
    const both = routeOrder(routingRequest({ items, partners: [late, partner('stocked', { stock: shirts(6) })] }));
    expect(chosen(both)).toEqual({ 1: 'stocked', 2: 'stocked' });
  });
});
