import { z } from 'zod';
import type { Account } from '../../src/accounts/account';
import { listCustomerProducts } from '../../src/catalog/customer-product-list';
import {
  ALL_CUSTOMERS,
  type CustomerProduct,
  changedCustomerProduct,
  customerProduct,
  customerProductChange,
  customerProductList,
  customerProductQuery,
  newCustomerProduct,
  type VariantOption,
  variantValues,
} from '../../src/catalog/customer-product-schemas';
import {
  addVariantValues,
  createCustomerProduct,
  deleteCustomerProduct,
  customerProduct as readCustomerProduct,
  removeVariantValue,
  updateCustomerProduct,
  type Viewer,
} from '../../src/catalog/customer-products';
import { customerProductOrdered } from '../../src/orders/reading/order-reader';
import { Refusal } from '../../src/platform/errors';
import { inTransaction } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import { exportedList, formatQuery, PAGES } from '../http/exported-list';
import { type Route, route } from '../http/route';

const group = {
  tag: 'Catalog',
  access: { credentials: 'key', roles: ['client', 'operator'], operatorRole: 'operator' },
} as const;
const reads = { ...group, access: { ...group.access, operatorRole: 'viewer' } } as const;

function viewerOf({ role, id }: Account): Viewer {
  return role === 'operator' ? { role } : { role: 'client', id };
}

function shown(product: CustomerProduct): z.input<typeof customerProduct> {
  return {
    id: product.id,
    name: product.name,
    customerIds: product.customerIds,
    productModelId: product.productModelId,
    variantOptions: product.variantOptions.map(({ id, name, attributesMapping }) => ({ id, name, attributesMapping })),
    partQuantities: product.partQuantities ?? [],
    createdAt: product.createdAt.toISOString(),
    updatedAt: product.updatedAt.toISOString(),
  };
}

/** A customer product as lists return it: the values of its options by name, without attribute values. */
function listItem(product: CustomerProduct): z.input<typeof customerProductList>['customerProducts'][0] {
  return {
    ...shown(product),
    state: product.state,
    variantOptions: product.variantOptions.map(({ values, ...option }) => ({
      ...option,
      values: values.map(({ value }) => value),
      defaultValue: values.find(({ isDefault }) => isDefault)?.value ?? '',
    })),
  };
}

/** Returns the values of variant options, as clients add them. */
function valuesOf(options: readonly VariantOption[]): z.input<typeof variantValues> {
  return options.map(({ id, values }) => ({ variantOptionId: id, values }));
}

/** Routes of customer products and their variant values (docs/catalog.md). */
export function customerProductRoutes({ sql }: Pick<ApiDeps, 'sql'>): Route[] {
  return [
    route('POST /product/v1/customer-product', {
      ...group,
      operationId: 'createCustomerProduct',
      refuses: ['CONFLICT', 'QUOTA_EXCEEDED'],
      summary: 'Create a customer product',
      description:
        'A sellable configuration of a product model, which belongs to the account that creates it. Orders can use it ' +
        'immediately. A client sees, changes and orders its own products only, and those that an operator created for it. ' +
        '429 `QUOTA_EXCEEDED` when the client has as many as its quota allows.',
      audits: ['customer_product.create'],
      idempotent: true,
      body: newCustomerProduct,
      response: customerProduct,
      handler: async ({ account, body, idempotency, audit, quotas }) => {
        const viewer = viewerOf(account);
        const customerIds = body.customerIds ?? [viewer.role === 'client' ? viewer.id : ALL_CUSTOMERS];
        const most = await quotas.limitOf(account, 'customerProducts');
        return await inTransaction(sql, async (tx) => {
          const response = shown(await createCustomerProduct(tx, viewer, { ...body, customerIds }, most));
          await idempotency.complete(tx, response);
          const change = { action: 'customer_product.create', objectId: response.id } as const;
          await audit(tx, { ...change, before: null, after: response });
          return response;
        });
      },
    }),
    route('PATCH /product/v1/customer-products/{id}', {
      ...group,
      operationId: 'updateCustomerProduct',
      refuses: ['CONFLICT'],
      summary: 'Change a customer product',
      description:
        'Changes only the given fields. The owner or an operator can archive a product and publish it again. Orders keep ' +
        'the product that they resolved.',
      audits: ['customer_product.change'],
      params: z.object({ id: z.string() }),
      body: customerProductChange,
      response: changedCustomerProduct,
      handler: async ({ account, params: { id }, body, audit }) =>
        await inTransaction(sql, async (tx) => {
          const { before, after } = await updateCustomerProduct(tx, viewerOf(account), id, body);
          const withState = (product: CustomerProduct) => ({ ...shown(product), state: product.state });
          const change = { before: withState(before), after: withState(after) };
          await audit(tx, { action: 'customer_product.change', objectId: id, ...change });
          return change.after;
        }),
    }),
    exportedList('GET /product/v1/customer-products', {
      ...reads,
      csv: { name: 'customer-products', rows: 'customerProducts', pages: PAGES.byOffset },
      operationId: 'listCustomerProducts',
      onStandby: true,
      summary: 'List customer products',
      description:
        'Newest first. A client sees its own products and those that an operator created for it. Shows published products ' +
        'unless `state` asks for others.',
      query: customerProductQuery.extend({ format: formatQuery }),
      response: customerProductList,
      handler: async ({ account, query }) => {
        const { search, state: states, format: _format, ...filter } = query;
        const { products, total, totalIsEstimate } = await listCustomerProducts(sql, viewerOf(account), {
          ...filter,
          states,
          search: search === '' ? undefined : search,
        });
        return {
          customerProducts: products.map(listItem),
          meta: {
            offset: query.offset,
            limit: query.limit,
            total,
            ...(totalIsEstimate ? { totalIsEstimate } : {}),
          },
        };
      },
    }),
    route('POST /product/v1/customer-products/{customerProductId}/variant-values', {
      ...group,
      operationId: 'addVariantValues',
      refuses: ['CONFLICT'],
      summary: 'Add values to variant options',
      description: 'Adds all values, or none when one of them is invalid.',
      audits: ['customer_product.add_values'],
      idempotent: true,
      params: z.object({ customerProductId: z.string() }),
      body: variantValues.min(1),
      response: variantValues,
      handler: async ({ account, params: { customerProductId }, body, idempotency, audit }) =>
        await inTransaction(sql, async (tx) => {
          await addVariantValues(tx, viewerOf(account), customerProductId, body);
          await idempotency.complete(tx, body);
          const after = { variantValues: body };
          const change = { action: 'customer_product.add_values', objectId: customerProductId } as const;
          await audit(tx, { ...change, before: null, after });
          return body;
        }),
    }),
    route('PUT /product/v1/customer-products/{customerProductId}/variant-values', {
      ...group,
      operationId: 'replaceVariantValues',
      refuses: ['CONFLICT'],
      summary: 'Replace values of variant options',
      description: 'Replaces values by `value` and adds new ones. Values that are not given stay unchanged.',
      audits: ['customer_product.replace_values'],
      params: z.object({ customerProductId: z.string() }),
      body: variantValues.min(1),
      response: variantValues,
      handler: async ({ account, params: { customerProductId }, body, audit }) =>
        await inTransaction(sql, async (tx) => {
          const { before, after } = await addVariantValues(tx, viewerOf(account), customerProductId, body, {
            replace: true,
          });
          const change = { before: { variantValues: valuesOf(before) }, after: { variantValues: valuesOf(after) } };
          await audit(tx, { action: 'customer_product.replace_values', objectId: customerProductId, ...change });
          return body;
        }),
    }),
    route('DELETE /product/v1/customer-products/{customerProductId}/variant-values/{variantOptionId}/{value}', {
      ...group,
      operationId: 'deleteVariantValue',
      summary: 'Remove a value of a variant option',
      description: 'Orders keep the product that they resolved.',
      audits: ['customer_product.remove_value'],
      params: z.object({ customerProductId: z.string(), variantOptionId: z.string(), value: z.string() }),
      response: z.object({ variantOptionId: z.string(), value: z.string(), deleted: z.literal(true) }),
      handler: async ({ account, params: { customerProductId, ...named }, audit }) =>
        await inTransaction(sql, async (tx) => {
          const before = await removeVariantValue(tx, viewerOf(account), customerProductId, named);
          const change = { before: { ...named, ...before }, after: null };
          await audit(tx, { action: 'customer_product.remove_value', objectId: customerProductId, ...change });
          return { ...named, deleted: true as const };
        }),
    }),
    route('GET /product/v1/customer-products/{customerProductId}/variant-values', {
      ...reads,
      operationId: 'getVariantValues',
      summary: 'Read the variant values of a customer product',
      params: z.object({ customerProductId: z.string() }),
      response: variantValues,
      handler: async ({ account, params }) => {
        const product = await readCustomerProduct(sql, viewerOf(account), params.customerProductId);
        if (product === undefined) throw new Refusal('NOT_FOUND', { message: 'The customer product does not exist.' });
        return valuesOf(product.variantOptions);
      },
    }),
    route('DELETE /product/v1/customer-products/{id}', {
      ...group,
      operationId: 'deleteCustomerProduct',
      refuses: ['CONFLICT'],
      summary: 'Delete a customer product',
      description: 'The owner or an operator can delete a product that was never ordered; otherwise 409.',
      audits: ['customer_product.delete'],
      params: z.object({ id: z.string() }),
      response: z.object({ id: z.string(), deleted: z.literal(true) }),
      handler: async ({ account, params: { id }, audit }) =>
        await inTransaction(sql, async (tx) => {
          const before = shown(await deleteCustomerProduct(tx, viewerOf(account), id, customerProductOrdered));
          await audit(tx, { action: 'customer_product.delete', objectId: id, before, after: null });
          return { id, deleted: true as const };
        }),
    }),
  ];
}
