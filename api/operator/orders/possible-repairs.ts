import { z } from 'zod';
import { POSSIBLE_REPAIRS, possibleRepairs } from '../../../src/orders/domain/lifecycle/rules/possible-repairs';
import type { RunState } from '../../../src/orders/domain/lifecycle/run-state';
import { attentionReason } from '../../../src/orders/reading/operator-order-schemas';
import { reroutePartners } from '../../../src/orders/reading/reroute-partners';
import { REJECTION_REASONS } from '../../../src/partners/domain/routing-decision';
import type { ApiDeps } from '../../deps';
import type { Sent } from '../../http/route';

/** The repairs of an order that are possible now, with what each request needs. */

const partnerChoice = z.object({
  partnerId: z.string(),
  partnerUid: z.string(),
  current: z.boolean().describe('True for a partner that has print jobs of the item.'),
  rejected: z
    .object({ reason: z.enum(REJECTION_REASONS), detail: z.string() })
    .nullable()
    .describe('Why the partner cannot make the item now. Null: it can.'),
  costCents: z
    .int()
    .nullable()
    .describe('Euro cents: its price, with days and risks converted to money. Null for a rejected partner.'),
  dispatchDate: z.iso.date().nullable(),
});

export const possibleRepairsSchema = z
  .array(
    z.object({
      action: z
        .enum(POSSIBLE_REPAIRS)
        .describe(
          '`change_shipping`: operation `updateShipment`. `reprint`: operation `reprintOrder`. Others: `repairOrder`.',
        ),
      itemIds: z
        .array(z.string())
        .describe('The items that it can be applied to. Empty for a repair of the whole order.'),
      reasons: z.array(attentionReason).describe('`dismiss`: the reasons that it clears.'),
      reroutes: z
        .array(
          z.object({
            itemId: z.string(),
            quantity: z.int().describe('Units of a request without `quantity`.'),
            largestQuantity: z.int(),
            needsForce: z
              .boolean()
              .describe('True while a reroute waits for the current partner: set `force` to end the wait.'),
            partners: z.array(partnerChoice).describe('Partners that can make the item first, the cheapest first.'),
          }),
        )
        .describe('`reroute` and `reproduce`: each item whose units another print order can make.'),
      printOrderIds: z.array(z.string()).describe('`mark_shipped`: the print orders that have not shipped.'),
    }),
  )
  .describe(
    'The repairs that the order accepts now, by the rules of its workflow. Empty for viewers, who may not repair.',
  );

/** Returns the repairs that an order run accepts in a state, with the partners that routing would choose from. */
export async function possibleRepairsOf(
  deps: Pick<ApiDeps, 'sql' | 'candidates'>,
  orderId: string,
  state: RunState,
): Promise<Sent<typeof possibleRepairsSchema>> {
  const repairs = possibleRepairs(state);
  // A reroute and a reproduce of one item take the same units by default.
  const items = [...new Map(repairs.flatMap(({ reroutes }) => reroutes).map((item) => [item.itemId, item])).values()];
  const partners = items.length === 0 ? undefined : await reroutePartners(deps, orderId, items);
  return repairs.map((repair) => ({
    ...repair,
    reroutes: repair.reroutes.map(({ currentPartnerIds, ...item }) => ({
      ...item,
      partners: (partners?.get(item.itemId) ?? []).map((choice) => ({
        partnerId: choice.partnerId,
        partnerUid: choice.partnerUid,
        current: currentPartnerIds.includes(choice.partnerId),
        rejected: choice.verdict === 'rejected' ? { reason: choice.reason, detail: choice.detail } : null,
        costCents: choice.verdict === 'rejected' ? null : choice.cost.total,
        dispatchDate: choice.verdict === 'rejected' ? null : choice.dispatchDate,
      })),
    })),
  }));
}
