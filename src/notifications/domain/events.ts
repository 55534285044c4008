/** The events of notifications (docs/notifications.md). */
export const NOTIFICATION_EVENTS = [
  'order_status_updated',
  'order_item_status_updated',
  'order_item_tracking_code_updated',
  'order_delivery_estimate_updated',
  'order_cancel_refused',
  'order_item_units_cancelled',
  'order_file_requested',
] as const;

export type NotificationEvent = (typeof NOTIFICATION_EVENTS)[number];

/** The events of operators' endpoints: an order needs attention, a message is dead, a periodic job has failed. */
export const OPERATOR_EVENTS = ['attention_raised', 'outbox_dead', 'job_failed'] as const;

export type OperatorEvent = (typeof OPERATOR_EVENTS)[number];

/** The test event. It is sent on request, to endpoints with any set of events. */
export const TEST_EVENT = 'endpoint_test';
