import type { Request, Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import { Refusal } from '../../src/platform/errors';
import { sha256 } from '../../src/platform/ids';

export type RateLimiter = (req: Request, res: Response) => Promise<void>;

/**
 * Creates a limiter that counts requests per key and second in this process. With n API processes a key gets n times
 * the rate. Responses carry `RateLimit` and `RateLimit-Policy` (IETF draft 8).
 * @param perSecond RATE_LIMIT; 0 disables the limit
 * @returns a function that resolves within the rate and rejects with Refusal `RATE_LIMITED` (with `Retry-After`) beyond it
 */
export function createRateLimiter(perSecond: number): RateLimiter | undefined {
  if (perSecond === 0) return undefined;
  const middleware = rateLimit({
    windowMs: 1_000,
    limit: perSecond,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    // Called only for requests with a key. The key has one bucket, with and without its secret.
    keyGenerator: (req) => sha256((req.get('X-API-KEY') ?? '').split(':', 1)[0]!.trim()).toString('base64'),
    handler: (_req, _res, next) => next(new Refusal('RATE_LIMITED', { retryAfter: 1 })),
    validate: false,
  });
  return (req, res) =>
    new Promise((resolve, reject) => {
      void middleware(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
    });
}
