import type { Request, Response } from 'express';
import { Webhook } from 'standardwebhooks';
import type { PartnerContext } from './partner-context';

/** Verifies the signatures of requests from Pressline (Standard Webhooks). */
export interface SignatureCheck {
  /** Returns true for a valid signature. Otherwise answers the request and returns false. */
  verify(request: Request, response: Response): boolean;
  /** Set while a subscription is in progress: the new secret may be unknown yet. */
  subscribing: boolean;
  /** Number of requests refused since the sandbox started. */
  readonly refused: number;
}

export function createSignatureCheck({ mode, state, log }: PartnerContext): SignatureCheck {
  function isSigned(request: Request): boolean {
    const body: Buffer = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    return state.signingSecrets.some((secret) => {
      try {
        new Webhook(secret).verify(body, request.headers as Record<string, string>);
        return true;
      } catch {
        return false;
      }
    });
  }

  const check = {
    subscribing: false,
    refused: 0,
    verify(request: Request, response: Response): boolean {
      if (mode === 'off' || state.signingSecrets.length === 0) {
        response.status(503).set('Retry-After', '1').json({ error: 'This partner is not subscribed' });
        return false;
      }
      if (isSigned(request)) return true;
      if (check.subscribing) {
        // A refusal would reject an order that is signed with the new secret.
        response.status(503).set('Retry-After', '1').json({ error: 'Subscription in progress' });
        return false;
      }
      check.refused += 1;
      log.warn({ path: request.path }, 'request with an invalid signature');
      response.status(401).json({ error: 'The signature is not valid' });
      return false;
    },
  };
  return check;
}
