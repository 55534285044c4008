import { z } from 'zod';
import type { Route } from '../../api/http/route';
import { allRoutes } from '../../api/routes';
import { systemRoutes } from '../../api/system/probes';
import { testApiDeps } from '../support/api-deps';
import { testDatabase } from '../support/database';

/** Every list that a request can contain has a maximum, and a longer list costs one comparison. */

let routes: Route[];

beforeAll(async () => {
  const deps = await testApiDeps((await testDatabase()).sql);
  routes = [...allRoutes(deps), ...systemRoutes(deps)];
});

/** Returns every array schema of a request schema, in its wire form. */
function* zodArrays(schema: z.core.$ZodType, seen: Set<z.core.$ZodType>): Generator<z.ZodArray> {
  if (seen.has(schema)) return;
  seen.add(schema);
  if (schema instanceof z.ZodArray) yield schema;
  for (const part of Object.values(schema._zod.def)) {
    for (const inner of partsOf(part)) yield* zodArrays(inner, seen);
  }
}

function partsOf(part: unknown): z.core.$ZodType[] {
  if (part instanceof z.core.$ZodType) return [part];
  if (Array.isArray(part)) return part.flatMap(partsOf);
  if (typeof part === 'object' && part !== null && Object.getPrototypeOf(part) === Object.prototype)
    return Object.values(part).flatMap(partsOf);
  return [];
}

test('an array beyond its maximum is refused without a look at its items', () => {
  const seen = new Set<z.core.$ZodType>();
  let arrays = 0;
  for (const { operationId, body, query } of routes) {
    for (const root of [body, query]) {
      if (root === undefined) continue;
      for (const schema of zodArrays(root, seen)) {
        arrays += 1;
        const sizes = (schema._zod.def.checks ?? []).map(({ _zod }) => _zod.def as { maximum?: number });
        const maximum = sizes.find((size) => size.maximum !== undefined)?.maximum;
        if (maximum === undefined) throw new Error(`${operationId} has an array without a maximum`);
        let looks = 0;
        const items = new Proxy(new Array(maximum + 1).fill(null), {
          get(target, name, receiver) {
            if (typeof name === 'string' && /^\d+$/.test(name)) looks += 1;
            return Reflect.get(target, name, receiver);
          },
        });
        const { error } = schema.safeParse(items);
        expect({ operationId, maximum, issues: error?.issues.map(({ code }) => code), looks }).toEqual({
          operationId,
          maximum,
          issues: ['too_big'],
          looks: 0,
        });
      }
    }
  }
  expect(arrays).toBeGreaterThan(40);
});
