/**
 * Why a file that a client named cannot be used: codes of `refusalReasonCode`, with what the client reads.
 * `file_unreachable` is what passing faults end in when the retry window is over.
 */
export const FILE_FAULTS = {
  file_url_invalid: 'The address of the file is not one that files are fetched from.',
  file_host_blocked: 'The address of the file leads into a network that files are not fetched from.',
  file_redirected: 'The address of the file redirects to another place.',
  file_not_found: 'There is no file at this address.',
  file_access_denied: 'The host of the file does not let it be fetched.',
  file_host_refused: 'The host of the file refuses to give it.',
  file_too_large: 'The file is larger than the limit.',
  file_empty: 'The file is empty.',
  file_type_not_supported: 'The content of the file is not of a supported type.',
  file_unreadable: 'The file is damaged or protected and cannot be read.',
  file_page_count_mismatch: 'The file does not have as many pages as the product needs.',
  file_unreachable: 'The file could not be fetched in time.',
} as const;

export type FileFaultCode = keyof typeof FILE_FAULTS;

/** A fault of a file; `passing` ones are worth another try. */
export interface FileFault {
  readonly ok: false;
  readonly passing: boolean;
  readonly code: FileFaultCode;
  /** The code's words with particulars: sizes, types, status. Never a URL's query. */
  readonly message: string;
  /** Milliseconds until the host wants to be asked again. */
  readonly retryAfterMs?: number | undefined;
}

/** A fault that stands however often the file is fetched. */
export function lastingFault(code: FileFaultCode, particulars?: string): FileFault {
  return { ok: false, passing: false, code, message: worded(code, particulars) };
}

/** A fault that may be gone at the next try. */
export function passingFault(particulars: string, retryAfterMs?: number): FileFault {
  return {
    ok: false,
    passing: true,
    code: 'file_unreachable',
    message: worded('file_unreachable', particulars),
    retryAfterMs,
  };
}

function worded(code: FileFaultCode, particulars: string | undefined): string {
  return particulars === undefined ? FILE_FAULTS[code] : `${FILE_FAULTS[code].slice(0, -1)}: ${particulars}.`;
}
