import fc from 'fast-check';
import { POSTER, STICKER, T_SHIRT } from '../api/orders/sample-orders';
import { type Dictionary, type JsonSchema, schemaValues } from './json-schema-values';
import { changed, changedText, type TextChange, textChange, treeChange } from './mutations';
import { oddText } from './odd-values';
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

type PathPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'known'; readonly parameter: string; readonly pick: number };

const SENDERS: readonly Sender[] = ['client', 'partner', 'operator', 'nobody', 'stranger'];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'];

/** The operation id of requests to paths without an operation. */
export const STRAY = 'stray';
/** Paths without an operation, or odd spellings of a path. */
const STRANGE_PATHS = [
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

function dictionaryOf({ printOrders, jobs, items, ids }: Subject): Dictionary {
  const modelIds = ['t-shirt', 'blank-t-shirt', 'framed-poster', 'poster', 'none'];
  return {
    productUid: [POSTER, T_SHIRT, STICKER, 'no_such_product', 'flat_product_pf_a3'],
    productName: ['Classic tee', 'nothing'],
    country: ['DE', 'US', 'JP', 'CH', 'GB', 'AU'],
    countryOfOrigin: ['DE', 'CN'],
    currency: ['EUR', 'USD', 'JPY', 'KWD', 'PLN'],
    retailCurrency: ['EUR', 'USD', 'JPY'],
    phone: ['+49 30 901820', '+13125550188'],
    email: ['ada@example.com'],
    url: ['https://files.example/print.pdf', 'https://files.example/ä.png?x=1'],
    fileUrl: ['https://files.example/slip.pdf'],
    type: ['default', 'front', 'back', 'inside'],
    shipmentMethodUid: ['standard', 'express', 'tern_parcel_domestic', 'normal,standard,fed_ex_2_day'],
    uid: ['tern_parcel_domestic', 'corvid_post_tracked', ''],
    orderId: [...printOrders, '1', '999999999999999999'],
    orderItemId: [...jobs, '1'],
    itemIds: [...items, '1'],
    itemId: [...items, '1'],
    partnerSku: ['frame-wood-black-a4', 'frame-wood-oak-a3', 'tee-navy-m', 'none'],
    SKU: ['frame-wood-black-a4', 'sku-1'],
    productModelId: modelIds,
    modelId: modelIds,
    partModelId: modelIds,
    attributeIds: ['apparel_size', 'apparel_color', 'paper_format'],
    customerIds: ['*'],
    timeZone: ['Europe/Berlin', 'America/New_York', 'Mars/Olympus'],
    hsCode: ['4911.91'],
    trackingNumber: ['RR473124829DE'],
    partnerId: ids.operator.partnerId ?? [],
    cursor: ['MjAyNi0wMS0wNVQxMDowMDowMC4wMDAwMDBaIDE', 'x', 'eyJhIjoxfQ'],
  };
}

const mostly = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>, odds: number) =>
  fc.oneof({ weight: odds, arbitrary: usual }, { weight: 1, arbitrary: odd });

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
      : fc.oneof(
          { weight: 3, arbitrary: fc.constantFrom<unknown>(...valid) },
          { weight: 2, arbitrary: values },
        );
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

/** Generates path parameters: mostly existing ids, else any text, escaped or nearly unescaped. */
function pathOf(path: string): fc.Arbitrary<PathPart[]> {
  const parts = path.split(/(\{\w+\})/).map((part): fc.Arbitrary<PathPart> => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined) return fc.constant({ kind: 'text', text: part });
    const known = fc.nat(1_000).map((pick): PathPart => ({ kind: 'known', parameter: name, pick }));
    const odd = oddText.map((text): PathPart => ({ kind: 'text', text: escaped(text.slice(0, 3_000)) }));
    const raw = fc
      .constantFrom(
        '%00',
        '%zz',
        '%c3%28',
        '..',
        '.',
        '%2e%2e',
        'a%2fb',
        '%',
        '%ed%a0%80',
        'a;b',
        'a:b',
        '(a)',
        '*',
      )
      .map((text): PathPart => ({ kind: 'text', text }));
    return fc.oneof(
      { weight: 7, arbitrary: known },
      { weight: 2, arbitrary: odd },
      { weight: 1, arbitrary: raw },
    );
  });
  return fc.tuple(...parts);
}

/** Percent-encodes a text. Lone surrogates, which encodeURIComponent refuses, become bytes that are invalid in UTF-8. */
function escaped(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\0')).replaceAll('%00', '%ed%a0%80');
}

function queryOf(
  { parameters }: Operation,
  of: (schema: JsonSchema, name?: string) => fc.Arbitrary<unknown>,
): fc.Arbitrary<string> {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const usual = fc
    .record(
      Object.fromEntries(inQuery.map(({ name, schema }) => [name, mostly(of(schema, name), oddText, 2)])),
      { requiredKeys: [] },
    )
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

function headersOf({ body }: Operation): fc.Arbitrary<Record<string, string>> {
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
