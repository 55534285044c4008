import { isGrpcServiceError } from '@temporalio/client';
import { Refusal } from './errors';
import { isUnprocessedUpdate } from './temporal/updates';

const RETRY_AFTER_SECONDS = 5;

/** Error codes of Node, postgres.js and Postgres for a server that is down, starting, stopping or overloaded. */
const UNAVAILABLE_CODES = new Set(
  [
    'ECONNREFUSED ECONNRESET ECONNABORTED EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN ETIMEDOUT EPIPE',
    'CONNECT_TIMEOUT CONNECTION_CLOSED CONNECTION_ENDED CONNECTION_DESTROYED',
    // No connection of the pool was free in time (connection-limit.ts).
    'POOL_TIMEOUT',
    // SQLSTATE: connection exceptions.
    '08000 08001 08003 08004 08006',
    // Disk full, out of memory, too many connections, idle in transaction.
    '53100 53200 53300 25P03',
    // Read-only transaction: a standby that is being promoted accepts connections before it accepts writes.
    '25006',
    // Shutting down, crashed, starting up.
    '57P01 57P02 57P03',
    // Serialization failure, deadlock, lock not available, statement timeout. The same request can succeed later.
    '40001 40P01 55P03 57014',
  ].flatMap((codes) => codes.split(' ')),
);

/**
 * gRPC statuses of a Temporal server that is down or overloaded: DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE,
 * and CANCELLED, with which a long poll ends at its deadline (grpc/status.proto).
 */
const UNAVAILABLE_GRPC_STATUSES = new Set([1, 4, 8, 14]);

/** FAILED_PRECONDITION: an update of a run whose workflow task has just failed, as on an overloaded worker. */
const TASK_FAILED = 9;

/**
 * Error classes of the Temporal SDK: an update whose result did not arrive in time, for example because no worker polls, a
 * connection of a worker that could not be opened, and a namespace that a server does not know in the first second after its start.
 */
const UNAVAILABLE_CLASSES = new Set([
  'WorkflowUpdateRPCTimeoutOrCancelledError',
  'TransportError',
  'NamespaceNotFoundError',
]);

export function isTemporalUnavailable(error: unknown): boolean {
  const cause = isGrpcServiceError(error) ? error : (error as { cause?: unknown } | null | undefined)?.cause;
  return isGrpcServiceError(cause) && UNAVAILABLE_GRPC_STATUSES.has(cause.code);
}

/** Returns true when the error is one of the AWS SDK: the object store did not respond in time, fails, or asks for fewer requests. */
function isStoreUnavailable(error: object): boolean {
  const { name, $metadata } = error as { name?: unknown; $metadata?: { httpStatusCode?: number } };
  if ($metadata === undefined) return false;
  const { httpStatusCode: status = 0 } = $metadata;
  return name === 'TimeoutError' || status >= 500 || status === 429;
}

/**
 * Returns true when the error, or one of its causes, means that Postgres, Temporal, every worker or the object store is
 * unavailable.
 */
export function isUnavailable(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 5) return false;
  if (isUnprocessedUpdate(error) || isStoreUnavailable(error)) return true;
  const { code, cause, errors, name } = error as Partial<Record<'code' | 'cause' | 'errors' | 'name', unknown>>;
  if (typeof code === 'string' && UNAVAILABLE_CODES.has(code)) return true;
  if (typeof code === 'number' && (UNAVAILABLE_GRPC_STATUSES.has(code) || code === TASK_FAILED)) return true;
  if (typeof name === 'string' && UNAVAILABLE_CLASSES.has(name)) return true;
  if (Array.isArray(errors) && errors.some((inner) => isUnavailable(inner, depth + 1))) return true;
  return isUnavailable(cause, depth + 1);
}

/** Returns the 503 refusal with `Retry-After`. Every 503 response of the API comes from here. */
export function unavailable(message?: string): Refusal {
  return new Refusal('UNAVAILABLE', {
    ...(message === undefined ? {} : { message }),
    retryAfter: RETRY_AFTER_SECONDS,
  });
}
