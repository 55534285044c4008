import type { Express } from 'express';
import request, { type Test } from 'supertest';
import type { z } from 'zod';
import { createApp } from '../../../api/app';
import { draftRoutes } from '../../../api/orders/drafts';
import { orderRoutes } from '../../../api/orders/orders';
import { orderQuoteRoutes } from '../../../api/orders/quote';
import { catalogRoutes } from '../../../api/routes';
import { seedDemoCatalog } from '../../../sandbox/demo/catalog';
import type { customerProductList } from '../../../src/catalog/customer-product-schemas';
import type { Config } from '../../../src/platform/config';
import type { Sql } from '../../../src/platform/postgres';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';
import { named, order } from '../orders/sample-orders';

export const PRODUCTS = '/product/v1/customer-products';

type ProductList = z.output<typeof customerProductList>;

/** The catalog routes on a fresh database with the demo catalog, and an account of each role. */
export interface CatalogApi {
  readonly sql: Sql;
  readonly app: Express;
  readonly client: TestAccount;
  /** A second client. */
  readonly other: TestAccount;
  readonly operator: TestAccount;
  readonly partner: TestAccount;
  create(body: object, by?: TestAccount): Test;
  /** Creates a customer product from `tee(over)` and returns its id. */
  created(over?: object, by?: TestAccount): Promise<string>;
  change(id: string, body: object, by?: TestAccount): Test;
  addValues(id: string, body: unknown, by?: TestAccount): Test;
  replaceValues(id: string, body: unknown, by?: TestAccount): Test;
  removeValue(id: string, option: string, value: string, by?: TestAccount): Test;
  delete(id: string, by?: TestAccount): Test;
  /** Submits an order of one product by name. */
  order(productName: string, over?: object, by?: TestAccount): Test;
  /** Returns the body of the list of customer products. */
  list(query: object, by?: TestAccount): Promise<ProductList>;
}

export async function catalogApi(config: Partial<Config> = {}): Promise<CatalogApi> {
  const { sql } = await testDatabase();
  await seedDemoCatalog(sql);
  const deps = await testApiDeps(sql, { config });
  const app = createApp(deps, [
    ...catalogRoutes(deps),
    ...orderRoutes(deps),
    ...draftRoutes(deps),
    ...orderQuoteRoutes(deps),
  ]);
  const client = await testAccount(sql, 'client');
  const create = (body: object, by = client) =>
    request(app).post('/product/v1/customer-product').set(by.key).send(body);
  return {
    sql,
    app,
    client,
    other: await testAccount(sql, 'client'),
    operator: await testAccount(sql, 'operator'),
    partner: await testAccount(sql, 'partner'),
    create,
    created: async (over = {}, by = client) => (await create(tee(over), by).expect(200)).body.id,
    change: (id, body, by = client) => request(app).patch(`${PRODUCTS}/${id}`).set(by.key).send(body),
    addValues: (id, body, by = client) =>
      request(app)
        .post(`${PRODUCTS}/${id}/variant-values`)
        .set(by.key)
        .send(body as object),
    replaceValues: (id, body, by = client) =>
      request(app)
        .put(`${PRODUCTS}/${id}/variant-values`)
        .set(by.key)
        .send(body as object),
    removeValue: (id, option, value, by = client) =>
      request(app)
        .delete(`${PRODUCTS}/${id}/variant-values/${option}/${encodeURIComponent(value)}`)
        .set(by.key),
    delete: (id, by = client) => request(app).delete(`${PRODUCTS}/${id}`).set(by.key),
    order: (productName, over = {}, by = client) =>
      request(app)
        .post('/v1/orders')
        .set(by.keyAndSecret)
        .send(order({ items: [named({ productName, productVariant: {} })], ...over })),
    list: async (query, by = client) => (await request(app).get(PRODUCTS).query(query).set(by.key).expect(200)).body,
  };
}

let tees = 0;

/** Body of a new customer product with two options, and a name that no other has. */
export const tee = (over: object = {}) => ({
  name: `Band tee ${++tees}`,
  customerIds: ['*'],
  productModelId: 't-shirt',
  variantOptions: [
    {
      id: 'size',
      name: 'Size',
      attributesMapping: [{ partModelId: 'blank-t-shirt', attributeIds: ['apparel_size'] }],
    },
    {
      id: 'color',
      name: 'Color',
      attributesMapping: [{ partModelId: 't-shirt', attributeIds: ['apparel_color'] }],
    },
  ],
  ...over,
});

/** Variant values of option `size` of `tee()`. */
export const sizes = (...values: [value: string, id: string, isDefault?: boolean][]) => ({
  variantOptionId: 'size',
  values: values.map(([value, id, isDefault]) => ({
    value,
    attributeValues: [{ partModelId: 'blank-t-shirt', attributes: { apparel_size: id } }],
    ...(isDefault === undefined ? {} : { isDefault }),
  })),
});

/** A variant value of option `color` of `tee()`. */
export const colorValues = (value: string, id: string, isDefault = false) => ({
  variantOptionId: 'color',
  values: [{ value, attributeValues: [{ partModelId: 't-shirt', attributes: { apparel_color: id } }], isDefault }],
});

/** Returns the paths of the errors in a response body. */
export const references = (body: { errors?: { reference: string }[] }) =>
  body.errors?.map(({ reference }) => reference);
