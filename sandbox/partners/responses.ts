import type { Response } from 'express';
import type { FirstAnswers } from '../behaviour';

/** How a partner answers a message: with 200, or in the faulty way of its behaviour. */

/** @param how undefined: 200 with the message */
export function sendAnswer(response: Response, how: FirstAnswers['how'] | undefined, message: string): void {
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

/** Returns the answer as the journal keeps it: a status, `hang-up` or `silence`. */
export function describeAnswer(how: FirstAnswers['how'] | undefined): string {
  if (how === undefined) return '200';
  if (typeof how === 'string') return how;
  return 'lateMs' in how ? '200' : String(how.status);
}
