import {
  whyNotCancel,
  whyNotChangeShipping,
  whyNotDispatch,
  whyNotRepair,
  whyStatusForbids,
} from '../../../../../src/orders/domain/lifecycle/guards';
import type { RunEvent } from '../../../../../src/orders/domain/lifecycle/run-events';
import type { RunState } from '../../../../../src/orders/domain/lifecycle/run-state';
import { type ItemStatus, ORDER_STATUSES } from '../../../../../src/orders/domain/lifecycle/statuses';
import type { RepairRequest } from '../../../../../src/orders/domain/run/run-messages';
import { byOperator, newOrder, POSTER, plan, play, postback, running, STICKER, tracked } from './run-fixture';

const having = (...events: RunEvent[]): RunState => play(running(), ...events).state;
const hold: RunEvent = { type: 'hold', ...byOperator };
const delivery = (outcome: 'refused' | 'undeliverable'): RunEvent => ({
  type: 'delivery',
  printOrderId: '501',
  outcome,
  message: 'no',
});
const dispatched: RunEvent = { type: 'dispatched', printOrderId: '501', shipmentId: 's', revision: 0 };
const cancelled = (quantity: number | null) =>
  postback('cancelled', { items: [{ jobId: POSTER.jobId, quantity }] });
const parked = play(newOrder(), { type: 'parked', reason: 'no_partner', message: 'nobody' }).state;

describe('dispatch', () => {
  test.each<[string, RunState, string | null]>([
    ['taken by its partner', having(), null],
    ['has labels already', having(dispatched, postback('shipped')), null],
    ['on hold, with labels', having(dispatched, hold), null],
    ['partly cancelled', having(cancelled(null)), null],
    ['not planned', newOrder(), 'NotReady'],
    ['not confirmed', play(newOrder(), { type: 'prepared', printOrders: [plan()] }).state, 'NotReady'],
    ['undeliverable', having(delivery('undeliverable')), 'NotReady'],
    ['refused', having(delivery('refused')), 'Conflict'],
    ['cancelled by its partner', having(postback('cancelled')), 'Conflict'],
    ['on hold', having(hold), 'Conflict'],
    ['shipped another way', having(postback('shipped')), 'Conflict'],
  ])('%s', (_what, state, type) => {
    expect(whyNotDispatch(state, '501')?.type ?? null).toBe(type);
  });
});

describe('a client cancels or changes', () => {
  test.each<[string, RunState, boolean]>([
    ['in preparation', newOrder(), true],
    ['printed', having(postback('printed')), true],
    ['one item shipped', having(postback('shipped', { jobId: STICKER.jobId })), false],
    ['shipped', having(postback('shipped')), false],
    ['refused', play(newOrder(), { type: 'refused', code: 'x', reason: 'y', details: null }).state, false],
    ['cancelled', play(newOrder(), { type: 'cancel_requested', by: 'client', reason: 'no' }).state, false],
  ])('%s', (_what, state, may) => {
    expect(whyNotCancel(state) === null).toBe(may);
    expect(whyNotChangeShipping(state) === null).toBe(may);
  });

  test('what the order’s row shows says the same where all of its items are at one', () => {
    for (const status of ORDER_STATUSES) {
      const item: ItemStatus = status === 'canceled' ? 'cancelled' : status;
      const state = { ...newOrder(), items: newOrder().items.map((each) => ({ ...each, status: item })) };
      for (const what of ['cancelled', 'changed'] as const)
        expect([status, whyStatusForbids(status, what)]).toEqual([
          status,
          (what === 'cancelled' ? whyNotCancel : whyNotChangeShipping)(state),
        ]);
    }
  });
});

describe('an operator', () => {
  const items = [POSTER.itemId];
  const act = (request: Omit<RepairRequest, 'by' | 'reason'>) =>
    ({ ...byOperator, ...request }) as RepairRequest;
  const reroute = act({ action: 'reroute', itemId: '1', quantity: null, partnerId: null } as never);
  const reproduce = act({ action: 'reproduce', itemId: '1', quantity: null, partnerId: null } as never);
  const retry = act({ action: 'retry', itemIds: items } as never);
  const cancel = act({ action: 'cancel', itemIds: items } as never);

  test.each<[string, RepairRequest, RunState, string | null]>([
    ['holds', act({ action: 'hold' }), having(), null],
    ['holds twice', act({ action: 'hold' }), having(hold), 'Conflict'],
    ['holds what has shipped', act({ action: 'hold' }), having(postback('shipped')), 'Conflict'],
    ['releases', act({ action: 'release' }), having(hold), null],
    ['releases what is not held', act({ action: 'release' }), having(), 'Conflict'],
    ['retries a parked order', retry, parked, null],
    ['retries an order that is being prepared', retry, newOrder(), 'Conflict'],
    ['retries after a refusal', retry, having(delivery('refused')), null],
    ['retries after an error', retry, having(postback('error')), null],
    ['retries what was given back', retry, having(cancelled(null)), 'Conflict'],
    ['retries what goes well', retry, having(), 'Conflict'],
    ['retries on hold', retry, having(postback('error'), hold), 'Conflict'],
    ['retries an item there is not', act({ action: 'retry', itemIds: ['9'] } as never), having(), 'Invalid'],
    ['reroutes what is being made', reroute, having(postback('received')), null],
    ['reroutes what was refused', reroute, having(delivery('refused')), null],
    ['reroutes what has shipped', reroute, having(postback('shipped')), 'Conflict'],
    ['reroutes before production', reroute, newOrder(), 'Conflict'],
    ['reroutes on hold', reroute, having(hold), 'Conflict'],
    [
      'reroutes to the partner that has it',
      { ...reroute, partnerId: 'berlin' } as RepairRequest,
      having(),
      'Conflict',
    ],
    ['reproduces what has shipped', reproduce, having(postback('shipped')), null],
    ['reproduces before production', reproduce, newOrder(), 'Conflict'],
    ['reproduces an item there is not', { ...reproduce, itemId: '9' } as RepairRequest, having(), 'Invalid'],
    ['cancels', cancel, having(), null],
    ['cancels in preparation', cancel, newOrder(), null],
    ['cancels what has shipped', cancel, having(postback('shipped')), 'Conflict'],
    ['cancels twice', cancel, having({ type: 'cancel_items', ...byOperator, itemIds: items }), 'Conflict'],
    ['cancels an item there is not', act({ action: 'cancel', itemIds: ['9'] } as never), having(), 'Invalid'],
    ['does anything after the end', act({ action: 'hold' }), having(tracked('delivered')), 'Conflict'],
  ])('%s', (_what, request, state, type) => {
    expect(whyNotRepair(state, request)?.type ?? null).toBe(type);
  });
});
