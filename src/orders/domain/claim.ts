import { z } from 'zod';
import { httpUrl, text, timestamp } from '../../platform/domain/fields';
import { SIZES } from '../../platform/domain/sizes';

/** Claims: units that arrived damaged, wrong or not at all. */

export const CLAIM_REASONS = ['parcel_lost', 'damaged', 'wrong_item'] as const;
export type ClaimReason = (typeof CLAIM_REASONS)[number];

export const CLAIM_STATUSES = ['open', 'refunded', 'replaced', 'refused'] as const;
export type ClaimStatus = (typeof CLAIM_STATUSES)[number];

/** Who has to pay for a claim. */
export const LIABLE_SIDES = ['carrier', 'partner', 'shop'] as const;
export type LiableSide = (typeof LIABLE_SIDES)[number];

const units = z.int().min(1).max(SIZES.itemUnits.most);

export const claimSchema = z
  .object({
    reason: z.enum(CLAIM_REASONS),
    items: z
      .array(z.object({ itemReferenceId: z.string().min(1).max(100), quantity: units }))
      .min(1)
      .max(SIZES.orderItems.most)
      .describe('The units. 409 when fewer units of an item have shipped, or are in no other claim.'),
    note: text(1_000).nullish().describe('What happened.'),
    pictures: z.array(httpUrl).max(10).default([]).describe('Addresses of pictures. Operators open them.'),
  })
  .meta({
    id: 'NewClaim',
    examples: [
      {
        reason: 'damaged',
        items: [{ itemReferenceId: 'poster-1', quantity: 1 }],
        note: 'The tube was crushed.',
        pictures: ['https://example.com/claims/tube.jpg'],
      },
    ],
  });
export type NewClaim = z.output<typeof claimSchema>;

/** A claim as its client reads it. */
export const claimViewSchema = z
  .object({
    id: z.string(),
    orderId: z.string(),
    reason: z.enum(CLAIM_REASONS),
    status: z
      .enum(CLAIM_STATUSES)
      .describe('`open` until an operator has decided. `replaced`: the units are made again, at no cost.'),
    items: z.array(z.object({ itemReferenceId: z.string(), quantity: units })),
    note: z.string().nullable(),
    pictures: z.array(z.string()),
    message: z.string().nullable().describe('The operator’s words to the client.'),
    replacementOrderId: z
      .string()
      .nullable()
      .describe('The order that replaces the units. Null: none, or a new print order of the same order replaces them.'),
    createdAt: timestamp,
    decidedAt: timestamp.nullable(),
  })
  .meta({ id: 'Claim' });
export type ClaimView = z.output<typeof claimViewSchema>;

const reason = text(500).describe('Recorded with the operator’s name in the event log.');

export const decisionSchema = z
  .discriminatedUnion('decision', [
    z.strictObject({
      decision: z.literal('refuse').describe('`refuse`: nothing is refunded or made.'),
      message: text(500).nullish().describe('The client reads it.'),
      reason,
    }),
    z.strictObject({
      decision: z
        .enum(['refund', 'replace'])
        .describe(
          '`refund`: a refund receipt for the units. `replace`: the units are made and shipped again, at no cost.',
        ),
      liable: z.enum(LIABLE_SIDES).describe('Who has to pay. It counts in the reports of the partner or the carrier.'),
      partnerId: z
        .uuid()
        .nullish()
        .describe('Of `replace`: who makes the units. Default: routing chooses. 409 for an order that has ended.'),
      message: text(500).nullish().describe('The client reads it.'),
      reason,
    }),
  ])
  .meta({ id: 'ClaimDecision', examples: [{ decision: 'replace', liable: 'carrier', reason: 'lost in the depot' }] });
export type ClaimDecision = z.output<typeof decisionSchema>;
