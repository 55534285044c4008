import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { messageSchema } from '../../../api/partner/message-schemas';

const ajv = new Ajv2020({ allErrors: true, strict: true, strictTypes: false });
addFormats(ajv);
const validators = new Map<string, ValidateFunction>();

/** Returns what is wrong with a message by the published JSON Schema `name`. */
export function schemaProblems(name: string, message: unknown): string[] {
  let validate = validators.get(name);
  if (validate === undefined) {
    validate = ajv.compile(messageSchema(name, 'https://pressline.test')!);
    validators.set(name, validate);
  }
  validate(message);
  return (validate.errors ?? []).map(({ instancePath, message: text }) => `${instancePath} ${text}`);
}

/** Returns what is wrong with a print order or an order update by the schema of its version. */
export function printOrderProblems(body: { version: string; revision?: number }): string[] {
  const kind = body.revision === undefined ? 'print-order' : 'order-update';
  return schemaProblems(`${kind}-${body.version}.json`, body);
}
