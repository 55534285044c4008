import { ERROR_CODES } from '../../../src/platform/errors';
import type { ErrorShape } from '../route';

export type JsonSchema = Record<string, unknown>;

export const FIELD_ERROR = {
  type: 'object',
  required: ['code', 'message', 'reference'],
  properties: {
    code: { enum: ['VALIDATION_ERROR', 'IS_BLANK_ERROR', 'MISSING_FIELD_ERROR', 'NO_SUCH_CHOICE_ERROR'] },
    message: { type: 'string' },
    reference: { type: 'string', description: 'Path of the field, for example packages[0].items[1].hsCode.' },
  },
};
const fieldErrors = { type: 'array', items: { $ref: '#/components/schemas/FieldError' } };
export const ERROR_CODE = { enum: Object.keys(ERROR_CODES) };

const code = { $ref: '#/components/schemas/ErrorCode' };
const message = { type: 'string' };

/** JSON Schemas of the error bodies by group (docs/errors.md). error-body.ts writes the bodies. */
export const ERROR_SCHEMAS: Readonly<
  Record<ErrorShape, { readonly name: string; readonly schema: JsonSchema }>
> = {
  coded: {
    name: 'CodedError',
    schema: {
      type: 'object',
      required: ['code', 'message', 'requestId'],
      properties: { code, message, requestId: { type: 'string' }, errors: fieldErrors },
    },
  },
  plain: {
    name: 'PlainError',
    schema: { type: 'object', required: ['error'], properties: { error: message } },
  },
  'plain-list': {
    name: 'PlainListError',
    schema: {
      type: 'object',
      required: ['error'],
      properties: { error: { ...message, description: 'Problems of the request, separated by commas.' } },
    },
  },
  'adjust-stock': {
    name: 'AdjustStockError',
    schema: {
      type: 'object',
      required: ['success', 'data'],
      properties: {
        success: { const: false },
        data: {
          type: 'array',
          items: {
            type: 'object',
            required: ['partnerSku', 'success', 'message'],
            properties: { partnerSku: { type: 'string' }, success: { const: false }, message },
          },
        },
      },
    },
  },
  shipping: {
    name: 'ShippingError',
    schema: {
      type: 'object',
      required: ['orderReferenceId', 'code', 'message'],
      properties: {
        orderReferenceId: { type: 'string' },
        code,
        message,
        detail: {
          type: 'object',
          description: 'Code and message of the carrier, in the carrier’s structure.',
        },
        errors: fieldErrors,
      },
    },
  },
  tracking: {
    name: 'TrackingError',
    schema: {
      type: 'object',
      required: ['trackingNumber', 'code', 'message'],
      properties: {
        trackingNumber: { type: 'string' },
        code,
        message,
        details: { type: ['object', 'null'] },
      },
    },
  },
};
