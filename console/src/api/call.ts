import { OPERATIONS, type Operations } from '../../../client/operations';
import { setReachable } from './connection';

export type * from '../../../client/operations';

export type OperationId = keyof Operations;
export type Input<K extends OperationId> = Operations[K]['input'];
export type Answer<K extends OperationId> = Operations[K]['answer'];

interface AnyInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Statuses with which a proxy says that the API does not answer. */
const PROXY_ERRORS: readonly number[] = [502, 504];

interface CallOptions {
  readonly signal?: AbortSignal;
  /** Required for acts: a repeated call with the same key has no second effect. */
  readonly idempotencyKey?: string;
}

/** A call that failed. Status 0: the API did not answer. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    message: string,
    readonly requestId: string | null,
    readonly operation: OperationId,
  ) {
    super(message);
  }
}

let csrfToken = '';

/** Sets the token that changing calls carry. The session has it. */
export function setCsrfToken(token: string): void {
  csrfToken = token;
}

let onEnded: () => void = () => undefined;

/** Sets what happens when the API no longer accepts the session. */
export function onSessionEnded(ended: () => void): void {
  onEnded = ended;
}

/** Returns the address of an operation with its parameters. An undefined query parameter is left out. */
export function addressOf<K extends OperationId>(operation: K, input: Input<K>): string {
  const { params = {}, query = {} } = input as AnyInput;
  const path = OPERATIONS[operation].path.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value));
  }
  return search.size > 0 ? `${path}?${search}` : path;
}

/**
 * Calls an operation of the HTTP API with the session of this browser.
 * @throws ApiError for error statuses and broken connections
 */
export async function call<K extends OperationId>(
  operation: K,
  input: Input<K>,
  { signal, idempotencyKey }: CallOptions = {},
): Promise<Answer<K>> {
  const method = OPERATIONS[operation].method.toUpperCase();
  const { body } = input as AnyInput;
  const headers: Record<string, string> = { Accept: 'application/json' };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (method !== 'GET') headers['X-CSRF-Token'] = csrfToken;
  if (idempotencyKey !== undefined) headers['Idempotency-Key'] = idempotencyKey;
  let response: Response;
  try {
    response = await fetch(addressOf(operation, input), {
      method,
      headers,
      credentials: 'same-origin',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    setReachable('calls', false);
    throw new ApiError(0, 'The API does not answer.', null, operation);
  }
  setReachable('calls', !PROXY_ERRORS.includes(response.status));
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok) return answer as Answer<K>;
  if (response.status === 401 && operation !== 'startOperatorSession') onEnded();
  throw new ApiError(
    response.status,
    messageIn(answer, response.status),
    response.headers.get('X-Request-Id'),
    operation,
  );
}

/** Returns the text of an error body: its message and the faults of its fields. */
function messageIn(body: unknown, status: number): string {
  const { message, error, errors } = (body ?? {}) as Record<string, unknown>;
  const fields = Array.isArray(errors)
    ? (errors as { message: string; reference?: string }[]).map(({ message: fault, reference }) =>
        reference ? `${reference}: ${fault}` : fault,
      )
    : [];
  const text = [message ?? error, ...fields].filter((part) => typeof part === 'string').join(' ');
  return text === '' ? `The API answered with status ${status}.` : text;
}
