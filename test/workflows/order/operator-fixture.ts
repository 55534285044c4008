import type { TestStack } from '../../support/stack';
import { type HandedOver, orderLog, partnerClock } from './order-fixture';

type Body = Parameters<TestStack['operator']['repairOrder']>[0]['body'];
type WithoutReason<T> = T extends unknown ? Omit<T, 'reason'> : never;

/** An operator's and a partner's requests in tests of repairs. @param stack is read when a helper is called */
export function operatorHelpers(stack: () => TestStack) {
  const now = partnerClock();
  return {
    now,
    repair: (orderId: string, request: WithoutReason<Body>, idempotencyKey?: string) =>
      stack().operator.repairOrder(
        { params: { orderId }, body: { reason: 'agreed by phone', ...request } as Body },
        idempotencyKey === undefined ? {} : { idempotencyKey },
      ),
    /** Sends a postback of prints-berlin. @param about the print order, or its id */
    say: (about: string | Pick<HandedOver, 'printOrderId'>, status: string, more: object = {}) => {
      const orderId = typeof about === 'string' ? about : about.printOrderId;
      const body = { timestamp: now(), orderId, status, ...more };
      return stack()
        .partner('prints-berlin')
        .postOrderStatus({ body: body as never });
    },
    /** Reads the operator's view of an order. */
    look: (orderId: string) => stack().operator.getOperatorOrder({ params: { orderId } }),
    async partnerId(uid: string): Promise<string> {
      const { partners } = await stack().operator.listPartners();
      return partners.find((partner) => partner.uid === uid)!.id;
    },
    async enablePartners(enabled: boolean): Promise<void> {
      for (const { id } of (await stack().operator.listPartners()).partners)
        await stack().operator.changePartner({ params: { partnerId: id }, body: { enabled } });
    },
    /** Repairs in the order's log. */
    repairs: async (orderId: string) =>
      (await orderLog(stack(), orderId))
        .filter(({ data }) => data.by !== undefined)
        .map(({ type, data }) => ({ type, by: data.by, reason: data.reason })),
  };
}

/** The error of a request that conflicts with the order's state. */
export const conflict = (words: RegExp) => ({
  status: 409,
  code: 'CONFLICT',
  body: { message: expect.stringMatching(words) },
});
