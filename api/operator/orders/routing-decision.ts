import { z } from 'zod';
import { PRODUCT_KINDS } from '../../../src/catalog/domain/product';
import { REJECTION_REASONS } from '../../../src/partners/domain/routing-decision';

/** Schema of a routing decision as operators read it (src/partners/domain/routing.ts). */

const named = { partnerId: z.string(), partnerUid: z.string() };
const cents = z.int().describe('Euro cents.');

const cost = z
  .object({ production: cents, waiting: cents, transit: cents, stock: cents, total: cents })
  .describe('The partner’s price, and days and risks converted to money.');

const weighed = <V extends string>(verdict: V) =>
  z.object({
    ...named,
    verdict: z.literal(verdict),
    cost,
    dispatchDate: z.iso.date(),
    backordered: z.boolean(),
  });

const alternative = z.discriminatedUnion('verdict', [
  weighed('chosen'),
  weighed('dearer'),
  weighed('dearer_overall').describe('Cheaper for this item alone, more expensive for the whole order.'),
  z.object({
    ...named,
    verdict: z.literal('rejected'),
    reason: z.enum(REJECTION_REASONS),
    detail: z.string(),
  }),
]);

const explanation = z.array(z.object({ itemId: z.string(), alternatives: z.array(alternative) }));

export const routingDecisionSchema = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    assignments: z.array(
      z.object({
        ...named,
        itemId: z.string(),
        quantity: z.int(),
        kind: z.enum(PRODUCT_KINDS),
        dispatchDate: z.iso.date(),
        backordered: z.boolean(),
        productionCost: z.object({ minor: z.int(), currency: z.string() }),
      }),
    ),
    parcels: z.record(z.string(), cents).describe('Parcel cost of each chosen partner, by partner uid.'),
    explanation,
  }),
  z.object({
    ok: z.literal(false),
    unroutable: z.array(
      z.object({
        itemId: z.string(),
        passing: z.boolean().describe('True when a partner can make the item later.'),
        reason: z.string(),
      }),
    ),
    explanation,
  }),
]);

export type RoutingDecisionView = z.input<typeof routingDecisionSchema>;
