import { type OrdersApi, ordersApi, subscribedPartners } from './orders-api';
import { file, item, of, POSTER, T_SHIRT } from './sample-orders';

/** Rules of an order item that depend on its product: sides of a garment, files of stock products, custom trims. */

let api: OrdersApi;

beforeAll(async () => {
  api = await ordersApi();
  await subscribedPartners(api);
});

const refusals = async (...items: object[]) => {
  const { body } = await api.submit(of(...items)).expect(400);
  return body.errors.map(({ code, reference }: { code: string; reference: string }) => `${code} ${reference}`);
};

describe('files of a garment', () => {
  const shirt = (sides: string, ...types: string[]) =>
    item({ productUid: T_SHIRT.replace('4-4', sides), files: types.map((type) => file(type)) });

  test.each([
    ['4-0', ['front']],
    ['4-0', ['default']],
    ['0-4', ['back']],
    ['0-4', ['default']],
    ['4-4', ['front', 'back']],
    ['4-4', ['default', 'back']],
    ['4-0', ['front', 'neck-inner', 'sleeve-left']],
    ['4-0', ['chest-center-embroidery']],
    ['0-4', ['back', 'wrist-left-embroidery']],
  ])('color type %s with %j is accepted', async (sides, types) => {
    await api.submit(of(shirt(sides, ...types))).expect(200);
  });

  test.each([
    ['4-4', ['front'], ['MISSING_FIELD_ERROR items[0].files']],
    ['4-4', ['default'], ['MISSING_FIELD_ERROR items[0].files']],
    ['4-4', ['back', 'neck-outer'], ['MISSING_FIELD_ERROR items[0].files']],
    ['4-0', ['front', 'back'], ['NO_SUCH_CHOICE_ERROR items[0].files[1].type']],
    ['0-4', ['back', 'front'], ['NO_SUCH_CHOICE_ERROR items[0].files[1].type']],
    ['0-4', ['chest-left-embroidery', 'back'], ['NO_SUCH_CHOICE_ERROR items[0].files[0].type']],
    ['4-0', ['default', 'front'], ['NO_SUCH_CHOICE_ERROR items[0].files[0].type']],
    ['4-0', ['back'], ['MISSING_FIELD_ERROR items[0].files', 'NO_SUCH_CHOICE_ERROR items[0].files[0].type']],
  ])('color type %s with %j is refused', async (sides, types, errors) => {
    expect(await refusals(shirt(sides, ...types))).toEqual(errors);
  });
});

describe('items without files', () => {
  test('are refused for every product that is printed', async () => {
    const bare = [item({ files: undefined }), item({ itemReferenceId: 'b', files: [], productUid: T_SHIRT })];
    expect(await refusals(...bare)).toEqual(['MISSING_FIELD_ERROR items[0].files', 'VALIDATION_ERROR items[1].files']);
  });
});

describe('a custom trim', () => {
  const prices = async (...items: object[]) => {
    const { body } = await api.post('/v1/orders/quote', of(...items)).expect(200);
    return body.quotes[0].items.map(({ price }: { price: number }) => price);
  };
  const sized = (size: string, over: object = {}) =>
    item({
      itemReferenceId: `${size}-${Object.keys(over).length}`,
      productUid: POSTER.replace('a3', size),
      ...over,
    });

  test('has the price of the smallest size that contains it, upright or turned, whatever size is ordered', async () => {
    const [trimmed, turned, a2, a3] = await prices(
      sized('a1', { customTrim: { widthMm: 300, heightMm: 500 } }),
      sized('a4', { customTrim: { widthMm: 500, heightMm: 300 } }),
      sized('a2'),
      sized('a3'),
    );
    expect([trimmed, turned]).toEqual([a2, a2]);
    expect(a3).not.toBe(a2);
  });

  test('of exactly a size has the price of that size', async () => {
    const [trimmed, a3] = await prices(sized('a1', { customTrim: { widthMm: 297, heightMm: 420 } }), sized('a3'));
    expect(trimmed).toBe(a3);
  });

  test('that no size contains is refused, in an order and in a quote', async () => {
    const customTrim = { widthMm: 595, heightMm: 842 };
    expect(await refusals(sized('a1', { customTrim }))).toEqual(['VALIDATION_ERROR items[0].customTrim']);
    const { body } = await api.post('/v1/orders/quote', of(sized('a1', { customTrim }))).expect(400);
    expect(body.errors[0].reference).toBe('items[0].customTrim');
    await api.submit(of(sized('a1', { customTrim: { widthMm: 594, heightMm: 841 } }))).expect(200);
  });
});
