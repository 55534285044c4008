import { reduce } from '../../../../../src/orders/domain/lifecycle/reduce';
import type { RunEvent } from '../../../../../src/orders/domain/lifecycle/run-events';
import { JOB_PROGRESS, type RunState } from '../../../../../src/orders/domain/lifecycle/run-state';
import {
  accepted,
  byOperator,
  cancelRequested,
  dispatched,
  job,
  kinds,
  newOrder,
  POSTER,
  plan,
  play,
  postback,
  prepared,
  running,
  statuses,
  tracked,
} from './run-fixture';

describe('the lifecycle of an order', () => {
  test('goes from submission to delivered', () => {
    const seen: string[] = [];
    let state = newOrder();
    const steps: RunEvent[] = [
      { type: 'fetching_files' },
      prepared,
      accepted,
      postback('received'),
      postback('printed'),
      dispatched,
      postback('shipped'),
      tracked('in_transit'),
      tracked('delivered'),
    ];
    for (const event of steps) {
      state = play(state, event).state;
      seen.push(state.items[0]!.status);
    }
    expect(seen).toEqual([
      'uploading',
      'passed',
      'passed',
      'in_production',
      'printed',
      'printed',
      'shipped',
      'in_transit',
      'delivered',
    ]);
    expect(state).toMatchObject({ phase: 'closed', attention: [] });
  });

  test('a refusal fails every item and closes the run', () => {
    const { state } = play(newOrder(), { type: 'refused', code: 'x', reason: 'y', details: null });
    expect(statuses(state)).toEqual(['failed', 'failed']);
    expect(state.phase).toBe('closed');
  });

  test('a parked order is planned later', () => {
    const parked = play(newOrder(), { type: 'parked', reason: 'no_partner', message: 'no partner' }).state;
    expect(parked).toMatchObject({ phase: 'preparing', attention: ['no_partner'] });
    const { state } = play(parked, { type: 'retry', ...byOperator, itemIds: ['1'] }, prepared);
    expect(statuses(state)).toEqual(['passed', 'passed']);
    expect(state.attention).toEqual([]);
  });

  test('a retry clears the flag of a step that fails its process, and is logged', () => {
    const flag: RunEvent = { type: 'flagged', reason: 'step_fails_process', message: 'prepareOrder' };
    for (const order of [newOrder(), running()]) {
      const flagged = play(order, flag).state;
      expect(flagged.attention).toEqual(['step_fails_process']);
      const { state, effects } = play(flagged, { type: 'retry', ...byOperator, itemIds: ['1'] });
      expect(state.attention).toEqual([]);
      expect(effects).toMatchObject([{ type: 'log', event: 'retry' }]);
    }
  });

  test('an order waits for one reason at a time: for a partner, once its files are accepted', () => {
    const { state } = play(
      newOrder(),
      { type: 'parked', reason: 'file_check', message: 'too small' },
      { type: 'accept_files', ...byOperator },
      { type: 'parked', reason: 'no_partner', message: 'no partner' },
    );
    expect(state.attention).toEqual(['no_partner']);
  });

  test('an order cancelled during planning delivers no print orders', () => {
    const cancelled = play(newOrder(), cancelRequested);
    expect(cancelled.state.phase).toBe('closed');
    const { effects } = play(cancelled.state, prepared);
    expect(kinds(effects)).toEqual(['release_stock', 'refund']);
  });
});

describe('a status change that the transition table does not list', () => {
  test('is refused and reported, and the other changes of the event are made', () => {
    const [poster, sticker] = running().items;
    const state: RunState = { ...running(), items: [{ ...poster!, status: 'created' }, sticker!] };
    const received = reduce(state, postback('received'));
    expect(statuses(received.state)).toEqual(['created', 'in_production']);
    expect(received.refused).toEqual([{ itemId: POSTER.itemId, from: 'created', to: 'in_production' }]);
    expect(job(received.state, POSTER.jobId).progress).toBe(JOB_PROGRESS.received);
  });
});

describe('a failed dispatch', () => {
  const failed: RunEvent = { type: 'dispatch_failed', printOrderId: '501', message: 'No such street.' };

  test('raises attention and is logged with the carrier’s message, once for requests that fail alike', () => {
    const other = { ...failed, message: 'No such city.' };
    const { state, effects } = play(running(), failed, failed, other, failed);
    expect(state.attention).toEqual(['dispatch_failed']);
    const entry = (message: string) => ({
      type: 'log',
      event: 'dispatch_failed',
      printOrderId: '501',
      data: { message },
    });
    expect(effects).toEqual([entry('No such street.'), entry('No such city.'), entry('No such street.')]);
    expect(play(state, dispatched, failed).effects).toContainEqual(entry('No such street.'));
  });

  test('is resolved by the next dispatch', () => {
    const { state } = play(running(), failed, dispatched);
    expect(state.attention).toEqual([]);
  });
});

/** The plan of a run that begins again after a reset, and perhaps a label, exist already. */

test('events of a print order that the run does not have change nothing', () => {
  for (const before of [newOrder(), play(newOrder(), prepared).state]) {
    const other = { printOrderId: '502' };
    const { state, effects } = play(before, postback('received', other), tracked('delivered', '502'));
    expect(state).toBe(before);
    expect(effects).toEqual([]);
  }
});

test('a plan that was stored before a reset brings its label and the shipping revision', () => {
  const stored = { ...prepared, printOrders: [plan({ boughtShipmentId: 's7' })], shippingRevision: 2 };
  const { state } = play(newOrder(), stored);
  expect(state.printOrders[0]!.shipment).toEqual({ id: 's7', revision: 2 });
  expect(state.shippingRevision).toBe(2);
  // The carrier's scan of that label is not the scan of an unknown one.
  const scanned = play(state, { ...(tracked('in_transit') as object), shipmentId: 's7' } as never).state;
  expect(scanned.attention).toEqual([]);
});
