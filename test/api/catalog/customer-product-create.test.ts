import request from 'supertest';
import { type CatalogApi, catalogApi, PRODUCTS, references, tee } from './catalog-api';

let api: CatalogApi;
beforeAll(async () => {
  api = await catalogApi();
});

describe('POST /product/v1/customer-product', () => {
  test('returns the product with its id and times, without a state', async () => {
    const given = tee({ partQuantities: [{ partModelId: 'blank-t-shirt', quantity: 2 }] });
    const { body } = await api.create(given).expect(200);
    expect(body).toEqual({
      id: expect.any(String),
      ...given,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    });
  });

  test('customerIds default to the client itself, and to all customers for an operator', async () => {
    const { customerIds: _, ...open } = tee();
    expect((await api.create(open)).body.customerIds).toEqual([api.client.id]);
    expect((await api.create(open, api.operator)).body.customerIds).toEqual(['*']);
  });

  test('names every invalid field by path', async () => {
    const { body } = await api
      .create({
        name: ' ',
        customerIds: 'all',
        productModelId: 't-shirt',
        variantOptions: [{ name: 'A', attributesMapping: [{ partModelId: 7, attributeIds: ['x'] }] }],
        partQuantities: [{ partModelId: 'blank-t-shirt', quantity: -1 }, { quantity: 1.5 }],
      })
      .expect(400);
    expect(body.errors.map(({ code, reference }: Record<string, string>) => `${code} ${reference}`)).toEqual([
      'IS_BLANK_ERROR name',
      'VALIDATION_ERROR customerIds',
      'MISSING_FIELD_ERROR variantOptions[0].id',
      'VALIDATION_ERROR variantOptions[0].attributesMapping[0].partModelId',
      'VALIDATION_ERROR partQuantities[0].quantity',
      'MISSING_FIELD_ERROR partQuantities[1].partModelId',
      'VALIDATION_ERROR partQuantities[1].quantity',
    ]);
  });

  const option = tee().variantOptions[0]!;
  test.each([
    [
      'an attribute mapped twice',
      { variantOptions: [option, { ...option, id: 'again', name: 'Again' }] },
      'variantOptions[1].attributesMapping[0].attributeIds[0]',
    ],
    [
      'a part counted twice',
      { partQuantities: [1, 2].map((quantity) => ({ partModelId: 'blank-t-shirt', quantity })) },
      'partQuantities[1].partModelId',
    ],
    ['a blank customer', { customerIds: ['a', ' '] }, 'customerIds[1]'],
    ['no customer', { customerIds: [] }, 'customerIds'],
  ])('refuses %s by path', async (_, over, reference) => {
    const { body } = await api.create(tee(over)).expect(400);
    expect(references(body)).toEqual([reference]);
  });

  test('accepts a repeated customer, and lists the product once', async () => {
    const id = await api.created({ name: 'Twice named', customerIds: [api.client.id, api.client.id] });
    const { body } = await request(api.app).get(PRODUCTS).query({ search: 'Twice named' }).set(api.client.key);
    expect(body).toMatchObject({ customerProducts: [{ id }], meta: { total: 1 } });
  });

  test('accepts 0 as the quantity of a part', async () => {
    const unframed = { productModelId: 'framed-poster', variantOptions: [] };
    await api.create(tee({ ...unframed, partQuantities: [{ partModelId: 'poster-frame', quantity: 0 }] })).expect(200);
  });

  test('refuses an unknown and an inactive product model', async () => {
    for (const productModelId of ['hat', 'satin-poster']) {
      const { body } = await api.create(tee({ productModelId, variantOptions: [] })).expect(400);
      expect(body.errors).toEqual([
        expect.objectContaining({ reference: 'productModelId', code: 'NO_SUCH_CHOICE_ERROR' }),
      ]);
    }
  });

  test('reports unknown parts, unknown attributes and repeated ids together', async () => {
    const { body } = await api
      .create(
        tee({
          variantOptions: [
            {
              id: 'size',
              name: 'Size',
              attributesMapping: [{ partModelId: 'hat', attributeIds: ['apparel_size'] }],
            },
            {
              id: 'size',
              name: 'Frame',
              attributesMapping: [{ partModelId: 'blank-t-shirt', attributeIds: ['apparel_size', 'frame_material'] }],
            },
          ],
          partQuantities: [{ partModelId: 'frame', quantity: 1 }],
        }),
      )
      .expect(400);
    expect(references(body)).toEqual([
      'variantOptions[0].attributesMapping[0].partModelId',
      'variantOptions[1].id',
      'variantOptions[1].attributesMapping[0].attributeIds[1]',
      'partQuantities[0].partModelId',
    ]);
  });

  test('ignores unknown fields and does not store them', async () => {
    const { body } = await api.create(tee({ state: 'draft', id: 'mine', secret: 1 })).expect(200);
    expect(body.id).not.toBe('mine');
    expect(body).not.toHaveProperty('secret');
    expect(body).not.toHaveProperty('state');
  });
});
