import { z } from 'zod';
import { type Alternative, REJECTION_REASONS } from '../../partners/domain/routing-decision';
import type { Sql } from '../../platform/postgres';
import { inSlices } from '../../platform/slices';
import { POSSIBLE_REPAIRS, possibleRepairs } from '../domain/lifecycle/rules/possible-repairs';
import type { RunState } from '../domain/lifecycle/run-state';
import { candidatesFor, estimateRouting, type RoutingDeps } from '../planning/routing';
import { runOrder } from '../planning/run-order';
import { attentionReason } from './operator-order-schemas';

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
  deliveryDate: z.iso.date().nullable().describe('Last day of delivery of what it makes.'),
});

export const possibleRepairsSchema = z
  .array(
    z.object({
      action: z
        .enum(POSSIBLE_REPAIRS)
        .describe(
          '`change_shipping`: operation `updateShipment`. `claim`: operation `makeClaim`, for units that are lost, damaged or ' +
            'wrong. `reprint`: operation `reprintOrder`. `revive`: operation `reviveOrder`, for admins, of an order whose ' +
            'workflow is gone. Others: `repairOrder`.',
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

export const impossibleRepairsSchema = z
  .array(z.object({ action: z.enum(POSSIBLE_REPAIRS).exclude(['revive']), reason: z.string() }))
  .describe('The other repairs, and why the order does not accept each now. Empty for viewers.');

export interface RepairDeps extends RoutingDeps {
  readonly sql: Sql;
}

/** Returns the repairs that an order run accepts in a state, with the partners that routing would choose from. */
export async function possibleRepairsOf(deps: RepairDeps, orderId: string, state: RunState) {
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
        deliveryDate: choice.verdict === 'rejected' ? null : choice.deliveryDate,
      })),
    })),
  }));
}

/** Units of an item that another partner could make. */
export interface ReroutedItem {
  readonly itemId: string;
  readonly quantity: number;
}

/**
 * Returns what routing says now about every partner for each item: its cost, or why it cannot make the item. The plan of a
 * reroute or reproduce asks the same.
 * @returns the partners by item id. Items that are cancelled are left out
 */
export async function reroutePartners(
  deps: RepairDeps,
  orderId: string,
  rerouted: readonly ReroutedItem[],
): Promise<ReadonlyMap<string, readonly Alternative[]>> {
  const order = await runOrder(deps.sql, orderId);
  const items = rerouted.flatMap(({ itemId, quantity }) =>
    order.items.filter(({ id }) => id === itemId).map((item) => ({ ...item, quantity })),
  );
  const partners = await candidatesFor(deps.candidates, items);
  const at = new Date();
  function* explained(): Generator<void, Map<string, readonly Alternative[]>> {
    const found = new Map<string, readonly Alternative[]>();
    for (const item of items) {
      const { explanation } = estimateRouting(deps, { order, items: [item], partners, at });
      found.set(item.id, explanation[0]?.alternatives ?? []);
      yield;
    }
    return found;
  }
  return await inSlices(explained());
}
