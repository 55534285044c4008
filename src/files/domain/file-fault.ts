import { cutText } from '../../platform/domain/foreign-text';

/**
 * Reasons why a file of a client cannot be used: codes of `refusalReasonCode` with the message to the client.
 * `file_unreachable` is the reason when a transient fault lasts until the end of the retry window.
 */
export const FILE_FAULTS = {
  file_url_invalid: 'The URL of the file is not allowed.',
  file_host_blocked: 'The URL of the file leads into a blocked network.',
  file_redirected: 'The URL of the file redirects to another location.',
  file_not_found: 'There is no file at this URL.',
  file_access_denied: 'The file host denies access to the file.',
  file_host_refused: 'The file host refuses the request.',
  file_too_large: 'The file is larger than the limit.',
  file_empty: 'The file is empty.',
  file_type_not_supported: 'The type of the file is not supported.',
  file_unreadable: 'The file is damaged and cannot be read.',
  file_protected: 'The file is protected.',
  file_page_count_mismatch: 'The number of pages does not match the product.',
  file_unreachable: 'The file could not be fetched in time.',
} as const;

/** Characters of the details in a message. Libraries quote the file in their errors. */
const DETAILS_LENGTH = 500;

export type FileFaultCode = keyof typeof FILE_FAULTS;

/** A reason why a file cannot be used. A download with a transient fault can be retried. */
export interface FileFault {
  readonly ok: false;
  readonly transient: boolean;
  readonly code: FileFaultCode;
  /** The message of the code with details such as sizes, types and statuses. Never contains the query of a URL. */
  readonly message: string;
  /** Milliseconds until the next attempt, as requested by the host. */
  readonly retryAfterMs?: number | undefined;
  /** What went wrong, for the log. */
  readonly error?: string | undefined;
  /** True when the worker, not the host, is the reason. The file is then tried again for any time. */
  readonly isOurs?: true;
}

/** Returns a fault that no retry can resolve. */
export function permanentFault(code: FileFaultCode, details?: string): FileFault {
  return { ok: false, transient: false, code, message: messageOf(code, details) };
}

/** Returns a fault that a retry may resolve. */
export function transientFault(
  details: string,
  { code = 'file_unreachable', error, retryAfterMs }: Partial<Pick<FileFault, 'code' | 'error' | 'retryAfterMs'>> = {},
): FileFault {
  const logged = error && cutText(error, DETAILS_LENGTH);
  return { ok: false, transient: true, code, message: messageOf(code, details), retryAfterMs, error: logged };
}

/** Returns the fault of a file for which the worker has no space on its disk now. */
export function noDiskSpace(): FileFault {
  return { ...transientFault('the worker is busy with other files', { retryAfterMs: 5_000 }), isOurs: true };
}

function messageOf(code: FileFaultCode, details: string | undefined): string {
  const message = FILE_FAULTS[code];
  return details === undefined ? message : `${message.slice(0, -1)}: ${cutText(details, DETAILS_LENGTH)}.`;
}
