import { ApplicationFailure } from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { ShippingActivities } from '../../../activities/shipping';
import { loadConfig } from '../../../src/platform/config';
import { connectTemporal } from '../../../src/platform/temporal/connection';
import { keepHistory } from '../../support/histories';
import { testTemporalAddress, workflowBundle } from '../../support/servers';

/**
 * Records histories/: one run per path through the shipping workflows, with scripted activities. Record a history when a
 * workflow gets a new path. Keep the existing ones, since such workflows may still be running:
 * `npx jest --testMatch '**\/record-histories.ts' -t <name>`
 */

interface Scenario {
  readonly workflow: 'shippingOrder' | 'takeBackShipment' | 'cancelShippingOrder' | 'trackingSweep';
  readonly args: readonly unknown[];
  readonly steps: Partial<{ [Step in keyof ShippingActivities]: () => ReturnType<ShippingActivities[Step]> }>;
  readonly fails?: true;
}

const shippingOrderId = '019a0000-0000-7000-8000-000000000001';
const order = [{ shippingOrderId, requestId: 'req-1' }];
const bought = { outcome: 'bought', shipmentId: '019a0000-0000-7000-8000-000000000002' } as const;
const refused = {
  outcome: 'refused',
  refusal: { code: 'PACKAGE_NOT_ACCEPTED', message: 'Too heavy.' },
} as const;
const away = () => {
  throw ApplicationFailure.create({ message: 'The carrier is away.', type: 'CarrierUnavailable' });
};
/** Returns an activity that gives one answer after the other. */
const inTurn = <T>(...answers: readonly (() => Promise<T>)[]) => {
  let turn = 0;
  return () => answers[turn++]!();
};

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'shipping-order-bought': {
    workflow: 'shippingOrder',
    args: order,
    steps: { purchaseShippingOrder: async () => bought },
  },
  'shipping-order-bought-at-the-third-try': {
    workflow: 'shippingOrder',
    args: order,
    steps: { purchaseShippingOrder: inTurn(away, away, async () => bought) },
  },
  'shipping-order-refused': {
    workflow: 'shippingOrder',
    args: order,
    steps: { purchaseShippingOrder: async () => refused },
  },
  'shipping-order-taken-back': {
    workflow: 'shippingOrder',
    args: order,
    steps: {
      purchaseShippingOrder: away,
      refuseShippingOrder: async () => refused,
      takeBackShipment: async () => undefined,
    },
  },
  'shipping-order-bought-after-all': {
    workflow: 'shippingOrder',
    args: order,
    steps: { purchaseShippingOrder: away, refuseShippingOrder: async () => bought },
  },
  'take-back-at-the-second-try': {
    workflow: 'takeBackShipment',
    args: [{ idempotencyKey: 'shipping-order:1' }],
    steps: { takeBackShipment: inTurn(away, async () => undefined) },
  },
  'take-back-refused': {
    workflow: 'takeBackShipment',
    args: [{ idempotencyKey: 'shipping-order:1' }],
    steps: {
      takeBackShipment: async () => {
        throw ApplicationFailure.nonRetryable('Already scanned.', 'CarrierRefused');
      },
    },
    fails: true,
  },
  'shipping-order-canceled-at-the-second-try': {
    workflow: 'cancelShippingOrder',
    args: order,
    steps: { cancelShippingOrder: inTurn(away, async () => ({ outcome: 'canceled' as const })) },
  },
  'tracking-sweep-of-three-batches': {
    workflow: 'trackingSweep',
    args: [],
    steps: {
      sweepTrackings: inTurn(
        async () => ({ checked: 500, recorded: 30, away: [] }),
        async () => ({ checked: 500, recorded: 0, away: ['easypost'] }),
        async () => ({ checked: 12, recorded: 2, away: [] }),
      ),
    },
  },
};

test.each(Object.entries(SCENARIOS))('%s', async (name, { workflow, args, steps, fails }) => {
  const taskQueue = 'recorder';
  const temporal = connectTemporal({ ...loadConfig({}), TEMPORAL_ADDRESS: testTemporalAddress() });
  const connection = await NativeConnection.connect({ address: testTemporalAddress() });
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle: workflowBundle(),
    activities: steps,
    identity: taskQueue,
  });
  const history = await worker.runUntil(async () => {
    const handle = await temporal.workflow.start(workflow, { workflowId: name, taskQueue, args: [...args] });
    const result = handle.result();
    if (fails) await expect(result).rejects.toThrow();
    else await result;
    return await handle.fetchHistory();
  });
  await connection.close();
  await temporal.connection.close();

  await keepHistory('shipping', name, history);
});
