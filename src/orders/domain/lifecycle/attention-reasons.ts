/** Every reason why an operator should look at an order. `rules/attention.ts` says when an order has each. */
export const ATTENTION_REASONS = [
  'not_received',
  'not_printed',
  'not_dispatched',
  'partner_error',
  'partner_refused',
  'partner_unreachable',
  'print_order_unbuildable',
  'partner_cancelled',
  'short_shipped',
  'voided_label',
  'cancel_refused',
  'no_partner',
  'file_check',
  'address_check',
  'dispatch_failed',
  'partner_not_updated',
  'cancelled_shipped',
  'label_without_parcel',
  'old_address_shipped',
  'not_rerouted',
  'made_twice',
  'out_of_step',
  'record_refused',
  'parcel_exception',
  'parcel_silent',
  'claim',
  'channel_change_missed',
  'order_failed',
  'order_returned',
  'stalled',
  'step_fails_process',
  'workflow_slow',
] as const;
export type AttentionReason = (typeof ATTENTION_REASONS)[number];

/** Why an order is not planned yet, with the entry in its log. It has one of these reasons at a time. */
export const PARKING_REASONS = {
  no_partner: 'order_parked',
  file_check: 'files_held',
  address_check: 'address_held',
} as const satisfies Partial<Record<AttentionReason, string>>;
export type ParkingReason = keyof typeof PARKING_REASONS;
