import { z } from 'zod';
import type { Role } from '../../src/accounts/account';
import { changeCatalog } from '../../src/catalog/catalog-models';
import { MODEL_STATES } from '../../src/catalog/domain/product-model';
import {
  type DescribedModel,
  newProductModel,
  productModel,
  productModelChange,
  productModelList,
  productModelQuery,
} from '../../src/catalog/product-model-schemas';
import { changeProductModel, createProductModel, listProductModels } from '../../src/catalog/product-models';
import { uuidv7 } from '../../src/platform/ids';
import type { ApiDeps } from '../deps';
import { exportedList, formatQuery, PAGES } from '../http/lists/exported-list';
import { operatorsOnly, type Route, route } from '../http/route';

const group = { tag: 'Catalog', access: operatorsOnly('operator') } as const;

function shown(model: DescribedModel, role: Role): z.input<typeof productModel> {
  if (role === 'operator') return model;
  const { production: _production, attributes, ...rest } = model;
  return {
    ...rest,
    attributes: attributes.map(({ id, description, properties }) => ({ id, description, properties })),
  };
}

/** Routes of product models (schema `ProductModel`). Operators create and change them. */
export function productModelRoutes({ sql }: ApiDeps): Route[] {
  return [
    exportedList({
      ...group,
      csv: { name: 'product-models', rows: 'productModels', pages: PAGES.byOffset },
      method: 'get',
      path: '/product/v1/product-models',
      operationId: 'listProductModels',
      summary: 'List product models',
      description:
        'Ordered by id, in pages of at most 1,000. Clients see active and inactive product models; operators also see drafts.',
      access: { credentials: 'key', roles: ['client', 'operator'], operatorRole: 'viewer' },
      query: productModelQuery.extend({ format: formatQuery }),
      response: productModelList,
      handler: async ({ account, query: { state, format: _format, ...query } }) => {
        const visible = MODEL_STATES.filter((each) => each !== 'draft' || account.role === 'operator');
        const states = visible.filter((each) => state === undefined || each === state);
        const { models, total } = await listProductModels(sql, { ...query, states });
        return {
          productModels: models.map((model) => shown(model, account.role)),
          meta: { offset: query.offset, limit: query.limit, total },
        };
      },
    }),
    route({
      ...group,
      method: 'post',
      path: '/product/v1/product-models',
      operationId: 'createProductModel',
      summary: 'Create a product model',
      audits: ['product_model.create'],
      idempotent: true,
      body: newProductModel,
      response: productModel,
      handler: async ({ account, body, idempotency, audit }) =>
        await changeCatalog(sql, async (tx) => {
          const created = await createProductModel(tx, { ...body, id: body.id ?? uuidv7() });
          const after = shown(created, account.role);
          await idempotency.complete(tx, after);
          await audit(tx, { action: 'product_model.create', objectId: created.id, before: null, after });
          return after;
        }),
    }),
    route({
      ...group,
      method: 'patch',
      path: '/product/v1/product-models/{id}',
      operationId: 'updateProductModel',
      summary: 'Change a product model',
      description:
        'Changes only the given fields. The state changes from draft to active or inactive, and between active and inactive. Template and parts can change only in state draft.',
      audits: ['product_model.change'],
      params: z.object({ id: z.string() }),
      body: productModelChange,
      response: productModel,
      handler: async ({ account: { role }, params: { id }, body, audit }) =>
        await changeCatalog(sql, async (tx) => {
          const changed = await changeProductModel(tx, id, body);
          const [before, after] = [shown(changed.before, role), shown(changed.after, role)];
          await audit(tx, { action: 'product_model.change', objectId: id, before, after });
          return after;
        }),
    }),
  ];
}
