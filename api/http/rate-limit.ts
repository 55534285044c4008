import type { Request, Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import { Refusal } from '../../src/platform/errors';
import { sha256 } from '../../src/platform/ids';

export type RateLimiter = (req: Request, res: Response) => Promise<void>;

/**
 * Counts requests by the key they present, a second at a time, in this process; several API processes allow a
 * key as many times the rate. Answers carry `RateLimit` and `RateLimit-Policy` (IETF draft 8).
 * @param perSecond RATE_LIMIT; 0 is off
 * @returns resolves for a request within the rate; rejects with Refusal `RATE_LIMITED`, `Retry-After` set
 */
export function createRateLimiter(perSecond: number): RateLimiter | undefined {
  if (perSecond === 0) return undefined;
  const middleware = rateLimit({
    windowMs: 1_000,
    limit: perSecond,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    // Called for requests with a key only; with or without its secret it is one bucket.
    keyGenerator: (req) => sha256((req.get('X-API-KEY') ?? '').split(':', 1)[0]!.trim()).toString('base64'),
    handler: (_req, _res, next) => next(new Refusal('RATE_LIMITED', { retryAfter: 1 })),
    validate: false,
  });
  return (req, res) =>
    new Promise((resolve, reject) => {
      void middleware(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
    });
}
