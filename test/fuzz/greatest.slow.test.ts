import { setImmediate as nextTurn } from 'node:timers/promises';
import { openApiDocument } from '../../api/http/openapi-document';
import { allRoutes } from '../../api/routes';
import { SIZES } from '../../src/platform/domain/sizes';
import { testAccount } from '../support/api-deps';
import type { JsonSchema } from './json-schema-values';
import { fuzzSubject, type Subject } from './subject';
import { validBodies } from './valid-bodies';

/** The greatest arrays and numbers that the OpenAPI document allows, sent to every operation that has a body. */

/** CPU time in milliseconds for which a turn of the event loop may keep others waiting. */
const LONGEST_TURN_MS = 200;
/** What the tests' own client, the compiler and garbage collection add to a turn is less in one of these tries. */
const TRIES = 3;
const PARTNERS = 60;

interface Document {
  readonly paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: JsonSchema }> } }>>;
  readonly components: { readonly schemas: Record<string, JsonSchema> };
}

let subject: Subject;
let document: Document;

jest.setTimeout(600_000);
beforeAll(async () => {
  subject = await fuzzSubject();
  // Routing compares this many partners.
  for (let made = 0; made < PARTNERS; made += 1) {
    const { id, name } = await testAccount(subject.sql, 'partner', `prints-${made}`);
    await subject.sql`
      INSERT INTO partners (account_id, uid, name, country, currency, sender_address, capabilities)
      SELECT ${id}, ${name}, name, country, currency, sender_address, capabilities
      FROM partners WHERE uid = 'prints-berlin'`;
  }
  await subject.sql`UPDATE partners SET order_submit_url = 'https://partner.example/orders', subscribed_at = now()`;
  document = openApiDocument(allRoutes(subject.deps), subject.deps.publicUrl) as unknown as Document;
});
afterAll(async () => {
  await subject.stop();
});

/** Returns a schema without references and alternatives: the first one that is not null. */
function plain(schema: JsonSchema): JsonSchema {
  if (typeof schema.$ref === 'string') return plain(document.components.schemas[schema.$ref.split('/').at(-1)!]!);
  const either = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  return either === undefined ? schema : plain(either.find(({ type }) => type !== 'null')!);
}

/** Returns a value of a schema, for members that a valid body does not have. */
function sample(given: JsonSchema, depth: number): unknown {
  const schema = plain(given);
  const types = [schema.type].flat();
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (types.includes('object')) return depth > 8 ? {} : grown(schema, {}, { depth, scale: 1, isDeep: true });
  if (types.includes('array')) return [sample(schema.items as JsonSchema, depth + 1)];
  if (types.includes('integer') || types.includes('number')) return schema.maximum ?? 1;
  if (types.includes('boolean')) return true;
  return { uuid: '018f3b1e-7c4a-7000-8000-000000000000', date: '2026-01-05' }[String(schema.format)] ?? '1';
}

interface Growth {
  readonly depth: number;
  /** Part of the greatest length of arrays, so that the body is not above its own limit. */
  readonly scale: number;
  /** True grows every array and number, and adds those that the body does not have. Otherwise its own arrays grow. */
  readonly isDeep: boolean;
}

/** Returns a value with the greatest arrays, and numbers, that its schema allows. */
function grown(given: JsonSchema, value: unknown, growth: Growth): unknown {
  const schema = plain(given);
  const { depth, scale, isDeep } = growth;
  const within = { ...growth, depth: depth + 1 };
  if (Array.isArray(value)) {
    const items = (schema.items ?? {}) as JsonSchema;
    const first = isDeep ? grown(items, value[0], within) : value[0];
    const length = Math.max(1, Math.floor(Number(schema.maxItems ?? 1) * scale));
    return Array.from({ length }, (_, index) => (index === 0 ? first : distinct(first, index)));
  }
  if (typeof value === 'number') return isDeep ? (schema.maximum ?? value) : value;
  if (typeof value !== 'object' || value === null) return value;
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const required = (schema.required ?? []) as string[];
  const members = properties.flatMap(([name, member]): [string, unknown][] => {
    const own = (value as Record<string, unknown>)[name];
    if (own !== undefined) return [[name, grown(member, own, within)]];
    const isSized = ['array', 'integer', 'number'].includes([plain(member).type].flat()[0] as string);
    return isDeep && depth < 8 && (isSized || required.includes(name)) ? [[name, sample(member, depth + 1)]] : [];
  });
  return { ...value, ...Object.fromEntries(members) };
}

/** Names of members that tell entries of one list apart. */
const REFERENCES = ['itemReferenceId', 'packageReferenceId', 'partnerSku', 'SKU'];

/** Returns an entry with references of its own. */
function distinct(entry: unknown, index: number): unknown {
  if (typeof entry !== 'object' || entry === null) return entry;
  const own = Object.entries(entry).map(([name, value]) => [
    name,
    REFERENCES.includes(name) ? `${value as string}-${index}` : value,
  ]);
  return Object.fromEntries(own);
}

function greatest(schema: JsonSchema, body: object, isDeep: boolean): string {
  for (let scale = 1; ; scale /= 2) {
    const text = JSON.stringify(grown(schema, body, { depth: 0, scale, isDeep }));
    if (Buffer.byteLength(text) <= SIZES.bodyBytes.most || scale < 1e-3) return text;
  }
}

/** Returns the longest CPU time, in milliseconds, between two turns of the event loop while a request is answered. */
async function longestTurn(send: () => Promise<void>): Promise<number> {
  let isDone = false;
  const done = send().finally(() => {
    isDone = true;
  });
  let longest = 0;
  while (!isDone) {
    const before = process.threadCpuUsage();
    await nextTurn();
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
  }
  await done;
  return longest;
}

test('the greatest request of every operation keeps no other account waiting', async () => {
  const bodies = validBodies(subject);
  const routes = allRoutes(subject.deps).filter(({ operationId }) => bodies[operationId] !== undefined);
  // Changes of the catalog come last: orders need it.
  routes.sort((a, b) => Number(a.path.startsWith('/product/')) - Number(b.path.startsWith('/product/')));
  const long: string[] = [];
  const sizes: string[] = [];
  const statuses = new Map<string, number[]>();
  for (const { operationId, method, path, access } of routes) {
    const sender = access.credentials === 'none' ? 'nobody' : access.roles[0]!;
    const ids = subject.ids[sender];
    const address = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      return encodeURIComponent((ids[`${operationId} ${name}`] ?? ids[name] ?? ['1'])[0]!);
    });
    const schema = document.paths[path]![method]!.requestBody!.content['application/json']!.schema;
    const sent = bodies[operationId]!.flatMap((body) => [false, true].map((isDeep) => greatest(schema, body, isDeep)));
    for (const body of sent) {
      const send = async () => {
        const [response, neighbour] = await Promise.all([
          fetch(`${subject.server.url}${address}`, {
            method: method.toUpperCase(),
            headers: { 'content-type': 'application/json', ...subject.headers[sender] },
            body,
          }),
          fetch(`${subject.server.url}/v1/webhooks`, { headers: subject.foreignClient }),
        ]);
        await Promise.all([response.arrayBuffer(), neighbour.arrayBuffer()]);
        expect(neighbour.status).toBe(200);
        statuses.set(operationId, [...(statuses.get(operationId) ?? []), response.status]);
      };
      let least = Infinity;
      for (let tries = 0; tries < TRIES && least > LONGEST_TURN_MS; tries += 1)
        least = Math.min(least, await longestTurn(send));
      sizes.push(
        `${Math.round(least)} ms ${operationId} of ${body.length} bytes, ${statuses.get(operationId)!.at(-1)}`,
      );
      if (least > LONGEST_TURN_MS) long.push(sizes.at(-1)!);
    }
  }
  expect(long).toEqual([]);
  expect(sizes.length).toBeGreaterThan(100);
  // Bodies with only their own arrays grown are still valid, and reach the handlers.
  for (const operation of ['submitOrder', 'quoteOrder', 'searchOrders', 'setUpStockItems'])
    expect([operation, statuses.get(operation)]).toEqual([operation, expect.arrayContaining([200])]);
});
