import type { OperationId } from './types';

/** What is wrong with one field of a request. `reference` is its path, such as `senderAddress.country`. */
export interface FieldFault {
  readonly reference: string;
  readonly message: string;
}

/** What an error body says. */
interface ErrorText {
  readonly summary: string;
  readonly faults: readonly FieldFault[];
}

/** A call that failed. Status 0: the API did not respond. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly summary: string;
  readonly faults: readonly FieldFault[];

  constructor(
    readonly status: number,
    { summary, faults }: ErrorText,
    readonly requestId: string | null,
    readonly operation: OperationId,
  ) {
    super([summary, ...faults.map(textOfFault)].join(' '));
    this.summary = summary;
    this.faults = faults;
  }
}

export const textOfFault = ({ reference, message }: FieldFault): string =>
  reference === '' ? message : `${reference}: ${message}`;

/** Returns what an error body says. */
export function errorTextIn(body: unknown, status: number): ErrorText {
  const { message, error, errors } = (body ?? {}) as Record<string, unknown>;
  const found = [message, error].find((text) => typeof text === 'string' && text !== '') as string | undefined;
  return {
    summary: found ?? `The API responded with status ${status}.`,
    faults: Array.isArray(errors)
      ? (errors as Partial<FieldFault>[]).flatMap(({ reference = '', message: fault }) =>
          typeof fault === 'string' ? [{ reference, message: fault }] : [],
        )
      : [],
  };
}
