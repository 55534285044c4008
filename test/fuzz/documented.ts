import Ajv, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { JsonSchema } from './json-schema-values';
import type { RequestPlan } from './requests';
import { STRAY } from './requests';
import type { ReceivedResponse } from './send';

/** The parts of an OpenAPI document that responses are compared with. */
export interface DocumentedResponses {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, DocumentedResponse>> }>>>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

interface DocumentedResponse {
  readonly content?: Readonly<Record<string, { readonly schema?: JsonSchema }>>;
}

/** Returns what in a response the OpenAPI document does not have, or undefined. */
export type DocumentFault = (plan: RequestPlan, response: ReceivedResponse) => string | undefined;

/** Statuses that any address responds with before an operation takes the request. */
const OF_ANY_ADDRESS = [405, 431];

/**
 * Returns a check of responses against an OpenAPI document: the document lists the status for the operation, and the content
 * type and the body are as it says. The check uses the document alone, and no schema of this code.
 */
export function documentFaults(document: DocumentedResponses): DocumentFault {
  const ajv = addFormats(new Ajv({ strict: false, logger: false }));
  ajv.addSchema({ $id: 'document', components: document.components });
  const compiled = new Map<JsonSchema, ValidateFunction>();
  const validatorOf = (schema: JsonSchema) => {
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    const made = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')));
    compiled.set(schema, made);
    return made;
  };

  return ({ operation, method }, { status, headers, body }) => {
    const { operationId, path, method: own } = operation;
    const isHead = method === 'HEAD';
    if (operationId === STRAY || OF_ANY_ADDRESS.includes(status) || (isHead ? 'get' : method.toLowerCase()) !== own)
      return undefined;
    const documented = document.paths[path]![own]!.responses[status];
    if (documented === undefined) return `the document has no ${status} for ${operationId}`;
    if (isHead || documented.content === undefined) return undefined;
    const type = headers['content-type']?.replace(/;.*/, '') ?? 'none';
    const media = documented.content[type] ?? documented.content['*/*'];
    if (media === undefined) return `the document has no ${type} with ${status} for ${operationId}`;
    if (media.schema === undefined) return undefined;
    const validate = validatorOf(media.schema);
    return validate(JSON.parse(body.toString('utf8')))
      ? undefined
      : `the body of ${status} is not as the document says: ${ajv.errorsText(validate.errors)}`;
  };
}
