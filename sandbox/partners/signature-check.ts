import type { Request, Response } from 'express';
import { Webhook } from 'standardwebhooks';
import type { Behaviour } from '../behaviour';
import { BEHAVIOURS } from '../behaviours';
import { behaviourFor } from './chosen-behaviour';
import type { PartnerContext } from './partner-context';
import { deliveryLine2, parseJson, printOrderSchema } from './print-order';

/** Verifies the signatures of requests from Pressline (Standard Webhooks). */
export interface SignatureCheck {
  /** Returns true for a valid signature. Otherwise refuses the request and returns false. */
  verify(request: Request, response: Response): boolean;
  /** Set while a subscription is in progress: the new secret may be unknown yet. */
  subscribing: boolean;
  /** Number of requests refused since the sandbox started. */
  readonly refused: number;
}

const bodyOf = (request: Request): Buffer => (Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));

export function createSignatureCheck({ name, mode, state, log }: PartnerContext): SignatureCheck {
  /** Returns the behaviour that applies to a message before its signature is verified. */
  function behaviourOf(body: string): Behaviour {
    const order = printOrderSchema.safeParse(parseJson(body));
    const line2 = order.success ? deliveryLine2(order.data) : '';
    return BEHAVIOURS[behaviourFor(state, name, body, line2).behaviour.name];
  }

  function isSigned(request: Request): boolean {
    const body = bodyOf(request);
    const headers = { ...request.headers } as Record<string, string>;
    const { readsFirstSignatureOnly = false, acceptsSignatures = [] } = behaviourOf(body.toString('utf8'));
    const [firstSignature = ''] = headers['webhook-signature']?.split(' ') ?? [];
    if (readsFirstSignatureOnly) headers['webhook-signature'] = firstSignature;
    const isValid = state.signingSecrets.some((secret) => {
      try {
        new Webhook(secret).verify(body, headers);
        return true;
      } catch {
        return false;
      }
    });
    return isValid || acceptsSignatures.includes(flawOf(headers, body, state.signingSecrets));
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

/** Returns what is wrong with an invalid signature. */
function flawOf(
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  secrets: readonly string[],
): 'forged' | 'unsigned' | 'old' {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers;
  if (!id || !timestamp || !signature) return 'unsigned';
  const at = new Date(Number(timestamp) * 1_000);
  const isOld = secrets.some((secret) =>
    signature.split(' ').includes(new Webhook(secret).sign(id, at, body.toString('utf8'))),
  );
  return isOld ? 'old' : 'forged';
}
