/** Names of statuses and reasons as the console shows them, and the tone that colours each. */

export type Tone = 'neutral' | 'info' | 'progress' | 'success' | 'warning' | 'danger';

interface Named {
  readonly text: string;
  readonly tone: Tone;
}

export const STATUSES: Readonly<Record<string, Named>> = {
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
  manual_handling: { text: 'Manual handling', tone: 'danger' },
  failed: { text: 'Failed', tone: 'danger' },
  canceled: { text: 'Canceled', tone: 'neutral' },
  cancelled: { text: 'Cancelled', tone: 'neutral' },
  pending: { text: 'Pending', tone: 'info' },
  invoiced: { text: 'Invoiced', tone: 'info' },
  paid: { text: 'Paid', tone: 'success' },
  dead: { text: 'Dead', tone: 'danger' },
  refused: { text: 'Refused', tone: 'danger' },
  accepted: { text: 'Accepted', tone: 'success' },
  waiting: { text: 'Waiting', tone: 'warning' },
};

export const REASONS: Readonly<Record<string, string>> = {
  not_received: 'Not received',
  not_printed: 'Not printed in time',
  not_dispatched: 'Not dispatched in time',
  partner_error: 'Partner error',
  partner_refused: 'Partner refused',
  partner_unreachable: 'Partner unreachable',
  partner_cancelled: 'Partner cancelled',
  short_shipped: 'Short shipped',
  voided_label: 'Voided label in use',
  cancel_refused: 'Cancel refused',
  no_partner: 'No partner',
  dispatch_failed: 'Dispatch failed',
  partner_not_updated: 'Partner not updated',
  old_address_shipped: 'Shipped to old address',
  not_rerouted: 'Not rerouted',
  made_twice: 'Made twice',
  out_of_step: 'Out of step',
  record_refused: 'Record refused',
  workflow_slow: 'Workflow slow',
};

/** Returns a code as words: `order_submitted` becomes `Order submitted`, `order.add_note` becomes `Order add note`. */
function inWords(code: string): string {
  const words = code.replaceAll(/[_.]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const names = {
  status: (code: string): Named => STATUSES[code] ?? { text: inWords(code), tone: 'neutral' },
  reason: (code: string): string => REASONS[code] ?? inWords(code),
  code: inWords,
} as const;
