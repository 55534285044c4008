import type { ErrorShape } from '../../api/http/error-body';
import { documentFaults } from './documented';
import type { RequestPlan } from './requests';
import type { ReceivedResponse, SentRequest } from './send';
import { FOREIGN_MARK } from './subject';
import { fault } from './verdict';

/** The judge of the fuzz runs must report each fault, and must accept a correct response. */

const OPERATION = {
  operationId: 'submitOrder',
  method: 'post',
  path: '/v1/orders',
  parameters: [],
  body: undefined,
  senders: ['client'],
} as const;
const SHAPES = new Map<string, ErrorShape>([
  ['submitOrder', 'coded'],
  ['cancelOrder', 'coded'],
  ['dispatchOrder', 'plain'],
]);

const plan = (over: Partial<RequestPlan> = {}): RequestPlan => ({
  operation: OPERATION,
  sender: 'client',
  method: 'POST',
  path: [{ kind: 'text', text: '/v1/orders' }],
  query: '',
  headers: {},
  body: undefined,
  chunked: false,
  signed: false,
  ...over,
});
const operation = (operationId: string) => plan({ operation: { ...OPERATION, operationId } });

const sent: SentRequest = {
  method: 'POST',
  path: '/v1/orders',
  headers: {},
  body: Buffer.from('{}'),
  chunked: false,
};
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-request-id': 'r-1',
  'content-type': 'application/json; charset=utf-8',
};
const REFUSED = { code: 'VALIDATION_ERROR', message: 'The submitted data has errors.', requestId: 'r-1' };

function response(status: number, body: unknown, headers: object = {}, cpuMs = 5): ReceivedResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers: { ...HEADERS, ...headers }, body: Buffer.from(text), cpuMs };
}

const judge = (given: ReceivedResponse, by = plan(), written: readonly string[] = [], request = sent) =>
  fault(by, request, given, written, SHAPES, true);

test.each<[string, ReceivedResponse]>([
  ['a success', response(200, { id: '1' })],
  ['a redirect without a text', response(308, '', { location: '/schemas' })],
  ['a refusal', response(400, REFUSED)],
  [
    'a refusal with field errors',
    response(400, {
      ...REFUSED,
      errors: [{ code: 'MISSING_FIELD_ERROR', message: 'Missing.', reference: 'items' }],
    }),
  ],
])('the judge accepts %s', (_name, given) => expect(judge(given)).toBeUndefined());

test('the judge accepts 503 with Retry-After from an operation that needs Temporal', () => {
  const unavailable = response(
    503,
    { code: 'UNAVAILABLE', message: 'Try again later.', requestId: 'r-1' },
    { 'retry-after': '5' },
  );
  expect(judge(unavailable, operation('cancelOrder'))).toBeUndefined();
  expect(judge(unavailable)).toMatch(/needs no Temporal/);
  expect(fault(operation('cancelOrder'), sent, unavailable, [], SHAPES, false)).toMatch(/needs no Temporal/);
  expect(judge({ ...unavailable, headers: HEADERS }, operation('cancelOrder'))).toMatch(/Retry-After/);
});

test.each<[fault: RegExp, ReceivedResponse]>([
  [/^500$/, response(500, { code: 'INTERNAL_ERROR', message: 'Something went wrong.', requestId: 'r-1' })],
  [/^502$/, response(502, '')],
  [/^took/, response(200, { id: '1' }, {}, 5_500)],
  [/internals/, response(400, { ...REFUSED, message: 'Error\n    at handle (/srv/app/orders.ts:12:3)' })],
  [/internals/, response(400, { ...REFUSED, message: 'invalid input syntax for type uuid' })],
  [/internals/, response(400, { ...REFUSED, message: 'duplicate key violates unique constraint' })],
  [/internals/, response(200, { id: '1', debug: 'SELECT id FROM orders' })],
  [/another account/, response(200, { id: '1', name: FOREIGN_MARK })],
  [/security headers/, response(200, { id: '1' }, { 'x-content-type-options': undefined })],
  [/request id/, response(200, { id: '1' }, { 'x-request-id': undefined })],
  [/is not JSON/, response(200, '{"id":')],
  [/without a location/, response(308, '')],
  [/body with 304/, response(304, '{}')],
  [/not a JSON object/, response(400, '<html>Bad Request</html>')],
  [/unknown code/, response(400, { ...REFUSED, code: 'OOPS' })],
  [/with 409/, response(409, REFUSED)],
  [/no message/, response(400, { ...REFUSED, message: '' })],
  [/requestId differs/, response(400, { ...REFUSED, requestId: 'r-2' })],
  [/wrong field error/, response(400, { ...REFUSED, errors: [{ code: 'X', message: 'x' }] })],
])('the judge reports %s', (expected, given) => expect(judge(given)).toMatch(expected));

test('the judge reports a refusal that wrote rows', () => {
  expect(judge(response(400, REFUSED), plan(), ['orders INSERT 1'])).toMatch(/wrote orders INSERT 1/);
  expect(judge(response(200, { id: '1' }), plan(), ['orders INSERT 1'])).toBeUndefined();
});

test('the judge reports a success for a sender without permission', () => {
  expect(judge(response(200, { id: '1' }), plan({ sender: 'partner' }))).toMatch(/may not call/);
});

test('the judge accepts a response that repeats text of its request', () => {
  const request = { ...sent, body: Buffer.from(`{"name":"${FOREIGN_MARK}"}`) };
  expect(judge(response(200, { name: FOREIGN_MARK }), plan(), [], request)).toBeUndefined();
});

test('the judge reports an error body of another group', () => {
  expect(judge(response(400, { error: 'orderId: unknown' }), operation('dispatchOrder'))).toBeUndefined();
  expect(judge(response(400, { error: 'orderId: unknown' }))).toMatch(/^error body/);
});

test.each([
  ['getTrackingPage', [404]],
  ['startOidcSignIn', [404]],
  ['finishOidcSignIn', [401, 404, 429]],
  ['getOrder', []],
])('%s may have a page as its error with %j, and with no other status', (operationId, statuses) => {
  for (const status of [400, 401, 403, 404, 429]) {
    const page = response(status, '<!doctype html><h1>Not found</h1>', {
      'content-type': 'text/html; charset=utf-8',
    });
    const found = judge(page, operation(operationId));
    if (statuses.includes(status)) expect(found).toBeUndefined();
    else expect(found).toMatch(/not a JSON object/);
  }
});

test('the judge reports a polluted Object.prototype', () => {
  const prototype = Object.prototype as { polluted?: unknown };
  prototype.polluted = true;
  try {
    expect(judge(response(200, { id: '1' }))).toMatch(/polluted/);
  } finally {
    delete prototype.polluted;
  }
});

describe('the comparison with the document', () => {
  const made = { $ref: '#/components/schemas/Made' };
  const content = (schema: Record<string, unknown>) => ({ content: { 'application/json': { schema } } });
  const documented = documentFaults({
    paths: { '/v1/orders': { post: { responses: { 200: content(made), 302: {}, 400: content({ type: 'object' }) } } } },
    components: { schemas: { Made: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } } },
  });

  test.each<[string, ReceivedResponse]>([
    ['a body of the schema', response(200, { id: '1', more: true })],
    ['a status without content', response(302, '')],
    ['a method that the address does not have', response(405, REFUSED)],
  ])('accepts %s', (_name, given) => expect(documented(plan(), given)).toBeUndefined());

  test.each<[fault: RegExp, ReceivedResponse]>([
    [/no 409 for submitOrder/, response(409, REFUSED)],
    [/no text\/html with 400/, response(400, '<p>', { 'content-type': 'text/html; charset=utf-8' })],
    [/must have required property 'id'/, response(200, {})],
    [/id must be string/, response(200, { id: 1 })],
  ])('reports %s', (expected, given) => expect(documented(plan(), given)).toMatch(expected));
});
