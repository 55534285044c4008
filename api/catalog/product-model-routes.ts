import { z } from 'zod';
import type { Role } from '../../src/accounts/account';
import {
  createProductModel,
  type ListedModel,
  listProductModels,
  updateProductModel,
} from '../../src/catalog/product-models';
import {
  newProductModel,
  productModel,
  productModelChange,
  productModelQuery,
} from '../../src/catalog/schemas';
import { uuidv7 } from '../../src/platform/ids';
import type { ApiDeps } from '../deps';
import { type Access, type Route, route } from '../http/route';

const tag = 'Catalog';
const errors = 'coded';
const operators: Access = { credentials: 'key', roles: ['operator'] };

function shown(model: ListedModel, role: Role): z.input<typeof productModel> {
  const forOperators = role === 'operator';
  return {
    id: model.id,
    name: model.name,
    description: model.description,
    previewURL: model.previewUrl,
    attributes: model.attributes.map(
      ({ attributeId, description, properties, valueIds, defaultValueId }) => ({
        id: attributeId,
        description,
        properties: [...properties],
        ...(forOperators ? { valueIds: valueIds === null ? null : [...valueIds], defaultValueId } : {}),
      }),
    ),
    productUidTemplate: model.productUidTemplate,
    categoryId: model.categoryId,
    parts: [...model.parts],
    state: model.state,
    ...(forOperators ? { production: model.production } : {}),
  };
}

/** Product models (interface "ProductModel"); operators create and change them. */
export function productModelRoutes({ sql }: ApiDeps): Route[] {
  return [
    route({
      method: 'get',
      path: '/product/v1/product-models',
      operationId: 'listProductModels',
      summary: 'List product models',
      description: 'In the order of their ids; by default the first 1,000.',
      tag,
      access: { credentials: 'key', roles: ['client', 'operator'] },
      errors,
      query: productModelQuery,
      response: z.object({ productModels: z.array(productModel) }),
      handler: async ({ account, query }) => ({
        productModels: (await listProductModels(sql, query)).map((model) => shown(model, account.role)),
      }),
    }),
    route({
      method: 'post',
      path: '/product/v1/product-models',
      operationId: 'createProductModel',
      summary: 'Create a product model',
      tag,
      access: operators,
      errors,
      idempotent: true,
      body: newProductModel,
      response: productModel,
      handler: async ({ account, body: { id, previewURL, ...body }, idempotency }) => {
        const model = { ...body, id: id ?? uuidv7(), previewUrl: previewURL };
        const created = await createProductModel(sql, model, (tx, listed) =>
          idempotency.complete(tx, shown(listed, account.role)),
        );
        return shown(created, account.role);
      },
    }),
    route({
      method: 'patch',
      path: '/product/v1/product-models/{id}',
      operationId: 'updateProductModel',
      summary: 'Change a product model',
      description:
        'Only the given fields change. States go draft to active or inactive, active to inactive and back; template and parts are fixed once the model leaves draft.',
      tag,
      access: operators,
      errors,
      params: z.object({ id: z.string() }),
      body: productModelChange,
      response: productModel,
      handler: async ({ account, params, body: { previewURL, ...body } }) =>
        shown(await updateProductModel(sql, params.id, { ...body, previewUrl: previewURL }), account.role),
    }),
  ];
}
