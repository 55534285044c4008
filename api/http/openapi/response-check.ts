import { fieldErrors, fieldPath } from '../errors/field-errors';
import type { Route } from '../route';

/** Returns the members of a response that the schema does not declare. */
function undocumented(sent: unknown, known: unknown, path: PropertyKey[] = []): string[] {
  if (typeof sent !== 'object' || sent === null || typeof known !== 'object' || known === null) return [];
  return Object.entries(sent).flatMap(([key, value]) => {
    const step = Array.isArray(sent) ? Number(key) : key;
    if (!Object.hasOwn(known, key)) return [fieldPath([...path, step])];
    return undocumented(value, (known as Record<string, unknown>)[key], [...path, step]);
  });
}

/**
 * Checks a response, in its wire form, against the route's response schema.
 * @returns a description of the mismatch, which includes fields that the schema (and the OpenAPI document) lacks
 */
export function responseFault(route: Route, response: unknown): string | undefined {
  const text = JSON.stringify(response);
  const wire: unknown = text === undefined ? undefined : JSON.parse(text);
  const result = route.response.safeParse(wire);
  const faults = result.success
    ? undocumented(wire, result.data).map((path) => `${path} is not in the response schema`)
    : fieldErrors(result.error, wire).map(({ reference, message }) => `${reference}: ${message}`);
  if (faults.length === 0) return undefined;
  return `${route.operationId} responded outside its response schema: ${faults.slice(0, 10).join('; ')}`;
}
