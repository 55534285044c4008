import type { PrintOrderRecord } from './partner-record';

/** What a partner received and sent for one print order. Fault runs and tests count it. */
export type SeenPrintOrder = ReturnType<typeof seenPrintOrder>;

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
export function seenPrintOrder(record: PrintOrderRecord) {
  const labels = record.documents.filter(({ type }) => type === 'label');
  return {
    printOrderId: record.id,
    kind: record.kind,
    behaviour: record.behaviour.name,
    state: record.state,
    reason: record.reason ?? null,
    itemIds: record.itemIds,
    deliveries: record.deliveries,
    responses: record.responses as readonly string[],
    /** Must be 1, like the webhook ids: a redelivery has the same bytes and the same webhook-id as the first delivery. */
    distinctContents: record.contents.size,
    distinctWebhookIds: record.webhookIds.size,
    assetsFetched: record.assetsFetched,
    postbacks: record.postbacks,
    documents: record.documents,
    labelsDownloaded: labels.length,
    /** Number of labels with different bytes. */
    distinctLabels: new Set(labels.map(({ sha256 }) => sha256)).size,
    trackingCodes: [...record.trackingCodes],
    cancelOrders: record.cancelOrders,
    updates: record.updates,
    shippingOrders: record.shippingOrders,
  };
}
