/** What clients can be told of (DESIGN "Notifications to clients"). */
export const NOTIFICATION_EVENTS = [
  'order_status_updated',
  'order_item_status_updated',
  'order_item_tracking_code_updated',
  'order_delivery_estimate_updated',
] as const;

export type NotificationEvent = (typeof NOTIFICATION_EVENTS)[number];

/** Sent on request only, to see whether an endpoint works; every endpoint gets it. */
export const TEST_EVENT = 'endpoint_test';
