import type { OwnShippingOrder, PrintOrderKind, PrintOrderRecord, ReceivedUpdate } from './partner-record';

/** What a partner received and sent for one print order. Fault runs and tests count it. */
export interface SeenPrintOrder {
  readonly printOrderId: string;
  readonly kind: PrintOrderKind;
  readonly behaviour: string;
  readonly state: PrintOrderRecord['state'];
  readonly reason: string | null;
  readonly itemIds: readonly string[];
  /** Number of deliveries, and the response to each. */
  readonly deliveries: number;
  readonly answers: readonly string[];
  /** Must be 1: a redelivery has the same bytes and the same webhook-id as the first delivery. */
  readonly distinctContents: number;
  readonly distinctWebhookIds: number;
  readonly assetsFetched: number;
  readonly postbacks: readonly {
    readonly status: string;
    readonly orderItemId?: string;
    readonly answer: number;
  }[];
  readonly documents: readonly { readonly type: string; readonly sha256: string; readonly bytes: number }[];
  readonly labelsDownloaded: number;
  /** Number of labels with different bytes. */
  readonly distinctLabels: number;
  readonly trackingCodes: readonly string[];
  readonly cancelOrders: readonly { readonly itemIds: readonly string[]; readonly accepted: boolean }[];
  /** Deliveries of order updates. */
  readonly updates: readonly ReceivedUpdate[];
  /** Shipping orders that the partner placed. */
  readonly shippingOrders: readonly OwnShippingOrder[];
}

export interface SeenPartner {
  readonly subscribed: boolean;
  readonly printOrders: readonly SeenPrintOrder[];
  readonly inventoryPolls: number;
  /** Requests with an invalid signature since the sandbox started. */
  readonly badSignatures: number;
  /** Print orders with missing or wrong fields since the sandbox started. */
  readonly malformed: readonly {
    readonly printOrderId: string | null;
    readonly problems: readonly string[];
  }[];
}

/** Returns the public view of a print order's record. */
export function seenPrintOrder(record: PrintOrderRecord): SeenPrintOrder {
  const labels = record.documents.filter(({ type }) => type === 'label');
  return {
    printOrderId: record.id,
    kind: record.kind,
    behaviour: record.behaviour.name,
    state: record.state,
    reason: record.reason ?? null,
    itemIds: record.itemIds,
    deliveries: record.deliveries,
    answers: record.answers,
    distinctContents: record.contents.size,
    distinctWebhookIds: record.webhookIds.size,
    assetsFetched: record.assetsFetched,
    postbacks: record.postbacks,
    documents: record.documents,
    labelsDownloaded: labels.length,
    distinctLabels: new Set(labels.map(({ sha256 }) => sha256)).size,
    trackingCodes: [...record.trackingCodes],
    cancelOrders: record.cancelOrders,
    updates: record.updates,
    shippingOrders: record.shippingOrders,
  };
}
