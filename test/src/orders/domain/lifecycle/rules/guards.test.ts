import type { RepairRequest } from '../../../../../../src/orders/domain/lifecycle/requests';
import {
  whyNotCancel,
  whyNotChangeShipping,
  whyNotDispatch,
  whyNotRepair,
  whyStatusForbids,
} from '../../../../../../src/orders/domain/lifecycle/rules/guards';
import type { RunEvent } from '../../../../../../src/orders/domain/lifecycle/run-events';
import type { RunState } from '../../../../../../src/orders/domain/lifecycle/run-state';
import { type ItemStatus, ORDER_STATUSES } from '../../../../../../src/orders/domain/lifecycle/statuses';
import {
  byOperator,
  cancelled,
  cancelRequested,
  cancelResponse,
  delivery,
  dispatched,
  having,
  hold,
  newOrder,
  POSTER,
  play,
  postback,
  prepared,
  STICKER,
  tracked,
} from '../run-fixture';

const parked = play(newOrder(), { type: 'parked', reason: 'no_partner', message: 'no partner' }).state;
const filesHeld = play(newOrder(), { type: 'parked', reason: 'file_check', message: 'no partner' }).state;
const addressHeld = play(newOrder(), { type: 'parked', reason: 'address_check', message: 'no font' }).state;
const failsProcess: RunEvent = { type: 'flagged', reason: 'step_fails_process', message: 'dispatchPrintOrder' };

describe('dispatch', () => {
  test.each<[string, RunState, string | null]>([
    ['accepted by its partner', having(), null],
    ['has labels already', having(dispatched, postback('shipped')), null],
    ['on hold, with labels', having(dispatched, hold), null],
    ['partly cancelled', having(cancelled(null)), null],
    ['not planned', newOrder(), 'NotReady'],
    ['not accepted', play(newOrder(), prepared).state, 'NotReady'],
    ['undeliverable', having(delivery('undeliverable')), 'NotReady'],
    ['refused', having(delivery('refused')), 'Conflict'],
    ['cancelled by its partner', having(postback('cancelled')), 'Conflict'],
    ['on hold', having(hold), 'Conflict'],
    ['a step of its order fails the process', having(failsProcess), 'Conflict'],
    ['shipped without labels', having(postback('shipped')), 'Conflict'],
  ])('%s', (_what, state, type) => {
    expect(whyNotDispatch(state, '501')?.type ?? null).toBe(type);
  });
});

describe('a client’s cancel or shipping change', () => {
  test.each<[string, RunState, cancel: boolean, change: boolean]>([
    ['in preparation', newOrder(), true, true],
    ['printed', having(postback('printed')), true, true],
    ['one item shipped', having(postback('shipped', { jobId: STICKER.jobId })), true, true],
    ['shipped', having(postback('shipped')), false, false],
    ['refused', play(newOrder(), { type: 'refused', code: 'x', reason: 'y', details: null }).state, false, false],
    ['cancelled', play(newOrder(), cancelRequested).state, true, false],
  ])('%s', (_what, state, cancel, change) => {
    expect(whyNotCancel(state) === null).toBe(cancel);
    expect(whyNotChangeShipping(state) === null).toBe(change);
  });

  test('an item that has shipped cannot be cancelled, and the other items can', () => {
    const state = having(postback('shipped', { jobId: STICKER.jobId }));
    expect(whyNotCancel(state, [STICKER.itemId])?.type).toBe('Conflict');
    expect(whyNotCancel(state, [POSTER.itemId])).toBeNull();
  });

  test('whyStatusForbids returns the same from the order’s row when all items have one status', () => {
    for (const status of ORDER_STATUSES) {
      const item: ItemStatus = status === 'canceled' ? 'cancelled' : status;
      const state = { ...newOrder(), items: newOrder().items.map((each) => ({ ...each, status: item })) };
      for (const what of ['cancelled', 'changed'] as const)
        expect([status, whyStatusForbids(status, what)]).toEqual([
          status,
          what === 'cancelled' ? whyNotCancel(state) : whyNotChangeShipping(state),
        ]);
    }
  });
});

describe('an operator’s repair', () => {
  const items = [POSTER.itemId];
  const repair = (request: Omit<RepairRequest, 'by' | 'reason'>) => ({ ...byOperator, ...request }) as RepairRequest;
  const reroute = repair({ action: 'reroute', itemId: '1', quantity: null, partnerId: null } as never);
  const reproduce = repair({ action: 'reproduce', itemId: '1', quantity: null, partnerId: null } as never);
  const retry = repair({ action: 'retry', itemIds: items } as never);
  const cancel = repair({ action: 'cancel', itemIds: items } as never);
  const moveTo = (day: string) =>
    repair({
      action: 'move_promise',
      promises: [
        {
          printOrderId: '501',
          dispatchDate: day,
          dispatchDueAt: `${day}T23:00:00Z`,
          minDeliveryDate: day,
          maxDeliveryDate: day,
        },
      ],
    } as never);
  const cancelling: RunEvent = { type: 'cancel_items', ...byOperator, itemIds: items };
  const agreed = cancelResponse('confirmed', [POSTER.jobId]);

  test.each<[string, RepairRequest, RunState, string | null]>([
    ['hold', repair({ action: 'hold' }), having(), null],
    ['hold twice', repair({ action: 'hold' }), having(hold), 'Conflict'],
    ['hold after shipping', repair({ action: 'hold' }), having(postback('shipped')), 'Conflict'],
    ['release', repair({ action: 'release' }), having(hold), null],
    ['release without a hold', repair({ action: 'release' }), having(), 'Conflict'],
    ['accept files of a parked order', repair({ action: 'accept_files' }), filesHeld, null],
    ['accept files that hold no order', repair({ action: 'accept_files' }), parked, 'Conflict'],
    ['accept the address of a parked order', repair({ action: 'accept_address' }), addressHeld, null],
    ['accept an address that holds no order', repair({ action: 'accept_address' }), filesHeld, 'Conflict'],
    ['move a promise', moveTo('2026-01-12'), having(), null],
    ['move a promise of an order on hold', moveTo('2026-01-12'), having(hold), null],
    ['move a promise to its own day', moveTo('2026-01-09'), having(), 'Conflict'],
    ['move the promise of what has shipped', moveTo('2026-01-12'), having(postback('shipped')), 'Conflict'],
    ['retry a parked order', retry, parked, null],
    ['retry a step that fails its process', retry, having(failsProcess), null],
    ['dismiss a step that fails its process', repair({ action: 'dismiss' }), having(failsProcess), null],
    ['cancel without a step that fails its process', cancel, having(failsProcess), null],
    ['retry during preparation', retry, newOrder(), 'Conflict'],
    ['retry after a refusal', retry, having(delivery('refused')), null],
    ['retry after an error', retry, having(postback('error')), null],
    ['retry an item that its partner cancelled', retry, having(cancelled(null)), 'Conflict'],
    ['retry without a problem', retry, having(), 'Conflict'],
    ['retry on hold', retry, having(postback('error'), hold), 'Conflict'],
    ['retry an unknown item', repair({ action: 'retry', itemIds: ['9'] } as never), having(), 'Invalid'],
    ['reroute in production', reroute, having(postback('received')), null],
    ['reroute after a refusal', reroute, having(delivery('refused')), null],
    ['reroute after shipping', reroute, having(postback('shipped')), 'Conflict'],
    ['reroute before production', reroute, newOrder(), 'Conflict'],
    ['reroute on hold', reroute, having(hold), 'Conflict'],
    ['reroute to the same partner', { ...reroute, partnerId: 'berlin' } as RepairRequest, having(), 'Conflict'],
    ['reproduce after shipping', reproduce, having(postback('shipped')), null],
    ['reproduce before production', reproduce, newOrder(), 'Conflict'],
    ['reproduce an unknown item', { ...reproduce, itemId: '9' } as RepairRequest, having(), 'Invalid'],
    ['cancel', cancel, having(), null],
    ['cancel during preparation', cancel, newOrder(), null],
    ['cancel after shipping', cancel, having(postback('shipped')), 'Conflict'],
    ['cancel again, without a response', cancel, having(cancelling), null],
    ['cancel after the partner agreed', cancel, having(cancelling, agreed), 'Conflict'],
    ['cancel an unknown item', repair({ action: 'cancel', itemIds: ['9'] } as never), having(), 'Invalid'],
    ['any repair after the end', repair({ action: 'hold' }), having(tracked('delivered')), 'Conflict'],
  ])('%s', (_what, request, state, type) => {
    expect(whyNotRepair(state, request)?.type ?? null).toBe(type);
  });
});
