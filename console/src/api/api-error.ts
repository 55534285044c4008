import type { OperationId } from './types';

/** A call that failed. Status 0: the API did not respond. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    message: string,
    readonly requestId: string | null,
    readonly operation: OperationId,
  ) {
    super(message);
  }
}

/** Returns the text of an error body: its message and the faults of its fields. */
export function messageIn(body: unknown, status: number): string {
  const { message, error, errors } = (body ?? {}) as Record<string, unknown>;
  const fields = Array.isArray(errors)
    ? (errors as { message: string; reference?: string }[]).map(({ message: fault, reference }) =>
        reference ? `${reference}: ${fault}` : fault,
      )
    : [];
  const text = [message ?? error, ...fields].filter((part) => typeof part === 'string').join(' ');
  return text === '' ? `The API responded with status ${status}.` : text;
}
