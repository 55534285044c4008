import { ApplicationFailure } from '@temporalio/common';
import type { ShippingActivities } from '../../../activities/shipping';
import { inTurn, type ScriptedRun } from '../../support/scripted-runs';

/** The paths through the shipping workflows, with scripted activities. test/workflows/record-histories.ts records a history of each. */

interface Scenario extends ScriptedRun {
  readonly workflow: 'shippingOrder' | 'takeBackShipment' | 'cancelShippingOrder' | 'replaceLabel' | 'trackingSweep';
  readonly steps: Partial<{ [Step in keyof ShippingActivities]: () => ReturnType<ShippingActivities[Step]> }>;
}

const shippingOrderId = '019a0000-0000-7000-8000-000000000001';
const order = [{ shippingOrderId, requestId: 'req-1' }];
const bought = { outcome: 'bought', shipmentId: '019a0000-0000-7000-8000-000000000002' } as const;
const refused = {
  outcome: 'refused',
  refusal: { code: 'PACKAGE_NOT_ACCEPTED', message: 'Too heavy.' },
} as const;
const unavailable = () => {
  throw ApplicationFailure.create({ message: 'The carrier is unavailable.', type: 'CarrierUnavailable' });
};
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'shipping-order-bought': {
    workflow: 'shippingOrder',
    args: order,
    steps: { purchaseShippingOrder: async () => bought },
  },
  'shipping-order-bought-at-the-third-try': {
    workflow: 'shippingOrder',
    args: order,
    steps: { purchaseShippingOrder: inTurn(unavailable, unavailable, async () => bought) },
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
      purchaseShippingOrder: unavailable,
      refuseShippingOrder: async () => refused,
      takeBackShipment: async () => undefined,
    },
  },
  'shipping-order-bought-after-all': {
    workflow: 'shippingOrder',
    args: order,
    steps: { purchaseShippingOrder: unavailable, refuseShippingOrder: async () => bought },
  },
  'take-back-at-the-second-try': {
    workflow: 'takeBackShipment',
    args: [{ idempotencyKey: 'shipping-order:1' }],
    steps: { takeBackShipment: inTurn(unavailable, async () => undefined) },
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
    steps: { cancelShippingOrder: inTurn(unavailable, async () => ({ outcome: 'canceled' as const })) },
  },
  'label-replaced-at-the-second-try': {
    workflow: 'replaceLabel',
    args: [{ shipmentId: bought.shipmentId, position: 0, requestId: 'req-1' }],
    steps: { replaceLabel: inTurn(unavailable, async () => ({ outcome: 'replaced' as const })) },
  },
  'tracking-sweep-of-two-carriers': {
    workflow: 'trackingSweep',
    args: [],
    steps: {
      carriersToSweep: async () => ['easypost', 'tern_parcel'],
      sweepCarrier: inTurn(
        async () => ({ checked: 500, recorded: 30, failed: 1, unavailable: [] }),
        async () => {
          throw ApplicationFailure.nonRetryable('A bug.');
        },
      ),
      findPartnerCarriers: async () => ({ checked: 2, recorded: 0, failed: 0, unavailable: ['easypost'] }),
    },
  },
};
