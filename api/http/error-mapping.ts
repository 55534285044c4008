import { Refusal } from '../../src/platform/errors';
import { isUnprocessedUpdate } from '../../src/platform/temporal/updates';

/** Codes of Node, postgres.js and Postgres that mean: the server is away, starting, stopping or full. */
const AWAY = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EPIPE',
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  // SQLSTATE: connection exceptions, too many connections, shutting down, crashed, starting up.
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
  '53300',
  '57P01',
  '57P02',
  '57P03',
  // SQLSTATE: serialization failure, deadlock, lock not available, statement time-out; the same request may pass.
  '40001',
  '40P01',
  '55P03',
  '57014',
]);
/** gRPC statuses of a Temporal frontend that is away or overloaded: DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE. */
const GRPC_AWAY = new Set([4, 8, 14]);
/** Error classes of @temporalio/client for an answer that did not come in time (no worker polls, say). */
const TEMPORAL_AWAY = new Set(['WorkflowUpdateRPCTimeoutOrCancelledError']);

/** Whether an error, or what caused it, is a server that is away. */
export function isUnavailable(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 5) return false;
  if (isUnprocessedUpdate(error)) return true;
  const { code, cause, errors, name } = error as {
    code?: unknown;
    cause?: unknown;
    errors?: unknown;
    name?: unknown;
  };
  if (typeof code === 'string' && AWAY.has(code)) return true;
  if (typeof code === 'number' && GRPC_AWAY.has(code)) return true;
  if (typeof name === 'string' && TEMPORAL_AWAY.has(name)) return true;
  if (Array.isArray(errors) && errors.some((inner) => isUnavailable(inner, depth + 1))) return true;
  return isUnavailable(cause, depth + 1);
}

/** Seconds a client is asked to wait while a server is away. */
const AWAY_RETRY_SECONDS = 2;

/**
 * Any error as the refusal to answer with. Nothing of an unexpected error reaches the caller.
 */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) {
    if (error.code !== 'UNAVAILABLE' || error.retryAfter !== undefined) return error;
    return new Refusal('UNAVAILABLE', { message: error.message, retryAfter: AWAY_RETRY_SECONDS });
  }
  if (isUnavailable(error)) return new Refusal('UNAVAILABLE', { retryAfter: AWAY_RETRY_SECONDS });
  return new Refusal('INTERNAL_ERROR');
}
