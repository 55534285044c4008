import { UNFIT_FILES } from './unfit-files';

/** The faults of the host itself. */
const HOST_FAULTS = {
  'slow.pdf': 'Responds after 10 seconds (?ms=).',
  'drips.pdf':
    'Sends 1 kB every second (?ms=), or only to the first ?failures= requests of each ?key=. Only a limit on the time or ' +
    'the pace of the transfer ends it.',
  'missing.pdf': 'Responds with 404.',
  'forbidden.pdf': 'Responds with 403.',
  'gone.pdf': 'Responds with 410.',
  'broken.pdf': 'Responds with 500.',
  'busy.pdf':
    'Responds with 429 with Retry-After: 1 (?seconds=) for the first two requests (?failures=) of each ?key=, then sends a good file.',
  'recovers.pdf': 'Responds with 500 for the first two requests (?failures=) of each ?key=, then sends a good file.',
  'silent.pdf':
    'Sends nothing to the first request (?failures=) of each ?key= and keeps it open, then sends a good file.',
  'lies.pdf': 'Declares a PDF and is a web page.',
  'misnamed.png': 'Is named and declared PNG and is a good PDF.',
  'corrupt.pdf': 'Starts like a PDF and is noise.',
  'protected.pdf': 'Opens only with a password.',
  'cut.jpg': 'Lacks the lower half of its picture.',
  'zipped.pdf': 'Is a good file, in the coding gzip that no request allows.',
  'empty.pdf': 'Has no bytes.',
  'many-pages.pdf': 'Has a million pages in 4 kB.',
  'bomb.png': 'Has 1,600 megapixels in 200 kB.',
  'many-scans.jpg': 'Is a progressive JPEG with 1,000 scans (?scans=).',
  'too-large.pdf': 'Sends 300 MB (?megabytes=) without a Content-Length.',
  'claims-large.pdf': 'Declares 300 MB (?megabytes=) and sends nothing.',
  'redirect-private.pdf': 'Redirects to the metadata address of cloud machines.',
  'redirect.pdf': 'Redirects to a good file.',
  'breaks-off.pdf': 'Declares the whole file and closes the connection half-way.',
  'hangs-up.pdf': 'Closes the connection without a response.',
} as const;

export type HostFaultName = keyof typeof HOST_FAULTS;

/** The faults of the faulty file host, by the name of the file (docs/sandbox.md). */
export const FAULTS: Readonly<Record<string, string>> = {
  ...HOST_FAULTS,
  ...Object.fromEntries(Object.entries(UNFIT_FILES).map(([name, { summary }]) => [name, summary])),
};
