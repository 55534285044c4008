import { type FieldError, MAX_ERRORS, type Refusal } from '../../../src/platform/errors';
import type { ErrorShape } from '../route';

/** The parts of a request that an error body can repeat. */
export interface FailedRequest {
  readonly requestId: string;
  /** Parsed JSON body; undefined when the body was not read. */
  readonly body: unknown;
  readonly params: Readonly<Record<string, unknown>>;
}

function textField(value: unknown, name: string): string {
  if (typeof value !== 'object' || value === null) return '';
  const field = (value as Record<string, unknown>)[name];
  return typeof field === 'string' ? field : '';
}

/** Formats a field error as `path: message`. An error of the whole body has no path. */
function inWords({ reference, message }: FieldError): string {
  return reference === '' ? message : `${reference}: ${message}`;
}

/** Returns one entry per faulty adjustment, and one entry with an empty `partnerSku` for errors of the whole request. */
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
  return entries.slice(0, MAX_ERRORS);
}

/**
 * Error bodies by endpoint group (docs/errors.md). Orders and the catalog use `coded`, with the codes of the shipping
 * group.
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
  'plain-list': ({ message, errors }) => ({
    error:
      errors === undefined ? message : errors.map((error) => inWords(error).replace(/\.$/, '')).join(', '),
  }),
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

/** Returns the error shape for a path without a route, by the group of its prefix. */
export function shapeOfPath(path: string): ErrorShape {
  if (path.startsWith('/procurement/') || path.startsWith('/v2/')) return 'plain';
  return 'coded';
}
