import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import express from 'express';
import { SIZES } from '../../src/platform/domain/sizes';
import { type FieldError, MAX_ERRORS, Refusal } from '../../src/platform/errors';
import { fieldPath } from './field-errors';

/** Largest request body, in bytes. */
const BODY_LIMIT = SIZES.bodyBytes.most;
/** Deepest accepted nesting. Request bodies nest at most 8 levels; the limit keeps recursion over a body shallow. */
const DEPTH_LIMIT = 64;

const readRaw = express.raw({ type: () => true, limit: BODY_LIMIT });

/** Maps the errors of body-parser that the sender caused to refusals. */
function bodyRefusal(error: { status?: number; type?: string }): unknown {
  if (error.type === 'entity.too.large') return new Refusal('PAYLOAD_TOO_LARGE');
  if (error.type === 'encoding.unsupported') {
    return new Refusal('UNSUPPORTED_MEDIA_TYPE', { message: 'This Content-Encoding is not supported.' });
  }
  if (error.status !== undefined && error.status >= 400 && error.status < 500) {
    return new Refusal('MALFORMED_JSON', { message: 'The request body could not be read.' });
  }
  return error;
}

/**
 * Reads the body. Returns an empty buffer when the request has none.
 * @throws Refusal `PAYLOAD_TOO_LARGE`, `MALFORMED_JSON` (aborted, wrong length), `UNSUPPORTED_MEDIA_TYPE`
 */
export async function readBody(req: Request, res: Response): Promise<Buffer> {
  // body-parser would read a body to its end before it rejects a Content-Length over the limit.
  if (Number(req.get('content-length')) > BODY_LIMIT) throw new Refusal('PAYLOAD_TOO_LARGE');
  await new Promise<void>((resolve, reject) => {
    readRaw(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(bodyRefusal(error as object))));
  });
  return Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
}

/**
 * Returns the body of an upload as a stream.
 * @throws Refusal `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`. The stream fails with the latter for a body without a length
 */
export function uploadOf(
  req: Request,
  { contentType, mostBytes }: { readonly contentType: string; readonly mostBytes: number },
): Readable {
  const tooLarge = () =>
    new Refusal('PAYLOAD_TOO_LARGE', { message: `The file is larger than ${mostBytes.toLocaleString('en')} bytes.` });
  const [type] = (req.get('content-type') ?? '').toLowerCase().split(';');
  if (type!.trim() !== contentType || (req.get('content-encoding') ?? 'identity') !== 'identity')
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', {
      message: `The request body must be ${contentType}, not compressed.`,
    });
  if (Number(req.get('content-length')) > mostBytes) throw tooLarge();
  async function* limited() {
    let bytes = 0;
    for await (const chunk of req as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > mostBytes) throw tooLarge();
      yield chunk;
    }
  }
  return Readable.from(limited(), { objectMode: false });
}

/** Returns true for `application/json` in UTF-8 (RFC 8259). */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return false;
  const [type, ...parameters] = contentType.toLowerCase().split(';');
  if (type?.trim() !== 'application/json') return false;
  return parameters.every((parameter) => {
    const [name, value] = parameter.split('=').map((part) => part.trim());
    return name !== 'charset' || value === 'utf-8' || value === '"utf-8"' || value === 'utf8';
  });
}

/** NUL, which Postgres does not store, and lone surrogates, which UTF-8 does not have. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

export function isUnstorable(text: string): boolean {
  return UNSTORABLE.test(text);
}

/**
 * Adds an error for each string of a parsed body that cannot be stored, up to MAX_ERRORS. Removes members `__proto__`.
 * @throws Refusal `MALFORMED_JSON` for nesting beyond the limit, which also keeps this recursion shallow
 */
function findUnstorable(value: unknown, path: readonly PropertyKey[], errors: FieldError[]): FieldError[] {
  if (errors.length >= MAX_ERRORS) return errors;
  if (typeof value === 'string' && isUnstorable(value)) errors.push(unstorableAt(path));
  if (typeof value !== 'object' || value === null) return errors;
  if (path.length >= DEPTH_LIMIT) {
    throw new Refusal('MALFORMED_JSON', {
      message: `The request body is nested deeper than ${DEPTH_LIMIT} levels.`,
    });
  }
  for (const key of Object.keys(value)) {
    if (key === '__proto__') {
      delete value[key as keyof typeof value];
      continue;
    }
    const step = Array.isArray(value) ? Number(key) : key;
    if (isUnstorable(key)) errors.push(unstorableAt([...path, step]));
    const member: unknown = value[key as keyof typeof value];
    // Numbers, booleans and null need no check.
    if (typeof member === 'string' || typeof member === 'object') findUnstorable(member, [...path, step], errors);
  }
  return errors;
}

export function unstorableAt(path: readonly PropertyKey[]): FieldError {
  const message = 'Must not hold NUL characters or lone surrogates.';
  return { code: 'VALIDATION_ERROR', message, reference: fieldPath(path) };
}

/**
 * Parses a body. Of members with the same name the last one is used, as in JSON.parse.
 * An empty body is parsed as an empty object, so that every required field is reported as missing.
 * @returns the value, and an error for each string that cannot be stored
 * @throws Refusal `MALFORMED_JSON`
 */
export function parseJson(raw: Buffer): { readonly value: unknown; readonly errors: FieldError[] } {
  if (raw.length === 0) return { value: {}, errors: [] };
  if (!isUtf8(raw)) throw new Refusal('MALFORMED_JSON', { message: 'The request body is not UTF-8.' });
  let value: unknown;
  try {
    value = JSON.parse(raw.toString('utf8'));
  } catch {
    throw new Refusal('MALFORMED_JSON');
  }
  return { value, errors: findUnstorable(value, [], []) };
}

/** Returns canonical JSON: equal content gives equal text, whatever the order of members. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : member,
  );
}
