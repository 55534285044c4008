import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { OPERATIONS, type Operations } from './operations';

export type * from './operations';

export interface ClientOptions {
  /** Base URL of the API, such as `https://pressline.example.com`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Required on order routes for clients. Partners and operators have a key only. */
  readonly apiSecret?: string;
  /** Retries after 429, 502, 503, 504 or a broken connection. Default 5; 0 disables retries. */
  readonly retries?: number;
  /** Timeout of one attempt, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
  /**
   * Called with the paths of the fields that Pressline does not know and ignored (`items[0].qty`), before the call returns or
   * throws. An error thrown here rejects the call, which Pressline has processed.
   */
  readonly onIgnoredFields?: (fields: readonly string[], operation: keyof Operations) => void;
}

export interface CallOptions {
  /** Idempotency key of a creating call. Default: a random key, which makes retries safe. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

export interface FieldFault {
  readonly code: string;
  readonly message: string;
  readonly reference?: string;
}

/** A response with an error status. */
export class PresslineError extends Error {
  override readonly name = 'PresslineError';

  constructor(
    readonly operation: keyof Operations,
    readonly status: number,
    /** Body of the response. Its shape depends on the endpoint group. */
    readonly body: unknown,
    readonly requestId: string | undefined,
  ) {
    super(`${operation}: ${status} ${messageIn(body)}`);
  }

  /** Error code; undefined in groups whose error bodies have none. */
  get code(): string | undefined {
    const code = (this.body as { code?: unknown } | null)?.code;
    return typeof code === 'string' ? code : undefined;
  }

  get errors(): readonly FieldFault[] {
    const errors = (this.body as { errors?: unknown } | null)?.errors;
    return Array.isArray(errors) ? (errors as FieldFault[]) : [];
  }
}

function messageIn(body: unknown): string {
  if (typeof body !== 'object' || body === null) return String(body ?? '');
  const { message, error, errors, data } = body as Record<string, unknown>;
  const fields = Array.isArray(errors)
    ? (errors as FieldFault[]).map((fault) => `${fault.reference}: ${fault.message}`)
    : [];
  const adjustments = Array.isArray(data) ? (data as { message?: unknown }[]).map((entry) => entry.message) : [];
  return [message ?? error ?? '', ...fields, ...adjustments].join(' ').trim();
}

type OperationId = keyof Operations;
type InputOf<K extends OperationId> = Operations[K]['input'];
type OutputOf<K extends OperationId> = Operations[K]['response'];

/** An operation whose response is a page of a list, with a cursor for the next page. */
export type PagedOperation = {
  [K in OperationId]: (typeof OPERATIONS)[K] extends { readonly page: object } ? K : never;
}[OperationId];

/** An item of the list that a paged operation returns. */
export type PageItem<K extends PagedOperation> = OutputOf<K>[Extract<
  (typeof OPERATIONS)[K]['page']['items'],
  keyof OutputOf<K>
>] extends readonly (infer Item)[]
  ? Item
  : never;

type Operate<K extends OperationId, Result> =
  Record<never, never> extends InputOf<K>
    ? (input?: InputOf<K>, options?: CallOptions) => Result
    : (input: InputOf<K>, options?: CallOptions) => Result;

/** One method per operation of the API. The input is optional when the operation requires none. */
export type PresslineClient = {
  readonly [K in keyof Operations]: Operate<K, Promise<OutputOf<K>>>;
} & {
  /**
   * Returns every item of a list, page by page. The next page is read when the loop needs it. `limit` of the input is the size of
   * a page.
   *
   *     for await (const order of client.each('searchOrders', { body: { limit: 100 } })) …
   */
  each<K extends PagedOperation>(
    operation: K,
    ...input: Parameters<Operate<K, unknown>>
  ): AsyncGenerator<PageItem<K>, void, undefined>;
};

interface AnyInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Statuses of a server, or of a proxy before it, that may respond later. */
const UNAVAILABLE: readonly number[] = [502, 503, 504];
const FIRST_DELAY_MS = 200;
const LONGEST_DELAY_MS = 5_000;

/** Returns a base URL without a trailing slash. @throws TypeError unless it is an http or https URL */
function baseOf(baseUrl: string): string {
  if (/^https?:\/\//i.test(baseUrl) && URL.canParse(baseUrl)) return baseUrl.replace(/\/$/, '');
  throw new TypeError(`baseUrl must be a URL such as https://pressline.example.com, not ${baseUrl}`);
}

function addressOf(baseUrl: string, path: string, { params = {}, query = {} }: AnyInput): string {
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    // An empty parameter would address another resource.
    if (!params[name]) throw new TypeError(`${path}: ${name} is empty`);
    return encodeURIComponent(params[name]);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  return `${baseUrl}${filled}${search.size > 0 ? `?${search}` : ''}`;
}

/** Returns the body of an error: JSON, or the text of a proxy's page. */
async function errorBody(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the delay before the next attempt in milliseconds: `Retry-After`, else exponential back-off with jitter. */
function delayBefore(attempt: number, retryAfter: string | null | undefined): number {
  const asked = Number(retryAfter ?? Number.NaN) * 1_000;
  if (Number.isFinite(asked)) return asked + Math.random() * FIRST_DELAY_MS;
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt) * (0.8 + 0.4 * Math.random());
}

/**
 * Creates a typed client of the API.
 *
 * The client always retries 429, because the request was not processed, unless a quota is used up (`QUOTA_EXCEEDED`).
 * It retries 502, 503, 504, a broken connection and 409 `IDEMPOTENCY_IN_FLIGHT` where a retry is safe: reads (searches
 * and quotes too), PUT, DELETE, creating calls, which carry an Idempotency-Key, and operations marked `x-repeatable`.
 * After 202 with Retry-After, a call is repeated until its result exists, or its signal is aborted.
 * A call throws PresslineError for an error status, and errors of `fetch` for a broken connection.
 * @throws TypeError when `baseUrl` is no http or https URL
 */
export function createPresslineClient(options: ClientOptions): PresslineClient {
  const { apiKey, apiSecret, retries = 5, timeoutMs = 30_000, onIgnoredFields } = options;
  const baseUrl = baseOf(options.baseUrl);
  const keyHeader = apiSecret === undefined ? apiKey : `${apiKey}:${apiSecret}`;

  async function call(operation: OperationId, input: AnyInput = {}, callOptions: CallOptions = {}): Promise<unknown> {
    const described: (typeof OPERATIONS)[OperationId] & { readonly upload?: string } = OPERATIONS[operation];
    const { method, path, idempotent, repeatable, upload } = described;
    const url = addressOf(baseUrl, path, input);
    const headers: Record<string, string> = { Accept: 'application/json', 'X-API-KEY': keyHeader };
    if (input.body !== undefined) headers['Content-Type'] = upload ?? 'application/json';
    if (idempotent) headers['Idempotency-Key'] = callOptions.idempotencyKey ?? randomUUID();
    const init = {
      method: method.toUpperCase(),
      headers,
      ...(input.body === undefined
        ? {}
        : { body: upload === undefined ? JSON.stringify(input.body) : (input.body as string) }),
    };
    for (let attempt = 0; ; attempt += 1) {
      const timeout = AbortSignal.timeout(timeoutMs);
      const signal = callOptions.signal ? AbortSignal.any([callOptions.signal, timeout]) : timeout;
      let response: Response | undefined;
      let body: unknown;
      try {
        response = await fetch(url, { ...init, signal });
        body = response.ok ? await response.json() : await errorBody(response);
      } catch (error) {
        if (callOptions.signal?.aborted || attempt >= retries || !repeatable) throw error;
        response = undefined;
      }
      if (response !== undefined) {
        const { status, headers } = response;
        const refused = response.ok
          ? null
          : new PresslineError(operation, status, body, headers.get('X-Request-Id') ?? undefined);
        const mayPass = UNAVAILABLE.includes(status) || refused?.code === 'IDEMPOTENCY_IN_FLIGHT';
        // A quota may be used up for long.
        const isOverRate = status === 429 && refused?.code !== 'QUOTA_EXCEEDED';
        const isRetried = refused !== null && attempt < retries && (isOverRate || (repeatable && mayPass));
        const isPending = status === 202 && headers.has('Retry-After');
        if (!isRetried && !isPending) {
          const ignored = headers.get('X-Ignored-Fields');
          if (ignored !== null) onIgnoredFields?.(ignored.split(', '), operation);
          if (refused !== null) throw refused;
          return body;
        }
      }
      await sleep(delayBefore(attempt, response?.headers.get('Retry-After')), undefined, {
        signal: callOptions.signal,
      });
    }
  }

  async function* each(
    operation: PagedOperation,
    input: AnyInput = {},
    callOptions: CallOptions = {},
  ): AsyncGenerator<unknown, void, undefined> {
    const { items, cursor: place } = OPERATIONS[operation].page;
    for (let cursor: unknown; ; ) {
      const page = cursor === undefined ? input : { ...input, [place]: { ...(input[place] as object), cursor } };
      const response = (await call(operation, page, callOptions)) as Record<string, unknown>;
      yield* response[items] as unknown[];
      cursor = response.nextCursor ?? undefined;
      if (cursor === undefined) return;
    }
  }

  const methods = Object.keys(OPERATIONS).map((operation) => [
    operation,
    (input?: AnyInput, callOptions?: CallOptions) => call(operation as OperationId, input, callOptions),
  ]);
  return { ...Object.fromEntries(methods), each } as unknown as PresslineClient;
}
