import { type ErrorShape, shapeOfPath } from '../../api/http/error-body';
import { ERROR_CODES } from '../../src/platform/errors';
import type { RequestPlan } from './requests';
import type { ReceivedResponse, SentRequest } from './send';
import { FOREIGN_MARK } from './subject';

/**
 * What a response must not reveal: stack frames, paths of this machine, SQL, names of its components, and messages of
 * Postgres, which no caller can put into an error message of Pressline.
 */
const INTERNALS =
  /\n\s+at .+:\d+|\bat [\w.<>]+ \(|node_modules|\.[cm]?[jt]s:\d+|PostgresError|violates (?:unique|check|foreign|not-null)|invalid input syntax|out of range for type|relation "\w+"|\bINSERT INTO\b|\bSELECT .+ FROM\b|ECONN|ERR_[A-Z_]+|TypeError|RangeError|UNAVAILABLE: /;

/** Operations that need Temporal. They may respond with 503 while it is unavailable; no other operation may. */
const NEEDS_TEMPORAL: ReadonlySet<string> = new Set([
  // Looks for running workflows of the orders.
  'erasePersonalData',
  'updateShipment',
  'cancelOrder',
  'dispatchOrder',
  'createShippingOrder',
  'cancelShippingOrder',
  'repairOrder',
  'confirmServers',
  'runJob',
  'moveProcurementOrder',
  'receiveProcurementOrder',
  'attachProcurementInvoice',
]);

/** Longest CPU time of a response. Its duration depends on other load. */
const LIMIT_MS = 5_000;

/** Errors that operations respond to with a page for people instead of an error body, by status. */
const PAGES: Readonly<Record<string, readonly number[]>> = {
  getTrackingPage: [404],
  startOidcSignIn: [404],
  finishOidcSignIn: [401, 404, 429],
};

/** Returns true when the request itself contains a text, so that the text in its response proves nothing. */
const echoes = (sent: SentRequest, text: string) => sent.path.includes(text) || (sent.body?.includes(text) ?? false);

/**
 * Returns the fault of a response, or undefined.
 * @param written rows that the request wrote
 * @param shapes error shapes by operation
 * @param temporalUnavailable true when operations that need Temporal may respond with 503
 */
export function fault(
  plan: RequestPlan,
  sent: SentRequest,
  response: ReceivedResponse,
  written: readonly string[],
  shapes: ReadonlyMap<string, ErrorShape>,
  temporalUnavailable: boolean,
): string | undefined {
  const { status, headers, body, cpuMs } = response;
  const { operationId } = plan.operation;
  const text = body.toString('utf8');
  // Node itself responds to a request with more than 16 KiB of request line and headers.
  if (status === 431) return body.length === 0 ? undefined : 'a body with 431';
  if (cpuMs > LIMIT_MS) return `took ${Math.round(cpuMs)} ms of CPU time`;
  if (status === 503) {
    if (!temporalUnavailable || !NEEDS_TEMPORAL.has(operationId)) return '503 from an operation that needs no Temporal';
    if (!(Number(headers['retry-after']) > 0)) return '503 without Retry-After';
  } else if (status >= 500) return `${status}`;
  if (status < 200) return `${status}`;
  if (INTERNALS.test(text) && !INTERNALS.test(`${sent.path}\n${sent.body?.toString('utf8') ?? ''}`))
    return 'reveals internals';
  if (plan.sender !== 'operator' && text.includes(FOREIGN_MARK) && !echoes(sent, FOREIGN_MARK))
    return 'shows data of another account';
  if (({} as { polluted?: unknown }).polluted !== undefined) return 'polluted Object.prototype';
  if (headers['x-content-type-options'] !== 'nosniff') return 'lacks the security headers';
  if (typeof headers['x-request-id'] !== 'string') return 'has no request id';
  // The CORS preflight of the Temporal UI for the codec.
  if (status === 204 && plan.method === 'OPTIONS') return body.length === 0 ? undefined : 'a body with 204';
  if (status < 400) {
    if (!mayCall(plan)) return `${status} to a sender that may not call it`;
    // A browser or client follows it. It has a text only for a client that accepts one.
    if (status === 308) return headers.location === undefined ? 'a redirect without a location' : undefined;
    // The response to `If-None-Match: *` (RFC 9110, 13.1.2).
    if (status === 304) return body.length === 0 ? undefined : 'a body with 304';
    return plan.method === 'HEAD' || isReadable(headers['content-type'], text) ? undefined : 'is not JSON';
  }
  // A failed sign-in is in the audit log.
  const isAudited = status === 401 && written.every((row) => /^audit_(log|addresses) INSERT 1$/.test(row));
  if (status < 500 && written.length > 0 && !isAudited) return `refused with ${status} and wrote ${written.join(', ')}`;
  if (plan.method === 'HEAD') return undefined;
  const isPage = headers['content-type']?.startsWith('text/html') === true;
  if (isPage && PAGES[operationId]?.includes(status)) return undefined;
  return errorFault(sent, response, text, shapes.get(operationId));
}

const OPEN: readonly string[] = ['/openapi.json', '/docs', '/healthz', '/livez', '/readyz'];

function mayCall({ operation, sender, path }: RequestPlan): boolean {
  if (operation.senders.includes('nobody') || operation.senders.includes(sender)) return true;
  return (
    path.length === 1 &&
    path[0]!.kind === 'text' &&
    OPEN.some((open) => (path[0] as { text: string }).text.includes(open))
  );
}

function isReadable(type: string | undefined, text: string): boolean {
  if (!type?.startsWith('application/json')) return type !== undefined;
  return parsed(text) !== undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function errorFault(
  sent: SentRequest,
  response: ReceivedResponse,
  text: string,
  shape: ErrorShape | undefined,
): string | undefined {
  const body = parsed(text) as Record<string, unknown> | undefined;
  if (typeof body !== 'object' || body === null)
    return `error ${response.status} is not a JSON object: ${text.slice(0, 100)}`;
  // A request that is refused before routing gets the shape of its group. A stray path may belong to any group.
  const accepted = shape === undefined ? (Object.keys(ERROR_FAULTS) as ErrorShape[]) : [shape, shapeOfPath(sent.path)];
  const faults = accepted.map((one) => ERROR_FAULTS[one](body, response));
  return faults.includes(undefined) ? undefined : `error body: ${faults[0]}`;
}

function codeFault(body: Record<string, unknown>, { status }: ReceivedResponse): string | undefined {
  if (!Object.hasOwn(ERROR_CODES, String(body.code))) return `unknown code ${String(body.code)}`;
  if (ERROR_CODES[body.code as keyof typeof ERROR_CODES].status !== status)
    return `${String(body.code)} with ${status}`;
  if (!isText(body.message)) return 'no message';
  for (const error of (body.errors ?? []) as Record<string, unknown>[]) {
    if (!isText(error.code) || !isText(error.message) || typeof error.reference !== 'string')
      return 'wrong field error';
  }
  return undefined;
}

const ERROR_FAULTS: Readonly<
  Record<ErrorShape, (body: Record<string, unknown>, response: ReceivedResponse) => string | undefined>
> = {
  coded: (body, response) =>
    codeFault(body, response) ??
    (body.requestId === response.headers['x-request-id'] ? undefined : 'requestId differs from the header'),
  plain: (body) => (isText(body.error) ? undefined : 'no error text'),
  'plain-list': (body) => (isText(body.error) ? undefined : 'no error text'),
  'adjust-stock': ({ success, data }) =>
    success === false && Array.isArray(data) && data.every((each) => each.success === false && isText(each.message))
      ? undefined
      : 'not the shape of adjust-stock',
  shipping: (body, response) =>
    typeof body.orderReferenceId === 'string' ? codeFault(body, response) : 'no orderReferenceId',
  tracking: (body, response) =>
    typeof body.trackingNumber === 'string' ? codeFault(body, response) : 'no trackingNumber',
};
