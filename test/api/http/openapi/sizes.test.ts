import { openApiDocument } from '../../../../api/http/openapi-document';
import { allRoutes } from '../../../../api/routes';
import { MOST_OF_QUOTA } from '../../../../src/platform/domain/quotas';
import { testApiDeps } from '../../../support/api-deps';
import { testDatabase } from '../../../support/database';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Numbers without a greatest value, and why they need none. */
const OPEN_NUMBERS: Readonly<Record<string, string>> = {
  orderId: 'an id',
  printJobId: 'an id',
  perPage: 'a greater value is reduced',
  properties: 'stored as it is',
  id: 'set by an operator, stored as it is',
  status: 'set by an operator, stored as it is',
  from: 'set by an operator, only compared',
  multipleOf: 'set by an operator, only computed with',
  included: 'set by an operator, only computed with',
  amount: 'of the sandbox',
  times: 'of the sandbox',
};

function* schemasIn(document: Document, schema: Schema, name: string): Generator<[name: string, schema: Schema]> {
  if (schema.$ref !== undefined) {
    yield* schemasIn(document, document.components.schemas[schema.$ref.split('/').at(-1)!]!, name);
    return;
  }
  yield [name, schema];
  const { anyOf = [], oneOf = [], allOf = [], items, additionalProperties, properties = {} } = schema;
  for (const part of [...anyOf, ...oneOf, ...allOf]) yield* schemasIn(document, part, name);
  if (items !== undefined) yield* schemasIn(document, items, name);
  if (typeof additionalProperties === 'object') yield* schemasIn(document, additionalProperties, name);
  for (const [member, each] of Object.entries(properties)) yield* schemasIn(document, each, member);
}

const isOpen = (name: string, { type, maxItems, maximum = Infinity, enum: values }: Schema): boolean => {
  const types = [type].flat();
  if (types.includes('array')) return maxItems === undefined;
  const isNumber = types.includes('integer') || types.includes('number');
  return isNumber && values === undefined && maximum > MOST_OF_QUOTA && OPEN_NUMBERS[name] === undefined;
};

test('every array and number of a request has a greatest value', async () => {
  const routes = allRoutes(await testApiDeps((await testDatabase()).sql));
  const document = openApiDocument(routes, 'http://localhost') as unknown as Document;
  const open = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { parameters = [], requestBody }]) =>
      [
        ...parameters.map(({ name, schema }) => [name, schema] as const),
        ...Object.values(requestBody?.content ?? {}).map(({ schema }) => ['body', schema] as const),
      ]
        .flatMap(([name, schema]) => [...schemasIn(document, schema, name)])
        .filter((each) => isOpen(...each))
        .map(([name]) => `${method} ${path} ${name}`),
    ),
  );
  expect(open).toEqual([]);
});
