import {
  type BulkRepairRequest,
  repairsOfOrder,
} from '../../../../../src/orders/domain/lifecycle/bulk-repair';
import { stateFromRows } from '../../../../../src/orders/domain/run/state-from-rows';

/** The requests that a bulk repair stands for in one order. */

const bulk = (action: BulkRepairRequest['action']): BulkRepairRequest => ({
  action,
  by: 'grace',
  reason: 'press down',
  partnerId: null,
});

/** Returns the state of an order with one print order for two items with the given statuses. */
function state(first: string, second: string, delivered = true) {
  const at = '2026-01-05T10:00:00Z';
  const job = (id: string, itemId: string, status: string) => ({ id, itemId, quantity: 1, status });
  return stateFromRows(
    {
      fulfillmentStatus: 'in_production',
      attention: null,
      shippingRevision: 0,
      runVersion: '1',
      updatedAt: new Date(at),
      trackingEndedAt: null,
      items: [
        { id: '1', quantity: 1, fulfillmentStatus: first as never },
        { id: '2', quantity: 1, fulfillmentStatus: second as never },
      ],
      printOrders: [
        {
          id: '9',
          partnerId: 'p',
          partnerUid: 'prints-berlin',
          step: 'handoff:0',
          status: delivered ? 'accepted' : 'refused',
          reproducesId: null,
          acceptedAt: delivered ? at : null,
          dispatchDate: '2026-01-09',
          dispatchDueAt: '2026-01-09T23:59:59Z',
          createdAt: at,
          jobs: [job('11', '1', first), job('12', '2', second)],
          shipments: null,
          postbacks: null,
        },
      ],
      events: null,
    },
    3_600_000,
  ).state;
}

test('cancel takes every item that can be cancelled', () => {
  expect(repairsOfOrder(state('in_production', 'in_production'), bulk('cancel'))).toEqual({
    ok: true,
    requests: [{ action: 'cancel', by: 'grace', reason: 'press down', itemIds: ['1', '2'] }],
  });
});

test('reroute takes the items that wait for an operator, one request for each', () => {
  const request = { action: 'reroute', by: 'grace', reason: 'press down', quantity: null, partnerId: 'q' };
  const repair = repairsOfOrder(state('manual_handling', 'in_production'), {
    ...bulk('reroute'),
    partnerId: 'q',
  });
  expect(repair).toEqual({ ok: true, requests: [{ ...request, itemId: '1' }] });
});

test('reroute takes all items when none waits', () => {
  const repair = repairsOfOrder(state('in_production', 'in_production'), bulk('reroute'));
  expect(repair.ok && repair.requests.map((request) => 'itemId' in request && request.itemId)).toEqual([
    '1',
    '2',
  ]);
});

test('a repair that is not possible has the reason without ids, so that equal reasons count together', () => {
  expect(repairsOfOrder(state('in_production', 'in_production'), bulk('release'))).toEqual({
    ok: false,
    why: 'the order is not on hold',
  });
  const shipped = repairsOfOrder(state('shipped', 'shipped'), bulk('reroute'));
  expect(shipped.ok).toBe(false);
  expect(!shipped.ok && shipped.why).not.toMatch(/\d/);
});
