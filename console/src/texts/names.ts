import { inWords } from '../../../client/order-story';
import type { ApiResponse } from '../api/types';

/** Names of statuses and reasons as the console shows them, and the tone that colours each. Each table has every value of the API. */

export type Tone = 'neutral' | 'info' | 'progress' | 'success' | 'warning' | 'danger';

export interface Named {
  readonly text: string;
  readonly tone: Tone;
}

type Order = ApiResponse<'getOperatorOrder'>;
type PrintOrder = Order['printOrders'][number];

export type OrderStatus = Order['fulfillmentStatus'];
export type AttentionReason = Order['attention'][number];
export type DeliveryState = ApiResponse<'listOrderDeliveries'>['deliveries'][number]['state'];
export type ParcelStatus = ApiResponse<'listParcels'>['parcels'][number]['status'];

/** A status of an order, of what belongs to an order, or of a message. */
export type Status =
  | OrderStatus
  | Order['items'][number]['fulfillmentStatus']
  | Order['financialStatus']
  | PrintOrder['status']
  | PrintOrder['postbacks'][number]['status']
  | PrintOrder['shipments'][number]['status']
  | ApiResponse<'pingPartner'>['outcome']
  | Order['claims'][number]['status']
  | DeliveryState;

/** Returns the names of the codes of a table: their words. */
const named = <Code extends string>(tones: Readonly<Record<Code, Tone>>): Readonly<Record<Code, Named>> =>
  Object.fromEntries(
    Object.entries<Tone>(tones).map(([code, tone]) => [code, { text: inWords(code), tone }]),
  ) as Record<Code, Named>;

export const ORDER_STATUSES = named<OrderStatus>({
  draft: 'neutral',
  created: 'info',
  uploading: 'info',
  passed: 'info',
  in_production: 'progress',
  printed: 'progress',
  shipped: 'progress',
  in_transit: 'progress',
  delivered: 'success',
  returned: 'warning',
  on_hold: 'warning',
  failed: 'danger',
  canceled: 'neutral',
});

export const DELIVERY_STATES = named<DeliveryState>({
  pending: 'info',
  delivered: 'success',
  dead: 'danger',
});

export const PARCEL_STATUSES = {
  ...named<ParcelStatus>({
    registered: 'info',
    dispatched: 'progress',
    in_transit: 'progress',
    shipping_exception: 'danger',
    out_for_delivery: 'progress',
    failed_attempt: 'warning',
    available_for_pickup: 'progress',
    not_picked_up: 'danger',
    returned: 'danger',
    delivered: 'success',
  }),
  shipping_exception: { text: 'Exception', tone: 'danger' as Tone },
};

const STATUSES = {
  ...ORDER_STATUSES,
  ...DELIVERY_STATES,
  ...named<Exclude<Status, OrderStatus | DeliveryState>>({
    manual_handling: 'danger',
    cancelled: 'neutral',
    invoiced: 'info',
    paid: 'success',
    refunded: 'neutral',
    partially_refunded: 'neutral',
    waiting: 'warning',
    planned: 'neutral',
    accepted: 'success',
    refused: 'danger',
    undeliverable: 'danger',
    unbuildable: 'danger',
    received: 'info',
    error: 'danger',
    buying: 'progress',
    bought: 'success',
    voided: 'neutral',
    retry: 'warning',
    open: 'warning',
    replaced: 'success',
  }),
};

export const REASONS: Readonly<Record<AttentionReason, string>> = {
  not_received: 'Print order not confirmed',
  not_printed: 'Not printed in time',
  not_dispatched: 'Not dispatched in time',
  partner_error: 'Partner error',
  partner_refused: 'Partner refused',
  partner_unreachable: 'Partner unreachable',
  print_order_unbuildable: 'Print order cannot be built',
  partner_cancelled: 'Partner cancelled',
  short_shipped: 'Short shipped',
  voided_label: 'Voided label in use',
  cancel_refused: 'Cancel refused',
  no_partner: 'No partner',
  file_check: 'Print file does not fit',
  address_check: 'Address has findings',
  dispatch_failed: 'Dispatch failed',
  partner_not_updated: 'Partner not updated',
  cancelled_shipped: 'Shipped after cancellation',
  label_without_parcel: 'Label without a parcel',
  old_address_shipped: 'Shipped to old address',
  not_rerouted: 'Not rerouted',
  made_twice: 'Made twice',
  out_of_step: 'Out of step',
  record_refused: 'Record refused',
  parcel_exception: 'Carrier reports trouble',
  parcel_silent: 'Parcel without a scan',
  claim: 'Claim',
  channel_change_missed: 'Shop’s change missed',
  order_failed: 'Failed',
  order_returned: 'Returned',
  stalled: 'Stalled',
  step_fails_process: 'Step fails its process',
  workflow_slow: 'Workflow slow',
};

const countries = new Intl.DisplayNames('en', { type: 'region' });

export const names = {
  status: (code: Status): Named => STATUSES[code],
  reason: (code: AttentionReason): string => REASONS[code],
  /** Of a status or another code. */
  code: inWords,
  /** Of an ISO 3166-1 alpha-2 code. */
  country: (code: string): string => countries.of(code) ?? code,
} as const;
