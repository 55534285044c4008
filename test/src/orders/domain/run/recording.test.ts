import type { PostbackEvent } from '../../../../../src/orders/domain/lifecycle/run-events';
import { initialRunState } from '../../../../../src/orders/domain/lifecycle/run-state';
import {
  type Recording,
  recordingAfter,
  recordOfEvent,
} from '../../../../../src/orders/domain/run/recording';

/** Records that activities write instead of the order run. */

const start: Recording = {
  orderId: 'order',
  clientId: 'client',
  runId: 'run',
  position: 1_000,
  follows: { position: 0, version: 0 },
  financialStatus: 'pending',
  state: initialRunState([{ id: '1', quantity: 1 }]),
};
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

test('each record has the next version and follows the one before', () => {
  const uploading = recordOfEvent(start, FETCHING)!;
  expect(uploading).toMatchObject({
    version: 2,
    follows: { position: 0, version: 0 },
    fulfillmentStatus: 'uploading',
    financialStatus: 'pending',
    effects: [{ type: 'log', event: 'status', itemId: '1', data: { status: 'uploading' } }],
  });
  const planned = recordOfEvent(recordingAfter(start, FETCHING), PREPARED)!;
  expect(planned).toMatchObject({
    position: 1_000,
    version: 3,
    follows: { position: 1_000, version: 2 },
    fulfillmentStatus: 'passed',
    financialStatus: 'invoiced',
    printOrders: [{ id: '7', status: 'pending' }],
    jobs: [{ id: '8', status: 'passed', quantity: 1 }],
  });
  // The workflow carries out the other effects.
  expect(planned.effects.map(({ type }) => type)).toEqual(['log', 'log']);
  expect(planned).not.toHaveProperty('state');
});

test('an event that changes nothing has no record, and the next record follows the one before it', () => {
  const after = recordingAfter(recordingAfter(start, FETCHING), PREPARED);
  expect(recordOfEvent(after, PREPARED)).toBeNull();
  expect(recordingAfter(after, PREPARED)).toBe(after);
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
  const waiting = { ...start, state: { ...start.state, early: [early] } };
  expect(recordOfEvent(waiting, PREPARED)).toBeNull();
});
