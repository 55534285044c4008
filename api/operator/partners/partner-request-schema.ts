import { z } from 'zod';
import { PARTNER_REQUEST_KINDS, type PartnerRequest } from '../../../src/partners/requests';

/** An attempt of Pressline to send something to a partner. */
export const partnerRequestSchema = z
  .object({
    id: z.string(),
    kind: z.enum(PARTNER_REQUEST_KINDS),
    printOrderId: z.string().nullable().describe('Null for a test ping.'),
    revision: z.int().nullable().describe('The shipping revision of an order update.'),
    at: z.iso.datetime(),
    durationMs: z.int(),
    status: z.int().nullable().describe('HTTP status. Null when there was no response.'),
    outcome: z
      .enum(['accepted', 'retry', 'refused'])
      .describe('`retry`: a transient failure. `refused`: the partner rejected the message.'),
    response: z.string().nullable().describe('Beginning of the response without credentials, or why there was none.'),
  })
  .meta({ id: 'PartnerRequest' });

export function partnerRequestView({ at, ...request }: PartnerRequest): z.input<typeof partnerRequestSchema> {
  return { ...request, at: at.toISOString() };
}
