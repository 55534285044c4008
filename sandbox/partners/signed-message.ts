import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { PartnerContext } from './partner-context';
import { parseJson, problemsOf } from './print-order';
import type { SignatureCheck } from './signature-check';

/**
 * Returns the handler of a message from Pressline. Verifies its signature, checks its body with the schema, and refuses
 * it when one is wrong.
 * @param handle responds to the message
 */
export function signedMessage<T>(
  { log }: Pick<PartnerContext, 'log'>,
  signature: SignatureCheck,
  schema: z.ZodType<T>,
  handle: (message: T, response: Response, request: Request) => void,
) {
  return (request: Request, response: Response): void => {
    if (!signature.verify(request, response)) return;
    const parsed = schema.safeParse(parseJson((request.body as Buffer).toString('utf8')));
    if (parsed.success) {
      handle(parsed.data, response, request);
      return;
    }
    const problems = problemsOf(parsed.error);
    log.warn({ path: request.path, problems }, 'a message violates its schema');
    response.status(400).json({ error: problems.join('; ') });
  };
}
