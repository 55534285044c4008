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
  | DeliveryState;

export const ORDER_STATUSES: Readonly<Record<OrderStatus, Named>> = {
  draft: { text: 'Draft', tone: 'neutral' },
  created: { text: 'Created', tone: 'info' },
  uploading: { text: 'Uploading', tone: 'info' },
  passed: { text: 'Passed', tone: 'info' },
  in_production: { text: 'In production', tone: 'progress' },
  printed: { text: 'Printed', tone: 'progress' },
  shipped: { text: 'Shipped', tone: 'progress' },
  in_transit: { text: 'In transit', tone: 'progress' },
  delivered: { text: 'Delivered', tone: 'success' },
  returned: { text: 'Returned', tone: 'warning' },
  on_hold: { text: 'On hold', tone: 'warning' },
  failed: { text: 'Failed', tone: 'danger' },
  canceled: { text: 'Cancelled', tone: 'neutral' },
};

export const DELIVERY_STATES: Readonly<Record<DeliveryState, Named>> = {
  pending: { text: 'Pending', tone: 'info' },
  delivered: { text: 'Delivered', tone: 'success' },
  dead: { text: 'Dead', tone: 'danger' },
};

export const PARCEL_STATUSES: Readonly<Record<ParcelStatus, Named>> = {
  registered: { text: 'Registered', tone: 'info' },
  dispatched: { text: 'Dispatched', tone: 'progress' },
  in_transit: { text: 'In transit', tone: 'progress' },
  shipping_exception: { text: 'Exception', tone: 'danger' },
  out_for_delivery: { text: 'Out for delivery', tone: 'progress' },
  failed_attempt: { text: 'Failed attempt', tone: 'warning' },
  available_for_pickup: { text: 'Available for pickup', tone: 'progress' },
  not_picked_up: { text: 'Not picked up', tone: 'danger' },
  returned: { text: 'Returned', tone: 'danger' },
  delivered: { text: 'Delivered', tone: 'success' },
};

const STATUSES: Readonly<Record<Status, Named>> = {
  ...ORDER_STATUSES,
  ...DELIVERY_STATES,
  manual_handling: { text: 'Manual handling', tone: 'danger' },
  cancelled: { text: 'Cancelled', tone: 'neutral' },
  invoiced: { text: 'Invoiced', tone: 'info' },
  paid: { text: 'Paid', tone: 'success' },
  refunded: { text: 'Refunded', tone: 'neutral' },
  partially_refunded: { text: 'Partially refunded', tone: 'neutral' },
  waiting: { text: 'Waiting', tone: 'warning' },
  planned: { text: 'Planned', tone: 'neutral' },
  accepted: { text: 'Accepted', tone: 'success' },
  refused: { text: 'Refused', tone: 'danger' },
  undeliverable: { text: 'Undeliverable', tone: 'danger' },
  unbuildable: { text: 'Cannot be built', tone: 'danger' },
  received: { text: 'Received', tone: 'info' },
  error: { text: 'Error', tone: 'danger' },
  buying: { text: 'Buying', tone: 'progress' },
  bought: { text: 'Bought', tone: 'success' },
  voided: { text: 'Voided', tone: 'neutral' },
  retry: { text: 'Retry', tone: 'warning' },
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
  dispatch_failed: 'Dispatch failed',
  partner_not_updated: 'Partner not updated',
  cancelled_shipped: 'Shipped after cancellation',
  old_address_shipped: 'Shipped to old address',
  not_rerouted: 'Not rerouted',
  made_twice: 'Made twice',
  out_of_step: 'Out of step',
  record_refused: 'Record refused',
  parcel_exception: 'Carrier reports trouble',
  order_failed: 'Failed',
  order_returned: 'Returned',
  stalled: 'Stalled',
  workflow_slow: 'Workflow slow',
};

const isStatus = (code: string): code is Status => Object.hasOwn(STATUSES, code);

/** Returns the name of a status, and other codes as words: `order_submitted` becomes `Order submitted`. */
function inWords(code: string): string {
  if (isStatus(code)) return STATUSES[code].text;
  const words = code.replaceAll(/[_.]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const countries = new Intl.DisplayNames('en', { type: 'region' });

export const names = {
  status: (code: Status): Named => STATUSES[code],
  reason: (code: AttentionReason): string => REASONS[code],
  code: inWords,
  /** Of an ISO 3166-1 alpha-2 code. */
  country: (code: string): string => countries.of(code) ?? code,
} as const;
