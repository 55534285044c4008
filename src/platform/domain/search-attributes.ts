import { defineSearchAttributeKey } from '@temporalio/common';

/**
 * Search attributes by which operators filter order runs in the Temporal UI. They are not encrypted and must not contain
 * personal data. They change only when an order enters another phase, because each change costs a history event.
 */
export const SEARCH_ATTRIBUTES = {
  orderStatus: defineSearchAttributeKey('PresslineOrderStatus', 'KEYWORD'),
  client: defineSearchAttributeKey('PresslineClient', 'KEYWORD'),
  reference: defineSearchAttributeKey('PresslineReference', 'KEYWORD'),
  /** Uids of the print partners that produce the order. */
  partner: defineSearchAttributeKey('PresslinePartner', 'KEYWORD_LIST'),
  /** Delivery country, ISO 3166-1 alpha-2. */
  country: defineSearchAttributeKey('PresslineCountry', 'KEYWORD'),
  /** Every reason why the order needs attention; absent when there is none. */
  attentionReasons: defineSearchAttributeKey('PresslineAttentionReasons', 'KEYWORD_LIST'),
  /** When the next print order must be handed to its carrier: the end of the dispatch date. Absent when nothing is due. */
  due: defineSearchAttributeKey('PresslineDue', 'DATETIME'),
} as const;
