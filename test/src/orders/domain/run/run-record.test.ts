import type { PostbackEvent } from '../../../../../src/orders/domain/lifecycle/run-events';
import {
  initialSnapshot,
  keyOf,
  type ReservedStep,
  recordOfResult,
} from '../../../../../src/orders/domain/run/run-record';

/** Records of the events with which activities end. test/src/orders/run/record-races.test.ts has the races. */

const start: ReservedStep = {
  orderId: 'order',
  clientId: 'client',
  runId: 'run',
  position: 1_000,
  follows: { position: 0, version: 0 },
  financialStatus: 'pending',
  version: 1,
};
const stored = initialSnapshot([{ id: '1', quantity: 1 }]);
const NOW = Date.UTC(2026, 10, 22);
const FETCHING = { type: 'fetching_files' } as const;
const PREPARED = {
  type: 'prepared',
  printOrders: [
    {
      id: '7',
      partnerId: 'partner',
      partnerUid: 'prints-berlin',
      dispatchDate: '2026-11-24',
      dispatchDueAt: '2026-11-25T00:00:00Z',
      reproducesId: null,
      jobs: [{ id: '8', itemId: '1', quantity: 1 }],
    },
  ],
} as const;

test('a record has the next version, the new state and the steps that follow from it', () => {
  const uploading = recordOfResult(start, stored, FETCHING, NOW)!;
  expect(uploading).toMatchObject({
    ...keyOf(start),
    follows: { position: 0, version: 0 },
    financialStatus: 'pending',
    effects: [{ type: 'log', event: 'status', itemId: '1', data: { status: 'uploading' } }],
  });
  const plan = { ...start, follows: keyOf(start), version: keyOf(start).version };
  const planned = recordOfResult(plan, uploading.snapshot, PREPARED, NOW)!;
  expect(planned).toMatchObject({
    position: 1_000,
    version: 3,
    follows: { position: 1_000, version: 2 },
    financialStatus: 'invoiced',
    snapshot: {
      state: { version: 3, phase: 'running', printOrders: [{ id: '7', delivery: 'pending' }] },
      pending: [{ type: 'deliver_print_order', printOrderId: '7' }],
    },
  });
  expect(planned.effects.map(({ type }) => type)).toEqual(['log', 'log']);
});

test('the version of a reserved step counts, not that of the snapshot', () => {
  expect(recordOfResult({ ...start, version: 5 }, stored, FETCHING, NOW)).toMatchObject({ version: 6 });
});

test('an event that changes nothing is left to the order run', () => {
  const { snapshot } = recordOfResult(start, stored, FETCHING, NOW)!;
  expect(recordOfResult(start, snapshot, FETCHING, NOW)).toBeNull();
});

test('events that waited for the print order are left to the order run', () => {
  const early: PostbackEvent = {
    type: 'postback',
    eventId: '5',
    printOrderId: '7',
    status: 'received',
    at: '2026-11-22T10:00:00Z',
    message: null,
    jobId: null,
    items: null,
    trackingCode: null,
    trackingLink: null,
  };
  const waiting = { ...stored, state: { ...stored.state, early: [early] } };
  expect(recordOfResult(start, waiting, PREPARED, NOW)).toBeNull();
});
