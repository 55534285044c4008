import { z } from 'zod';
import type { Role } from '../../src/accounts/account';
import { changeCatalog } from '../../src/catalog/catalog-models';
import { withComputedProperties } from '../../src/catalog/domain/computed-properties';
import { defaultNeeds } from '../../src/catalog/domain/print-needs';
import { unmakeable } from '../../src/catalog/domain/product';
import {
  MODEL_STATES,
  pricesInForce,
  productionSpec,
  STANDARD_FILE_TYPES,
} from '../../src/catalog/domain/product-model';
import {
  type DescribedModel,
  newProductModel,
  productModel,
  productModelChange,
  productModelList,
  productModelQuery,
} from '../../src/catalog/product-model-schemas';
import { changeProductModel, createProductModel, listProductModels } from '../../src/catalog/product-models';
import { type Candidate, leadDaysOf } from '../../src/partners/routing-rows';
import { ratesAt } from '../../src/platform/exchange-rates';
import { uuidv7 } from '../../src/platform/ids';
import type { ApiDeps } from '../deps';
import { exportedList, formatQuery, PAGES } from '../http/exported-list';
import { operatorsOnly, type Route, route } from '../http/route';
import { previewProductModel, productModelPreview } from './preview-product-model';

const group = { tag: 'Catalog', access: operatorsOnly('operator') } as const;

function shown(
  { modelUids, production, attributes, ...model }: DescribedModel,
  role: Role,
  partners: readonly Candidate[],
): z.input<typeof productModel> {
  const spec = productionSpec.parse(production);
  const priceList = pricesInForce(spec.priceList, Date.now());
  const forOperators = role === 'operator';
  const isMade = model.parts.length > 0 || spec.partType === 'stock';
  const lacksParts =
    !isMade && unmakeable({ kind: spec.kind, isPrinted: spec.printAreas.length > 0 }, []) !== undefined;
  return {
    ...model,
    attributes: attributes.map(({ valueIds, values, ...attribute }) => ({
      ...attribute,
      values: values.map((value) => ({ ...value, properties: withComputedProperties(value.properties) })),
      ...(forOperators ? { valueIds } : {}),
    })),
    sellable: model.state === 'active' && Object.keys(priceList).length > 0 && !lacksParts,
    ordering: {
      kind: spec.kind,
      sizeAttribute: spec.sizeAttribute,
      orientationAttribute: spec.orientationAttribute,
      printAreas: spec.printAreas,
      pages: spec.pages,
      priceList,
      priceFactors: spec.priceFactors,
      pagePrices: spec.pagePrices,
      fileTypes: spec.workflowEnabled ? null : [...(spec.fileTypes ?? STANDARD_FILE_TYPES[spec.kind])],
      needs: defaultNeeds({ ...spec, isBook: spec.pages !== undefined }),
      leadDays: leadDaysOf(partners, modelUids),
    },
    ...(forOperators ? { production } : {}),
  };
}

/**
 * Returns a product model as the audit log shows it: without the values of its attributes. Its production spec has the
 * defaults, so that only what was changed differs.
 */
function audited({ attributes, modelUids: _, production, ...model }: DescribedModel) {
  return {
    ...model,
    attributes: attributes.map(({ values: _values, ...attribute }) => attribute),
    production: productionSpec.parse(production),
  };
}

/** Routes of product models (schema `ProductModel`). Operators create and change them. */
export function productModelRoutes({ sql, candidates }: ApiDeps): Route[] {
  return [
    exportedList('GET /product/v1/product-models', {
      ...group,
      csv: { name: 'product-models', rows: 'productModels', pages: PAGES.byOffset },
      operationId: 'listProductModels',
      onStandby: true,
      summary: 'List product models',
      description:
        'Ordered by id, in pages of at most 1,000. Clients see active and inactive product models; operators also see drafts.',
      access: { credentials: 'key', roles: ['client', 'operator'], operatorRole: 'viewer' },
      query: productModelQuery.extend({ format: formatQuery }),
      response: productModelList,
      handler: async ({ account, query: { state, format: _format, ...query } }) => {
        const visible = MODEL_STATES.filter((each) => each !== 'draft' || account.role === 'operator');
        const states = visible.filter((each) => state === undefined || each === state);
        const [{ models, total }, partners] = await Promise.all([
          listProductModels(sql, { ...query, states }),
          candidates([]),
        ]);
        return {
          productModels: models.map((model) => shown(model, account.role, partners)),
          meta: { offset: query.offset, limit: query.limit, total },
        };
      },
    }),
    route('POST /product/v1/product-models', {
      ...group,
      operationId: 'createProductModel',
      refuses: ['CONFLICT'],
      summary: 'Create a product model',
      audits: ['product_model.create'],
      idempotent: true,
      body: newProductModel,
      response: productModel,
      handler: async ({ account, body, idempotency, audit }) => {
        const partners = await candidates([]);
        return await changeCatalog(sql, async (tx) => {
          const created = await createProductModel(tx, { ...body, id: body.id ?? uuidv7() });
          const response = shown(created, account.role, partners);
          await idempotency.complete(tx, response);
          const change = { before: null, after: audited(created) };
          await audit(tx, { action: 'product_model.create', objectId: created.id, ...change });
          return response;
        });
      },
    }),
    route('PATCH /product/v1/product-models/{id}', {
      ...group,
      operationId: 'updateProductModel',
      refuses: ['CONFLICT'],
      summary: 'Change a product model',
      description:
        'Changes only the given fields. The state changes from draft to active or inactive, and between active and inactive. Template and parts can change only in state draft.',
      audits: ['product_model.change'],
      params: z.object({ id: z.string() }),
      body: productModelChange,
      response: productModel,
      handler: async ({ account: { role }, params: { id }, body, audit }) => {
        const partners = await candidates([]);
        return await changeCatalog(sql, async (tx) => {
          const { before, after } = await changeProductModel(tx, id, body);
          const change = { before: audited(before), after: audited(after) };
          await audit(tx, { action: 'product_model.change', objectId: id, ...change });
          return shown(after, role, partners);
        });
      },
    }),
    route('POST /product/v1/product-models/{id}/preview', {
      ...group,
      access: operatorsOnly('viewer'),
      operationId: 'previewProductModel',
      isRead: true,
      refuses: ['CONFLICT'],
      summary: 'Preview a change of a product model',
      description:
        'Refuses what the change would refuse, and changes nothing. Returns the product model before and after the change, and ' +
        'what one unit of each variant costs.',
      params: z.object({ id: z.string() }),
      body: productModelChange,
      response: productModelPreview,
      handler: async ({ params: { id }, body }) =>
        await previewProductModel(sql, id, body, await ratesAt(sql, new Date()), audited),
    }),
  ];
}
