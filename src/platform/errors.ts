/**
 * Every error code an answer can carry, with its HTTP status and default message.
 * docs/errors.md documents this table; a test holds the two equal.
 * Sources: interface "Errors" (the codes of the shipping group), DESIGN "Statuses and bodies".
 */
export const ERROR_CODES = {
  VALIDATION_ERROR: { status: 400, message: 'The submitted data has errors.' },
  MALFORMED_JSON: { status: 400, message: 'The request body is not valid JSON.' },
  UNAUTHORIZED: { status: 401, message: 'The API key is missing or not valid.' },
  FORBIDDEN: { status: 403, message: 'This API key may not do this.' },
  NOT_FOUND: { status: 404, message: 'There is no such resource.' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'This address does not take this method.' },
  CONFLICT: { status: 409, message: 'The request conflicts with the state of the resource.' },
  DUPLICATE_ORDER_REFERENCE: { status: 409, message: 'An order with this orderReferenceId exists already.' },
  QUOTA_EXCEEDED: { status: 409, message: 'The account has reached the limit for this kind of resource.' },
  IDEMPOTENCY_IN_FLIGHT: { status: 409, message: 'A request with this Idempotency-Key is being processed.' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, message: 'This Idempotency-Key was used with other content.' },
  LINK_EXPIRED: { status: 410, message: 'This link has expired.' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The request body is larger than 1 MiB.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'The request body must be application/json.' },
  RATE_LIMITED: { status: 429, message: 'Too many requests with this API key.' },
  PUBLIC_API_ERROR: { status: 400, message: 'The request could not be processed.' },
  TRACKING_DETAILS_NOT_FOUND: { status: 404, message: 'There is no tracking data for this tracking number.' },
  UNAVAILABLE: { status: 503, message: 'A server that this answer needs is away; try again shortly.' },
  INTERNAL_ERROR: { status: 500, message: 'Something went wrong on our side.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** Codes of a single field's error (interface "Error codes seen"). */
export type FieldErrorCode =
  | 'VALIDATION_ERROR'
  | 'IS_BLANK_ERROR'
  | 'MISSING_FIELD_ERROR'
  | 'NO_SUCH_CHOICE_ERROR';

/** One offending field; `reference` is its path, as in `packages[0].items[1].hsCode`. */
export interface FieldError {
  readonly code: FieldErrorCode;
  readonly message: string;
  readonly reference: string;
}

export interface RefusalOptions {
  /** Replaces the code's default message. Never holds SQL, stack traces or internal ids. */
  readonly message?: string;
  readonly errors?: readonly FieldError[];
  /** Carrier-specific structure of `PUBLIC_API_ERROR` answers. */
  readonly detail?: object;
  /** Seconds; sent as `Retry-After`. */
  readonly retryAfter?: number;
}

/** A request that is refused with a code of the table: an expected failure, not a bug. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly errors: readonly FieldError[] | undefined;
  readonly detail: object | undefined;
  readonly retryAfter: number | undefined;

  constructor(
    readonly code: ErrorCode,
    options: RefusalOptions = {},
  ) {
    super(options.message ?? ERROR_CODES[code].message);
    this.errors = options.errors;
    this.detail = options.detail;
    this.retryAfter = options.retryAfter;
  }

  get status(): number {
    return ERROR_CODES[this.code].status;
  }
}
