import {
  type ReportDimension,
  type ReportFilters,
  type ReportGroup,
  ReportGroups,
} from '../../../../src/orders/reading/report-groups';
import { type ReportLine, ReportSums } from '../../../../src/orders/reading/report-sums';

/** Returns a line of an order. */
const line = (of: Partial<ReportLine>): ReportLine => ({
  order_id: 'a',
  kind: 'item',
  client_id: 'shop',
  country: 'DE',
  partner_id: 'berlin',
  carrier_uid: 'tern',
  product_uid: 'poster',
  currency: 'EUR',
  is_reprint: false,
  units: 0,
  revenue_minor: 0n,
  cost_minor: 0n,
  is_delivered: false,
  is_late: false,
  ...of,
});

const sumsOf = (...orders: (readonly ReportLine[])[]) => {
  const sums = new ReportSums();
  for (const lines of orders) sums.add(lines);
  return sums.all();
};

/** An order of two items at two partners, and a parcel that was late. */
const LINES = [
  line({ units: 2 }),
  line({ units: 1, partner_id: 'ohio', product_uid: 'mug' }),
  line({ kind: 'revenue', revenue_minor: 1500n }),
  line({ kind: 'cost', cost_minor: 700n }),
  line({ kind: 'cost', cost_minor: 200n, currency: 'USD' }),
  line({ kind: 'parcel', product_uid: null, is_delivered: true, is_late: true }),
  line({ kind: 'error', product_uid: null }),
];

test('an order counts once in each group that has an item of it', () => {
  const one = new ReportGroups(new Set(['day']), {}, 10);
  one.addSums('2026-05-01', sumsOf([...LINES, line({ order_id: 'b', is_reprint: true, units: 4 })]));
  const none = { client: null, country: null, partner: null, carrier: null, product: null };
  const counts = { parcels: 1, delivered: 1, late: 1, errors: 1, claims: 0 };
  expect(one.all()).toEqual([
    {
      ...{ ...none, day: '2026-05-01', currency: 'EUR', orders: 2, reprints: 1, units: 7 },
      ...{ ...counts, revenueMinor: 1500, costMinor: 700 },
    },
    expect.objectContaining({ currency: 'USD', orders: 0, costMinor: 200 }),
  ]);

  const byPartner = new ReportGroups(new Set(['partner']), {}, 10);
  byPartner.addSums('2026-05-01', sumsOf(LINES));
  expect(byPartner.all().map(({ day, partner, currency, orders }) => [day, partner, currency, orders])).toEqual([
    [null, 'berlin', 'EUR', 1],
    [null, 'berlin', 'USD', 0],
    [null, 'ohio', 'EUR', 1],
  ]);
});

test('filters leave lines of others out', () => {
  const groups = new ReportGroups(new Set(), { product: 'mug', partner: 'ohio' }, 10);
  groups.addSums('2026-05-01', sumsOf(LINES));
  expect(groups.all()).toEqual([expect.objectContaining({ orders: 1, units: 1, revenueMinor: 0, parcels: 0 })]);
});

test('groups of Postgres and lines of the archive add up, and the number of groups is bounded', () => {
  const archived = new ReportGroups(new Set(['client']), {}, 1);
  archived.addSums('2026-05-01', sumsOf(LINES.slice(0, 3)));
  const [hot] = archived.all();
  archived.add({ ...hot! } satisfies ReportGroup);
  expect(archived.all()).toEqual([expect.objectContaining({ orders: 2, units: 6, revenueMinor: 3000 })]);
  expect(archived.isFull).toBe(false);
  archived.addSums('2026-05-02', sumsOf([line({ order_id: 'c', client_id: 'other' })]));
  expect(archived.isFull).toBe(true);
});

test('sums of many orders give the same report as the orders one by one, and equal orders are one sum', () => {
  const orders = Array.from({ length: 60 }, (_, n) =>
    [0, 1, 2].slice(0, 1 + (n % 3)).flatMap((item) => {
      const of = {
        order_id: `order-${n}`,
        client_id: `client-${n % 2}`,
        country: n % 3 === 0 ? 'DE' : 'FR',
        partner_id: `partner-${(n + item) % 3}`,
        product_uid: `product-${(n * item) % 2}`,
        is_reprint: n % 5 === 0,
      };
      return [
        line({ ...of, units: n }),
        line({ ...of, kind: 'revenue', revenue_minor: BigInt(n * 10) }),
        line({ ...of, kind: 'parcel', product_uid: null, is_delivered: n % 2 === 0, is_late: n % 4 === 0 }),
      ];
    }),
  );
  const filters: ReportFilters[] = [
    {},
    { product: 'product-1' },
    { client: 'client-1', partner: 'partner-0' },
    { country: 'FR' },
  ];
  for (const by of [[], ['client'], ['partner'], ['product'], ['day', 'partner', 'product']] as ReportDimension[][])
    for (const filter of filters) {
      const [together, alone] = [0, 1].map(() => new ReportGroups(new Set(by), filter, 1_000));
      together!.addSums('2026-05-01', sumsOf(...orders));
      for (const lines of orders) alone!.addSums('2026-05-01', sumsOf(lines));
      expect(together!.all()).toEqual(alone!.all());
    }
  const repeated = Array.from({ length: 50 }, (_, n) => LINES.map((each) => ({ ...each, order_id: `order-${n}` })));
  expect(sumsOf(...repeated)).toHaveLength(sumsOf(LINES).length);
});
