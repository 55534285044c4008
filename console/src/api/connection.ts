import { createContext, useContext, useSyncExternalStore } from 'react';
import { OPERATIONS } from '../../../client/operations';
import { addressOf } from './address';
import { ApiError, errorTextIn } from './api-error';
import type { AnyInput, ApiResponse, Input, OperationId } from './types';

/** Statuses with which a proxy says that the API does not respond. */
const PROXY_ERRORS: readonly number[] = [502, 504];

interface CallOptions {
  readonly signal?: AbortSignal;
  /** A repeated call with the same key has no second effect. */
  readonly idempotencyKey?: string;
}

/** The two ways in which the console hears from the API. */
type Way = 'calls' | 'stream';

/** The connection of this tab to the API: it makes the calls and knows whether the API can be reached. */
export class ApiConnection {
  /** Token that changing calls carry. The session has it. */
  csrfToken = '';
  /** True while the stream of changes is open. */
  isStreaming = false;
  /** Called when the API no longer accepts the session. */
  onSessionEnded: () => void = () => undefined;

  private readonly broken = new Set<Way>();
  private readonly listeners = new Set<() => void>();

  /** Records whether the API can be reached. */
  setReachable(way: Way, now: boolean): void {
    if (now === !this.broken.has(way)) return;
    if (now) this.broken.delete(way);
    else this.broken.add(way);
    for (const listener of this.listeners) listener();
  }

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Returns true while calls get responses and the stream of changes is not broken. */
  readonly isReachable = () => this.broken.size === 0;

  /**
   * Calls an operation of the HTTP API with the session of this browser.
   * @throws ApiError for error statuses and broken connections
   */
  readonly call = async <K extends OperationId>(
    operation: K,
    input: Input<K>,
    { signal, idempotencyKey }: CallOptions = {},
  ): Promise<ApiResponse<K>> => {
    const method = OPERATIONS[operation].method.toUpperCase();
    const { body } = input as AnyInput;
    const headers: Record<string, string> = { Accept: 'application/json' };
    const isFile = body instanceof Blob;
    if (body !== undefined) headers['Content-Type'] = isFile ? body.type : 'application/json';
    if (method !== 'GET') headers['X-CSRF-Token'] = this.csrfToken;
    if (idempotencyKey !== undefined) headers['Idempotency-Key'] = idempotencyKey;
    let response: Response;
    try {
      response = await fetch(addressOf(operation, input), {
        method,
        headers,
        credentials: 'same-origin',
        ...(body === undefined ? {} : { body: isFile ? body : JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      this.setReachable('calls', false);
      throw new ApiError(0, { summary: 'The API does not respond.', faults: [] }, null, operation);
    }
    this.setReachable('calls', !PROXY_ERRORS.includes(response.status));
    const received: unknown = await response.json().catch(() => null);
    if (response.ok) return received as ApiResponse<K>;
    if (response.status === 401 && operation !== 'startOperatorSession') this.onSessionEnded();
    throw new ApiError(
      response.status,
      errorTextIn(received, response.status),
      response.headers.get('X-Request-Id'),
      operation,
    );
  };
}

const ConnectionContext = createContext<ApiConnection | null>(null);

export const ConnectionProvider = ConnectionContext.Provider;

/** Returns the connection of this tab to the API. */
export function useConnection(): ApiConnection {
  const connection = useContext(ConnectionContext);
  if (connection === null) throw new Error('There is no connection to the API around this component.');
  return connection;
}

/** Returns true while the API can be reached. */
export function useReachable(): boolean {
  const { subscribe, isReachable } = useConnection();
  return useSyncExternalStore(subscribe, isReachable);
}
