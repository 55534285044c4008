import { z } from 'zod';
import {
  type AttributeValue,
  addAttributeValues,
  attribute,
  attributeList,
  attributeValue,
  attributeValues,
  listAttributes,
  putAttribute,
  removeAttributeValue,
  replaceAttributeValues,
  type StoredAttributeValue,
  storedAttributeValue,
  valuesOfAttribute,
} from '../../src/catalog/attributes';
import { changeCatalog } from '../../src/catalog/catalog-models';
import { withComputedProperties } from '../../src/catalog/domain/computed-properties';
import { attributeId } from '../../src/catalog/fields';
import { Refusal } from '../../src/platform/errors';
import type { Sql } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import { type CallContext, operatorsOnly, type Route, route } from '../http/route';

const group = { tag: 'Catalog', access: operatorsOnly('operator') } as const;
const params = z.object({ attributeId: z.string() });

function shown({ description, ...value }: StoredAttributeValue): z.input<typeof storedAttributeValue> {
  return {
    ...value,
    ...(description === null ? {} : { description }),
    properties: withComputedProperties(value.properties),
    createdAt: value.createdAt.toISOString(),
    updatedAt: value.updatedAt.toISOString(),
  };
}

/** Returns attribute values by id, as the audit log shows them. */
function byId(values: readonly StoredAttributeValue[]): object {
  return Object.fromEntries(
    values.map(({ id, description, properties, isCustom, isDefault }) => [
      id,
      { description, properties, isCustom, isDefault },
    ]),
  );
}

/** Replaces values in one transaction with their audit entry. Returns the values as stored. */
async function replaceValues(
  sql: Sql,
  audit: CallContext['audit'],
  attributeId: string,
  values: readonly AttributeValue[],
  fieldOf?: (at: number) => string,
): Promise<StoredAttributeValue[]> {
  return await changeCatalog(sql, async (tx) => {
    const { before, after } = await replaceAttributeValues(tx, attributeId, values, fieldOf);
    const change = { before: byId(before), after: byId(after) };
    await audit(tx, { action: 'attribute.replace_values', objectId: attributeId, ...change });
    return after;
  });
}

/** Routes of attributes and their values (schema `AttributeValue`). */
export function attributeRoutes({ sql }: ApiDeps): Route[] {
  return [
    route('GET /product/v1/attributes', {
      ...group,
      operationId: 'listAttributes',
      onStandby: true,
      summary: 'List the attributes',
      description: 'By id, with their values as they were given: without computed properties.',
      access: operatorsOnly('viewer'),
      response: attributeList,
      handler: async () => ({ attributes: await listAttributes(sql) }),
    }),
    route('PUT /product/v1/attributes/{attributeId}', {
      ...group,
      operationId: 'putAttribute',
      summary: 'Create or change an attribute',
      audits: ['attribute.put'],
      params: z.object({ attributeId }),
      body: attribute,
      response: attribute.extend({ id: z.string() }),
      handler: async ({ params, body, audit }) => {
        const given = { id: params.attributeId, ...body };
        return await changeCatalog(sql, async (tx) => {
          const before = await putAttribute(tx, given);
          await audit(tx, { action: 'attribute.put', objectId: given.id, before, after: given });
          return given;
        });
      },
    }),
    route('GET /product/v1/attributes/{attributeId}/values', {
      ...group,
      operationId: 'listAttributeValues',
      summary: 'List the values of an attribute',
      access: { credentials: 'key', roles: ['client', 'operator'], operatorRole: 'viewer' },
      params,
      response: z.array(storedAttributeValue),
      handler: async ({ params }) => {
        const values = await valuesOfAttribute(sql, params.attributeId);
        if (values === undefined) throw new Refusal('NOT_FOUND', { message: 'The attribute does not exist.' });
        return values.map(shown);
      },
    }),
    route('POST /product/v1/attributes/{attributeId}/values', {
      ...group,
      operationId: 'addAttributeValues',
      refuses: ['CONFLICT'],
      summary: 'Add values to an attribute',
      description: 'Adds all values, or none when one of them already exists.',
      audits: ['attribute.add_values'],
      idempotent: true,
      params,
      body: attributeValues,
      response: z.array(storedAttributeValue),
      handler: async ({ params: { attributeId }, body, idempotency, audit }) =>
        await changeCatalog(sql, async (tx) => {
          const added = await addAttributeValues(tx, attributeId, body);
          const after = byId(added);
          await audit(tx, { action: 'attribute.add_values', objectId: attributeId, before: null, after });
          const response = added.map(shown);
          await idempotency.complete(tx, response);
          return response;
        }),
    }),
    route('PUT /product/v1/attributes/{attributeId}/values', {
      ...group,
      operationId: 'replaceAttributeValues',
      refuses: ['CONFLICT'],
      summary: 'Replace values of an attribute by id',
      description: 'Adds new ids. Values that are not given stay unchanged.',
      audits: ['attribute.replace_values'],
      params,
      body: attributeValues,
      response: z.array(storedAttributeValue),
      handler: async ({ params: { attributeId }, body, audit }) =>
        (await replaceValues(sql, audit, attributeId, body)).map(shown),
    }),
    route('PUT /product/v1/attributes/{attributeId}/values/{valueId}', {
      ...group,
      operationId: 'replaceAttributeValue',
      refuses: ['CONFLICT'],
      summary: 'Replace one value of an attribute',
      description: 'Adds the value when the attribute has none with this id.',
      audits: ['attribute.replace_values'],
      params: z.object({ attributeId: z.string(), valueId: attributeId }),
      body: attributeValue
        .omit({ id: true })
        .meta({ examples: [{ description: 'Triple extra large', properties: { order: 7 } }] }),
      response: storedAttributeValue,
      handler: async ({ params: { attributeId, valueId }, body, audit }) => {
        const [stored] = await replaceValues(sql, audit, attributeId, [{ ...body, id: valueId }], () => '');
        return shown(stored!);
      },
    }),
    route('DELETE /product/v1/attributes/{attributeId}/values/{valueId}', {
      ...group,
      operationId: 'deleteAttributeValue',
      refuses: ['CONFLICT'],
      summary: 'Remove a value of an attribute',
      description: '409 names the product models and customer products that use the value.',
      audits: ['attribute.remove_value'],
      params: z.object({ attributeId: z.string(), valueId: z.string() }),
      response: storedAttributeValue,
      handler: async ({ params: { attributeId, valueId }, audit }) =>
        await changeCatalog(sql, async (tx) => {
          const removed = await removeAttributeValue(tx, attributeId, valueId);
          const before = byId([removed]);
          await audit(tx, { action: 'attribute.remove_value', objectId: attributeId, before, after: null });
          return shown(removed);
        }),
    }),
  ];
}
