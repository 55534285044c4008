import fc from 'fast-check';
import { dictionaryOf } from './dictionary';
import { type JsonSchema, schemaValues } from './json-schema-values';
import { changed, changedText, type TextChange, textChange, treeChange } from './mutations';
import { headersOf, mostly, pathOf, queryOf, STRANGE_PATHS } from './request-parts';
import type { Sender, Subject } from './subject';
import { validBodies } from './valid-bodies';

/** The parts of an OpenAPI operation that requests are generated from. */
export interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: JsonSchema }[];
  readonly body: JsonSchema | undefined;
  /** Senders that may call the operation. `nobody` when it requires no key. */
  readonly senders: readonly Sender[];
}

/** A request before its ids are inserted. */
export interface RequestPlan {
  readonly operation: Operation;
  readonly sender: Sender;
  readonly method: string;
  readonly path: readonly PathPart[];
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** True to send the body in chunks, without a length. */
  readonly chunked: boolean;
  /** True to sign the body like a carrier. */
  readonly signed: boolean;
}

export type PathPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'known'; readonly parameter: string; readonly pick: number };

const SENDERS: readonly Sender[] = ['client', 'partner', 'operator', 'nobody', 'stranger'];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'];

/** The operation id of requests to paths without an operation. */
export const STRAY = 'stray';
/**
 * Generates requests to every operation as every sender: valid ones, slightly changed ones, and wrong ones.
 * @param components `components.schemas` of the OpenAPI document
 */
export function requestPlans(
  subject: Subject,
  operations: readonly Operation[],
  components: Readonly<Record<string, JsonSchema>>,
): fc.Arbitrary<RequestPlan> {
  const of = schemaValues(components, dictionaryOf(subject));
  const valid = validBodies(subject);
  const creating = new Set(Object.keys(valid));
  return fc.oneof(
    ...operations.map((operation) => ({
      weight: operation.body === undefined || !creating.has(operation.operationId) ? 2 : 4,
      arbitrary: planOf(operation, of, valid[operation.operationId] ?? []),
    })),
    { weight: 6, arbitrary: strayPlan(operations) },
  );
}

function planOf(
  operation: Operation,
  of: (schema: JsonSchema, name?: string) => fc.Arbitrary<unknown>,
  valid: readonly object[],
): fc.Arbitrary<RequestPlan> {
  const body = operation.body === undefined ? fc.constant(undefined) : bodies(of(operation.body), valid);
  return fc.record({
    operation: fc.constant(operation),
    sender: mostly(fc.constantFrom(...operation.senders), fc.constantFrom(...SENDERS), 7),
    method: mostly(fc.constant(operation.method.toUpperCase()), fc.constantFrom(...METHODS), 40),
    path: pathOf(operation.path),
    query: queryOf(operation, of),
    headers: headersOf(operation),
    body: mostly(body, bodies(fc.anything({ maxDepth: 2 }).map(fc.stringify), []), 30),
    chunked: mostly(fc.constant(false), fc.constant(true), 20),
    signed:
      operation.operationId === 'receiveCarrierEvents'
        ? mostly(fc.constant(true), fc.constant(false), 4)
        : fc.constant(false),
  });
}

function strayPlan(operations: readonly Operation[]): fc.Arbitrary<RequestPlan> {
  return fc.record({
    operation: fc.constantFrom(...operations).map((one) => ({ ...one, operationId: STRAY })),
    sender: fc.constantFrom(...SENDERS),
    method: fc.constantFrom(...METHODS),
    path: fc.constantFrom(...STRANGE_PATHS).map((text): PathPart[] => [{ kind: 'text', text }]),
    query: fc.constantFrom('', '?', '?a', '?%zz', '?=&=&', `?${'a=b&'.repeat(500)}`),
    headers: fc.constant({}),
    body: fc.constantFrom(undefined, Buffer.from('{}')),
    chunked: fc.constant(false),
    signed: fc.constant(false),
  });
}

function bodies(values: fc.Arbitrary<unknown>, valid: readonly object[]): fc.Arbitrary<Buffer> {
  const base =
    valid.length === 0
      ? values
      : fc.oneof({ weight: 3, arbitrary: fc.constantFrom<unknown>(...valid) }, { weight: 2, arbitrary: values });
  return fc
    .tuple(
      base,
      fc.oneof(
        { weight: 3, arbitrary: fc.constant([]) },
        { weight: 6, arbitrary: fc.array(treeChange, { minLength: 1, maxLength: 3 }) },
      ),
      mostly<readonly TextChange[]>(fc.constant([]), fc.array(textChange, { minLength: 1, maxLength: 2 }), 5),
    )
    .map(([value, changes, textChanges]) => {
      const text = JSON.stringify(changes.length === 0 ? value : changed(value, changes)) ?? '';
      return changedText(text, textChanges);
    });
}
