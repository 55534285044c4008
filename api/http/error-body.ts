import type { FieldError, Refusal } from '../../src/platform/errors';
import type { ErrorShape } from './route';

/** What an error body may tell besides the refusal itself. */
export interface FailedRequest {
  readonly requestId: string;
  /** The parsed JSON body, or undefined when it was not read. */
  readonly body: unknown;
  readonly params: Readonly<Record<string, unknown>>;
}

function textField(value: unknown, name: string): string {
  if (typeof value !== 'object' || value === null) return '';
  const field = (value as Record<string, unknown>)[name];
  return typeof field === 'string' ? field : '';
}

/** An error of a field after its path; one of the whole body has none. */
function inWords({ reference, message }: FieldError): string {
  return reference === '' ? message : `${reference}: ${message}`;
}

/** One entry for each adjustment that is in error; one nameless entry for what concerns the whole request. */
function adjustmentErrors(refusal: Refusal, body: unknown): object[] {
  const adjustments = (body as { adjustments?: unknown } | undefined)?.adjustments;
  const byIndex = new Map<number, FieldError[]>();
  const general: FieldError[] = [];
  for (const error of refusal.errors ?? []) {
    const index = /^adjustments\[(\d+)\]/.exec(error.reference)?.[1];
    if (index === undefined) general.push(error);
    else byIndex.set(Number(index), [...(byIndex.get(Number(index)) ?? []), error]);
  }
  const entries = [...byIndex].map(([index, errors]) => ({
    partnerSku: textField(Array.isArray(adjustments) ? adjustments[index] : undefined, 'partnerSku'),
    success: false,
    message: errors.map(inWords).join(' '),
  }));
  if (general.length > 0 || entries.length === 0) {
    const message = [refusal.message, ...general.map(inWords)].join(' ');
    entries.unshift({ partnerSku: '', success: false, message });
  }
  return entries;
}

/**
 * The error body of a route's group (interface "Errors", "Bodies by endpoint group"; the coded one is
 * DESIGN's for orders, catalog and everything the interface has no body for).
 */
export const ERROR_BODIES: Readonly<
  Record<ErrorShape, (refusal: Refusal, request: FailedRequest) => object>
> = {
  coded: ({ code, message, errors }, { requestId }) => ({
    code,
    message,
    requestId,
    ...(errors ? { errors } : {}),
  }),
  plain: ({ message, errors }) => ({ error: [message, ...(errors ?? []).map(inWords)].join(' ') }),
  'adjust-stock': (refusal, { body }) => ({ success: false, data: adjustmentErrors(refusal, body) }),
  shipping: ({ code, message, detail, errors }, { body }) => ({
    orderReferenceId: textField(body, 'orderReferenceId'),
    code,
    message,
    ...(detail ? { detail } : {}),
    ...(errors ? { errors } : {}),
  }),
  tracking: ({ code, message, detail, errors }, { params }) => ({
    trackingNumber: textField(params, 'trackingNumber'),
    code,
    message,
    details: detail ?? errors?.[0] ?? null,
  }),
};

/** The shape of errors where no route is found, by the group the address would belong to. */
export function shapeOfPath(path: string): ErrorShape {
  if (path.startsWith('/procurement/') || path.startsWith('/v2/')) return 'plain';
  return 'coded';
}
