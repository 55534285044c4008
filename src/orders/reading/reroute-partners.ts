import { type Alternative, REJECTIONS } from '../../partners/domain/routing-decision';
import type { CandidateReader } from '../../partners/routing-rows';
import type { Sql } from '../../platform/postgres';
import { crossBorderRefusal } from '../preparation/plan-refusals';
import { candidatesFor, routeItems } from '../preparation/routing';
import { runOrder } from '../run/run-order';

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
  { sql, candidates }: { readonly sql: Sql; readonly candidates: CandidateReader },
  orderId: string,
  rerouted: readonly ReroutedItem[],
): Promise<ReadonlyMap<string, readonly Alternative[]>> {
  const order = await runOrder(sql, orderId);
  const items = rerouted.flatMap(({ itemId, quantity }) =>
    order.items.filter(({ id }) => id === itemId).map((item) => ({ ...item, quantity })),
  );
  const partners = await candidatesFor(candidates, items);
  const at = new Date();
  const crosses = (id: string) =>
    crossBorderRefusal(
      order,
      partners.filter(({ partnerId }) => partnerId === id),
    ) !== null;
  return new Map(
    items.map((item) => [
      item.id,
      (routeItems(order, [item], partners, at).explanation[0]?.alternatives ?? []).map((alternative): Alternative => {
        const { partnerId, partnerUid, verdict } = alternative;
        if (verdict === 'rejected' || !crosses(partnerId)) return alternative;
        const detail = `${partnerUid} ${REJECTIONS.no_retail_prices.text}`;
        return { partnerId, partnerUid, verdict: 'rejected', reason: 'no_retail_prices', detail };
      }),
    ]),
  );
}
