import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { OPERATIONS, type Operations } from './operations';

export type * from './operations';

export interface ClientOptions {
  /** The API's address, without a slash at the end. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Needed for order routes by clients; partners and operators have keys alone. */
  readonly apiSecret?: string;
  /** How often a request is repeated after 429, 503 or a broken connection; 5 by default, 0 for never. */
  readonly retries?: number;
  /** Milliseconds for one attempt; 30 s by default. */
  readonly timeoutMs?: number;
}

export interface CallOptions {
  /** Of a creating call; a fresh one is made when left out, so that repeats after faults are safe. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

export interface FieldFault {
  readonly code: string;
  readonly message: string;
  readonly reference?: string;
}

/** An answer other than success. */
export class PresslineError extends Error {
  override readonly name = 'PresslineError';

  constructor(
    readonly operation: keyof Operations,
    readonly status: number,
    /** As answered; groups differ in its shape. */
    readonly body: unknown,
    readonly requestId: string | undefined,
  ) {
    super(`${operation}: ${status} ${messageIn(body)}`);
  }

  /** Undefined in groups whose error bodies have no code. */
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
  const adjustments = Array.isArray(data)
    ? (data as { message?: unknown }[]).map((entry) => entry.message)
    : [];
  return [message ?? error ?? '', ...fields, ...adjustments].join(' ').trim();
}

type OperationId = keyof Operations;
type Input<K extends OperationId> = Operations[K]['input'];
type Answer<K extends OperationId> = Operations[K]['answer'];

/** One method for each operation of the API; its input may be left out when nothing in it is required. */
export type PresslineClient = {
  readonly [K in OperationId]: Record<never, never> extends Input<K>
    ? (input?: Input<K>, options?: CallOptions) => Promise<Answer<K>>
    : (input: Input<K>, options?: CallOptions) => Promise<Answer<K>>;
};

interface AnyInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

const FIRST_DELAY_MS = 200;
const LONGEST_DELAY_MS = 5_000;

function addressOf(baseUrl: string, path: string, { params = {}, query = {} }: AnyInput): string {
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    // An empty one would make another address of it.
    if (!params[name]) throw new TypeError(`${path}: ${name} is empty`);
    return encodeURIComponent(params[name]);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  return `${baseUrl}${filled}${search.size > 0 ? `?${search}` : ''}`;
}

/** Milliseconds before the next attempt: what the answer asks for, else doubling with jitter. */
function delayBefore(attempt: number, retryAfter: string | null | undefined): number {
  const asked = Number(retryAfter ?? Number.NaN) * 1_000;
  if (Number.isFinite(asked)) return asked + Math.random() * FIRST_DELAY_MS;
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt) * (0.8 + 0.4 * Math.random());
}

/**
 * A client of the API, typed for each operation.
 *
 * 429 is repeated always, since nothing was done; 503, a broken connection and 409 `IDEMPOTENCY_IN_FLIGHT` where
 * a repeat is harmless: reads, PUT, DELETE, and creating calls, which carry an Idempotency-Key.
 * @throws PresslineError for answers other than success; what `fetch` throws for a broken connection
 */
export function createPresslineClient(options: ClientOptions): PresslineClient {
  const { baseUrl, apiKey, apiSecret, retries = 5, timeoutMs = 30_000 } = options;
  const keyHeader = apiSecret === undefined ? apiKey : `${apiKey}:${apiSecret}`;

  async function call(
    operation: OperationId,
    input: AnyInput = {},
    callOptions: CallOptions = {},
  ): Promise<unknown> {
    const { method, path, idempotent } = OPERATIONS[operation];
    const url = addressOf(baseUrl, path, input);
    const headers: Record<string, string> = { Accept: 'application/json', 'X-API-KEY': keyHeader };
    if (input.body !== undefined) headers['Content-Type'] = 'application/json';
    if (idempotent) headers['Idempotency-Key'] = callOptions.idempotencyKey ?? randomUUID();
    const isRepeatable = idempotent || ['get', 'put', 'delete'].includes(method);
    const init = {
      method: method.toUpperCase(),
      headers,
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
    };
    for (let attempt = 0; ; attempt += 1) {
      const timeout = AbortSignal.timeout(timeoutMs);
      const signal = callOptions.signal ? AbortSignal.any([callOptions.signal, timeout]) : timeout;
      let retryAfter: string | null | undefined;
      try {
        const response = await fetch(url, { ...init, signal });
        const body: unknown = await response.json();
        if (response.ok) return body;
        const requestId = response.headers.get('X-Request-Id') ?? undefined;
        const refused = new PresslineError(operation, response.status, body, requestId);
        const mayPass = refused.status === 503 || refused.code === 'IDEMPOTENCY_IN_FLIGHT';
        if (attempt >= retries || !(refused.status === 429 || (isRepeatable && mayPass))) throw refused;
        retryAfter = response.headers.get('Retry-After');
      } catch (error) {
        const isOver = callOptions.signal?.aborted || attempt >= retries || !isRepeatable;
        if (error instanceof PresslineError || isOver) throw error;
      }
      await sleep(delayBefore(attempt, retryAfter), undefined, { signal: callOptions.signal });
    }
  }

  const methods = Object.keys(OPERATIONS).map((operation) => [
    operation,
    (input?: AnyInput, callOptions?: CallOptions) => call(operation as OperationId, input, callOptions),
  ]);
  return Object.fromEntries(methods) as PresslineClient;
}
