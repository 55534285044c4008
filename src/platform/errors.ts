import { QUOTAS, type QuotaName } from './domain/quotas';

/** Every error code with its status and default message. A test compares docs/errors.md with the table. */
export const ERROR_CODES = {
  VALIDATION_ERROR: { status: 400, message: 'The submitted data has errors.' },
  MALFORMED_JSON: { status: 400, message: 'The request body is not valid JSON.' },
  TOO_MANY_PARCELS: { status: 400, message: 'The order has too many parcels.' },
  UNAUTHORIZED: { status: 401, message: 'The API key is missing or invalid.' },
  FORBIDDEN: { status: 403, message: 'This API key does not permit this operation.' },
  NOT_FOUND: { status: 404, message: 'The resource does not exist.' },
  SIGN_IN_NOT_CONFIGURED: { status: 404, message: 'Sign-in by OpenID Connect is not configured.' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'This path does not support this method.' },
  CONFLICT: { status: 409, message: 'The request conflicts with the state of the resource.' },
  DUPLICATE_ORDER_REFERENCE: { status: 409, message: 'An order with this orderReferenceId already exists.' },
  AMBIGUOUS_REFERENCE: {
    status: 409,
    message: 'Several accounts use this reference. Repeat the request with an id of `errors`.',
  },
  ALREADY_REPRINTED: {
    status: 409,
    message: 'The units were reprinted before. Set confirmRepeat to make them once more.',
  },
  IDEMPOTENCY_IN_FLIGHT: { status: 409, message: 'A request with this Idempotency-Key is being processed.' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, message: 'This Idempotency-Key was used with different content.' },
  DOCUMENT_DELETED: { status: 410, message: 'This document has been deleted.' },
  LINK_EXPIRED: { status: 410, message: 'This link has expired.' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The request body is larger than 1 MiB.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'The request body must be application/json.' },
  QUOTA_EXCEEDED: { status: 429, message: 'A quota of the account is used up.' },
  RATE_LIMITED: { status: 429, message: 'Too many requests with this API key.' },
  PUBLIC_API_ERROR: { status: 400, message: 'The request could not be processed.' },
  TRACKING_DETAILS_NOT_FOUND: { status: 404, message: 'No tracking data exists for this tracking number.' },
  UNAVAILABLE: {
    status: 503,
    message: 'A server that is required for this request is unavailable. Try again shortly.',
  },
  INTERNAL_ERROR: { status: 500, message: 'An internal error occurred.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;

export const FIELD_ERROR_CODES = [
  'VALIDATION_ERROR',
  'IS_BLANK_ERROR',
  'MISSING_FIELD_ERROR',
  'NO_SUCH_CHOICE_ERROR',
] as const;
export type FieldErrorCode = (typeof FIELD_ERROR_CODES)[number];

/** The error of one field. `reference` is the field's path, such as `packages[0].items[1].hsCode`. */
export interface FieldError {
  readonly code: FieldErrorCode;
  readonly message: string;
  readonly reference: string;
}

/** Maximum number of field errors in a response, so that a short request has no long response. */
export const MAX_ERRORS = 100;

export interface RefusalOptions {
  /** Replaces the default message of the code. Must not contain SQL, stack traces or internal ids. */
  readonly message?: string;
  /** Only the first MAX_ERRORS are kept. */
  readonly errors?: readonly FieldError[];
  /** Details of a `PUBLIC_API_ERROR` in the carrier's structure. The quota of a `QUOTA_EXCEEDED` and its limit. */
  readonly detail?: Record<string, unknown>;
  /** In seconds, sent as `Retry-After`. */
  readonly retryAfter?: number;
}

/** An expected refusal of a request, with a code of the table. Any other exception is a bug. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly errors: readonly FieldError[] | undefined;
  readonly detail: Record<string, unknown> | undefined;
  readonly retryAfter: number | undefined;

  constructor(
    readonly code: ErrorCode,
    options: RefusalOptions = {},
  ) {
    super(options.message ?? ERROR_CODES[code].message);
    this.errors = options.errors?.slice(0, MAX_ERRORS);
    this.detail = options.detail;
    this.retryAfter = options.retryAfter;
  }

  get status(): number {
    return ERROR_CODES[this.code].status;
  }
}

/** Returns the refusal of a request with one wrong field. */
export function invalidField(reference: string, message: string, code: FieldErrorCode = 'VALIDATION_ERROR'): Refusal {
  return new Refusal('VALIDATION_ERROR', { errors: [{ code, message, reference }] });
}

export function quotaExceeded(quota: QuotaName, limit: number, retryAfter: number = QUOTAS[quota].retryAfter): Refusal {
  return new Refusal('QUOTA_EXCEEDED', {
    message: `The quota ${quota} is used up: ${limit.toLocaleString('en')} ${QUOTAS[quota].counts}.`,
    detail: { quota, limit },
    retryAfter,
  });
}
