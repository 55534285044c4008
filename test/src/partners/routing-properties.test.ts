import fc from 'fast-check';
import { groupIntoPrintOrders, routeOrder } from '../../../src/partners/domain/routing';
import type { CandidatePartner, RoutingDecision, RoutingRequest } from '../../../src/partners/domain/routing-decision';
import { stockNeeds } from '../../../src/partners/domain/routing-weights';
import { capabilities, partner, routingRequest } from './builders';
import { ALL_PRODUCTS } from './products';

describe('routing of any order with any partners', () => {
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

  /** The rules that a partner must meet, implemented independently of the code under test. */
  const mayMake = (one: CandidatePartner, item: RoutingRequest['items'][number], destination: string): boolean => {
    const { productKinds, models: offers, countriesServed } = one.capabilities;
    const needed = [
      item.product.modelUid,
      ...item.product.parts.filter((p) => p.type !== 'stock').map((p) => p.modelUid),
    ];
    const stocked = [...stockNeeds(item.product, item.quantity)].every(([sku, units]) => {
      const level = one.stock[sku];
      return level === undefined || level.available === null || level.available >= units || level.allowBackorder;
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
    test(`${partnerCount} partners: items go whole to partners that can make them, within stock, with an explanation`, () => {
      fc.assert(
        fc.property(arbitraryRequest(partnerCount), ({ partners, items: drawn, destinationCountry }) => {
          const items = drawn.map((item, index) => ({ ...item, itemId: String(index + 1) }));
          const decision = routeOrder(routingRequest({ partners, items, destinationCountry }));
          expect(decision.explanation.map(({ itemId }) => itemId)).toEqual(items.map(({ itemId }) => itemId));
          for (const { alternatives } of decision.explanation) expect(alternatives).toHaveLength(partnerCount);
          const makers = items.map((item) => partners.filter((one) => mayMake(one, item, destinationCountry)));
          if (!decision.ok) {
            // Routing may fail only for an item without a maker or for items that compete for stock.
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
              expect(taken.get(key)!).toBeLessThanOrEqual(maker.stock[sku]?.available ?? Number.POSITIVE_INFINITY);
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

  test('the decision does not depend on the order of items and partners', () => {
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
          const decision = routeOrder(routingRequest(original));
          expect(routeOrder(routingRequest({ ...original, items, partners }))).toEqual(decision);
        },
      ),
      { numRuns: 150 },
    );
  });

  test('no other single partner or pair of partners is cheaper', () => {
    fc.assert(
      fc.property(arbitraryRequest(4), ({ partners: stocked, items: drawn, destinationCountry }) => {
        const items = drawn.map((item, index) => ({ ...item, itemId: String(index + 1) }));
        const partners = stocked.map((one) => ({ ...one, stock: {} }));
        const whole = routeOrder(routingRequest({ partners, items, destinationCountry }));
        if (!whole.ok) return;
        const cost = (decision: Extract<RoutingDecision, { ok: true }>) => decision.plans[0]!.cost.total;
        for (const a of partners) {
          for (const b of partners) {
            const some = routeOrder(routingRequest({ partners: [...new Set([a, b])], items, destinationCountry }));
            if (some.ok) expect(cost(some)).toBeGreaterThanOrEqual(cost(whole));
          }
        }
      }),
      { numRuns: 80 },
    );
  });
});
