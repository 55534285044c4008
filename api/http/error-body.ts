import { z } from 'zod';
import {
  ERROR_CODES,
  type ErrorCode,
  FIELD_ERROR_CODES,
  type FieldError,
  MAX_ERRORS,
  Refusal,
} from '../../src/platform/errors';
import { isUnavailable, unavailable } from '../../src/platform/unavailable';

/** The parts of a request that an error body can repeat. */
interface FailedRequest {
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

const adjustmentError = z.object({ partnerSku: z.string(), success: z.literal(false), message: z.string() });

/** Returns one entry per faulty adjustment, and one entry with an empty `partnerSku` for errors of the whole request. */
function adjustmentErrors(refusal: Refusal, body: unknown): z.input<typeof adjustmentError>[] {
  const adjustments = (body as { adjustments?: unknown } | undefined)?.adjustments;
  const byIndex = new Map<number, FieldError[]>();
  const general: FieldError[] = [];
  for (const error of refusal.errors ?? []) {
    const index = /^adjustments\[(\d+)\]/.exec(error.reference)?.[1];
    if (index === undefined) general.push(error);
    else byIndex.set(Number(index), [...(byIndex.get(Number(index)) ?? []), error]);
  }
  const entries = [...byIndex].map(
    ([index, errors]): z.input<typeof adjustmentError> => ({
      partnerSku: textField(Array.isArray(adjustments) ? adjustments[index] : undefined, 'partnerSku'),
      success: false,
      message: errors.map(inWords).join(' '),
    }),
  );
  if (general.length > 0 || entries.length === 0) {
    const message = [refusal.message, ...general.map(inWords)].join(' ');
    entries.unshift({ partnerSku: '', success: false, message });
  }
  return entries.slice(0, MAX_ERRORS);
}

export const fieldErrorSchema = z
  .object({
    code: z.enum(FIELD_ERROR_CODES),
    message: z.string(),
    reference: z.string().describe('Path of the field, for example packages[0].items[1].hsCode.'),
  })
  .readonly()
  .meta({ id: 'FieldError' });
const errors = z.array(fieldErrorSchema).readonly().optional();
const code = z.enum(Object.keys(ERROR_CODES) as ErrorCode[]).meta({ id: 'ErrorCode' });
const message = z.string();
const detail = z.looseObject({});

/** Declares an error body: its schema, and the function that writes it. */
const body = <S extends z.ZodType>(schema: S, of: (refusal: Refusal, request: FailedRequest) => z.input<S>) => ({
  schema,
  of,
});

/** Error bodies by endpoint group (docs/errors.md). Orders and the catalog use `coded`, with the codes of the shipping group. */
export const ERROR_BODIES = {
  coded: body(
    z
      .object({
        code,
        message,
        requestId: z.string(),
        errors,
        detail: detail.optional().describe('Of `QUOTA_EXCEEDED`: `quota`, its name, and `limit`.'),
      })
      .meta({ id: 'CodedError' }),
    ({ code, message, errors, detail }, { requestId }) => ({ code, message, requestId, errors, detail }),
  ),
  plain: body(z.object({ error: message }).meta({ id: 'PlainError' }), ({ message, errors }) => ({
    error: [message, ...(errors ?? []).map(inWords)].join(' '),
  })),
  'plain-list': body(
    z
      .object({ error: message.describe('Problems of the request, separated by commas.') })
      .meta({ id: 'PlainListError' }),
    ({ message, errors }) => ({
      error: errors?.map((error) => inWords(error).replace(/\.$/, '')).join(', ') ?? message,
    }),
  ),
  'adjust-stock': body(
    z.object({ success: z.literal(false), data: z.array(adjustmentError) }).meta({ id: 'AdjustStockError' }),
    (refusal, { body }) => ({ success: false as const, data: adjustmentErrors(refusal, body) }),
  ),
  shipping: body(
    z
      .object({
        orderReferenceId: z.string(),
        code,
        message,
        detail: detail.optional().describe('Code and message of the carrier, in the carrier’s structure.'),
        errors,
      })
      .meta({ id: 'ShippingError' }),
    ({ code, message, detail, errors }, { body }) => ({
      orderReferenceId: textField(body, 'orderReferenceId'),
      code,
      message,
      detail,
      errors,
    }),
  ),
  tracking: body(
    z.object({ trackingNumber: z.string(), code, message, details: detail.nullable() }).meta({ id: 'TrackingError' }),
    ({ code, message, detail, errors }, { params }) => ({
      trackingNumber: textField(params, 'trackingNumber'),
      code,
      message,
      details: detail ?? (errors?.[0] === undefined ? null : { ...errors[0] }),
    }),
  ),
};

/** The error body of a route, by its endpoint group. */
export type ErrorShape = keyof typeof ERROR_BODIES;

/** Maps any error to the refusal to respond with. The caller sees nothing of an unexpected error. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  return isUnavailable(error) ? unavailable() : new Refusal('INTERNAL_ERROR');
}

/** Returns the error shape for a path without a route, by the group of its prefix. */
export function shapeOfPath(path: string): ErrorShape {
  if (path.startsWith('/procurement/') || path.startsWith('/v2/')) return 'plain';
  return 'coded';
}
