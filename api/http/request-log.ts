import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { Account } from '../../src/accounts/account';
import type { Logger } from '../../src/platform/logging';
import type { Route } from './route';

/** What the pipeline, the log line and the error body know of one request. */
export interface RequestNotes {
  requestId: string;
  log: Logger;
  route?: Route;
  account?: Account;
  /** Kept here because Express takes the parameters away before an error is answered. */
  params?: Readonly<Record<string, unknown>>;
  /** Parsed JSON body, for error bodies that repeat a reference out of it; never logged. */
  body?: unknown;
}

export function notesOf(res: Response): RequestNotes {
  return res.locals as RequestNotes;
}

/** A request id from outside is kept when it is short and plain; anything else could forge log lines. */
const PLAIN_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/**
 * Names every request (`X-Request-Id`, the caller's own where it is plain) and logs one line for each: id,
 * method, path, operation, account, status, time. No headers, bodies or query strings, which carry keys and
 * personal data, and no signed link. Written on pino itself: pino-http binds a serialised request to two
 * child loggers a request, and none of it is wanted here.
 */
export function requestLog(log: Logger): RequestHandler {
  // The line's fields are ours; looking through them for secrets was more than half of what a line costs.
  const lines = log.child({}, { redact: [] });
  return (req, res, next) => {
    const given = req.get('X-Request-Id');
    const requestId = given !== undefined && PLAIN_ID.test(given) ? given : randomUUID();
    res.setHeader('X-Request-Id', requestId);
    const notes = notesOf(res);
    notes.requestId = requestId;
    notes.log = log.child({ requestId });
    const startedAt = performance.now();
    res.once('close', () => logRequest(lines, req, res, Math.round(performance.now() - startedAt)));
    next();
  };
}

function logRequest(log: Logger, req: Request, res: Response, ms: number): void {
  const { requestId, route, account } = notesOf(res);
  const line = {
    requestId,
    method: req.method,
    path: route?.path.includes('{token}') ? route.path : req.path,
    status: res.statusCode,
    ms,
    ...(route ? { operation: route.operationId } : {}),
    ...(account ? { account: account.name } : {}),
    // The caller hung up before the answer was out.
    ...(res.writableFinished ? {} : { aborted: true }),
  };
  if (res.statusCode >= 500) log.error(line, 'request');
  else if (route?.tag === 'System') log.debug(line, 'request');
  else log.info(line, 'request');
}
