import type { Response } from 'express';
import type { FirstResponses } from '../behaviour';

/** How a partner responds to a message: with 200, or in the faulty way of its behaviour. */

/** @param how undefined: 200 with the message */
export function sendResponse(response: Response, how: FirstResponses['how'] | undefined, message: string): void {
  const accept = () => response.json({ message });
  if (how === undefined) accept();
  else if (how === 'hang-up') response.socket?.destroy();
  else if (how === 'silence') return;
  else if ('lateMs' in how) setTimeout(accept, how.lateMs).unref();
  else
    response
      .status(how.status)
      .set(how.headers ?? {})
      .json({ error: how.error });
}

/** Returns the response as the journal keeps it: a status, `hang-up` or `silence`. */
export function describeResponse(how: FirstResponses['how'] | undefined): string {
  if (how === undefined) return '200';
  if (typeof how === 'string') return how;
  return 'lateMs' in how ? '200' : String(how.status);
}
