import fc from 'fast-check';
import type { JsonSchema } from './json-schema-values';
import { oddText } from './odd-values';
import type { Operation, PathPart } from './requests';

/** Generators of paths, queries and headers. */

/** Paths without an operation, or odd spellings of a path. */
export const STRANGE_PATHS = [
  '/',
  '//',
  '/v1//orders',
  '/v1/orders/',
  '/V1/Orders',
  '/v1/orders/..%2f..%2fhealthz',
  '/v1/orders/%2e%2e/webhooks',
  '/v1/orders/../../openapi.json',
  '/v1/orders;jsessionid=1',
  '/v1/orders/%zz',
  '/v1/orders/%',
  '/v1/orders/%c3%28',
  '/v1/orders/%ff',
  '/v1/orders/a%00b',
  '/docs/../package.json',
  '/docs/..%2fpackage.json',
  '/docs/%2e%2e/package.json',
  '/docs/swagger-ui.css/..%5c..%5cpackage.json',
  '/documents/a/b',
  '/documents/.%2e/b',
  '/.env',
  '/.git/config',
  '/procurement/v1/inventory/list/',
  '/v2/order',
  '/__proto__',
  '/constructor/prototype',
  '/*',
  `/v1/tracking/${'9'.repeat(8_000)}`,
];

const ODD_HEADERS: Readonly<Record<string, readonly string[]>> = {
  accept: ['text/html', '*/*;q=0', 'application/xml', ','],
  'x-request-id': ['a b', 'x'.repeat(500), '{"json":1}', '\u00ff', ''],
  'x-http-method-override': ['DELETE', 'TRACE'],
  'x-forwarded-for': ['127.0.0.1', '::1, 10.0.0.1', 'x'.repeat(300)],
  'x-forwarded-host': ['evil.example'],
  host: ['evil.example', 'localhost:1', ''],
  origin: ['https://evil.example', 'null'],
  range: ['bytes=0-1', 'bytes=-1', 'bytes=9999999-'],
  'if-none-match': ['*', '"a"'],
  expect: ['200-ok'],
  cookie: ['a=b; __proto__=c'],
  'webhook-id': ['msg_1', ''],
  'webhook-timestamp': ['0', 'NaN', '99999999999999'],
  'webhook-signature': ['v1,AAAA', 'v1', ',', 'v2,x v1,y'],
};

const IDEMPOTENCY_KEYS = [
  'key-1',
  'key-2',
  'key-3',
  '',
  ' ',
  'x'.repeat(255),
  'x'.repeat(256),
  'a b',
  'a\tb',
  '\u00e9',
];
const CONTENT_TYPES = [
  'text/plain',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  'application/json; charset=utf-8',
  'application/json;charset="utf-8"; q=1',
  'application/jsonp',
  'application/vnd.api+json',
  'APPLICATION/JSON',
  'json',
  ';',
  '',
];
const ENCODINGS = ['gzip', 'deflate', 'br', 'identity', 'zstd', 'gzip, gzip', 'x'];

/** Generates a usual value, and one odd value for every `odds` usual ones. */
export const mostly = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>, odds: number) =>
  fc.oneof({ weight: odds, arbitrary: usual }, { weight: 1, arbitrary: odd });

/** Generates path parameters: mostly existing ids, else any text, escaped or nearly unescaped. */
export function pathOf(path: string): fc.Arbitrary<PathPart[]> {
  const parts = path.split(/(\{\w+\})/).map((part): fc.Arbitrary<PathPart> => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined) return fc.constant({ kind: 'text', text: part });
    const known = fc.nat(1_000).map((pick): PathPart => ({ kind: 'known', parameter: name, pick }));
    const odd = oddText.map((text): PathPart => ({ kind: 'text', text: escaped(text.slice(0, 3_000)) }));
    const raw = fc
      .constantFrom('%00', '%zz', '%c3%28', '..', '.', '%2e%2e', 'a%2fb', '%', '%ed%a0%80', 'a;b', 'a:b', '(a)', '*')
      .map((text): PathPart => ({ kind: 'text', text }));
    return fc.oneof({ weight: 7, arbitrary: known }, { weight: 2, arbitrary: odd }, { weight: 1, arbitrary: raw });
  });
  return fc.tuple(...parts);
}

/** Percent-encodes a text. Lone surrogates, which encodeURIComponent refuses, become bytes that are invalid in UTF-8. */
function escaped(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\0')).replaceAll('%00', '%ed%a0%80');
}

/** Generates query strings: mostly valid parameters, else odd ones. */
export function queryOf(
  { parameters }: Operation,
  of: (schema: JsonSchema, name?: string) => fc.Arbitrary<unknown>,
): fc.Arbitrary<string> {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const usual = fc
    .record(Object.fromEntries(inQuery.map(({ name, schema }) => [name, mostly(of(schema, name), oddText, 2)])), {
      requiredKeys: [],
    })
    .map((values) =>
      Object.entries(values)
        .map(([name, value]) => `${name}=${escaped(String(value).slice(0, 2_000))}`)
        .join('&'),
    );
  const names = inQuery.length === 0 ? ['a'] : inQuery.map(({ name }) => name);
  const odd = fc
    .tuple(
      fc.constantFrom(...names),
      fc.constantFrom(
        '[]=a',
        '[a]=b',
        '[__proto__]=x',
        '=a&$=b',
        '',
        '=',
        '=%00',
        '=%zz',
        '=%ed%a0%80',
        '=1e400',
        '=-1',
        '=0x1F',
        '=1.5',
        '=+1',
        '=%201',
      ),
    )
    .map(([name, tail]) => `${name}${tail.replace('$', name)}`);
  if (inQuery.length === 0)
    return mostly(
      fc.constant(''),
      odd.map((text) => `?${text}`),
      15,
    );
  return mostly(usual, odd, 3).map((text) => (text === '' ? '' : `?${text}`));
}

/** Generates headers: mostly a JSON content type, else odd types, keys, encodings and other headers. */
export function headersOf({ body }: Operation): fc.Arbitrary<Record<string, string>> {
  const type = mostly(fc.constant('application/json'), fc.constantFrom(...CONTENT_TYPES), 25);
  const odd = fc
    .constantFrom(...Object.keys(ODD_HEADERS))
    .chain((name) => fc.constantFrom(...ODD_HEADERS[name]!).map((value) => ({ [name]: value })));
  const none = fc.constant<Record<string, string>>({});
  return fc
    .record({
      type:
        body === undefined
          ? mostly(
              none,
              type.map((value) => ({ 'content-type': value })),
              20,
            )
          : type.map((value) => ({ 'content-type': value })),
      odd: mostly(none, odd, 10),
      key: mostly(
        none,
        fc.constantFrom(...IDEMPOTENCY_KEYS).map((value) => ({ 'idempotency-key': value })),
        6,
      ),
      encoding: mostly(
        none,
        fc.constantFrom(...ENCODINGS).map((value) => ({ 'content-encoding': value })),
        60,
      ),
    })
    .map((parts) => Object.assign({}, ...Object.values(parts)));
}
