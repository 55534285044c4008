import {
  type BulkRepairRequest,
  repairsOfOrder,
} from '../../../../../../src/orders/domain/lifecycle/rules/possible-repairs';
import { POSTER, play, postback, running, STICKER } from '../run-fixture';

/** The requests that a bulk repair stands for in one order. */

const bulk = (action: BulkRepairRequest['action']): BulkRepairRequest => ({
  action,
  by: 'grace',
  reason: 'press down',
  partnerId: null,
});

const ITEMS = [POSTER.itemId, STICKER.itemId];
/** In production, with one item that waits for an operator. */
const withError = () => play(running(), postback('received'), postback('error', { jobId: POSTER.jobId })).state;
const inProduction = () => play(running(), postback('received')).state;

test('cancel takes every item that can be cancelled', () => {
  expect(repairsOfOrder(inProduction(), bulk('cancel'))).toEqual({
    ok: true,
    requests: [{ action: 'cancel', by: 'grace', reason: 'press down', itemIds: ITEMS }],
  });
});

test('reroute takes the items that wait for an operator, one request for each', () => {
  const request = { action: 'reroute', by: 'grace', reason: 'press down', quantity: null, partnerId: 'q' };
  const repair = repairsOfOrder(withError(), {
    ...bulk('reroute'),
    partnerId: 'q',
  });
  expect(repair).toEqual({ ok: true, requests: [{ ...request, itemId: POSTER.itemId }] });
});

test('reroute takes all items when none waits', () => {
  const repair = repairsOfOrder(inProduction(), bulk('reroute'));
  expect(repair.ok && repair.requests.map((request) => 'itemId' in request && request.itemId)).toEqual(ITEMS);
});

test('a repair that is not possible has the reason without ids, so that equal reasons count together', () => {
  expect(repairsOfOrder(inProduction(), bulk('release'))).toEqual({
    ok: false,
    why: 'the order is not on hold',
  });
  const shipped = repairsOfOrder(play(running(), postback('shipped')).state, bulk('reroute'));
  expect(shipped.ok).toBe(false);
  expect(!shipped.ok && shipped.why).not.toMatch(/\d/);
});
