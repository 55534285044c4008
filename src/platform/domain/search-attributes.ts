import { defineSearchAttributeKey } from '@temporalio/common';

/**
 * What operators filter order runs by in the Temporal UI. Search attributes are not encrypted: no personal data here.
 * They change on coarse phase changes only, since each change costs a history event.
 */
export const SEARCH_ATTRIBUTES = {
  /** Order status (DESIGN "Order statuses"). */
  orderStatus: defineSearchAttributeKey('PresslineOrderStatus', 'KEYWORD'),
  /** Account id of the client. */
  client: defineSearchAttributeKey('PresslineClient', 'KEYWORD'),
  /** The client's own orderReferenceId. */
  reference: defineSearchAttributeKey('PresslineReference', 'KEYWORD'),
  /** Uids of the partners that produce the order. */
  partner: defineSearchAttributeKey('PresslinePartner', 'KEYWORD_LIST'),
  /** Delivery country, ISO 3166-1 alpha-2. */
  country: defineSearchAttributeKey('PresslineCountry', 'KEYWORD'),
  /** Every reason why the order needs attention; absent when there is none. */
  attentionReasons: defineSearchAttributeKey('PresslineAttentionReasons', 'KEYWORD_LIST'),
  /** Superseded by `attentionReasons`: the first reason alone. Kept because the type of an attribute cannot change and saved filters use it. */
  attention: defineSearchAttributeKey('PresslineAttention', 'KEYWORD'),
} as const;
