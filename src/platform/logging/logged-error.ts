import { cutText } from '../domain/foreign-text';

/** Further members of an error that a log line has. They name parts of the program, never values of rows. */
const MEMBERS = ['code', 'severity', 'table_name', 'constraint_name', 'routine'] as const;
const DEEPEST_CAUSE = 5;
/** In code points. */
const LONGEST_MESSAGE = 4_000;
const LONGEST_STACK = 10_000;

/** SQLSTATE class of errors whose message repeats the value that a column does not accept. */
const BAD_VALUE = /^22/;

/**
 * Returns what a log line has of an error: type, message, stack, code and causes. pino's own serializer copies every member.
 * Postgres puts values of rows into `detail`, `where` and `hint`, and HTTP clients put requests into their errors.
 */
export function loggedError(error: unknown, depth = 0): unknown {
  if (typeof error !== 'object' || error === null) return error;
  const { name, message, stack, cause, errors } = error as Partial<Error> & { errors?: unknown };
  const members = error as Readonly<Record<string, unknown>>;
  const text = typeof message === 'string' ? message : '';
  const redacted = BAD_VALUE.test(String(members.code)) ? text.replace(/: ".*/s, ': [redacted]') : text;
  const shown = cutText(redacted, LONGEST_MESSAGE);
  return {
    type: name ?? error.constructor?.name,
    message: shown,
    ...(typeof stack === 'string'
      ? { stack: cutText(shown === text ? stack : stack.replace(text, () => shown), LONGEST_STACK) }
      : {}),
    ...Object.fromEntries(
      MEMBERS.filter((member) => ['string', 'number'].includes(typeof members[member])).map((member) => [
        member,
        members[member],
      ]),
    ),
    ...(cause === undefined || depth === DEEPEST_CAUSE ? {} : { cause: loggedError(cause, depth + 1) }),
    ...(Array.isArray(errors) && depth < DEEPEST_CAUSE
      ? { errors: errors.slice(0, 10).map((inner) => loggedError(inner, depth + 1)) }
      : {}),
  };
}
