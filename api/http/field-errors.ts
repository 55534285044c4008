import type { z } from 'zod';
import { FIELD_ERROR_CODES, type FieldError, type FieldErrorCode, MAX_ERRORS } from '../../src/platform/errors';

type Issue = z.core.$ZodIssue;

/** Formats a path as `packages[0].items[1].hsCode`. The whole body is the empty string. */
export function fieldPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += text === '' ? String(step) : `.${String(step)}`;
  }
  return text;
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce(
    (value, step) =>
      typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, step)?.value : undefined,
    root,
  );
}

function codeOf(issue: Issue, value: unknown): FieldErrorCode {
  if (issue.code === 'custom') {
    return FIELD_ERROR_CODES.find((code) => code === issue.params?.code) ?? 'VALIDATION_ERROR';
  }
  if (value === undefined) return 'MISSING_FIELD_ERROR';
  if (issue.code === 'invalid_value') return 'NO_SUCH_CHOICE_ERROR';
  if (issue.code === 'invalid_union' && issue.discriminator !== undefined) return 'NO_SUCH_CHOICE_ERROR';
  if (typeof value === 'string' && value.trim() === '') {
    if (issue.code === 'too_small' || issue.code === 'invalid_format') return 'IS_BLANK_ERROR';
  }
  return 'VALIDATION_ERROR';
}

/** Types in words, as zod and JSON name them. */
const TYPES: Readonly<Record<string, string>> = {
  object: 'an object',
  record: 'an object',
  array: 'an array',
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
};

function typeInWords(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : (TYPES[typeof value] ?? typeof value);
}

/** Returns what a value outside its limits must be, with what it is. */
function boundText(issue: Extract<Issue, { code: 'too_big' | 'too_small' }>, value: unknown): string | undefined {
  const isMost = issue.code === 'too_big';
  const limit = isMost ? issue.maximum : issue.minimum;
  // The origin, not the type of the value: a number in a query arrives as text.
  if (issue.origin === 'number' || issue.origin === 'int') {
    const relation = isMost ? (issue.inclusive ? 'at most' : 'less than') : issue.inclusive ? 'at least' : 'more than';
    return `Must be ${relation} ${limit}, not ${value}.`;
  }
  if (typeof value !== 'string' && !Array.isArray(value)) return undefined;
  const [one, many] = typeof value === 'string' ? ['character', 'characters'] : ['entry', 'entries'];
  return `Must have ${isMost ? 'at most' : 'at least'} ${limit} ${limit === 1 ? one : many}, not ${value.length}.`;
}

const sentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`);

function messageOf(issue: Issue, code: FieldErrorCode, value: unknown, isWhole: boolean): string {
  if (issue.code === 'custom') return issue.message;
  if (code === 'MISSING_FIELD_ERROR') return 'This field is required.';
  if (code === 'IS_BLANK_ERROR') return 'This field must not be blank.';
  if (code === 'NO_SUCH_CHOICE_ERROR' && issue.code === 'invalid_value')
    return `Not one of the choices: ${issue.values.map(String).filter(Boolean).join(', ')}.`;
  if (issue.code === 'too_big' || issue.code === 'too_small') {
    const text = boundText(issue, value);
    if (text !== undefined) return text;
  }
  // Zod reports a fraction, and text in a query that is no number, after it has taken the value for a number.
  if (issue.code === 'invalid_type' && (issue.expected === 'int' || 'received' in issue))
    return `Must be ${TYPES[issue.expected]}, not ${String(value).slice(0, 100)}.`;
  const expected = issue.code === 'invalid_type' ? TYPES[issue.expected] : undefined;
  if (expected !== undefined && expected !== typeInWords(value))
    return `${isWhole ? 'The body must' : 'Must'} be ${expected}, not ${typeInWords(value)}.`;
  return sentence(issue.message);
}

/**
 * Returns the branch of a union without a discriminator that matches best: the branch whose first issue is deepest, and
 * among equals the branch with the fewest issues.
 */
function nearestBranch(branches: readonly Issue[][]): readonly Issue[] | undefined {
  const depth = (issues: readonly Issue[]) => Math.min(...issues.map((issue) => issue.path.length));
  return [...branches].sort((a, b) => depth(b) - depth(a) || a.length - b.length)[0];
}

function flatten(issue: Issue, prefix: readonly PropertyKey[], root: unknown): FieldError[] {
  const path = [...prefix, ...issue.path];
  const value = valueAt(root, path);
  if (issue.code === 'invalid_union' && issue.discriminator === undefined && value !== undefined) {
    const nearest = nearestBranch(issue.errors);
    if (nearest?.some((inner) => inner.path.length > 0)) {
      return nearest.flatMap((inner) => flatten(inner, path, root));
    }
  }
  if (issue.code === 'invalid_key') {
    return issue.issues.map((inner) => ({
      code: 'VALIDATION_ERROR',
      message: sentence(inner.message),
      reference: fieldPath(path),
    }));
  }
  if (issue.code === 'unrecognized_keys') {
    const message = 'This operation does not have this field. Nothing was done.';
    return issue.keys.map((key) => ({ code: 'VALIDATION_ERROR', message, reference: fieldPath([...path, key]) }));
  }
  const code = codeOf(issue, value);
  return [{ code, message: messageOf(issue, code, value, path.length === 0), reference: fieldPath(path) }];
}

/**
 * Converts zod issues to field errors (docs/errors.md). A missing field is `MISSING_FIELD_ERROR`, a blank string
 * `IS_BLANK_ERROR`, a value outside its choices `NO_SUCH_CHOICE_ERROR`, anything else `VALIDATION_ERROR`.
 * A refinement selects another code with `params: { code }` in its issue.
 * @param root the parsed value, to distinguish missing values from wrong ones
 * @returns at most MAX_ERRORS errors
 */
export function fieldErrors(error: z.core.$ZodError, root: unknown): FieldError[] {
  const found = new Map<string, FieldError>();
  for (const issue of error.issues) {
    for (const one of flatten(issue as Issue, [], root)) {
      const name = `${one.code} ${one.reference}`;
      if (!found.has(name)) found.set(name, one);
      if (found.size === MAX_ERRORS) return [...found.values()];
    }
  }
  return [...found.values()];
}
