import fc from 'fast-check';
import { type PackItem, packInGroups, packOrder, parcelCount } from '../../../../src/orders/domain/packing';

const poster: PackItem['product'] = {
  productModelId: 'poster',
  name: 'Poster',
  attributes: [{ name: 'paper_format', title: 'Paper format', value: 'a3', formattedValue: 'A3', properties: {} }],
  unitWeightGrams: 25,
  packed: { lengthMm: 327, widthMm: 80, heightMm: 80, nests: true },
  unitsPerPackage: 10,
  packagingWeightGrams: 140,
  hsCode: '491191',
};
const mug: PackItem['product'] = {
  productModelId: 'mug',
  name: 'Mug',
  attributes: [],
  unitWeightGrams: 350,
  packed: { lengthMm: 110, widthMm: 110, heightMm: 130 },
  unitsPerPackage: 6,
  packagingWeightGrams: 80,
  hsCode: '691110',
};
const item = (itemReferenceId: string, product: PackItem['product'], quantity: number): PackItem => ({
  itemReferenceId,
  product,
  quantity,
  value: { minor: 1000 * quantity, currency: 'EUR' },
});
const options = { countryOfOrigin: 'DE', packing: 'apart' } as const;
const summary = (packages: ReturnType<typeof packOrder>) =>
  packages.map(({ instructionIndex, items }) => [
    instructionIndex,
    ...items.map((entry) => `${entry.quantity}x${entry.itemReferenceId}`),
  ]);

test('posters of one model share a tube up to its capacity, and other models get separate packages', () => {
  const packages = packOrder([item('a', poster, 4), item('m', mug, 1), item('b', poster, 9)], [], options);
  expect(summary(packages)).toEqual([
    [null, '4xa', '6xb'],
    [null, '3xb'],
    [null, '1xm'],
  ]);
  expect(packages[0]).toMatchObject({
    packageReferenceId: 'P-1',
    grossWeightGrams: 10 * 25 + 140,
    lengthMm: 327,
    widthMm: 80,
    heightMm: 80,
  });
});

test('products share packages where their rules permit it: tubes hold only what nests in them', () => {
  const items = [item('a', poster, 4), item('m', mug, 2), item('b', { ...poster, productModelId: 'print' }, 6)];
  const alone = item('c', { ...mug, productModelId: 'bowl', unitsPerPackage: 1 }, 1);
  const book = item('d', { ...mug, productModelId: 'book', unitsPerPackage: 3 }, 2);
  const packages = packOrder([...items, book, alone], [], { ...options, packing: 'shared' });
  expect(summary(packages)).toEqual([
    [null, '4xa', '6xb'],
    [null, '2xm', '2xd'],
    [null, '1xc'],
  ]);
  // The weight of the packaging counts once.
  expect(packages[1]!.grossWeightGrams).toBe(4 * 350 + 80);
});

test('boxes stack on their largest face', () => {
  const [packed] = packOrder([item('m', mug, 2)], [], options);
  // Two mugs of 130 x 110 x 110 mm: 130 long, 110 wide, 220 high; the longest side first.
  expect(packed).toMatchObject({ lengthMm: 220, widthMm: 130, heightMm: 110, grossWeightGrams: 780 });
});

test('packaging instructions decide the packages, and the remaining items are packed by model', () => {
  const packages = packOrder(
    [item('a', poster, 3), item('m', mug, 3)],
    [
      {
        packageItems: [
          { orderItemReferenceId: 'a', quantity: 1 },
          { orderItemReferenceId: 'm', quantity: 1 },
        ],
      },
      { packageItems: [{ orderItemReferenceId: 'm', quantity: 1 }] },
    ],
    options,
  );
  expect(summary(packages)).toEqual([
    [0, '1xa', '1xm'],
    [1, '1xm'],
    [null, '2xa'],
    [null, '1xm'],
  ]);
});

test('instructions for items of another partner are ignored', () => {
  const packages = packOrder(
    [item('a', poster, 1)],
    [
      { packageItems: [{ orderItemReferenceId: 'elsewhere', quantity: 2 }] },
      { packageItems: [{ orderItemReferenceId: 'a', quantity: 5 }] },
    ],
    options,
  );
  expect(summary(packages)).toEqual([[1, '1xa']]);
});

test('an instruction that exceeds one package gets several', () => {
  const packages = packOrder(
    [item('m', mug, 8)],
    [{ packageItems: [{ orderItemReferenceId: 'm', quantity: 8 }] }],
    options,
  );
  expect(summary(packages)).toEqual([
    [0, '6xm'],
    [0, '2xm'],
  ]);
});

test('customs lines have the value, weight, code and origin of one unit', () => {
  const [packed] = packOrder([item('a', poster, 2)], [], options);
  expect(packed!.items).toEqual([
    {
      itemReferenceId: 'a',
      description: 'Poster, A3',
      quantity: 2,
      unitValue: { minor: 1000, currency: 'EUR' },
      totalValue: { minor: 2000, currency: 'EUR' },
      unitWeightGrams: 25,
      hsCode: '491191',
      countryOfOrigin: 'DE',
    },
  ]);
});

test('the values of all packages add up to the value of the item', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 0, max: 1_000_000 }),
      fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 5 }),
      (quantity, minor, instructed) => {
        const priced = { ...item('m', mug, quantity), value: { minor, currency: 'EUR' } };
        const instructions = instructed.map((units) => ({
          packageItems: [{ orderItemReferenceId: 'm', quantity: units }],
        }));

        const values = packOrder([priced], instructions, options).flatMap(({ items }) =>
          items.map(({ totalValue }) => totalValue!.minor),
        );

        expect(values.reduce((sum, value) => sum + value, 0)).toBe(minor);
        expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
      },
    ),
  );
});

test('every unit is packed once, and no package is empty or overfull', () => {
  const order = fc.array(
    fc.record({
      units: fc.integer({ min: 1, max: 400 }),
      perPackage: fc.integer({ min: 1, max: 50 }),
      model: fc.constantFrom('x', 'y'),
      nests: fc.boolean(),
      asked: fc.nat(500),
    }),
    { minLength: 1, maxLength: 6 },
  );
  fc.assert(
    fc.property(order, fc.boolean(), fc.constantFrom('shared', 'apart'), (lines, instructed, packing) => {
      const items = lines.map(({ units, perPackage, model, nests }, index) => {
        const packed = { ...poster.packed, nests };
        return item(`i${index}`, { ...poster, packed, productModelId: model, unitsPerPackage: perPackage }, units);
      });
      const instruction = {
        packageItems: lines.map(({ asked }, index) => ({
          orderItemReferenceId: `i${index}`,
          quantity: asked,
        })),
      };
      const packages = packOrder(items, instructed ? [instruction] : [], { ...options, packing });
      for (const { itemReferenceId, quantity } of items) {
        const packed = packages
          .flatMap((entry) => entry.items)
          .filter((entry) => entry.itemReferenceId === itemReferenceId)
          .reduce((sum, entry) => sum + entry.quantity, 0);
        expect(packed).toBe(quantity);
      }
      for (const { items: contents } of packages) {
        expect(contents.length).toBeGreaterThan(0);
        const share = contents.reduce((sum, entry) => {
          const { product } = items.find(({ itemReferenceId }) => itemReferenceId === entry.itemReferenceId)!;
          return sum + entry.quantity / product.unitsPerPackage;
        }, 0);
        expect(share).toBeLessThanOrEqual(1.00001);
      }
      expect(new Set(packages.map(({ packageReferenceId }) => packageReferenceId)).size).toBe(packages.length);

      const groups = packInGroups(items, instructed ? [instruction] : [], { ...options, packing });
      const sizesOf = ({ grossWeightGrams, lengthMm, widthMm, heightMm }: (typeof packages)[number]) => {
        return [grossWeightGrams, lengthMm, widthMm, heightMm];
      };
      const listed = groups.flatMap((group) => Array.from({ length: group.count }, () => group));
      expect(summary(listed)).toEqual(summary(packages));
      expect(listed.map(sizesOf)).toEqual(packages.map(sizesOf));
      let first = 0;
      for (const { count, ...group } of groups) {
        expect(group).toEqual(packages[first]);
        first += count;
      }
      if (packing === 'shared') expect(parcelCount(items, instructed ? [instruction] : [])).toBe(packages.length);
    }),
  );
});

test('equal full packages are counted: five million units make a group for each item and a rest', () => {
  const books = { ...mug, productModelId: 'book', unitsPerPackage: 3 };
  const items = Array.from({ length: 500 }, (_, index) => item(`i${index}`, books, 10_000));
  const groups = packInGroups(items, [], options);
  expect(groups.length).toBeLessThanOrEqual(3 * 500);
  expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(Math.ceil((500 * 10_000) / 3));
});
