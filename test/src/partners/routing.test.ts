import fc from 'fast-check';
import type { PartnerCapabilities } from '../../../src/partners/domain/capabilities';
import { groupIntoPrintOrders, routeOrder } from '../../../src/partners/domain/routing';
import type {
  CandidatePartner,
  RoutingDecision,
  RoutingRequest,
} from '../../../src/partners/domain/routing-decision';
import { stockNeeds } from '../../../src/partners/domain/routing-weights';
import { REFERENCE_RATES } from '../../../src/platform/domain/exchange-rates';
import { ALL_PRODUCTS, framedPoster, mug, poster, tShirt } from './products';

const AT = new Date('2026-11-25T09:00:00Z');

function capabilities(over: Partial<PartnerCapabilities> = {}): PartnerCapabilities {
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

function partner(uid: string, over: Partial<CandidatePartner> = {}): CandidatePartner {
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

function request(over: Partial<RoutingRequest>): RoutingRequest {
  return {
    items: [{ itemId: '1', product: poster, quantity: 1 }],
    destinationCountry: 'DE',
    partners: [],
    at: AT,
    rates: REFERENCE_RATES,
    ...over,
  };
}

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

describe('who gets an item', () => {
  test('the partner in the country of delivery, before a cheaper one across a customs border', () => {
    const partners = [
      partner('berlin'),
      partner('ohio', {
        country: 'US',
        capabilities: capabilities({ models: { flat_product: { unitPriceMinor: 300, leadDays: 1 } } }),
      }),
    ];
    expect(chosen(routeOrder(request({ partners, destinationCountry: 'DE' })))).toEqual({ 1: 'berlin' });
    expect(chosen(routeOrder(request({ partners, destinationCountry: 'US' })))).toEqual({ 1: 'ohio' });
  });

  test('the cheaper of two alike, prices compared in one currency', () => {
    const models = (unitPriceMinor: number) =>
      capabilities({ models: { flat_product: { unitPriceMinor, leadDays: 1 } } });
    const partners = [
      partner('in-euros', { capabilities: models(1_000) }),
      // 10.50 USD are 8.97 EUR.
      partner('in-dollars', { currency: 'USD', capabilities: models(1_050) }),
    ];
    const decision = routeOrder(request({ partners }));
    expect(chosen(decision)).toEqual({ 1: 'in-dollars' });
    expect(decision.ok && decision.assignments[0]!.productionCost).toEqual({ minor: 1_050, currency: 'USD' });
  });

  test('the sooner of two alike; a full order book costs days', () => {
    const partners = [partner('busy', { openUnits: 2_500 }), partner('free')];
    const decision = routeOrder(request({ partners }));
    expect(chosen(decision)).toEqual({ 1: 'free' });
    const dates = Object.fromEntries(
      decision.explanation[0]!.alternatives.map((one) => [
        one.partnerUid,
        one.verdict === 'rejected' ? one.reason : one.dispatchDate,
      ]),
    );
    expect(dates).toEqual({ free: '2026-11-26', busy: '2026-11-30' });
  });

  test('one parcel before two, when the saving is less than a parcel costs', () => {
    const only = (uid: string, price: number) => ({ [uid]: { unitPriceMinor: price, leadDays: 1 } });
    const items = [
      { itemId: '1', product: poster, quantity: 1 },
      { itemId: '2', product: mug, quantity: 1 },
    ];
    const partners = [
      partner('both', {
        capabilities: capabilities({ models: { ...only('flat_product', 500), ...only('mug_product', 500) } }),
      }),
      partner('cheap-mugs', { capabilities: capabilities({ models: only('mug_product', 200) }) }),
    ];
    const decision = routeOrder(request({ partners, items }));
    expect(chosen(decision)).toEqual({ 1: 'both', 2: 'both' });
    expect(decision.explanation[1]!.alternatives.map((one) => [one.partnerUid, one.verdict])).toEqual([
      ['both', 'chosen'],
      ['cheap-mugs', 'dearer_overall'],
    ]);
    const many = items.map((item) => ({ ...item, quantity: 10 }));
    expect(chosen(routeOrder(request({ partners, items: many })))).toEqual({ 1: 'both', 2: 'cheap-mugs' });
  });

  test('an order of t-shirt, poster and framed poster is split where no one makes all', () => {
    const items = [
      { itemId: '1', product: tShirt, quantity: 1 },
      { itemId: '2', product: poster, quantity: 1 },
      { itemId: '3', product: framedPoster, quantity: 1 },
    ];
    const partners = [
      partner('berlin', { capabilities: capabilities({ productKinds: ['print', 'mounted'] }) }),
      partner('ohio', { country: 'US', capabilities: capabilities({ productKinds: ['print', 'apparel'] }) }),
    ];
    const decision = routeOrder(request({ partners, items }));
    expect(chosen(decision)).toEqual({ 1: 'ohio', 2: 'berlin', 3: 'berlin' });
    if (!decision.ok) throw new Error('not routed');
    expect(groupIntoPrintOrders(decision.assignments)).toEqual([
      {
        partnerId: 'id-berlin',
        partnerUid: 'berlin',
        kind: 'mounted',
        items: [{ itemId: '3', quantity: 1 }],
        dispatchDate: '2026-11-26',
      },
      {
        partnerId: 'id-berlin',
        partnerUid: 'berlin',
        kind: 'print',
        items: [{ itemId: '2', quantity: 1 }],
        dispatchDate: '2026-11-26',
      },
      {
        partnerId: 'id-ohio',
        partnerUid: 'ohio',
        kind: 'apparel',
        items: [{ itemId: '1', quantity: 1 }],
        dispatchDate: '2026-11-26',
      },
    ]);
  });
});

describe('who cannot have an item, and why', () => {
  test('every reason is told', () => {
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
      request({
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

  test('no partner at all: refused for good, or only for now', () => {
    const failure = (partners: CandidatePartner[]) => {
      const decision = routeOrder(request({ partners }));
      return decision.ok ? decision : decision.unroutable;
    };
    expect(failure([])).toEqual([{ itemId: '1', passing: false, reason: 'there are no partners' }]);
    expect(
      failure([partner('shirts', { capabilities: capabilities({ productKinds: ['apparel'] }) })]),
    ).toEqual([{ itemId: '1', passing: false, reason: 'shirts does not make products of this kind: print' }]);
    expect(failure([partner('silent', { subscribed: false })])).toEqual([
      { itemId: '1', passing: true, reason: 'silent has not subscribed yet' },
    ]);
  });
});

describe('stock', () => {
  const shirts = (
    available: number | null,
    replenishmentDate: string | null = null,
    allowBackorder = false,
  ) => ({
    'tee-white-m': { available, replenishmentDate, allowBackorder },
  });
  const items = [
    { itemId: '1', product: tShirt, quantity: 3 },
    { itemId: '2', product: tShirt, quantity: 3 },
  ];

  test('items of one order do not share units', () => {
    const partners = [partner('a', { stock: shirts(5) }), partner('b', { stock: shirts(3) })];
    expect(chosen(routeOrder(request({ items, partners })))).toEqual({ 1: 'a', 2: 'b' });
    const short = routeOrder(request({ items, partners: [partner('a', { stock: shirts(5) })] }));
    expect(short).toMatchObject({
      ok: false,
      unroutable: [
        { itemId: '1', passing: true },
        { itemId: '2', passing: true },
      ],
    });
  });

  test('in stock without a number is enough for all; stock nobody reported counts less than known stock', () => {
    expect(chosen(routeOrder(request({ items, partners: [partner('a', { stock: shirts(null) })] })))).toEqual(
      {
        1: 'a',
        2: 'a',
      },
    );
    const partners = [partner('a-unknown'), partner('known', { stock: shirts(100) })];
    expect(chosen(routeOrder(request({ items, partners })))).toEqual({ 1: 'known', 2: 'known' });
  });

  test('a partner that takes backorders gets the item last, and ships after the stock is in', () => {
    const late = partner('late', { stock: shirts(0, '2026-12-07', true) });
    const alone = routeOrder(request({ items, partners: [late] }));
    expect(alone.ok && alone.assignments).toMatchObject([
      { partnerUid: 'late', backordered: true, dispatchDate: '2026-12-08' },
      { partnerUid: 'late', backordered: true, dispatchDate: '2026-12-08' },
    ]);
    const some = partner('some', { stock: shirts(4, null, true) });
    const shared = routeOrder(request({ items, partners: [some] }));
    expect(shared.ok && shared.assignments).toMatchObject([
      { itemId: '1', backordered: false, dispatchDate: '2026-11-26' },
      { itemId: '2', backordered: true, dispatchDate: '2026-12-10' },
    ]);
    const both = routeOrder(request({ items, partners: [late, partner('stocked', { stock: shirts(6) })] }));
    expect(chosen(both)).toEqual({ 1: 'stocked', 2: 'stocked' });
  });
});

describe('for any order and any partners', () => {
  const models = Object.keys(capabilities().models);
  const arbitraryPartner = (index: number) =>
    fc
      .record({
        country: fc.constantFrom('DE', 'US', 'GB', 'FR'),
        currency: fc.constantFrom('EUR', 'USD', 'GBP'),
        enabled: fc.boolean(),
        subscribed: fc.boolean(),
        productKinds: fc.subarray(['print', 'apparel', 'mounted'] as const, { minLength: 1 }),
        made: fc.subarray(models, { minLength: 2 }),
        countriesServed: fc.constantFrom<string[]>(['*'], ['DE'], ['US', 'GB']),
        price: fc.integer({ min: 1, max: 5_000 }),
        available: fc.option(fc.nat(12)),
        known: fc.boolean(),
        openUnits: fc.nat(5_000),
        allowBackorder: fc.boolean(),
      })
      .map(
        (drawn): CandidatePartner =>
          partner(`p${String(index).padStart(2, '0')}`, {
            ...drawn,
            stock: drawn.known
              ? {
                  'tee-white-m': {
                    available: drawn.available,
                    replenishmentDate: null,
                    allowBackorder: drawn.allowBackorder,
                  },
                  'frame-wood-black-30x40': {
                    available: drawn.available,
                    replenishmentDate: '2026-12-20',
                    allowBackorder: drawn.allowBackorder,
                  },
                }
              : {},
            capabilities: capabilities({
              productKinds: [...drawn.productKinds],
              models: Object.fromEntries(
                drawn.made.map((uid, nth) => [uid, { unitPriceMinor: drawn.price + nth, leadDays: nth % 3 }]),
              ),
              countriesServed: drawn.countriesServed,
            }),
          }),
      );
  const arbitraryRequest = (partnerCount: number) =>
    fc.record({
      partners: fc.tuple(...Array.from({ length: partnerCount }, (_, index) => arbitraryPartner(index))),
      items: fc.array(
        fc.record({ product: fc.constantFrom(...ALL_PRODUCTS), quantity: fc.integer({ min: 1, max: 5 }) }),
        { minLength: 1, maxLength: 5 },
      ),
      destinationCountry: fc.constantFrom('DE', 'US', 'FR', 'JP'),
    });

  /** The rules a partner must meet, written again from the interface's side, not from the code's. */
  const mayMake = (
    one: CandidatePartner,
    item: RoutingRequest['items'][number],
    destination: string,
  ): boolean => {
    const { productKinds, models: offers, countriesServed } = one.capabilities;
    const needed = [
      item.product.modelUid,
      ...item.product.parts.filter((p) => p.type !== 'stock').map((p) => p.modelUid),
    ];
    const stocked = [...stockNeeds(item.product, item.quantity)].every(([sku, units]) => {
      const level = one.stock[sku];
      return (
        level === undefined || level.available === null || level.available >= units || level.allowBackorder
      );
    });
    return (
      one.enabled &&
      one.subscribed &&
      productKinds.includes(item.product.kind) &&
      needed.every((uid) => offers[uid] !== undefined) &&
      (countriesServed.includes('*') || countriesServed.includes(destination)) &&
      stocked
    );
  };

  for (const partnerCount of [1, 4, 13]) {
    test(`${partnerCount} partners: whole items to partners that can make them, within stock, all explained`, () => {
      fc.assert(
        fc.property(arbitraryRequest(partnerCount), ({ partners, items: drawn, destinationCountry }) => {
          const items = drawn.map((item, index) => ({ ...item, itemId: String(index + 1) }));
          const decision = routeOrder(request({ partners, items, destinationCountry }));
          expect(decision.explanation.map(({ itemId }) => itemId)).toEqual(items.map(({ itemId }) => itemId));
          for (const { alternatives } of decision.explanation)
            expect(alternatives).toHaveLength(partnerCount);
          const makers = items.map((item) =>
            partners.filter((one) => mayMake(one, item, destinationCountry)),
          );
          if (!decision.ok) {
            // Only an item without a maker, or items that compete for stock, may fail.
            const competing = items.filter((item) => stockNeeds(item.product, 1).size > 0).length > 1;
            expect(makers.some((some) => some.length === 0) || competing).toBe(true);
            return;
          }
          expect(decision.assignments).toHaveLength(items.length);
          const taken = new Map<string, number>();
          for (const [index, assigned] of decision.assignments.entries()) {
            const maker = makers[index]!.find(({ uid }) => uid === assigned.partnerUid)!;
            expect(maker).toBeDefined();
            expect(assigned.quantity).toBe(items[index]!.quantity);
            if (assigned.backordered) continue;
            for (const [sku, units] of stockNeeds(items[index]!.product, assigned.quantity)) {
              const key = `${maker.uid}/${sku}`;
              taken.set(key, (taken.get(key) ?? 0) + units);
              expect(taken.get(key)!).toBeLessThanOrEqual(
                maker.stock[sku]?.available ?? Number.POSITIVE_INFINITY,
              );
            }
          }
          const grouped = groupIntoPrintOrders(decision.assignments);
          expect(grouped.flatMap((group) => group.items.map(({ itemId }) => itemId)).sort()).toEqual(
            items.map(({ itemId }) => itemId).sort(),
          );
        }),
        { numRuns: 150 },
      );
    });
  }

  test('the same decision whatever the sequence of items and partners', () => {
    fc.assert(
      fc.property(
        arbitraryRequest(5).chain((drawn) => {
          const items = drawn.items.map((item, index) => ({ ...item, itemId: String(index + 1) }));
          return fc.record({
            original: fc.constant({ ...drawn, items }),
            items: fc.shuffledSubarray(items, { minLength: items.length }),
            partners: fc.shuffledSubarray([...drawn.partners], { minLength: 5 }),
          });
        }),
        ({ original, items, partners }) => {
          const decision = routeOrder(request(original));
          expect(routeOrder(request({ ...original, items, partners }))).toEqual(decision);
        },
      ),
      { numRuns: 150 },
    );
  });

  test('no other single choice or pair of partners is cheaper', () => {
    fc.assert(
      fc.property(arbitraryRequest(4), ({ partners: stocked, items: drawn, destinationCountry }) => {
        const items = drawn.map((item, index) => ({ ...item, itemId: String(index + 1) }));
        const partners = stocked.map((one) => ({ ...one, stock: {} }));
        const whole = routeOrder(request({ partners, items, destinationCountry }));
        if (!whole.ok) return;
        const cost = (decision: Extract<RoutingDecision, { ok: true }>) =>
          Object.values(decision.parcels).reduce((a, b) => a + b, 0) +
          decision.explanation.reduce((sum, { alternatives: [first] }) => {
            if (first?.verdict !== 'chosen') throw new Error('the chosen one comes first');
            return sum + first.cost.total;
          }, 0);
        for (const a of partners) {
          for (const b of partners) {
            const some = routeOrder(request({ partners: [...new Set([a, b])], items, destinationCountry }));
            if (some.ok) expect(cost(some)).toBeGreaterThanOrEqual(cost(whole));
          }
        }
      }),
      { numRuns: 80 },
    );
  });
});
